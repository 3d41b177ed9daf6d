package pcsr

import (
	"math/bits"
	"slices"
)

// makeLabelSets gives every vertex with an edge in a direction the number of its label set. Sets are the nodes of a
// prefix tree: taking the labels in ascending order, the set of a vertex that has label l moves to the child by l.
func (g *Graph) makeLabelSets(s settings, d Direction) labelSets {
	tree := newSetTree()
	parts, rows := make([]*Partition, len(g.parts)), 0
	for i := range g.parts {
		parts[i] = &g.parts[i][d]
		rows += parts[i].Rows()
	}
	if isSparse(rows, g.vertices) {
		vertices := rowUnion(g.vertices, parts)
		row := layOut(chooseLayer(vertices), vertices, nil, len(vertices))
		return tree.finish(s, tree.grow(g.used, parts, make([]uint32, len(vertices)), row.Row), vertices)
	}
	at := func(v Vertex) (int, bool) { return int(v), uint64(v) < uint64(g.vertices) }
	return tree.finish(s, tree.grow(g.used, parts, make([]uint32, g.vertices), at), nil)
}

// isSparse reports whether rows are so few in an ID space that an array over it would cost more than searching for them.
func isSparse(rows, vertices int) bool { return rows < vertices/16 }

// grow moves the rows of each label to the child by that label; a vertex v has node[at(v)].
func (t *setTree) grow(used []Label, parts []*Partition, node []uint32, at func(Vertex) (int, bool)) []uint32 {
	for i, l := range used {
		for v := range parts[i].RowVertices() {
			if k, ok := at(v); ok {
				node[k] = t.child(node[k], l)
			}
		}
	}
	return node
}

// rowUnion returns the vertices below limit that are rows of any of the partitions, ascending.
func rowUnion(limit int, parts []*Partition) []Vertex {
	rows := 0
	for _, p := range parts {
		rows += p.Rows()
	}
	if rows < limit/2048 {
		vertices := make([]Vertex, 0, rows)
		for _, p := range parts {
			vertices = p.AppendVertices(vertices, 0, p.Rows())
		}
		slices.Sort(vertices)
		vertices = slices.Compact(vertices)
		return vertices[:searchFrom(vertices, Vertex(limit))]
	}
	seen, n := make([]uint64, (limit+63)/64), 0
	for _, p := range parts {
		for v := range p.RowVertices() {
			if uint64(v) < uint64(limit) {
				seen[v/64] |= 1 << (v % 64)
			}
		}
	}
	for _, w := range seen {
		n += bits.OnesCount64(w)
	}
	vertices := make([]Vertex, 0, n)
	for i, w := range seen {
		for ; w != 0; w &= w - 1 {
			vertices = append(vertices, Vertex(64*i+bits.TrailingZeros64(w)))
		}
	}
	return vertices
}

// setTree is a prefix tree of ascending label lists; node 0 is the empty one.
type setTree struct {
	parent []uint32
	label  []Label
	// latest[n] is the child of n by label stamp[n], the label asked for last.
	latest []uint32
	stamp  []Label
}

func newSetTree() *setTree {
	return &setTree{parent: []uint32{0}, label: []Label{0}, latest: []uint32{0}, stamp: []Label{noVertex}}
}

// child returns the node of n's list with l appended. All calls for one label come before those for a higher one.
func (t *setTree) child(n uint32, l Label) uint32 {
	if t.stamp[n] == l {
		return t.latest[n]
	}
	c := uint32(len(t.parent))
	t.parent = append(t.parent, n)
	t.label = append(t.label, l)
	t.latest = append(t.latest, 0)
	t.stamp = append(t.stamp, noVertex)
	t.latest[n], t.stamp[n] = c, l
	return c
}

// finish numbers the sets in use in the order of their first vertex and lists their labels. Entry i of node is that of
// vertices[i]; nil stands for all vertices. It takes node over.
func (t *setTree) finish(s settings, node []uint32, of []Vertex) labelSets {
	rows := 0
	for _, n := range node {
		if n != 0 {
			rows++
		}
	}
	number := make([]uint32, len(t.parent))
	vertices := make([]Vertex, 0, rows)
	setOf := node[:0] // written behind where it is read
	if rows < len(node)/2 {
		setOf = make([]uint32, 0, rows)
	}
	labels, offsets := []Label{}, []uint32{0}
	for v, n := range node {
		if n == 0 {
			continue
		}
		if number[n] == 0 {
			labels = t.appendLabels(labels, n)
			offsets = append(offsets, uint32(len(labels)))
			number[n] = uint32(len(offsets)) - 1
		}
		if of != nil {
			v = int(of[v])
		}
		vertices = append(vertices, Vertex(v))
		setOf = append(setOf, number[n]-1)
	}
	numbers := make([]Vertex, len(offsets)-1)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	return labelSets{
		of:     *newPartition(s.layerFor(vertices), vertices, nil, setOf),
		labels: *newPartition(Range, numbers, offsets, labels),
	}
}

// appendLabels appends the labels on the path from the root to n.
func (t *setTree) appendLabels(dst []Label, n uint32) []Label {
	start := len(dst)
	for ; n != 0; n = t.parent[n] {
		dst = append(dst, t.label[n])
	}
	for i, j := start, len(dst)-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return dst
}
