package mine

import "math/bits"

// merge unites the shared vertices with the neighbours of a position, in other memory, which it swaps in.
func (x *extender) merge(i int) ([]Vertex, []Places) {
	x.found, x.masks = x.found[:0], x.masks[:0]
	a, masks, bit := x.shared, x.sharedMasks, Places(1)<<i
	for _, w := range within(x.table.Graph().Neighbours(x.row[i]), x.floor(), x.high) {
		n := 0
		for n < len(a) && a[n] < w {
			n++
		}
		x.found, x.masks = append(x.found, a[:n]...), append(x.masks, masks[:n]...)
		a, masks = a[n:], masks[n:]
		mask := bit
		if len(a) > 0 && a[0] == w {
			mask |= masks[0]
			a, masks = a[1:], masks[1:]
		}
		x.found, x.masks = append(x.found, w), append(x.masks, mask)
	}
	united, unitedMasks := append(x.found, a...), append(x.masks, masks...)
	x.found, x.masks = x.shared, x.sharedMasks
	return united, unitedMasks
}

// floor is the lowest number that a new vertex may have as far as the prefix says: that of Once is above the first vertex.
func (x *extender) floor() uint64 {
	if x.Once {
		return max(x.low, uint64(x.row[0])+1)
	}
	return x.low
}

// unite finds what is adjacent to any vertex of the row, and may come next.
func (x *extender) unite() {
	last := len(x.row) - 1
	low, high := x.bounds(1<<last, x.low, x.high)
	if x.Once {
		low = max(low, uint64(x.row[0])+1)
		x.rank()
	}
	a, masks := x.shared, x.sharedMasks
	x.found, x.masks = x.found[:0], x.masks[:0]
	neighbours := within(x.table.Graph().Neighbours(x.row[last]), low, high)
	x.read = len(a) + len(neighbours)
	for _, w := range neighbours {
		for len(a) > 0 && a[0] < w {
			x.keep(a[0], masks[0], low, high)
			a, masks = a[1:], masks[1:]
		}
		mask := Places(1) << last
		if len(a) > 0 && a[0] == w {
			mask |= masks[0]
			a, masks = a[1:], masks[1:]
		}
		x.keep(w, mask, low, high)
	}
	for i, v := range a {
		x.keep(v, masks[i], low, high)
	}
}

// rank finds, for each position, the greatest vertex behind it: what comes next and hangs on that position first must be above.
func (x *extender) rank() {
	greatest := Vertex(0)
	for i := len(x.row) - 1; i >= 0; i-- {
		x.firsts[i] = greatest
		greatest = max(greatest, x.row[i])
	}
}

// keep takes a vertex that is adjacent to the positions of mask, if it may come next.
func (x *extender) keep(v Vertex, mask Places, low, high uint64) {
	if uint64(v) < low || uint64(v) >= high {
		return
	}
	if x.Once && v <= x.firsts[bits.TrailingZeros32(uint32(mask))] {
		return
	}
	for _, w := range x.row {
		if v == w {
			return
		}
	}
	if x.Apart&mask == 0 {
		x.found, x.masks = append(x.found, v), append(x.masks, mask)
	}
}
