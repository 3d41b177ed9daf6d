package radix

import (
	"math/bits"
	"slices"
)

const (
	digitBits   = 11
	digitValues = 1 << digitBits
	// Small is the length below which a comparison sort is quicker.
	Small = 128
	// cached is the length up to which keys and scratch space stay in the second cache of a core; longer arrays are
	// first cut into parts of about a quarter of that.
	cached = 1 << 15
)

// Sort sorts keys. scratch is at least as long, and not touched for fewer than Small. The sorted keys are returned in one of the two; both are
// overwritten.
func Sort(keys, scratch []uint64) []uint64 { return SortUpper(keys, scratch, 0) }

// SortUpper is Sort for keys of which those that are alike in all but the lower bits are in order already.
//
// Every pass over an array that outgrows the caches waits for memory at each key. So there is one such pass, by the
// most significant digit; the parts are sorted by their other digits, least significant first, where they fit.
func SortUpper(keys, scratch []uint64, lower int) []uint64 {
	if len(keys) < Small {
		slices.Sort(keys)
		return keys
	}
	scratch = scratch[:len(keys)]
	if len(keys) <= cached {
		return sortDigits(keys, scratch, lower)
	}
	least, most := slices.Min(keys), slices.Max(keys)
	if least>>lower == most>>lower {
		return keys
	}
	width := min(bits.Len(uint(len(keys)/(cached/4))), digitBits)
	shift := max(bits.Len64(most-least)-width, 0)
	var ends [digitValues]uint32
	for _, k := range keys {
		ends[(k-least)>>(shift&63)&(digitValues-1)]++
	}
	startsOf(ends[:1<<width])
	for _, k := range keys {
		at := (k - least) >> (shift & 63) & (digitValues - 1)
		scratch[ends[at]] = k
		ends[at]++
	}
	from := uint32(0)
	for _, to := range ends[:1<<width] {
		part := keys[from:to]
		if sorted := SortUpper(scratch[from:to], part, lower); len(part) > 0 && &sorted[0] != &part[0] {
			copy(part, sorted)
		}
		from = to
	}
	return keys
}

// Across is how several goroutines sort: Parallel runs do for 0 … n-1, and keys are cut into so many Parts.
type Across struct {
	Parts    int
	Parallel func(n int, do func(i int))
	// Within has all keys, where that is known.
	Within *Span
	// Sorted, where it is not nil, is called with stretches of the sorted keys, by several goroutines. Keys that are alike are in one.
	Sorted func(stretch []uint64)
}

// SortAcross is SortUpper by several goroutines. The sorted keys are in the place of keys.
func SortAcross(keys, scratch []uint64, lower int, by Across) []uint64 {
	if by.Sorted == nil {
		by.Sorted = func([]uint64) {}
	}
	if by.Parts <= 1 || len(keys) < Small {
		sorted := SortUpper(keys, scratch, lower)
		if len(keys) > 0 && &sorted[0] != &keys[0] {
			copy(keys, sorted)
		}
		by.Sorted(keys)
		return keys
	}
	parts, parallel := by.Parts, by.Parallel
	part := func(i int) []uint64 { return keys[len(keys)*i/parts : len(keys)*(i+1)/parts] }
	all := by.span(part)
	if all.Least>>lower == all.Most>>lower {
		by.Sorted(keys)
		return keys
	}
	// Digits are of the upper bits alone, so that keys that are alike have one.
	least := all.Least >> lower << lower
	shift := max(bits.Len64(all.Most-least)-acrossBits, lower)
	next := make([][1 << acrossBits]uint32, parts)
	parallel(parts, func(i int) {
		for _, k := range part(i) {
			next[i][(k-least)>>(shift&63)&(1<<acrossBits-1)]++
		}
	})
	var ends [1 << acrossBits]uint32
	at := uint32(0)
	for digit := range ends {
		for i := range next {
			next[i][digit], at = at, at+next[i][digit]
		}
		ends[digit] = at
	}
	parallel(parts, func(i int) {
		next := &next[i]
		for _, k := range part(i) {
			digit := (k - least) >> (shift & 63) & (1<<acrossBits - 1)
			scratch[next[digit]] = k
			next[digit]++
		}
	})
	of := func(digit int) (sorted, distributed []uint64) {
		from, to := uint32(0), ends[digit]
		if digit > 0 {
			from = ends[digit-1]
		}
		return keys[from:to], scratch[from:to]
	}
	// What has much more than its part of the keys is sorted by all goroutines: numbers of which one is far from the others are all in one.
	most := max(cached, 2*len(keys)/parts)
	parallel(len(ends), func(digit int) {
		into, from := of(digit)
		if len(into) > most {
			return
		}
		if sorted := SortUpper(from, into, lower); len(into) > 0 && &sorted[0] != &into[0] {
			copy(into, sorted)
		}
		by.Sorted(into)
	})
	for digit := range ends {
		if into, from := of(digit); len(into) > most {
			some := by
			some.Within, some.Parts = nil, max(2, parts*len(into)/len(keys))
			parallel(some.Parts, func(i int) {
				low, high := len(into)*i/some.Parts, len(into)*(i+1)/some.Parts
				copy(into[low:high], from[low:high])
			})
			SortAcross(into, from, lower, some)
		}
	}
	return keys
}

