package kernels

import "math/bits"

// core is dense.cu's core_count, core_scan and core_fill.
func (t *twin) core(k Kernel, c *Core) {
	switch k {
	case CoreCount:
		t.coreCount(c)
	case CoreScan:
		sum := uint32(0)
		for chunk := range uint64((c.Rows + Block - 1) / Block) {
			at := in[uint32](t.memory, c.Sums, chunk)
			*at, sum = sum, sum+*at
		}
	case CoreFill:
		t.coreFill(c)
	}
}

// countPieces is one of CountDense, CountFar, CountDenseAway, CountFarAway and CountOuter, by their order.
func (t *twin) countPieces(sort Kernel, d *Dense) {
	count := t.countRoot
	if sort%2 == 1 || sort == 4 {
		count = t.countFar
	}
	t.outer = sort == 4
	if c := in[Core](t.memory, d.Core, 0); (c.Ends != 0) != (sort == 2 || sort == 3) {
		panic("kernels: a core is away, or not, where the kernels take it for the other")
	}
	t.countDense(d, count)
}

// listEntry and upperEntry are the i-th members of all lists, or upper ones, of a core.
func (t *twin) listEntry(c *Core, i uint64) uint32 {
	return t.entry(c.Lists, c.ListsAway, i, uint64(c.ListsFrom))
}

func (t *twin) upperEntry(c *Core, i uint64) uint32 {
	return t.entry(c.Upper, c.UpperAway, i, uint64(c.UpperFrom))
}

func (t *twin) entry(here, away Address, i, from uint64) uint32 {
	if i < from {
		return t.word(away, i)
	}
	return t.word(here, i-from)
}

// upperRange is where the upper list of a row begins, and its length.
func (t *twin) upperRange(c *Core, row uint32) (first, n uint32) {
	ends := c.Ends
	if ends == 0 {
		ends = c.Starts + 4
	}
	first = t.word(c.Starts, uint64(row))
	return first, t.word(ends, uint64(row)) - first
}

// degree is how many neighbours a row has.
func (t *twin) degree(c *Core, row uint32) uint32 {
	offsets := in[Partition](t.memory, c.Partition, 0).Offsets
	return t.word(offsets, uint64(row)+1) - t.word(offsets, uint64(row))
}

// leadsUp reports whether the edge from a row to another leads up.
func (t *twin) leadsUp(c *Core, from, to uint32) bool {
	if c.Ends != 0 {
		return to > from
	}
	a, b := t.degree(c, from), t.degree(c, to)
	return b > a || b == a && to > from
}

func (t *twin) coreCount(c *Core) {
	p := in[Partition](t.memory, c.Partition, 0)
	for row := range c.Rows {
		first, n := t.word(p.Offsets, uint64(row)), t.degree(c, row)
		up := uint32(0)
		for i := range n {
			at := uint64(first) + uint64(i)
			to := t.rowOf(p, t.word(p.Neighbours, at))
			*in[uint32](t.memory, c.Lists, at) = to
			if t.leadsUp(c, row, to) {
				up++
			}
		}
		*in[uint32](t.memory, c.Starts, uint64(row)) = up
		sum := in[uint32](t.memory, c.Sums, uint64(row/Block))
		if row%Block == 0 {
			*sum = 0
		}
		*sum += up
		t.addPieces(c, row, n, c.Pieces, &c.PieceCount, &c.Longest)
	}
}

func (t *twin) addPieces(c *Core, row, n uint32, pieces Address, count, longest *uint32) {
	*longest = max(*longest, n)
	if n <= c.Light {
		return
	}
	parts := c.Parts(n)
	for part := range parts {
		*in[uint64](t.memory, pieces, uint64(*count)) = uint64(row) | uint64(part)<<32 | uint64(parts)<<48
		*count++
	}
}

func (t *twin) coreFill(c *Core) {
	offsets := in[Partition](t.memory, c.Partition, 0).Offsets
	at := uint32(0)
	for row := range c.Rows {
		if row%Block == 0 {
			at = t.word(c.Sums, uint64(row/Block))
		}
		*in[uint32](t.memory, c.Starts, uint64(row)) = at
		first := at
		for i := range t.degree(c, row) {
			if to := t.word(c.Lists, uint64(t.word(offsets, uint64(row))+i)); t.leadsUp(c, row, to) {
				*in[uint32](t.memory, c.Upper, uint64(at)) = to
				at++
			}
		}
		t.addPieces(c, row, at-first, c.UpperPieces, &c.UpperPieceCount, &c.UpperLongest)
	}
	*in[uint32](t.memory, c.Starts, uint64(c.Rows)) = at
}

// neighbourhood is a root's neighbours and the edges between them.
type neighbourhood struct {
	*Dense
	members []uint32
	near    [][]bool
	upper   []bool
	far     *farVertex // what the first level is bound to, where that is no member
	outer   *farVertex // and the last, where that is one
}

// countDense is dense.cu's and far.cu's: the neighbourhoods of all roots, heavy ones piece by piece, in their place in memory.
func (t *twin) countDense(d *Dense, countRoot func(d *Dense, c *Core, root, part, parts uint32)) {
	t.clock = sliced(d.Slice)
	st := &t.p.State
	c := in[Core](t.memory, d.Core, 0)
	pieces, count := c.Pieces, uint64(c.PieceCount)
	if d.Upward != 0 {
		pieces, count = c.UpperPieces, uint64(c.UpperPieceCount)
	}
	st.Status = Sliced
	for !t.clock() {
		if d.NextPiece < count*uint64(max(d.Cut, 1)) {
			piece, cut := *in[uint64](t.memory, pieces, d.NextPiece/max(uint64(d.Cut), 1)), max(d.Cut, 1)
			part := uint32(piece>>32)&0xFFFF*cut + uint32(d.NextPiece%uint64(cut))
			d.NextPiece++
			countRoot(d, c, uint32(piece), part, uint32(piece>>48)*cut)
			continue
		}
		if d.NextRow >= uint64(c.Rows) {
			st.Status = Done
			break
		}
		row := uint32(d.NextRow)
		d.NextRow++
		if t.degreeOf(d, c, row) <= c.Light {
			countRoot(d, c, row, 0, 1)
		}
	}
	t.post()
}

