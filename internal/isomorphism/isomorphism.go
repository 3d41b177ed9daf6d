// Package isomorphism tells whether two data sets are the same up to the labels of blank nodes.
//
// Only tests import it: it takes long for data sets with many blank nodes that look alike.
package isomorphism

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Same reports whether two data sets are equal up to the labels of blank nodes, however often a quad comes: colours are
// refined by their surroundings until they no longer split, then blank nodes of one colour are tried against each other.
func Same(a, b []rdf.Quad) bool {
	a, b = Distinct(a), Distinct(b)
	if len(a) != len(b) {
		return false
	}
	return match(a, b, map[string]string{}, map[string]string{})
}

// Distinct is the quads without repetitions.
func Distinct(quads []rdf.Quad) []rdf.Quad {
	seen := map[rdf.Quad]bool{}
	var out []rdf.Quad
	for _, q := range quads {
		if !seen[q] {
			seen[q] = true
			out = append(out, q)
		}
	}
	return out
}

// match refines the colours of both sides, given some fixed ones, and splits on a colour that is shared.
func match(a, b []rdf.Quad, fixedA, fixedB map[string]string) bool {
	colourA, colourB := refine(a, fixedA), refine(b, fixedB)
	if signature(a, colourA) != signature(b, colourB) {
		return false
	}
	group := map[string][]string{}
	for label, c := range colourA {
		group[c] = append(group[c], label)
	}
	for c, labels := range group {
		if len(labels) == 1 {
			continue
		}
		slices.Sort(labels)
		fixedA[labels[0]] = "fixed" + fmt.Sprint(len(fixedA))
		defer delete(fixedA, labels[0])
		for label, cb := range colourB {
			if cb != c {
				continue
			}
			fixedB[label] = fixedA[labels[0]]
			if match(a, b, fixedA, fixedB) {
				return true
			}
			delete(fixedB, label)
		}
		return false
	}
	return true
}

func refine(quads []rdf.Quad, fixed map[string]string) map[string]string {
	colour := map[string]string{}
	for _, q := range quads {
		for _, t := range []rdf.Term{q.Subject, q.Object, q.Graph} {
			if t.Kind == rdf.BlankNode {
				colour[t.Value] = fixed[t.Value]
			}
		}
	}
	for range 2 + min(len(colour), 12) {
		around := map[string][]string{}
		for _, q := range quads {
			for _, t := range []rdf.Term{q.Subject, q.Object, q.Graph} {
				if t.Kind == rdf.BlankNode {
					around[t.Value] = append(around[t.Value], paint(q, colour, t.Value))
				}
			}
		}
		next := map[string]string{}
		for label, lines := range around {
			slices.Sort(lines)
			next[label] = fmt.Sprintf("%x", hashString(colour[label]+strings.Join(lines, "\n")))
		}
		colour = next
	}
	return colour
}

func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

func paint(q rdf.Quad, colour map[string]string, self string) string {
	var b strings.Builder
	for _, t := range []rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph} {
		switch {
		case t.Kind != rdf.BlankNode:
			b.WriteString(t.String())
		case t.Value == self && self != "":
			b.WriteString("_:self")
		default:
			b.WriteString("_:" + colour[t.Value])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func signature(quads []rdf.Quad, colour map[string]string) string {
	var lines []string
	for _, q := range quads {
		lines = append(lines, paint(q, colour, ""))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
