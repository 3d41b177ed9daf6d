package kernels

// squareFill is squares.cu's: the lists, by numbers.
func (t *twin) squareFill(q *Squares) {
	for i := range q.ListCount {
		list := &q.Lists[i]
		for number := range uint64(q.Vertices) {
			v, begin := t.word(q.Order, number), t.word(list.Offsets, number)
			l := t.neighbours(in[Partition](t.memory, list.Partition, 0), v)
			for k := range min(t.word(list.Offsets, number+1)-begin, l.size) {
				t.put(list.To, begin+k, t.word(q.Numbers, uint64(t.word(l.begin, uint64(k)))))
			}
		}
	}
}

// squareTwin counts at one vertex.
type squareTwin struct {
	*twin
	*Squares
	v        uint32
	counters Address
}

// squareCount is squares.cu's: pieces one after the other, with the counters of one block.
func (t *twin) squareCount(q *Squares) {
	t.clock = sliced(q.Slice)
	s := squareTwin{twin: t, Squares: q, counters: q.Counters}
	t.p.State.Status = Sliced
	for !t.clock() {
		if q.Next >= pieceCount(q.Vertices, q.Heavy, q.AtOnce) {
			t.p.State.Status = Done
			break
		}
		first, end := pieceOf(q.Next, q.Vertices, q.Heavy, q.AtOnce)
		q.Next++
		for s.v = first; s.v < end; s.v++ {
			for i := range q.Groups[:q.GroupCount] {
				s.group(&q.Groups[i])
			}
			s.returns()
		}
	}
	t.post()
}

func (s *squareTwin) add(n uint64) {
	s.p.State.Count += n & 0xFFFFFFFF
	s.p.State.CountHigh += n >> 32
}

func (s *squareTwin) take(n uint64) {
	s.Minus += n & 0xFFFFFFFF
	s.MinusHigh += n >> 32
}

// list is the members of a vertex's list.
func (s *squareTwin) list(list, v uint32) (members []uint32) {
	l := &s.Lists[list]
	for k := uint64(s.word(l.Offsets, uint64(v))); k < uint64(s.word(l.Offsets, uint64(v)+1)); k++ {
		members = append(members, s.word(l.To, k))
	}
	return members
}

// walk is the ends of the paths of two edges from the vertex over lesser ones; but for those that must differ and are one.
func (s *squareTwin) walk(path SquareWalk) (ends []uint32) {
	for _, middle := range s.list(path.First, s.v) {
		if middle >= s.v {
			continue
		}
		for _, end := range s.list(path.Second, middle) {
			if end < s.v && (end != middle || s.Different == 0) {
				ends = append(ends, end)
			}
		}
	}
	return ends
}

func (s *squareTwin) counter(v uint32) *uint32 { return in[uint32](s.memory, s.counters, uint64(v)) }

func (s *squareTwin) group(g *SquareGroup) {
	for _, walk := range g.Fill[:g.FillCount] {
		for _, end := range s.walk(walk) {
			*s.counter(end)++
		}
	}
	read := g.Read[:g.ReadCount]
	if g.ReadCount == 0 {
		read = g.Fill[:g.FillCount]
	}
	for _, walk := range read {
		for _, end := range s.walk(walk) {
			s.add(uint64(g.Weight) * uint64(*s.counter(end)))
		}
	}
	for _, walk := range g.Fill[:g.FillCount] {
		for _, end := range s.walk(walk) {
			*s.counter(end) = 0
		}
	}
}

// common is how many members of a list have all bits of a mask, in all and of those less than the vertex.
func (s *squareTwin) common(list, mask uint32) (all, lesser uint64) {
	for _, x := range s.list(list, s.v) {
		if x == s.v || *s.counter(x)&mask != mask {
			continue
		}
		all++
		if x < s.v {
			lesser++
		}
	}
	return all, lesser
}

func (s *squareTwin) returns() {
	loops := uint32(0)
	for k := range s.ListCount {
		for _, x := range s.list(k, s.v) {
			switch {
			case x == s.v:
				loops |= 1 << k
			case x < s.v || s.Different != 0:
				*s.counter(x) |= 1 << k
			}
		}
	}
	// Sides are what may stand for a corner between two others that are the vertex.
	var all, lesser [4]uint64
	var masks [4]uint32
	for corner := range uint32(4) {
		forth := s.Forth[(corner+3)%4]
		masks[corner] = 1<<forth | 1<<s.Back[corner]
		all[corner], lesser[corner] = s.common(forth, masks[corner])
	}
	s.add(lesser[1] * lesser[3])
	s.add(lesser[0] * lesser[2])
	if s.Different != 0 {
		s.take(all[1] * all[3])
		s.take(all[0] * all[2])
		both, _ := s.common(s.Forth[0], masks[1]|masks[3])
		s.add(both)
	}
	if s.Loops != 0 {
		s.loops(loops, &lesser)
	}
	for k := range s.ListCount {
		for _, x := range s.list(k, s.v) {
			*s.counter(x) = 0
		}
	}
}

// loops adds the solutions in which neighbouring corners are the vertex; lists are those that it is in.
func (s *squareTwin) loops(lists uint32, lesser *[4]uint64) {
	every := uint64(1)
	for i := range uint32(4) {
		loop := lists >> s.Forth[i] & 1
		every *= uint64(loop)
		if loop == 0 {
			continue
		}
		for _, end := range s.walk(SquareWalk{s.Forth[(i+1)%4], s.Forth[(i+2)%4]}) {
			s.add(uint64(*s.counter(end) >> s.Back[(i+3)%4] & 1))
		}
		if lists>>s.Forth[(i+1)%4]&1 != 0 {
			s.add(lesser[(i+3)%4])
		}
	}
	s.add(every)
}
