package expr

import (
	"math"
	"math/bits"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// NumberOrder gives each number key of some rows 64 bits, in the order of what the keys stand for.
type NumberOrder struct {
	// Failed: some are errors, which come first and whose bits mean nothing. Exact: keys with the same bits are equal; otherwise comparing tells.
	Failed, Exact bool
	by            orderBits
	// scale is the largest of all.
	scale uint8
}

// orderBits says how the keys of a NumberOrder get their bits.
type orderBits uint8

const (
	// byComparing: not at all.
	byComparing orderBits = iota
	// byUnits: they are units by one power of ten.
	byUnits
	// byWidth: they begin as numbers of 128 bits do.
	byWidth
	byFloat
)

// Seen is what number keys were seen to be; what was seen of parts of the rows can be united.
type Seen struct {
	// exact, wide, floats, odd and failed: some are of such a class.
	exact, wide, floats, odd, failed bool
	// scale is the largest of the exact ones, large has the bits of all their units.
	scale uint8
	large uint64
}

// SeenNumberKeys looks at rows from … to of three columns.
func SeenNumberKeys(cols [][]dictionary.ID, from, to int) (s Seen) {
	upper, lower := cols[1][from:to], cols[2][from:to]
	for i, head := range cols[0][from:to] {
		switch k := class(head >> highBits); {
		case fitsUnits(k):
			s.exact = true
			s.scale = max(s.scale, scaleOf(k))
			s.large |= magnitude(int64(uint64(upper[i])<<32 | uint64(lower[i])))
		case k == isFailed:
			s.failed = true
		case k == isWide:
			s.wide = true
		case k == isOdd:
			s.odd = true
		default:
			s.floats = true
		}
	}
	return s
}

// Or is what was seen in both.
func (s Seen) Or(o Seen) Seen {
	return Seen{
		exact: s.exact || o.exact, wide: s.wide || o.wide, floats: s.floats || o.floats, odd: s.odd || o.odd, failed: s.failed || o.failed,
		scale: max(s.scale, o.scale), large: s.large | o.large,
	}
}

// Order returns the order of what was seen.
func (s Seen) Order() NumberOrder {
	o := NumberOrder{Failed: s.failed, Exact: true, by: byUnits, scale: s.scale}
	high, low := bits.Mul64(s.large, powerOfTen[s.scale])
	switch {
	case s.odd || s.floats && (s.exact || s.wide):
		o.Exact, o.by = false, byComparing
	case s.floats:
		o.by = byFloat
	case s.wide || high > 0 || low > math.MaxInt64:
		o.Exact, o.by = false, byWidth
	}
	return o
}

// Bits writes those of rows from … to of three columns to out.
func (o *NumberOrder) Bits(cols [][]dictionary.ID, from, to int, out []uint64) {
	heads, upper, lower := cols[0][from:to], cols[1][from:to], cols[2][from:to]
	for i, head := range heads {
		k, units := class(head>>highBits), int64(uint64(upper[i])<<32|uint64(lower[i]))
		switch {
		case k == isFailed || o.by == byComparing:
			out[i] = 0
		case o.by == byFloat:
			out[i] = floatBits(ofBits(units))
		case o.by == byWidth:
			key := NumberKeyAt(cols, from+i)
			out[i] = wideBits(key.wide())
		default:
			out[i] = uint64(units*int64(powerOfTen[o.scale-scaleOf(k)])) ^ 1<<63
		}
	}
}

// IsError reports whether the key of a row is an error, given the first of its columns.
func IsError(head dictionary.ID) bool { return class(head>>highBits) == isFailed }

// floatBits are in the order of floats, NaN last. −0 is 0.
func floatBits(f float64) uint64 {
	if math.IsNaN(f) {
		return math.MaxUint64
	}
	n := int64(math.Float64bits(f + 0))
	if n < 0 {
		n ^= math.MaxInt64
	}
	return uint64(n) ^ 1<<63
}

// wideBits are in the order of numbers of 128 bits, of which they have the sign, the length and the highest bits.
func wideBits(high int64, low uint64) uint64 {
	h, l := uint64(high), low
	if high < 0 {
		h, l = negated(h, l)
	}
	length := bits.Len64(h) + 64
	if h == 0 {
		length = bits.Len64(l)
	}
	switch shift := 128 - length; {
	case shift >= 64:
		h, l = l<<(shift-64), 0
	default:
		h = h<<shift | l>>(64-shift)
	}
	n := uint64(length)<<56 | h>>8
	if high < 0 {
		return 1<<63 - 1 - n
	}
	return 1<<63 | n
}
