package kernels

import "slices"

// triangleLists is triangles.cu's triangle_fill and triangle_walks: one vertex after the other.
func (t *twin) triangleLists(k Kernel, q *Triangles) {
	for number := range q.Vertices {
		v := t.word(q.Order, uint64(number))
		out := t.numbered(q, in[Partition](t.memory, q.Out, 0), v)
		back := t.numbered(q, in[Partition](t.memory, q.In, 0), v)
		if k == TriangleFill {
			t.collect(out, back, q.Lists, q.To, &q.Filled, number, func(to uint32) bool { return to > number })
			q.loop(number, out, back)
			continue
		}
		n := len(t.entries(q.Lists, q.To, number))
		t.collect(out, back, q.Walks, q.Via, &q.Walked, number, func(to uint32) bool {
			size := len(t.entries(q.Lists, q.To, to))
			return size > 0 && (size < n || size == n && to > number)
		})
	}
}

// numbered is the numbers of a vertex's neighbours.
func (t *twin) numbered(q *Triangles, p *Partition, v uint32) (numbers []uint32) {
	l := t.neighbours(p, v)
	for i := range l.size {
		numbers = append(numbers, t.word(q.Numbers, uint64(t.element(l.begin, uint64(i)))))
	}
	return numbers
}

// entries is a list of a number.
func (t *twin) entries(lists, to Address, number uint32) (entries []uint32) {
	list := *in[uint64](t.memory, lists, uint64(number))
	for i := range list >> 32 {
		entries = append(entries, t.word(to, list&0xFFFFFFFF+i))
	}
	return entries
}

// placeOf is partOf of triangles.cu: where a list begins, and how many members it has.
func (t *twin) placeOf(q *Triangles, lists Address, number uint32) (begin, n uint32) {
	if q.Offsets == 0 {
		list := *in[uint64](t.memory, lists, uint64(number))
		return uint32(list), uint32(list >> 32)
	}
	begin = t.word(lists, uint64(number))
	return begin, t.word(lists, uint64(number)+1) - begin
}

// part is entries where only offsets may be known.
func (t *twin) part(q *Triangles, lists, to Address, number uint32) (entries []uint32) {
	begin, n := t.placeOf(q, lists, number)
	for i := range n {
		entries = append(entries, t.word(to, uint64(begin+i)))
	}
	return entries
}

// collect writes a list of entries that are wanted, and where it is.
func (t *twin) collect(out, back []uint32, lists, to Address, filled *uint64, number uint32, wanted func(uint32) bool) {
	begin := *filled
	add := func(x, edges uint32) {
		if wanted(x) {
			t.put(to, uint32(*filled), x<<2|edges)
			*filled++
		}
	}
	for _, x := range out {
		if slices.Contains(back, x) {
			add(x, 3)
		} else {
			add(x, 1)
		}
	}
	for _, x := range back {
		if !slices.Contains(out, x) {
			add(x, 2)
		}
	}
	*in[uint64](t.memory, lists, uint64(number)) = begin | (*filled-begin)<<32
}

// loop adds what a vertex's edge to itself takes part in, where it has one.
func (q *Triangles) loop(number uint32, out, back []uint32) {
	if !slices.Contains(out, number) {
		return
	}
	q.Loops++
	q.LoopOut += uint64(len(out) - 1)
	q.LoopIn += uint64(len(back) - 1)
	for _, x := range out {
		if x != number && slices.Contains(back, x) {
			q.LoopBoth++
		}
	}
}

// triangleCount is triangles.cu's: pieces one after the other.
func (t *twin) triangleCount(q *Triangles) {
	t.clock = sliced(q.Slice)
	t.p.State.Status = Sliced
	for !t.clock() {
		if q.Next >= pieceCount(q.Vertices-q.First, q.Heavy, q.AtOnce) {
			t.p.State.Status = Done
			break
		}
		first, end := pieceOf(q.Next, q.Vertices-q.First, q.Heavy, q.AtOnce)
		q.Next++
		for number := first; number < end; number++ {
			n := t.closing(q, q.First+number)
			t.p.State.Count += n & 0xFFFFFFFF
			t.p.State.CountHigh += n >> 32
		}
	}
	t.post()
}

// closing is the weight of the triangles of a number and a third vertex in its list, by the lists that are walked there.
func (t *twin) closing(q *Triangles, number uint32) (sum uint64) {
	table := map[uint32]uint32{}
	for _, entry := range t.part(q, q.OwnLists, q.Own, number) {
		table[entry>>2] = entry & 3
	}
	for _, end := range t.part(q, q.Walks, q.Via, number) {
		if end>>2-q.Low >= q.Span {
			continue
		}
		for _, entry := range t.part(q, q.Lists, q.To, end>>2) {
			met, ok := table[entry>>2]
			if !ok {
				continue
			}
			edges, near, far := end&3, met, entry&3 // between least and middle, least and greatest, middle and greatest
			if end>>2 < number {
				edges, near, far = edges>>1|edges&1<<1, far, near
			}
			sum += q.Weights[edges] >> (16*far + 4*near) & 15
		}
	}
	return sum
}
