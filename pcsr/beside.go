package pcsr

import "slices"

// Beside returns the graph, and in it the edges of some labels of another graph under other labels: those of l under as(l), which no edge
// of the graph has and which need not be below Labels. Both graphs stay as they are, and share with the new one what it has. It is for plans
// whose edges name their labels: the other labels are in Partition, Neighbours, Degree, HasEdge, HasLabel, UsedLabels and Undirected, not
// in EdgeLabels, Incident, Edges and signatures.
func (g *Graph) Beside(other *Graph, labels []Label, as func(Label) Label) *Graph {
	c := newChange(g, settings{})
	named := map[Label]Label{}
	for _, l := range labels {
		named[as(l)] = l
		c.changed = append(c.changed, as(l))
	}
	slices.Sort(c.changed)
	c.labels = c.labels.edit(c.changed, func(i int, _ **changedLabel) (*changedLabel, bool) {
		l := named[c.changed[i]]
		return &changedLabel{parts: [2]*Partition{other.Partition(l, Out), other.Partition(l, In)}}, true
	})
	c.used = &lazy[[]Label]{}
	return c.graph
}
