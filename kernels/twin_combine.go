package kernels

import "time"

// mix is combine.cu's.
func mix(key uint64) uint64 {
	const odd = 0xD6E8FEB86659FD93
	key = (key ^ key>>32) * odd
	key = (key ^ key>>32) * odd
	return key ^ key>>32
}

// groupOf is the slot of a key's group, which it makes where there is none.
func (t *twin) groupOf(c *Combining, key uint64) *Group {
	for i := mix(key) >> 16 & c.Mask; ; i = (i + 1) & c.Mask {
		g := in[Group](t.memory, c.Groups, i)
		if g.Key == 0 {
			*g = Group{Key: key, Weight: g.Weight}
			c.Used++
		}
		if g.Key == key {
			return g
		}
	}
}

// combineRows takes rows into groups, as if one block after the other took a chunk.
func (t *twin) combineRows(c *Combining) {
	expired := sliced(c.Slice)
	for c.Next < c.Rows && c.Used < c.Most && !expired() {
		end := min(c.Next+uint64(c.Chunk), c.Rows)
		for row := c.Next; row < end; row++ {
			t.combineRow(c, row)
		}
		c.Next = end
	}
}

func (t *twin) combineRow(c *Combining, row uint64) {
	key, weight := uint64(t.word(c.First, row)), uint64(1)
	if c.Second != 0 {
		key = key<<32 | uint64(t.word(c.Second, row))
	}
	if c.WeightLow != 0 {
		weight = uint64(t.word(c.WeightHigh, row))<<32 | uint64(t.word(c.WeightLow, row))
	}
	if g := t.groupOf(c, key+1); c.Sums != 0 {
		g.Weight = plus(g.Weight, weight)
	}
}

// moveGroups takes groups over to the table of a Combining, which has none of them.
func (t *twin) moveGroups(c *Combining, groups Address, slots uint64) {
	used := c.Used
	for i := range slots {
		if g := in[Group](t.memory, groups, i); g.Key != 0 {
			t.groupOf(c, g.Key).Weight = g.Weight
		}
	}
	c.Used = used
}

// listGroups writes groups out as columns.
func (t *twin) listGroups(l *Listing) {
	for l.Listed+t.blocks*ListChunk <= l.Room && l.Next <= l.Mask {
		for i := l.Next; i < l.Next+ListChunk && i <= l.Mask; i++ {
			if g := in[Group](t.memory, l.Groups, i); g.Key != 0 {
				t.listGroup(l, g)
			}
		}
		l.Next += ListChunk
	}
}

func (t *twin) listGroup(l *Listing, g *Group) {
	key := g.Key - 1
	if l.Second != 0 {
		*in[uint32](t.memory, l.Second, l.Listed) = uint32(key)
		key >>= 32
	}
	*in[uint32](t.memory, l.First, l.Listed) = uint32(key)
	if l.Weights != 0 {
		*in[uint64](t.memory, l.Weights, l.Listed) = g.Weight
	}
	l.Listed++
}

// sliced returns what tells that a launch's slice of time is over, each time that it may stop; a test's slice is so many times.
func sliced(slice uint64) func() bool {
	begun, polls := time.Now(), uint64(0)
	return func() bool {
		if polls++; slice < 1000 {
			return polls > slice
		}
		return uint64(time.Since(begun)) > slice
	}
}
