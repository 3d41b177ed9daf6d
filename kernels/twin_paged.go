package kernels

// pagedList is rowList of a partition in pages.
func (t *twin) pagedList(p *Partition, row uint32) list {
	pages := in[Pages](t.memory, p.Pages, 0)
	page := in[Page](t.memory, p.Pages+uint64(Size[Pages]()), uint64(t.pageOf(p.Pages, pages, row)))
	if p.Offsets == 0 {
		return list{page.Neighbours + 4*uint64(row), 1}
	}
	low, high := t.word(page.Offsets, uint64(row)), t.word(page.Offsets, uint64(row)+1)
	return list{page.Neighbours + 4*uint64(low), high - low}
}

// pageOf is partition.cuh's; at is where the Pages lie.
func (t *twin) pageOf(at Address, p *Pages, row uint32) uint32 {
	page := t.word(p.PageOf, uint64(row>>p.Shift))
	for row >= in[Page](t.memory, at+uint64(Size[Pages]()), uint64(page)).End {
		page++
	}
	return page
}

// cellsOf is paged.cu's.
func (t *twin) cellsOf(s *Step, g *Grouping, row uint64) (cells [MaxGrouped]uint32, ok bool) {
	for i := range g.LinkCount {
		l := in[Link](t.memory, s.Links, uint64(g.Links[i]))
		part := in[Partition](t.memory, l.Partition, 0)
		r := t.rowOf(part, t.value(&l.From, row, None))
		if r == None {
			return cells, false
		}
		cells[i] = g.Cells[i] + t.pageOf(part.Pages, in[Pages](t.memory, part.Pages, 0), r)
	}
	return cells, true
}

// group carries out one of the kernels of a Grouping.
func (t *twin) group(k Kernel, s *Step, rows uint64, g *Grouping) {
	for row := range rows {
		cells, ok := t.cellsOf(s, g, row)
		if !ok {
			continue
		}
		portion := uint64(0)
		for _, cell := range cells[:g.LinkCount] {
			if k == CountPages {
				*in[uint32](t.memory, g.Counts, uint64(cell))++
			} else {
				portion += uint64(t.word(g.Windows, uint64(cell)))
			}
		}
		switch k {
		case CountPortions:
			*in[uint32](t.memory, g.Portions, portion)++
		case OrderRows:
			if g.Flags != 0 {
				if flag := in[uint8](t.memory, g.Flags, row); *flag != 0 || portion != uint64(g.Only) {
					continue
				} else {
					*flag = 1
				}
			}
			place := in[uint32](t.memory, g.Portions, portion)
			*in[uint32](t.memory, g.Order, uint64(*place)) = uint32(row)
			*place++
		}
	}
}
