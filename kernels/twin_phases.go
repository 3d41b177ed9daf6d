package kernels

import (
	"math"
	"math/bits"
	"sort"
)

// boundRow is bound.cuh's: one row's lists, and how many candidates it has.
func (t *twin) boundRow(s *Step, row uint64) uint32 {
	best, choice, low, high := uint32(math.MaxUint32), uint32(0), s.Low, s.High
	var shortest list
	for i := range uint64(s.AboveCount) {
		low = max(low, t.value(in[Operand](t.memory, s.Above, i), row, None)+1)
	}
	for i := range uint64(s.UnderCount) {
		v := t.value(in[Operand](t.memory, s.Under, i), row, None)
		if v == 0 {
			return 0
		}
		if high == 0 || v < high {
			high = v
		}
	}
	if s.Siblings != 0 {
		if n, told := t.boundSiblings(s, row, low, high); told {
			return n
		}
	}
	for i := range s.LinkCount {
		l := in[Link](t.memory, s.Links, uint64(i))
		found := t.resolve(l, row, None)
		own := LinkKind(l.Kind) == Neighbours || LinkKind(l.Kind) == EdgeLabels
		if own || found.size < best {
			found = t.narrow(found, low, high)
		}
		if found.size == 0 {
			return 0
		}
		if own {
			*in[uint64](t.memory, l.Begin, row) = found.begin
			*in[uint32](t.memory, l.Size, row) = found.size
		}
		if found.size < best {
			best, choice, shortest = found.size, i, found
		}
	}
	l := in[Link](t.memory, s.Links, uint64(choice))
	*in[uint16](t.memory, s.Choice, row) = uint16(choice)
	*in[uint64](t.memory, l.Begin, row) = shortest.begin
	*in[uint32](t.memory, l.Size, row) = shortest.size
	return shortest.size
}

// boundSiblings is bound.cuh's: a row whose candidates are among its siblings; false where they are not told or a link of the
// step's own is shorter.
func (t *twin) boundSiblings(s *Step, row uint64, low, high uint32) (n uint32, told bool) {
	first, end := t.word(s.SiblingsFirst, row), t.word(s.SiblingsEnd, row)
	if end == 0 {
		return 0, false
	}
	siblings := t.narrow(list{s.Siblings + 4*uint64(first), end - first}, low, high)
	n = siblings.size
	for i := uint64(0); i < uint64(s.OwnLinks) && n > 0; i++ {
		l := in[Link](t.memory, s.Links, i)
		own := t.narrow(t.resolve(l, row, None), low, high)
		if own.size > 0 && own.size < n {
			return 0, false
		}
		if own.size == 0 {
			n = 0
		}
		*in[uint64](t.memory, l.Begin, row), *in[uint32](t.memory, l.Size, row) = own.begin, own.size
	}
	if n == 0 {
		return 0, true
	}
	l := in[Link](t.memory, s.Links, uint64(s.LinkCount))
	*in[uint16](t.memory, s.Choice, row) = uint16(Shared | s.OwnLinks)
	*in[uint64](t.memory, l.Begin, row), *in[uint32](t.memory, l.Size, row) = siblings.begin, n
	return n, true
}

// boundPhase is bound.cuh's bound; order, where it is not 0, names the rows.
func (t *twin) boundPhase(level int, rows uint64, order Address) {
	s := in[Step](t.memory, t.p.Steps, uint64(level))
	frame := in[Frame](t.memory, t.p.Frames, uint64(level))
	frame.Items, frame.Candidates = 0, 0
	for row := range rows {
		if order != 0 {
			row = uint64(t.word(order, row))
		}
		n := t.boundRow(s, row)
		if n == 0 {
			continue
		}
		*in[uint32](t.memory, s.Item, frame.Items) = uint32(row)
		*in[uint64](t.memory, s.Prefix, frame.Items) = frame.Candidates
		frame.Items++
		frame.Candidates += uint64(n)
	}
	*in[uint64](t.memory, s.Prefix, frame.Items) = frame.Candidates
}

// addWeight adds the weight of a candidate that passed.
func (t *twin) addWeight(s *Step, row uint64, v uint32) {
	st := &t.p.State
	w := t.weigh(s, row, v)
	if w == math.MaxUint64 {
		st.Overflowed = 1
	}
	st.Count += w & math.MaxUint32
	st.CountHigh += w >> 32
}

