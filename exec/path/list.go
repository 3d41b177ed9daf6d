package path

import (
	"cmp"
	"slices"
	"sort"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// list is a small graph as a list of its triples, which a search walks without a graph made of it. It serves one graph after the other, in the same memory.
type list struct {
	// edges are ordered by label, then by where they are walked from in a direction; ends are where they lead to.
	edges [2][]pcsr.Edge
	ends  [2][]pcsr.Vertex
	nodes []pcsr.Vertex // ascending
}

// set makes it the list of some edges, ordered by label, source and target, which stay as they are.
func (l *list) set(edges []pcsr.Edge) {
	l.edges[pcsr.Out] = edges
	l.edges[pcsr.In] = append(l.edges[pcsr.In][:0], edges...)
	slices.SortFunc(l.edges[pcsr.In], func(a, b pcsr.Edge) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From))
	})
	l.nodes = l.nodes[:0]
	for _, d := range []pcsr.Direction{pcsr.Out, pcsr.In} {
		l.ends[d] = l.ends[d][:0]
		for _, e := range l.edges[d] {
			l.ends[d] = append(l.ends[d], e.Start(d.Reverse()))
			l.nodes = append(l.nodes, e.Start(d))
		}
	}
	slices.Sort(l.nodes)
	l.nodes = slices.Compact(l.nodes)
}

// neighbours are where the edges of a label lead to from a vertex.
func (l *list) neighbours(label pcsr.Label, v pcsr.Vertex, d pcsr.Direction) []pcsr.Vertex {
	edges := l.edges[d]
	low := sort.Search(len(edges), func(i int) bool {
		return cmp.Or(cmp.Compare(edges[i].Label, label), cmp.Compare(edges[i].Start(d), v)) >= 0
	})
	return l.ends[d][low:l.behind(low, label, v, d)]
}

// behind is the place behind the edges of a label from a vertex, which begin at a place.
func (l *list) behind(at int, label pcsr.Label, v pcsr.Vertex, d pcsr.Direction) int {
	for at < len(l.edges[d]) && l.edges[d][at].Label == label && l.edges[d][at].Start(d) == v {
		at++
	}
	return at
}

// each visits the labels of the edges from a vertex, ascending, and where these lead to.
func (l *list) each(v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Label, []pcsr.Vertex) error) error {
	for at := 0; at < len(l.edges[d]); {
		e := l.edges[d][at]
		next := l.behind(at, e.Label, v, d)
		if next == at {
			at++
			continue
		}
		if err := visit(e.Label, l.ends[d][at:next]); err != nil {
			return err
		}
		at = next
	}
	return nil
}

// Over makes what follows a search of a graph that is a list of triples, ordered by label, source and target, which have to stay as they are until the next. The graph of the search
// says how many terms there are, and is not read.
func (s *Search) Over(edges []pcsr.Edge) {
	if s.list == nil {
		s.list = &list{}
	}
	s.list.set(edges)
}

// neighbours are where the edges of a label lead to from a vertex.
func (s *Search) neighbours(l pcsr.Label, v pcsr.Vertex, d pcsr.Direction) []pcsr.Vertex {
	if s.list != nil {
		return s.list.neighbours(l, v, d)
	}
	return s.graph.Partition(l, d).Neighbours(v)
}

// eachLabel visits the labels of the edges from a vertex, and where these lead to.
func (s *Search) eachLabel(v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Label, []pcsr.Vertex) error) error {
	if s.list != nil {
		return s.list.each(v, d, visit)
	}
	for _, l := range s.graph.EdgeLabels(v, d) {
		if err := visit(l, s.graph.Partition(l, d).Neighbours(v)); err != nil {
			return err
		}
	}
	return nil
}
