package watch

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// guard is what else must be in the graph for an edge to stand for a seed's pattern: another edge, from one of its ends to a constant. So of
// the many queries of one form that differ in a constant one edge away from a pattern, a changed edge finds those whose constant is next
// to it.
type guard struct {
	// to is the end of the seed's edge at which the other edge is: the object, else the subject.
	to    bool
	label pcsr.Label
	// dir is the direction of the other edge, from there.
	dir pcsr.Direction
}

// guarded are the seeds of one place that have a guard, by the constant.
type guarded struct {
	guard
	seeds map[dictionary.ID][]*seed
}

// guardOf finds a guard of a seed whose own pattern has no constant end; false where none is. Any will do; that of a class, which has many
// members, only where there is no other.
func (s *seed) guardOf(typeLabel pcsr.Label) (g guard, constant dictionary.ID, ok bool) {
	own, l := s.leaf.edges[s.position], s.leaf
	if own.From != wildcard || own.To != wildcard {
		return g, 0, false
	}
	p := l.node.Patterns[s.position]
	for i, e := range l.edges {
		q, end := &l.node.Patterns[i], ""
		switch {
		case e.Label == wildcard || i == s.position:
			continue
		case e.From == wildcard && e.To != wildcard:
			end = q.Subject.Variable
		case e.From != wildcard && e.To == wildcard:
			end = q.Object.Variable
		}
		if end == "" || end != p.Subject.Variable && end != p.Object.Variable || ok && e.Label == typeLabel {
			continue
		}
		g, constant, ok = guard{to: end != p.Subject.Variable, label: e.Label, dir: pcsr.Out}, e.To, true
		if e.To == wildcard {
			g.dir, constant = pcsr.In, e.From
		}
		if e.Label != typeLabel {
			return g, constant, true
		}
	}
	return g, constant, ok
}

// find visits the seeds whose constant is next to an end of an edge in a graph.
func (x *guarded) find(g *pcsr.Graph, e pcsr.Edge, visit func(*seed)) {
	end := e.From
	if x.to {
		end = e.To
	}
	near := g.Neighbours(end, x.label, x.dir)
	if len(near) > len(x.seeds) {
		for constant, seeds := range x.seeds {
			if pcsr.Contains(near, constant) {
				each(seeds, visit)
			}
		}
		return
	}
	for _, constant := range near {
		each(x.seeds[constant], visit)
	}
}

func each[T any](list []T, visit func(T)) {
	for _, x := range list {
		visit(x)
	}
}