// times is extend.cuh's.
func times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return math.MaxUint64
	}
	return low
}

// product is extend.cuh's.
func (t *twin) product(factors Address, n uint32, row uint64, v uint32) uint64 {
	w := uint64(1)
	for i := uint64(0); i < uint64(n) && w > 0; i++ {
		w = times(w, t.factorOf(in[Link](t.memory, factors, i), row, v))
	}
	return w
}

// branchWeight is extend.cuh's.
func (t *twin) branchWeight(b *Branch, row uint64, v uint32) uint64 {
	n := t.product(b.Factors, b.FactorCount, row, v)
	for i := range uint64(b.CheckCount) {
		if !t.holds(in[Check](t.memory, b.Checks, i), row, v) {
			n = 0
		}
	}
	for i := range uint64(b.PairCount) {
		if t.sameEdge(in[Pair](t.memory, b.Pairs, i), row, v) {
			n = 0
		}
	}
	switch {
	case b.Weight == AtLeastOne:
		return max(n, 1)
	case (n != 0) == (b.Weight == Some):
		return 1
	}
	return 0
}

// weigh is extend.cuh's.
func (t *twin) weigh(s *Step, row uint64, v uint32) uint64 {
	w := t.product(s.Factors, s.FactorCount, row, v)
	for i := uint64(0); i < uint64(s.BranchCount) && w > 0; i++ {
		w = times(w, t.branchWeight(in[Branch](t.memory, s.Branches, i), row, v))
	}
	return w
}

func (t *twin) passes(s *Step, row uint64, v, chosen uint32) bool {
	if s.Bitmap != 0 && t.word(s.Bitmap, uint64(v>>5))>>(v&31)&1 == 0 {
		return false
	}
	links, distinct := s.LinkCount, s.DistinctCount
	if chosen&Shared != 0 {
		links, distinct = s.OwnLinks, s.OwnDistinct
	}
	for i := range uint64(distinct) {
		if t.value(in[Operand](t.memory, s.Distinct, i), row, v) == v {
			return false
		}
	}
	for i := range uint64(links) {
		if i != uint64(chosen) && !t.member(in[Link](t.memory, s.Links, i), row, v) {
			return false
		}
	}
	for i := range uint64(s.CheckCount) {
		if !t.holds(in[Check](t.memory, s.Checks, i), row, v) {
			return false
		}
	}
	for i := range uint64(s.PairCount) {
		if t.sameEdge(in[Pair](t.memory, s.Pairs, i), row, v) {
			return false
		}
	}
	return true
}

// extend runs tiles until the candidates are used up or there is no room for what all blocks may add. Every strategy
// has this meaning.
func (t *twin) extend(level int, frame *Frame, out *uint64, limit uint64) (expired bool) {
	s := in[Step](t.memory, t.p.Steps, uint64(level))
	tile, tickets := t.p.Ticket(s.Tile, frame.Candidates), t.p.Tickets(s.Tile, frame.Candidates)
	whole := uint64(0)
	if s.GroupEnd != 0 {
		whole = uint64(t.p.Whole)
	}
	for frame.Next < tickets {
		if s.Mode == Extend && (*out+t.blocks*(tile+whole) > s.Capacity || *out >= limit) {
			return false
		}
		if t.clock != nil && t.clock() {
			return true
		}
		first := frame.Next * tile
		frame.Next++
		t.ticket(s, frame, first, min(first+tile, frame.Candidates), whole, out)
	}
	return false
}

// ticket tests candidates first to end. Where siblings are wanted, a row of few candidates is the work of the ticket in
// which they begin, and the rows that come of a row whose candidates are not cut learn where its siblings are.
func (t *twin) ticket(s *Step, frame *Frame, first, end, whole uint64, out *uint64) {
	prefix := func(i uint64) uint64 { return *in[uint64](t.memory, s.Prefix, i) }
	item := uint64(sort.Search(int(frame.Items), func(i int) bool { return prefix(uint64(i)+1) > first }))
	for ; item < frame.Items && prefix(item) < end; item++ {
		start, stop := prefix(item), prefix(item+1)
		from, to := max(start, first), min(stop, end)
		if stop-start <= whole {
			if start < first {
				continue
			}
			to = stop
		}
		before := *out
		for c := from; c < to; c++ {
			t.candidate(s, item, c-start, out)
		}
		if s.GroupEnd != 0 {
			t.tell(s, before, *out, from == start && to == stop)
		}
	}
}

