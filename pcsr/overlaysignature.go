package pcsr

import (
	"slices"
	"sync/atomic"
)

// signatures is Graph.Signatures.
func (o *overlay) signatures(u *Graph) *SignatureTable {
	if made := o.table.made.Load(); made != nil {
		return made
	}
	return o.table.get(func() *SignatureTable { return o.makeTable(u) })
}

// makeTable makes the table of the union from that of the largest graph. A vertex that has edges in another graph
// gets all bits; one that the table has no row for passes everything. What is left are vertices whose neighbours got a
// class in another graph: no signature asks for such a class of a neighbour.
func (o *overlay) makeTable(u *Graph) *SignatureTable {
	base, others := o.graphs[0], o.graphs[1:]
	under := base.Signatures()
	if under.rows == 0 || base.hasType && base.typeLabel != u.typeLabel {
		return &SignatureTable{g: u}
	}
	t := &SignatureTable{
		g: u, base: under.base, rows: under.rows, words: under.words, stride: under.stride, under: under,
		columns: slices.Clone(under.Columns()), late: map[Vertex]bool{},
	}
	parallel(2*len(others), func(i int) {
		t.pass(others[i/2].Incident(Direction(i % 2)))
	})
	for _, g := range others {
		t.findLate(u, base, g)
	}
	return t
}

// pass gives all bits to the rows of a partition.
func (t *SignatureTable) pass(p *Partition) {
	vertices := p.AppendVertices(nil, p.RowFrom(t.base), p.RowFrom(t.base+t.rows))
	for c := range t.words {
		column := t.columns[uint64(c)*uint64(t.stride):][:t.rows]
		for _, v := range vertices {
			if row := v - t.base; row < t.rows {
				atomic.StoreUint32(&column[row], 1<<32-1)
			}
		}
	}
}

// findLate notes the classes that graph g gives to vertices with edges in base.
func (t *SignatureTable) findLate(u, base, g *Graph) {
	if !u.hasType {
		return
	}
	for class, members := range g.Partition(u.typeLabel, In).Lists() {
		for _, v := range members {
			_, out := base.EdgeLabelSet(v, Out)
			_, in := base.EdgeLabelSet(v, In)
			if out || in {
				t.late[class] = true
				break
			}
		}
	}
}

// encode is Encode for the table of a union.
func (t *SignatureTable) encode(edges []KnownEdge, classes []Vertex) Signature {
	known := make([]KnownEdge, len(edges))
	for i, e := range edges {
		known[i] = KnownEdge{Side: e.Side}
		for _, class := range e.Classes {
			if !t.late[class] {
				known[i].Classes = append(known[i].Classes, class)
			}
		}
	}
	s := t.under.Encode(known, classes)
	s.Subject = false
	return s
}
