package watch

import (
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// graphChange is what differs between two states of a graph.
type graphChange struct {
	// name is the graph's; dictionary.None is the default graph.
	name dictionary.ID
	// came and went are the edges of the two sides.
	sides [2]side
	// kept is what unchanged is, nil until somebody asks for it; likewise the sides' graphs with unchanged edges beside them.
	kept    *pcsr.Graph
	besides [2]*pcsr.Graph
}

// side is the edges that came, which lie in the later graph, or those that went, which lie in the earlier one.
type side struct {
	edges []pcsr.Edge
	graph *pcsr.Graph
	// is and stretches are the edges, once somebody has asked for them so.
	is        map[pcsr.Edge]struct{}
	stretches map[pcsr.Label]*stretch
	// coalesced is which matches of a leaf are looked for, once a seed of it has asked.
	coalesced map[*leaf]*coalescing
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

// fill makes the set of edges, where there is more than one.
func (s *side) fill() {
	if s.is != nil || len(s.edges) == 1 {
		return
	}
	s.is = make(map[pcsr.Edge]struct{}, len(s.edges))
	for _, e := range s.edges {
		s.is[e] = struct{}{}
	}
}

// stretch is the edges of one label, and their ends as columns, once somebody has asked for these.
type stretch struct {
	label    pcsr.Label
	edges    []pcsr.Edge
	from, to []dictionary.ID
}

// columns are the ends of the edges.
func (s *stretch) columns() (from, to []dictionary.ID) {
	if s.from == nil {
		s.from, s.to = make([]dictionary.ID, len(s.edges)), make([]dictionary.ID, len(s.edges))
		for i, e := range s.edges {
			s.from[i], s.to[i] = e.From, e.To
		}
	}
	return s.from, s.to
}

// hasLabel reports whether an edge of the side has a label.
func (s *side) hasLabel(l pcsr.Label) bool {
	if len(s.edges) == 1 {
		return s.edges[0].Label == l
	}
	_, ok := s.byLabel()[l]
	return ok
}

// byLabel are the edges of each label.
func (s *side) byLabel() map[pcsr.Label]*stretch {
	if s.stretches != nil {
		return s.stretches
	}
	s.stretches = map[pcsr.Label]*stretch{}
	counts := s.countLabels()
	for l, n := range counts {
		if len(counts) == 1 {
			s.stretches[l] = &stretch{label: l, edges: s.edges}
			return s.stretches
		}
		s.stretches[l] = &stretch{label: l, edges: make([]pcsr.Edge, 0, n)}
	}
	var of *stretch
	for _, e := range s.edges {
		if of == nil || of.label != e.Label {
			of = s.stretches[e.Label]
		}
		of.edges = append(of.edges, e)
	}
	return s.stretches
}

// countLabels counts the edges of each label.
func (s *side) countLabels() map[pcsr.Label]int {
	n := shares(len(s.edges))
	parts := make([]map[pcsr.Label]int, n)
	machine.Parallel(n, func(i int) { parts[i] = countLabels(s.edges[len(s.edges)*i/n : len(s.edges)*(i+1)/n]) })
	for _, part := range parts[1:] {
		for l, k := range part {
			parts[0][l] += k
		}
	}
	return parts[0]
}

func countLabels(edges []pcsr.Edge) map[pcsr.Label]int {
	counts := map[pcsr.Label]int{}
	for i := 0; i < len(edges); {
		l, first := edges[i].Label, i
		for i < len(edges) && edges[i].Label == l {
			i++
		}
		counts[l] += i - first
	}
	return counts
}

// apart is the graph of a side, and beside it, under labels of their own, the unchanged edges of the side's labels. Those of a label of
// which the other side has no edge are the other side's graph's.
func (c *graphChange) apart(at int) *pcsr.Graph {
	if c.besides[at] == nil {
		side, other := &c.sides[at], &c.sides[1-at]
		var shared, alone []pcsr.Label
		for _, l := range slices.Sorted(maps.Keys(side.byLabel())) {
			if other.hasLabel(l) {
				shared = append(shared, l)
			} else {
				alone = append(alone, l)
			}
		}
		c.besides[at] = side.graph.Beside(other.graph, alone, unchangedLabel)
		if len(shared) > 0 {
			c.besides[at] = c.besides[at].Beside(c.unchanged(), shared, unchangedLabel)
		}
	}
	return c.besides[at]
}

// unchanged is a graph whose labels of which both sides have edges have those of neither: the graph before or that after, whichever has
// fewer edges to be taken out.
func (c *graphChange) unchanged() *pcsr.Graph {
	if c.kept == nil {
		of, other := &c.sides[went], &c.sides[came]
		if len(other.edges) < len(of.edges) {
			of, other = other, of
		}
		var gone []pcsr.Edge
		for l, s := range of.byLabel() {
			if other.hasLabel(l) {
				gone = append(gone, s.edges...)
			}
		}
		c.kept = of.graph.Change(of.graph.Vertices(), nil, gone)
	}
	return c.kept
}

// firstUnchanged is the first label that stands for unchanged edges: graphs with as many vertices have none apart.
const firstUnchanged = 1 << 30

// unchangedLabel stands for the unchanged edges of a label.
func unchangedLabel(l pcsr.Label) pcsr.Label { return firstUnchanged | l }

// canStandApart reports whether no label of the side's graph is as high as those of unchanged edges.
func (s *side) canStandApart() bool { return s.graph.Vertices() <= firstUnchanged }