// span is that of all keys.
func (a *Across) span(part func(i int) []uint64) Span {
	if a.Within != nil {
		return *a.Within
	}
	spans := make([]Span, a.Parts)
	a.Parallel(a.Parts, func(i int) { spans[i] = spanOf(part(i)) })
	all := spans[0]
	for _, s := range spans[1:] {
		all = Span{min(all.Least, s.Least), max(all.Most, s.Most)}
	}
	return all
}

// acrossBits is the width of the digit by which keys are handed to goroutines.
const acrossBits = 8

// Span is the least and the greatest of some keys, or bounds of them.
type Span struct{ Least, Most uint64 }

func spanOf(keys []uint64) Span {
	s := Span{Least: ^uint64(0)}
	for _, k := range keys {
		s = Span{min(s.Least, k), max(s.Most, k)}
	}
	return s
}

// sortDigits sorts by the digits that differ above the lower bits, least significant first.
func sortDigits(keys, scratch []uint64, lower int) []uint64 {
	varying := varyingBits(keys) >> lower << lower
	width := digitWidth(varying)
	for varying != 0 {
		shift := bits.TrailingZeros64(varying)
		varying = varying >> shift >> width << width << shift
		pass(scratch, keys, shift, width)
		keys, scratch = scratch, keys
	}
	return keys
}

// varyingBits has a bit for each that is not the same in all keys.
func varyingBits(keys []uint64) (varying uint64) {
	for _, k := range keys {
		varying |= k ^ keys[0]
	}
	return varying
}

// digitWidth is the width of the narrowest digits of which no more are needed than of the widest.
func digitWidth(varying uint64) int {
	width := digitBits
	for most := digits(varying, width); width > 1 && digits(varying, width-1) == most; {
		width--
	}
	return width
}

// digits is how many digits of a width cover the varying bits.
func digits(varying uint64, width int) (n int) {
	for ; varying != 0; n++ {
		shift := bits.TrailingZeros64(varying)
		varying = varying >> shift >> width << width << shift
	}
	return n
}

func pass(dst, src []uint64, shift, width int) {
	var next [digitValues]uint32
	mask := uint64(1)<<width - 1
	for _, k := range src {
		next[k>>(shift&63)&mask&(digitValues-1)]++
	}
	startsOf(next[:1<<width])
	for _, k := range src {
		d := k >> (shift & 63) & mask & (digitValues - 1)
		dst[next[d]] = k
		next[d]++
	}
}

// startsOf turns counts into the places where the keys of each digit start.
func startsOf(counts []uint32) {
	sum := uint32(0)
	for i, n := range counts {
		counts[i] = sum
		sum += n
	}
}

// Distinct drops repeats from sorted keys, in place.
func Distinct(keys []uint64) []uint64 {
	n := 0
	for i, k := range keys {
		if i == 0 || k != keys[n-1] {
			keys[n] = k
			n++
		}
	}
	return keys[:n]
}