// listOf is where the list of a root begins, among all or among the upper ones, and its length.
func (t *twin) listOf(d *Dense, c *Core, row uint32) (first, n uint32) {
	if d.Upward != 0 {
		return t.upperRange(c, row)
	}
	return t.word(in[Partition](t.memory, c.Partition, 0).Offsets, uint64(row)), t.degree(c, row)
}

func (t *twin) degreeOf(d *Dense, c *Core, row uint32) uint32 {
	_, n := t.listOf(d, c, row)
	return n
}

// countRoot counts what has a root, with one part of its neighbours at the first level.
func (t *twin) countRoot(d *Dense, c *Core, root, part, parts uint32) {
	if b := t.neighbourhood(d, c, root); b != nil {
		b.enumerate(nil, part, parts, t.addCount)
	}
}

func (t *twin) addCount(sum uint64) {
	t.p.State.Count += sum & 0xFFFFFFFF
	t.p.State.CountHigh += sum >> 32
}

// neighbourhood is that of a root; nil where it is too small.
func (t *twin) neighbourhood(d *Dense, c *Core, root uint32) *neighbourhood {
	first, n := t.listOf(d, c, root)
	if n < d.Smallest {
		return nil
	}
	b := &neighbourhood{Dense: d}
	place := map[uint32]int{}
	for i := range uint64(n) {
		v := uint32(0)
		if at := uint64(first) + i; d.Upward != 0 {
			v = t.upperEntry(c, at)
		} else {
			v = t.listEntry(c, at)
		}
		place[v] = int(i)
		b.members = append(b.members, v)
		b.near, b.upper = append(b.near, make([]bool, n)), append(b.upper, t.leadsUp(c, root, v))
	}
	if room := d.roomOf(c, uint64(n), t.outer); room > d.Room { // where the kernel would have no room
		panic("kernels: a neighbourhood does not fit its scratch")
	}
	for i, v := range b.members {
		first, n := t.upperRange(c, v)
		for k := range n {
			if j, ok := place[t.upperEntry(c, uint64(first+k))]; ok {
				b.near[i][j], b.near[j][i] = true, true
			}
		}
	}
	return b
}

// roomOf is how many words of its scratch a root of n neighbours takes.
func (d *Dense) roomOf(c *Core, n uint64, outer bool) (room uint64) {
	words := (n + 63) / 64
	if outer {
		room = uint64(c.Rows)*words + (uint64(c.Rows)+63)/64
		if n > Middle {
			room += (n + 1) * words
		}
		return room
	}
	if c.Ends != 0 {
		room = (n + 1) / 2
	}
	if d.Common > 0 {
		room += 3*((uint64(c.Rows)+63)/64) + (n+1)/2 + min(FarWords/words, FarChunk)*words
	}
	switch {
	case n <= Middle:
		return room
	case d.Common > 0:
		return room + (n+1)*words
	}
	return room + (n+1)*words + n/2 + 1
}

// beyond is the far or outer vertex that a level is bound to; nil where that is a member.
func (b *neighbourhood) beyond(level int) *farVertex {
	if level == 0 {
		return b.far
	}
	if b.outer != nil && level == int(b.LevelCount)-1 {
		return b.outer
	}
	return nil
}

// has reports whether a member is in a set, with so many levels bound.
func (b *neighbourhood) has(s *DenseSet, bound []int, v int) bool {
	for e, w := range bound {
		if far := b.beyond(e); far != nil {
			if !far.allows(s, e, b.members, v) {
				return false
			}
			continue
		}
		near := b.near[w][v]
		switch {
		case s.Near>>e&1 != 0 && !near, s.Absent>>e&1 != 0 && (near || v == w), s.Apart>>e&1 != 0 && v == w, s.Above>>e&1 != 0 && v <= w:
			return false
		}
	}
	return s.Upper == 0 || b.upper[v]
}

// enumerate binds the levels that are left, the first to every parts-th member from part on, and adds the terms up.
func (b *neighbourhood) enumerate(bound []int, part, parts uint32, add func(uint64)) {
	level := len(bound)
	if level == int(b.LevelCount) {
		add(b.terms(bound))
		return
	}
	if b.far != nil && b.far.outer != nil && level == int(b.LevelCount)-1 {
		b.far.eachOuter(b, bound, add)
		return
	}
	for v := range b.members {
		if (level > 0 || uint32(v)%parts == part) && b.has(&b.Levels[level], bound, v) {
			b.enumerate(append(bound, v), part, parts, add)
		}
	}
}

func (b *neighbourhood) terms(bound []int) (sum uint64) {
	var sizes [8]uint64
	for v := range b.members {
		in := uint32(0)
		for i := range b.TailCount {
			if b.has(&b.Tail[i], bound, v) {
				in |= 1 << i
			}
		}
		for set := uint32(1); set < 8; set++ {
			sizes[set] += uint64(1 - min(bits.OnesCount32(set&^in), 1))
		}
	}
	for _, term := range b.Terms[:b.TermCount] {
		product := term.Factor
		for _, set := range term.Sizes[:term.Count] {
			product *= sizes[set]
		}
		sum += product
	}
	return sum
}
