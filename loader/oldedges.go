package loader

import (
	"iter"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// oldEdges are edges of one graph that the store, or a snapshot, has: one worker takes them over.
type oldEdges struct {
	name  uint32                           // of the graph: its ID, or defaultGraph
	lists iter.Seq2[oldRow, []pcsr.Vertex] // rows of one label follow one another; it can be read again
}

// oldRow is the label of some edges and the vertex that they come from.
type oldRow struct {
	label pcsr.Label
	from  pcsr.Vertex
}

// edgesOf are the edges of a graph, by label.
func edgesOf(name dictionary.ID, g *pcsr.Graph) (edges []oldEdges) {
	for _, label := range g.UsedLabels() {
		lists := func(yield func(oldRow, []pcsr.Vertex) bool) {
			for v, list := range g.Lists(label, pcsr.Out) {
				if !yield(oldRow{label, v}, list) {
					return
				}
			}
		}
		edges = append(edges, oldEdges{name, lists}) // dictionary.None is defaultGraph
	}
	return edges
}

// listsOf makes lists of edges in the order of labels and vertices.
func listsOf(edges iter.Seq[pcsr.Edge]) iter.Seq2[oldRow, []pcsr.Vertex] {
	return func(yield func(oldRow, []pcsr.Vertex) bool) {
		var row oldRow
		var list []pcsr.Vertex
		for e := range edges {
			if next := (oldRow{e.Label, e.From}); next != row {
				if len(list) > 0 && !yield(row, list) {
					return
				}
				row, list = next, list[:0]
			}
			list = append(list, e.To)
		}
		if len(list) > 0 {
			yield(row, list)
		}
	}
}

// allEdges are the edges of all graphs of the snapshot.
func (o *oldStore) allEdges() (edges []oldEdges, err error) {
	for _, name := range append([]dictionary.ID{dictionary.None}, o.NamedGraphs()...) {
		g, err := o.Graph(name)
		if err != nil {
			return nil, err
		}
		if g != nil {
			edges = append(edges, edgesOf(name, g)...)
		}
	}
	return edges, nil
}

// goneEdges are the edges of the segments that do not stay: those that they added, or, where none stays, all that there are.
func (o *oldStore) goneEdges() (edges []oldEdges, err error) {
	if o.keep == 0 {
		return o.allEdges()
	}
	for name := range o.goneNames() {
		added, err := o.opened.Added(name, o.keep)
		if err != nil {
			return nil, err
		}
		for _, g := range added {
			edges = append(edges, edgesOf(name, g)...)
		}
	}
	return edges, nil
}

// goneNames are the names of the graphs of the segments that do not stay.
func (o *oldStore) goneNames() map[dictionary.ID]bool {
	names := map[dictionary.ID]bool{}
	for i := range o.manifest.Segments[o.keep:] {
		for _, g := range o.manifest.Segments[o.keep+i].Graphs() {
			names[g.ID] = true
		}
	}
	return names
}