// tell writes where the siblings of the rows first to below end are, if they are all there are.
func (t *twin) tell(s *Step, first, end uint64, all bool) {
	for r := first; r < end; r++ {
		*in[uint32](t.memory, s.GroupFirst, r) = uint32(first)
		*in[uint32](t.memory, s.GroupEnd, r) = 0
		if all {
			*in[uint32](t.memory, s.GroupEnd, r) = uint32(end)
		}
	}
}

// candidate tests the i-th candidate of an item and, if it passes, adds a row or counts.
func (t *twin) candidate(s *Step, item, i uint64, out *uint64) {
	row := uint64(t.word(s.Item, item))
	chosen := uint32(*in[uint16](t.memory, s.Choice, row))
	link := chosen
	if chosen&Shared != 0 {
		link = s.LinkCount
	}
	v := t.element(*in[uint64](t.memory, in[Link](t.memory, s.Links, uint64(link)).Begin, row), i)
	if !t.passes(s, row, v, chosen) {
		return
	}
	if s.Mode != Extend {
		t.addWeight(s, row, v)
		return
	}
	if s.WeightLow != 0 || s.BranchCount > 0 {
		w := t.weigh(s, row, v)
		if w == 0 {
			return
		}
		if s.WeightLow != 0 {
			*in[uint32](t.memory, s.WeightLow, *out), *in[uint32](t.memory, s.WeightHigh, *out) = uint32(w), uint32(w>>32)
		}
	}
	if s.Seen != 0 && !t.firstSeen(s, row, v) {
		return
	}
	for i := range uint64(s.CopyCount) {
		c := in[Copy](t.memory, s.Copies, i)
		*in[uint32](t.memory, c.To, *out) = t.word(c.From, row)
	}
	if s.Store != 0 {
		*in[uint32](t.memory, s.Store, *out) = v
	}
	*out++
}

// firstSeen is extend.cuh's.
func (t *twin) firstSeen(s *Step, row uint64, v uint32) bool {
	key := uint64(0)
	for i := range uint64(s.CopyCount) {
		key = key<<32 | uint64(t.word(in[Copy](t.memory, s.Copies, i).From, row))
	}
	if s.Store != 0 {
		key = key<<32 | uint64(v)
	}
	slot := in[uint64](t.memory, s.Seen, uint64(uint32(key*0x9E3779B97F4A7C15>>32)&s.SeenMask))
	known := *slot == key+1
	*slot = key + 1
	return !known
}

func (t *twin) extendPhase(level int, out Address, limit, _ uint64) {
	t.extend(level, in[Frame](t.memory, t.p.Frames, uint64(level)), in[uint64](t.memory, out, 0), limit)
}

func (t *twin) filter(args []uint64) {
	columns, stride, base, rows, vertices, bitmap := args[0], args[1], uint32(args[2]), args[3], args[4], args[5]
	want := [4]uint32{uint32(args[6]), uint32(args[6] >> 32), uint32(args[7]), uint32(args[7] >> 32)}
	for v := range (vertices + 31) / 32 * 32 {
		row := uint64(uint32(v) - base)
		has := row < rows
		pass := v < vertices && (has || args[2]>>32 == 0)
		for c := uint64(0); c < 4 && pass && has; c++ {
			pass = want[c] == 0 || t.word(columns, c*stride+row)&want[c] == want[c]
		}
		w := in[uint32](t.memory, bitmap, v>>5)
		if v&31 == 0 {
			*w = 0
		}
		if pass {
			*w |= 1 << (v & 31)
		}
	}
}

func (t *twin) mark(list Address, length uint64, bitmap Address) {
	for i := range length {
		v := t.word(list, i)
		*in[uint32](t.memory, bitmap, uint64(v>>5)) |= 1 << (v & 31)
	}
}
