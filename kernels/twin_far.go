package kernels

// farVertex is what a first level that is no neighbour of the root is bound to: a row, and which of the root's neighbours are its own.
type farVertex struct {
	row  uint32
	near []bool
	// outer are those that the last level may be bound to, where that is a neighbour of the far vertex and not of the root; else nil.
	outer []farVertex
}

// allows reports whether the v-th of the root's neighbours may be in a set with a level bound to the vertex.
func (f *farVertex) allows(s *DenseSet, level int, members []uint32, v int) bool {
	switch near, same := f.near[v], members[v] == f.row; {
	case s.Near>>level&1 != 0 && !near, s.Absent>>level&1 != 0 && (near || same), s.Apart>>level&1 != 0 && same:
		return false
	}
	return s.Above>>level&1 == 0 || members[v] > f.row
}

// eachOuter binds the last level to each outer vertex that may be, and adds up what that has.
func (f *farVertex) eachOuter(b *neighbourhood, bound []int, add func(uint64)) {
	s := &b.Levels[len(bound)]
	for i := range f.outer {
		may := true
		for e, w := range bound[1:] {
			near := f.outer[i].near[w]
			may = may && !(s.Near>>(e+1)&1 != 0 && !near || s.Absent>>(e+1)&1 != 0 && near)
		}
		if b.outer = &f.outer[i]; may {
			add(b.terms(append(bound, 0)))
		}
	}
	b.outer = nil
}

// countFar counts what has a root, with one part of the rows as the far vertex.
func (t *twin) countFar(d *Dense, c *Core, root, part, parts uint32) {
	b := t.neighbourhood(d, c, root)
	if b == nil {
		return
	}
	low, high := uint64(c.Rows)*uint64(part)/uint64(parts), uint64(c.Rows)*uint64(part+1)/uint64(parts)
	common := map[uint32][]bool{}
	for i, middle := range b.members {
		offsets := in[Partition](t.memory, c.Partition, 0).Offsets
		for k := t.word(offsets, uint64(middle)); k < t.word(offsets, uint64(middle)+1); k++ {
			row := t.listEntry(c, uint64(k))
			if common[row] == nil {
				common[row] = make([]bool, len(b.members))
			}
			common[row][i] = true
		}
	}
	for row := uint32(low); row < uint32(high); row++ {
		if t.mayBeFar(d, c, root, row, b.members, common[row]) {
			b.far = &farVertex{row: row, near: common[row]}
			if t.outer {
				b.far.outer = t.outerOf(c, root, row, common)
			}
			b.enumerate([]int{0}, 0, 1, t.addCount)
		}
	}
}

// outerOf are the neighbours of a far vertex that the root does not touch; not nil where there are none.
func (t *twin) outerOf(c *Core, root, far uint32, common map[uint32][]bool) []farVertex {
	all := []farVertex{}
	offsets := in[Partition](t.memory, c.Partition, 0).Offsets
	touched := map[uint32]bool{root: true}
	for k := t.word(offsets, uint64(root)); k < t.word(offsets, uint64(root)+1); k++ {
		touched[t.listEntry(c, uint64(k))] = true
	}
	for k := t.word(offsets, uint64(far)); k < t.word(offsets, uint64(far)+1); k++ {
		row := t.listEntry(c, uint64(k))
		near := common[row]
		if near == nil {
			near = make([]bool, len(touched)-1) // one for each of the root's neighbours
		}
		if !touched[row] {
			all = append(all, farVertex{row: row, near: near})
		}
	}
	return all
}

func (t *twin) mayBeFar(d *Dense, c *Core, root, row uint32, members []uint32, near []bool) bool {
	n, is := uint32(0), false
	for i, yes := range near {
		if yes {
			n++
		}
		is = is || members[i] == row
	}
	return n >= d.Common && !(d.FarApart != 0 && row == root) && !(d.FarAbsent != 0 && is) && (d.Levels[0].Upper == 0 || t.leadsUp(c, root, row) != t.outer)
}
