package kernels

import "math/bits"

// closureTwin is one launch of closure.cu's kernels.
type closureTwin struct {
	*twin
	*Closure
	many bool
}

// closure is closure.cu's: the phases one after the other, but lists of any length are the first's.
func (t *twin) closure(many bool, q *Closure) {
	t.clock = sliced(q.Slice)
	c := closureTwin{t, q, many}
	for q.Stopped = 0; q.Stopped == 0 && ClosurePhase(q.Phase) != ClosureDone; {
		c.step()
	}
	t.p.State.Status = Sliced
	if ClosurePhase(q.Phase) == ClosureDone {
		t.p.State.Status = Done
	}
	t.post()
}

// step carries out a phase, or a part of it, and decides what comes then.
func (c *closureTwin) step() {
	n := c.End - c.Begin
	work := c.expand
	switch ClosurePhase(c.Phase) {
	case ClosureSettle:
		n, work = c.Filled, c.settle
	case ClosureEnds:
		c.ends()
		c.Phase = uint64(ClosureDone)
		return
	}
	for c.Taken < n {
		if c.clock() {
			c.Stopped = 1
			return
		}
		work(c.Taken)
		c.Taken++
	}
	c.Taken = 0
	if c.many && ClosurePhase(c.Phase) == ClosureLists && c.Filled > 0 {
		c.Phase = uint64(ClosureSettle)
		return
	}
	c.nextLevel()
}

func (c *closureTwin) nextLevel() {
	c.Begin, c.End = c.End, c.Filled
	if c.many {
		c.Begin, c.Filled = 0, 0
	}
	c.Levels++
	if c.Phase = uint64(ClosureLists); c.Begin < c.End {
		return
	}
	c.Phase = uint64(ClosureEnds)
	for i := range c.SourceCount * min(c.Zero, 1) {
		c.mark(uint32(bits.TrailingZeros32(c.Ending)), c.Sources[i], 1<<i)
	}
}

// entry is where an entry of the level stands in the queue, or with next, of the one behind it.
func (c *closureTwin) entry(i uint64, next bool) uint64 {
	switch {
	case !c.many && !next:
		return c.Begin + i
	case c.many && next == (c.Levels%2 == 0):
		return c.Room + i
	}
	return i
}

// expand goes on from an entry of the level.
func (c *closureTwin) expand(i uint64) {
	at := c.entry(i, false)
	v, state, mask := c.word(c.Vertices, at), c.word(c.States, at), uint64(1)<<i
	if c.many && state != c.StateCount {
		mask = *c.place(c.Front, state, v)
	}
	for _, hop := range c.Hops[:c.HopCount] {
		if hop.From != state {
			continue
		}
		l := c.neighbours(in[Partition](c.memory, hop.Partition, 0), v)
		for k := range uint64(l.size) {
			c.visit(hop.To, c.element(l.begin, k), mask)
		}
	}
}

// place is the number of a state and a vertex in an array for many sources.
func (c *closureTwin) place(array Address, state, v uint32) *uint64 {
	return in[uint64](c.memory, array, uint64(state)*uint64(c.VertexCount)+uint64(v))
}

// bitmap is the word that has a state's bit of a vertex.
func (c *closureTwin) bitmap(state, v uint32) *uint32 {
	return in[uint32](c.memory, c.Seen, uint64(state)*c.Words()+uint64(v/32))
}

// visit appends what is reached first, in a level where there are many sources, to the queue.
func (c *closureTwin) visit(state, v uint32, mask uint64) {
	if c.many {
		fresh, next := mask&^*c.place(c.Seen, state, v), c.place(c.Next, state, v)
		was := *next
		if *next |= fresh; fresh == 0 || was != 0 {
			return
		}
	} else if !c.mark(state, v, 1) {
		return
	}
	at := c.entry(c.Filled, true)
	if !c.many {
		at = c.Filled
	}
	c.Filled++
	c.put(c.Vertices, uint32(at), v)
	c.put(c.States, uint32(at), state)
}

// mark notes that sources reach a pair, and reports whether one had not.
func (c *closureTwin) mark(state, v uint32, mask uint64) bool {
	if c.many {
		seen := c.place(c.Seen, state, v)
		was := *seen
		*seen |= mask
		return *seen != was
	}
	seen := c.bitmap(state, v)
	was := *seen
	*seen |= 1 << (v % 32)
	return *seen != was
}

// settle takes over an entry that came.
func (c *closureTwin) settle(i uint64) {
	at := c.entry(i, true)
	v, state := c.word(c.Vertices, at), c.word(c.States, at)
	next := c.place(c.Next, state, v)
	*c.place(c.Seen, state, v) |= *next
	*c.place(c.Front, state, v), *next = *next, 0
}

// ends writes and counts where walks end.
func (c *closureTwin) ends() {
	for source := range uint64(c.SourceCount) {
		for i := range c.Words() {
			word := uint32(0)
			for v := 32 * i; v < min(32*i+32, uint64(c.VertexCount)); v++ {
				word |= c.ended(uint32(v), source) << (v % 32)
			}
			c.Counts[source] += uint64(bits.OnesCount32(word))
			if c.Ends != 0 {
				c.put(c.Ends, uint32(source*c.Words()+i), word)
			}
		}
	}
}

// ended is 1 where a walk of a source may end at a vertex.
func (c *closureTwin) ended(v uint32, source uint64) (bit uint32) {
	for state := range c.StateCount {
		switch {
		case c.Ending>>state&1 == 0:
		case c.many:
			bit |= uint32(*c.place(c.Seen, state, v)>>source) & 1
		default:
			bit |= *c.bitmap(state, v) >> (v % 32) & 1
		}
	}
	return bit
}
