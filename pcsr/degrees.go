package pcsr

// DegreesOf writes how many neighbours each of some vertices has.
func (p *Partition) DegreesOf(degrees []uint32, vertices []Vertex) {
	degrees = degrees[:len(vertices)]
	if p.layer != Bitmap || p.offsets == nil || p.file.Unchecked() {
		for i, v := range vertices {
			degrees[i] = uint32(len(p.Neighbours(v)))
		}
		return
	}
	offsets, most := p.offsets, uint64(len(p.neighbours))
	for i, v := range vertices {
		degrees[i] = 0
		row, ok := p.findBitmap(v)
		if !ok || row+1 >= len(offsets) {
			continue
		}
		if low, high := offsets[row], offsets[row+1]; low <= high && uint64(high) <= most {
			degrees[i] = uint32(high - low)
		}
	}
}
