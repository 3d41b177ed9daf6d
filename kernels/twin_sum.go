package kernels

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
)

// sumOf is the slot of a key's sum, which it makes where there is none.
func (t *twin) sumOf(c *Summing, key uint64) *Sum {
	for i := mix(key) >> 16 & c.Mask; ; i = (i + 1) & c.Mask {
		s := in[Sum](t.memory, c.Groups, i)
		if s.Key == 0 {
			s.Key = key
			c.Used++
		}
		if s.Key == key {
			return s
		}
	}
}

// sumRows takes rows into groups, as if one block after the other took a chunk.
func (t *twin) sumRows(c *Summing) {
	expired := sliced(c.Slice)
	for c.Next < c.Rows && c.Used < c.Most && c.Odd == 0 && !expired() {
		end := min(c.Next+uint64(c.Chunk), c.Rows)
		for row := c.Next; row < end; row++ {
			t.sumRow(c, row)
		}
		c.Next = end
	}
}

func (t *twin) sumRow(c *Summing, row uint64) {
	key, weight, id := uint64(0), uint64(1), uint32(0)
	var low, high uint64 // of twice the number
	if c.Value != 0 {
		id = t.word(c.Value, row)
		of, ok := t.doubled(c.Numbers[:c.Ranges], id)
		if !ok {
			c.Odd = 1
			return
		}
		if low, high = uint64(of), uint64(of>>63); c.Ranks != 0 {
			id = c.Numbers[0].First + t.word(c.Ranks, uint64(id-c.Numbers[0].First))
		}
	} else if c.Doubled != 0 {
		low, high = *in[uint64](t.memory, c.Doubled, 2*row), *in[uint64](t.memory, c.Doubled, 2*row+1)
	}
	if c.First != 0 {
		key = uint64(t.word(c.First, row))
	}
	if c.Second != 0 {
		key = key<<32 | uint64(t.word(c.Second, row))
	}
	if c.WeightLow != 0 {
		weight = uint64(t.word(c.WeightHigh, row))<<32 | uint64(t.word(c.WeightLow, row))
	}
	if c.Ordered != 0 {
		id = t.word(c.Ordered, row)
	}
	s := t.sumOf(c, key+1)
	if c.Sums != 0 {
		s.add(low, high, weight)
	}
	if c.Extremes != 0 {
		s.Least, s.Greatest = max(s.Least, ^id), max(s.Greatest, id+1)
	}
}

// add adds half of a number so many times.
func (s *Sum) add(twice, twiceHigh, times uint64) {
	high, low := bits.Mul64(times, twiceHigh<<63|twice>>1)
	high += times * uint64(int64(twiceHigh)>>1)
	var carry uint64
	s.Low, carry = bits.Add64(s.Low, low, 0)
	s.High, _ = bits.Add64(s.High, high, carry)
	s.Count = plus(s.Count, times)
	if twice&1 != 0 {
		s.Fraction = 1
	}
}

// doubled is twice what an ID stands for, where it stands for a number.
func (t *twin) doubled(numbers []NumberRange, id uint32) (twice int64, ok bool) {
	for _, n := range numbers {
		if place := id - n.First; place < n.Count {
			word := *in[uint64](t.memory, n.Doubles, uint64(place))
			return int64(word), word != NoNumber
		}
	}
	return 0, false
}

// moveSums takes groups over to the table of a Summing, which has none of them.
func (t *twin) moveSums(c *Summing, groups Address, slots uint64) {
	used := c.Used
	for i := range slots {
		if s := in[Sum](t.memory, groups, i); s.Key != 0 {
			*t.sumOf(c, s.Key) = *s
		}
	}
	c.Used = used
}

// behind reports whether a group is behind the bound.
func (l *SumListing) behind(s *Sum) bool {
	order := 0
	switch l.By {
	case ByNone:
		return false
	case ByMean:
		sum := new(big.Int).Lsh(big.NewInt(int64(s.High)), 64)
		f, _ := new(big.Float).SetInt(sum.Add(sum, new(big.Int).SetUint64(s.Low))).Float64()
		order = cmp.Compare(f/float64(s.Count), math.Float64frombits(l.BoundMean))
	case BySum:
		order = cmp.Or(cmp.Compare(int64(s.High), int64(l.BoundHigh)), cmp.Compare(s.Low, l.BoundLow))
	default:
		order = cmp.Compare(s.Count, l.BoundLow)
	}
	return s.Count != math.MaxUint64 && (l.Descending != 0 && order < 0 || l.Descending == 0 && order > 0)
}

// listSums writes groups out.
func (t *twin) listSums(l *SumListing) {
	for l.Listed+t.blocks*ListChunk <= l.Room && l.Next <= l.Mask {
		for i := l.Next; i < l.Next+ListChunk && i <= l.Mask; i++ {
			if s := in[Sum](t.memory, l.Groups, i); s.Key != 0 && !l.behind(s) {
				*in[Sum](t.memory, l.To, l.Listed) = *s
				l.Listed++
			}
		}
		l.Next += ListChunk
	}
}
