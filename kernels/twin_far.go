package kernels

// farVertex is what a first level that is no neighbour of the root is bound to: a row, and which of the root's neighbours are its own.
type farVertex struct {
	row  uint32
	near []bool
}

// allows reports whether the v-th of the root's neighbours may be in a set with the far vertex bound.
func (f *farVertex) allows(s *DenseSet, members []uint32, v int) bool {
	switch near, same := f.near[v], members[v] == f.row; {
	case s.Near&1 != 0 && !near, s.Absent&1 != 0 && (near || same), s.Apart&1 != 0 && same:
		return false
	}
	return s.Above&1 == 0 || members[v] > f.row
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
			b.enumerate([]int{0}, 0, 1, t.addCount)
		}
	}
}

func (t *twin) mayBeFar(d *Dense, c *Core, root, row uint32, members []uint32, near []bool) bool {
	n, is := uint32(0), false
	for i, yes := range near {
		if yes {
			n++
		}
		is = is || members[i] == row
	}
	return n >= d.Common && !(d.FarApart != 0 && row == root) && !(d.FarAbsent != 0 && is) && (d.Levels[0].Upper == 0 || t.leadsUp(c, root, row))
}
