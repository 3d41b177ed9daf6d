package pcsr

import "slices"

// signatures is Graph.Signatures.
func (o *overlay) signatures(u *Graph) *SignatureTable {
	if made := o.table.made.Load(); made != nil {
		return made
	}
	return o.table.get(func() *SignatureTable { return o.makeTable(u) })
}

// makeTable makes the table of the union of that of the largest graph.
func (o *overlay) makeTable(u *Graph) *SignatureTable {
	base, others := o.largest(), o.others()
	under := base.Signatures()
	if under.rows == 0 || base.hasType && base.typeLabel != u.typeLabel {
		return &SignatureTable{g: u}
	}
	touched, late := &marks{}, &marks{}
	for _, g := range others {
		for _, d := range []Direction{Out, In} {
			for v := range g.Incident(d).RowVertices() {
				touched.add(v)
			}
		}
		findLate(late, u, base, g)
	}
	return under.extend(touched, late)
}

// findLate notes the classes that graph g gives to vertices with edges in base.
func findLate(late *marks, u, base, g *Graph) {
	if !u.hasType {
		return
	}
	for class, members := range g.Partition(u.typeLabel, In).Lists() {
		if slices.ContainsFunc(members, base.hasEdges) {
			late.add(class)
		}
	}
}
