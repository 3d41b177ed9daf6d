package terms

import "github.com/rdfgpu/rdfgpu/dictionary"

// The highest IDs are those of small numbers that are compared with computed terms alone: each is its number, so that nothing is kept of it.
//
//	integers                  2^29 IDs, from -2^28
//	decimals                  2^27, from -2^26
//	decimals with 1 decimal   2^27, from -2^26 tenths
//	decimals with 2 decimals  2^28, from -2^27 hundredths
const (
	directIDs = 1 << 30
	// firstDirect is the first of them, if the dictionary has no more than mostStored terms.
	firstDirect = last - directIDs + 1
	mostStored  = 1 << 31
)

// directRange is IDs of numbers of a class: half of them are negative.
type directRange struct {
	class dictionary.NumberClass
	first uint32 // beyond firstDirect
	half  uint32
}

var directRanges = [...]directRange{
	{dictionary.IntegerUnits, 0, 1 << 28},
	{dictionary.DecimalUnits, 1 << 29, 1 << 26},
	{dictionary.DecimalUnits + 1, 1<<29 + 1<<27, 1 << 26},
	{dictionary.DecimalUnits + 2, 1<<29 + 1<<28, 1 << 27},
}

// directID is the ID of a small number; a Decimal is dictionary.Reduced.
func directID(class dictionary.NumberClass, units int64) (id dictionary.ID, ok bool) {
	r := &directRanges[0]
	if class != dictionary.IntegerUnits {
		if class < dictionary.DecimalUnits || class > dictionary.DecimalUnits+2 {
			return dictionary.None, false
		}
		r = &directRanges[1+class-dictionary.DecimalUnits]
	}
	n := uint64(units) + uint64(r.half)
	return firstDirect + r.first + uint32(n), n < uint64(2*r.half)
}

// directNumber is the number of an ID from firstDirect to last.
func directNumber(id dictionary.ID) (class dictionary.NumberClass, units int64) {
	n := id - firstDirect
	i := 0
	for i+1 < len(directRanges) && n >= directRanges[i+1].first {
		i++
	}
	r := &directRanges[i]
	return r.class, int64(n-r.first) - int64(r.half)
}
