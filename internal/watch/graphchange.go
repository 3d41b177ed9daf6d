package watch

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// graphChange is what differs between two states of a graph.
type graphChange struct {
	// name is the graph's; dictionary.None is the default graph.
	name dictionary.ID
	// came and went are the edges of the two sides.
	sides [2]side
}

// side is the edges that came, which lie in the later graph, or those that went, which lie in the earlier one.
type side struct {
	edges  []pcsr.Edge
	graph  *pcsr.Graph
	is     map[pcsr.Edge]struct{}
	labels map[pcsr.Label]struct{}
}

// The two sides of a change, and what a solution that is found there counts.
const (
	came = iota
	went
)

var signs = [2]int64{came: 1, went: -1}

// byGraph sorts changed quads.
func byGraph(changes map[live.Quad]bool, before, after *live.State) ([]*graphChange, error) {
	var list []*graphChange
	byName := map[dictionary.ID]*graphChange{}
	for q, added := range changes {
		c := byName[q.Graph]
		if c == nil {
			c = &graphChange{name: q.Graph}
			var err error
			if c.sides[came].graph, err = after.Graph(q.Graph); err != nil {
				return nil, err
			}
			if c.sides[went].graph, err = before.Graph(q.Graph); err != nil {
				return nil, err
			}
			byName[q.Graph], list = c, append(list, c)
		}
		s := &c.sides[went]
		if added {
			s = &c.sides[came]
		}
		s.edges = append(s.edges, pcsr.Edge{From: q.Subject, Label: q.Predicate, To: q.Object})
	}
	return list, nil
}

// has reports whether an edge is among those of the side; fill comes before.
func (s *side) has(e pcsr.Edge) bool {
	if len(s.edges) == 1 {
		return s.edges[0] == e
	}
	_, ok := s.is[e]
	return ok
}

// hasLabel reports whether an edge of the side has a label; fill comes before.
func (s *side) hasLabel(l pcsr.Label) bool {
	if len(s.edges) == 1 {
		return s.edges[0].Label == l
	}
	_, ok := s.labels[l]
	return ok
}

// fill makes the sets, where there is more than one edge to look at.
func (s *side) fill() {
	if s.is != nil || len(s.edges) == 1 {
		return
	}
	s.is, s.labels = make(map[pcsr.Edge]struct{}, len(s.edges)), map[pcsr.Label]struct{}{}
	for _, e := range s.edges {
		s.is[e] = struct{}{}
		s.labels[e.Label] = struct{}{}
	}
}
