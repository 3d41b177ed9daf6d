package pcsr

import "github.com/rdfgpu/rdfgpu/internal/section"

// Graph is one encoded RDF graph.
type Graph struct {
	vertices int // size of the ID space
	labels   int
	edges    uint64

	typeLabel Label
	hasType   bool

	parts [][2]Partition // by Direction
	used  []Label        // index in parts → label, ascending
	slots slots          // label → index in parts

	sets       [2]labelSets
	signatures SignatureTable
	facts      *facts

	file    *section.File // nil in memory
	records []record      // as parts, Out then In; nil in memory
	over    *overlay      // where the graph is the union of others: what parts, sets and signatures are made from
	live    *live         // where Change made it: what parts and signatures are found in; no label has a slot then
	owned   []*Graph      // the graphs of an Overlay
	listed  bool          // see Listed
}

// labelSets say which labels the edges of a vertex have in one direction. Vertices with the same labels share a set.
type labelSets struct {
	of     Partition // vertex → the number of its set, as its single neighbour
	labels Partition // number of a set → its labels, ascending
}

const noSlot = 1<<32 - 1

// emptyPartition answers for labels without edges.
var emptyPartition Partition

// Listed reports whether the graph was made of a list of triples (Lists), or of several, also where it has changed since: it is one of very many small ones. A
// nil graph is none.
func (g *Graph) Listed() bool { return g != nil && g.listed && g.Edges() <= MostListed }

// Vertices is the size of the ID space: vertices are 0 … Vertices()-1, with or without edges.
func (g *Graph) Vertices() int { return g.vertices }

// Labels is an upper bound for labels: every label is below it, and label l is vertex l. In a graph that was made at once
// it is the number of predicates; where graphs were added (Overlay) few of the numbers below it may be labels.
func (g *Graph) Labels() int { return g.labels }

// Edges is the number of triples.
func (g *Graph) Edges() uint64 {
	if g.over != nil {
		return g.over.countEdges(g)
	}
	return g.edges
}

// UsedLabels are the labels with at least one edge, ascending.
func (g *Graph) UsedLabels() []Label {
	if g.live != nil {
		return g.live.usedLabels()
	}
	return g.used
}

// HasLabel reports whether an edge has the label, which may be any number.
func (g *Graph) HasLabel(l Label) bool {
	if g.live != nil {
		return g.live.hasLabel(l)
	}
	return g.slot(l) != noSlot
}

// TypeLabel is the label of rdf:type, and whether the graph's writer named one. It may have no edges.
func (g *Graph) TypeLabel() (Label, bool) { return g.typeLabel, g.hasType }

// Partition returns the lists of a label in a direction; it is empty, never nil, for a label without edges or out of
// range. In a union of graphs the first call for a label that several have merges what they have.
func (g *Graph) Partition(l Label, d Direction) *Partition {
	slot := g.slot(l)
	if slot == noSlot {
		if g.live != nil {
			return g.live.partition(l, d)
		}
		return &emptyPartition
	}
	if g.over != nil {
		return g.over.partition(slot, l, d)
	}
	return &g.parts[slot][d&1]
}

// slot is the index of a label in parts, or noSlot.
func (g *Graph) slot(l Label) uint32 {
	if uint64(l) < uint64(len(g.slots)) {
		return g.slots[l]
	}
	return g.searchSlot(l)
}

func (g *Graph) searchSlot(l Label) uint32 {
	if i := searchFrom(g.used, l); i < len(g.used) && g.used[i] == l {
		return uint32(i)
	}
	return noSlot
}

// slots tell where a label stands in the list of those in use: slots[l], or noSlot, up to where these get few and far
// between, and a search above.
type slots []uint32

// slotsOf makes the slots of ascending labels.
func slotsOf(used []Label) slots {
	n := len(used)
	for n > 0 && uint64(used[n-1]) >= uint64(sparseLabels*(n+64)) {
		n--
	}
	if n == 0 {
		return nil
	}
	s := make(slots, used[n-1]+1)
	for l := range s {
		s[l] = noSlot
	}
	for i, l := range used[:n] {
		s[l] = uint32(i)
	}
	return s
}

// sparseLabels is how many labels there may be for each one in use before those above are searched and not indexed.
const sparseLabels = 64

// setParts takes over the partitions of the labels in use, which are ascending.
func (g *Graph) setParts(used []Label, parts [][2]Partition) {
	g.used, g.parts, g.slots, g.edges = used, parts, slotsOf(used), 0
	for i := range parts {
		g.edges += uint64(parts[i][Out].Edges())
	}
}

// HasEdge reports whether from --l--> to is in the graph. It searches the shorter of the two lists.
func (g *Graph) HasEdge(from Vertex, l Label, to Vertex) bool {
	if g = g.holder(l); g.over != nil {
		return g.over.hasEdge(g, from, l, to)
	}
	out := g.Partition(l, Out)
	if out.layer == Patched {
		return out.contains(from, to)
	}
	objects := out.Neighbours(from)
	if len(objects) > longList {
		if subjects := g.Partition(l, In).Neighbours(to); len(subjects) < len(objects) {
			return Contains(subjects, from)
		}
	}
	return Contains(objects, to)
}

// longList is the length from which HasEdge looks whether the other end's list is shorter.
const longList = 64

// EdgeLabels returns the labels of the edges of v in a direction, ascending and without repeats.
func (g *Graph) EdgeLabels(v Vertex, d Direction) []Label {
	set, ok := g.EdgeLabelSet(v, d)
	if !ok {
		return nil
	}
	return g.EdgeLabelSets(d).Neighbours(Vertex(set))
}

// EdgeLabelSet returns the number of v's label set in a direction, 0 … EdgeLabelSets(d).Rows()-1, and whether v has an
// edge in that direction. Vertices have the same number exactly when they have the same labels. In a union of graphs there
// may be sets that no vertex has.
func (g *Graph) EdgeLabelSet(v Vertex, d Direction) (int, bool) {
	if g.over != nil {
		return g.over.labelSet(v, d)
	}
	sets := &g.sets[d&1]
	set := sets.of.Neighbours(v)
	if len(set) == 0 {
		return 0, false
	}
	return int(set[0]), set[0] < sets.labels.rows
}

// EdgeLabelSets returns the label sets of a direction: row s lists the labels of set s.
func (g *Graph) EdgeLabelSets(d Direction) *Partition {
	if g.over != nil {
		return &g.over.labelSets(d).labels
	}
	return &g.sets[d&1].labels
}

// Incident returns the vertices with any edge in a direction as the rows of a partition; the single neighbour of a row
// is the vertex's label set (EdgeLabelSet).
func (g *Graph) Incident(d Direction) *Partition {
	if g.over != nil {
		return g.over.incident(d)
	}
	return &g.sets[d&1].of
}

// Members returns the vertices of a class, ascending: N(class, rdf:type, In).
func (g *Graph) Members(class Vertex) []Vertex {
	if !g.hasType {
		return nil
	}
	return g.Neighbours(class, g.typeLabel, In)
}

// Classes returns the classes of a vertex, ascending: N(v, rdf:type, Out).
func (g *Graph) Classes(v Vertex) []Vertex {
	if !g.hasType {
		return nil
	}
	return g.Neighbours(v, g.typeLabel, Out)
}
