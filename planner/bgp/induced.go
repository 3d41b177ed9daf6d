package bgp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// ErrNotInduced: a basic graph pattern has no meaning under [Induced], or is too large for it.
var ErrNotInduced = errors.New("no pattern to match induced")

// mostAbsent bounds the edges that are asked not to be in the data: pairs of query vertices by labels.
const mostAbsent = 1 << 16

// Check refuses a basic graph pattern that the semantics give no meaning (ErrNotInduced): under Induced a predicate is a constant, because
// it is the predicates that say which edges may not be there.
func (s Semantics) Check(patterns []parser.TriplePattern) error {
	if s != Induced {
		return nil
	}
	ends, labels := map[parser.PatternTerm]bool{}, map[parser.PatternTerm]bool{}
	for _, p := range patterns {
		if p.Predicate.IsVariable() {
			return fmt.Errorf("%w: expected constant predicates, and ?%s is a variable", ErrNotInduced, p.Predicate.Variable)
		}
		ends[p.Subject], ends[p.Object], labels[p.Predicate] = true, true, true
	}
	if n := len(ends) * len(ends) * len(labels); n > mostAbsent {
		return fmt.Errorf("%w: expected at most %d edges between pairs of vertices, and there are %d: %d vertices, %d predicates",
			ErrNotInduced, mostAbsent, n, len(ends), len(labels))
	}
	return nil
}

// CheckAll is Check for all basic graph patterns of a query's, but for those that other endpoints answer.
func (s Semantics) CheckAll(where parser.Node) (err error) {
	if where == nil || s != Induced {
		return nil
	}
	parser.Walk(where, func(n parser.Node) bool {
		if pattern, ok := n.(*parser.BGP); ok && err == nil {
			err = s.Check(pattern.Patterns)
		}
		_, remote := n.(*parser.Service)
		return !remote && err == nil
	})
	return err
}

// findLabels lists the labels of a pattern's edges: its predicates but where they say what class a vertex has. A graph that had no triple of
// rdf:type when it was laid out does not know its label.
func (b *bgp) findLabels(lookup Lookup) (labels []pcsr.Label) {
	typeLabel, typed := b.graph.TypeLabel()
	if !typed {
		typeLabel, typed = lookup(rdf.NewIRI(rdf.RDFType))
	}
	for i := range b.patterns {
		p := &b.patterns[i]
		class := typed && p.label.id == typeLabel && p.to.isConstant()
		if p.label.isConstant() && !class && !slices.Contains(labels, p.label.id) {
			labels = append(labels, p.label.id)
		}
	}
	return labels
}

// refuseConstants finds a reason why there is no solution in edges between the pattern's constants that it does not have.
func (b *bgp) refuseConstants(lookup Lookup) {
	if b.query.Semantics != Induced || b.reason != "" {
		return
	}
	b.edgeLabels = b.findLabels(lookup)
	for _, from := range b.nodes {
		for _, to := range b.nodes {
			for _, l := range b.edgeLabels {
				if !b.asks(ref{-1, from}, l, ref{-1, to}) && b.graph.HasEdge(from, l, to) {
					b.reason = "the data have an edge between constants that the pattern does not have"
					return
				}
			}
		}
	}
}

// asks reports whether an edge is one of the patterns.
func (b *bgp) asks(from ref, l pcsr.Label, to ref) bool {
	return b.seen[[3]ref{from, {-1, l}, to}]
}

// absent lists the edges that must not be there between what a slot binds, what slots before it bind, and constants.
func (a *assembly) absent(slot int) (checks []EdgeCheck) {
	vertex := a.plan.Slots[slot].Vertex
	if a.query.Semantics != Induced || !a.isBoundTo(vertex, slot) {
		return nil
	}
	others := []ref{{vertex: vertex}}
	for _, c := range a.nodes {
		others = append(others, ref{-1, c})
	}
	for other, s := range a.plan.Slots[:slot] {
		if a.isBoundTo(s.Vertex, other) {
			others = append(others, ref{vertex: s.Vertex})
		}
	}
	own := others[0]
	for _, l := range a.edgeLabels {
		for i, other := range others {
			checks = a.addAbsent(checks, own, l, other)
			if i > 0 {
				checks = a.addAbsent(checks, other, l, own)
			}
		}
	}
	return checks
}

// isBoundTo reports whether a slot is the one that binds a vertex in subject or object position.
func (a *assembly) isBoundTo(vertex, slot int) bool {
	return vertex >= 0 && a.slotOf[vertex] == slot && a.isNode[vertex]
}

// addAbsent adds an edge that must not be there, unless it is one of the patterns or cannot be there.
func (a *assembly) addAbsent(checks []EdgeCheck, from ref, l pcsr.Label, to ref) []EdgeCheck {
	if a.over() || a.asks(from, l, to) || from == to && !a.hasLoop(l) || !a.mayLead(from, l, pcsr.Out) || !a.mayLead(to, l, pcsr.In) {
		return checks
	}
	f, _ := a.operand(from)
	t, _ := a.operand(to)
	return append(checks, EdgeCheck{From: f, Label: Const(l), To: t, Absent: true})
}

// mayLead reports whether what a reference stands for may have an edge of a label in a direction.
func (a *assembly) mayLead(r ref, l pcsr.Label, d pcsr.Direction) bool {
	rows := a.graph.Outline(l, d)
	if r.isConstant() {
		return rows.Degree(r.id) > 0
	}
	first, last, ok := rows.Span()
	in := a.estimates.interval[r.vertex]
	return ok && last >= in.Low && (in.High == 0 || first < in.High)
}
