package isomorphism

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const blanks = 4

func blank(i int) rdf.Term { return rdf.NewBlank(fmt.Sprint("b", i)) }

// draw draws a data set of few terms, so that many blank nodes look alike.
func draw(t *rapid.T) (quads []rdf.Quad) {
	terms := []rdf.Term{{}, rdf.NewIRI("a:"), rdf.NewIRI("b:")}
	for i := range blanks {
		terms = append(terms, blank(i))
	}
	pick := func(from, to int) rdf.Term { return terms[rapid.IntRange(from, to).Draw(t, "term")] }
	for range rapid.IntRange(0, 6).Draw(t, "quads") {
		quads = append(quads, rdf.Quad{Subject: pick(1, len(terms)-1), Predicate: pick(1, 2), Object: pick(1, len(terms)-1), Graph: pick(0, len(terms)-1)})
	}
	return quads
}

// renamed gives the blank nodes other labels.
func renamed(quads []rdf.Quad, to []int) []rdf.Quad {
	out := slices.Clone(quads)
	for i := range out {
		for _, t := range []*rdf.Term{&out[i].Subject, &out[i].Object, &out[i].Graph} {
			if t.Kind == rdf.BlankNode {
				*t = blank(to[t.Value[1]-'0'])
			}
		}
	}
	return out
}

// bruteForce tries all renamings.
func bruteForce(a, b []rdf.Quad, to []int) bool {
	if len(to) == blanks {
		return sameSet(renamed(a, to), b)
	}
	for i := range blanks {
		if !slices.Contains(to, i) && bruteForce(a, b, append(slices.Clone(to), i)) {
			return true
		}
	}
	return false
}

func sameSet(a, b []rdf.Quad) bool {
	within := func(a, b []rdf.Quad) bool {
		return !slices.ContainsFunc(a, func(q rdf.Quad) bool { return !slices.Contains(b, q) })
	}
	return within(a, b) && within(b, a)
}

func TestSameAsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t), draw(t)
		if rapid.Bool().Draw(t, "alike") { // a with other labels, and perhaps without a quad
			b = renamed(a, rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "labels"))
			if len(b) > 0 && rapid.Bool().Draw(t, "changed") {
				b[rapid.IntRange(0, len(b)-1).Draw(t, "at")].Object = blank(rapid.IntRange(0, blanks-1).Draw(t, "to"))
			}
		}
		if got, want := Same(a, b), bruteForce(a, b, nil); got != want {
			t.Fatalf("%v\n%v\nare the same: %v instead of %v", a, b, got, want)
		}
	})
}
