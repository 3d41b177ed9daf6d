package match

import (
	"context"
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// CoreLists are the lists of an undirected label without loops by the numbers of its vertices (VertexOrder), in the order of these. An edge leads up to the greater
// number, so that what leads up is the end of a list.
type CoreLists struct {
	Rows int
	// Lists are all neighbours, one row's behind the other's; Offsets is where each row's begin, and where the last end; Within is where those begin that lead up.
	Offsets, Within, Lists []uint32
	// Upper are those that lead up alone, and Starts where each row's begin, and where the last end.
	Starts, Upper []uint32

	order *VertexOrder
	rows  []pcsr.Vertex
	part  *pcsr.Partition
}

// NewCoreLists numbers the vertices of a label. It takes 8 bytes for each vertex of the graph.
func NewCoreLists(ctx context.Context, g *pcsr.Graph, label pcsr.Label) (*CoreLists, error) {
	keys := BothWays(label)[:1]
	order, err := OrderVertices(ctx, g, keys)
	if err != nil {
		return nil, err
	}
	return &CoreLists{Rows: order.Count, order: order, rows: order.Vertices(g, keys), part: g.Partition(label, pcsr.Out)}, nil
}

// List makes the lists in what room has for so many words. each calls a function with each row, by as many threads as it likes.
func (c *CoreLists) List(room func(words int) ([]uint32, error), each func(f func(row uint32)) error) (err error) {
	for _, words := range []*[]uint32{&c.Offsets, &c.Starts} {
		if *words, err = room(c.Rows + 1); err != nil {
			return err
		}
	}
	if c.Within, err = room(c.Rows); err != nil {
		return err
	}
	if err = each(func(row uint32) { c.Offsets[row+1] = uint32(len(c.part.Neighbours(c.rows[row]))) }); err != nil {
		return err
	}
	if c.Lists, err = room(begin(c.Offsets)); err != nil {
		return err
	}
	if err = each(c.list); err != nil {
		return err
	}
	if c.Upper, err = room(begin(c.Starts)); err != nil {
		return err
	}
	return each(func(row uint32) {
		copy(c.Upper[c.Starts[row]:c.Starts[row+1]], c.Lists[c.Within[row]:c.Offsets[row+1]])
	})
}

// list writes the list of a row, and how many lead up.
func (c *CoreLists) list(row uint32) {
	first, end := c.Offsets[row], c.Offsets[row+1]
	list := c.Lists[first:end]
	for i, v := range c.part.Neighbours(c.rows[row]) {
		list[i] = c.order.Numbers[v]
	}
	slices.Sort(list)
	below, _ := slices.BinarySearch(list, row)
	c.Within[row] = first + uint32(below)
	c.Starts[row+1] = uint32(len(list) - below)
}
