package pcsr

// AppendNeighbours appends to dst, for each of some vertices in turn, its neighbours from low on and below high (0 is no bound), and tells for how many
// vertices: it ends at the latest before the first one whose neighbours would make them more than most, and takes at least the first one where
// there is room. vertices must not lie in dst.
func (p *Partition) AppendNeighbours(dst, vertices []Vertex, low, high Vertex, most int) (out []Vertex, taken int) {
	if p.layer == Range && p.offsets == nil && !p.file.Unchecked() && len(p.neighbours) >= int(p.rows) {
		vertices = vertices[:min(len(vertices), most)]
		return p.appendOnly(dst, vertices, low, high), len(vertices)
	}
	room := len(dst) + most
	for _, v := range vertices {
		list := Between(p.Neighbours(v), low, high)
		if len(dst)+len(list) > room {
			break
		}
		dst = append(dst, list...)
		taken++
	}
	return dst, taken
}

// appendOnly is AppendNeighbours where each row has one neighbour.
func (p *Partition) appendOnly(dst, vertices []Vertex, low, high Vertex) []Vertex {
	if high > 0 && low >= high {
		return dst
	}
	n := len(dst)
	dst = append(dst, vertices...)
	rows, base, neighbours := p.rows, p.base, p.neighbours
	span := high - low - 1 // wraps to all where there is no bound
	for _, v := range vertices {
		row := v - base
		if row >= rows {
			continue
		}
		u := neighbours[row]
		dst[n] = u
		if u-low <= span {
			n++
		}
	}
	return dst[:n]
}

// NeighboursOf sets lists[i] to the neighbours of vertices[i] from low on and below high (0 is no bound), and tells how many they are together. Where lists begin is read for all of
// them before a list is, so that the processor waits for many places of memory at once.
func (p *Partition) NeighboursOf(lists [][]Vertex, vertices []Vertex, low, high Vertex) (total int) {
	lists = lists[:len(vertices)]
	if p.layer == Range && p.offsets != nil && !p.file.Unchecked() {
		p.rangeLists(lists, vertices)
	} else {
		for i, v := range vertices {
			lists[i] = p.Neighbours(v)
		}
	}
	if low > 0 || high > 0 {
		for i, list := range lists {
			lists[i] = Between(list, low, high)
		}
	}
	for _, list := range lists {
		total += len(list)
	}
	return total
}

// rangeLists is NeighboursOf without bounds where rows are found by subtraction.
func (p *Partition) rangeLists(lists [][]Vertex, vertices []Vertex) {
	rows, base, offsets, neighbours := p.rows, p.base, p.offsets, p.neighbours
	for i, v := range vertices {
		lists[i] = nil
		row := v - base
		if row >= rows {
			continue
		}
		if low, high := offsets[row], offsets[row+1]; low <= high && uint64(high) <= uint64(len(neighbours)) {
			lists[i] = neighbours[low:high:high]
		}
	}
}
