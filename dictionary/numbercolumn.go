package dictionary

// NumberClass says what a number of a column is: its type, and by which power of ten its units are to be divided.
type NumberClass uint8

const (
	// NoNumber is no number, or one that a column has no room for: Value tells.
	NoNumber NumberClass = iota
	// IntegerUnits are of an Integer.
	IntegerUnits
	// FloatBits and DoubleBits are math.Float64bits of a Float or Double.
	FloatBits
	DoubleBits
	// DecimalUnits and up to 18 more are of a Decimal: DecimalUnits+s, units / 10^s.
	DecimalUnits
)

// MostDecimals is the largest scale of a Decimal whose units a column has.
const MostDecimals = 18

// datatypeClasses are the classes of numbers without decimals.
var datatypeClasses = func() (classes [256]NumberClass) {
	of := [OtherLiteral + 1]NumberClass{Integer: IntegerUnits, Decimal: DecimalUnits, Float: FloatBits, Double: DoubleBits}
	for d := OtherDatatype; d < datatypes; d++ {
		classes[d] = of[d.Kind()]
	}
	return classes
}()

// numberClass is the class of a stored number, given its second word.
func numberClass(meta uint64) NumberClass {
	class, scale := datatypeClasses[uint8(meta)], uint8(meta>>8)
	if scale == 0 {
		return class
	}
	if scale > MostDecimals || class != DecimalUnits {
		return NoNumber
	}
	return class + NumberClass(scale)
}

// Numbers writes what the numbers among IDs of segments are to units and classes, of the same length. Of the others, and of the terms of a tail, it
// writes that they are NoNumber.
func (d *Dictionary) Numbers(ids []ID, units []int64, classes []NumberClass) {
	units, classes = units[:len(ids)], classes[:len(ids)]
	s := d.base
	first, n := s.starts[Numbers], s.starts[Temporals]-s.starts[Numbers]
	values := s.values[:2*n]
	unchecked := s.files[1].Unchecked()
	for i, id := range ids {
		k := 2 * uint(id-first)
		if id-first >= n || k+1 >= uint(len(values)) {
			units[i], classes[i] = d.Number(id)
			continue
		}
		if unchecked {
			s.checkValue(int(k))
		}
		units[i], classes[i] = int64(values[k]), numberClass(values[k+1])
	}
}

// Number is Numbers of one ID.
func (d *Dictionary) Number(id ID) (units int64, class NumberClass) {
	s := d.base
	if id >= d.end {
		if s, id = d.locate(id); s == nil {
			return 0, NoNumber
		}
	}
	if id < s.starts[Numbers] || id >= s.starts[Temporals] {
		return 0, NoNumber
	}
	payload, meta := s.words(id)
	return int64(payload), numberClass(meta)
}

// Moments writes what the dates and times among IDs of segments show in their own zones: seconds since 1970-01-01T00:00:00, or since midnight, and
// which kind they are. Of the others, and of the terms of a tail, it writes NoValue. The slices have the same length.
func (d *Dictionary) Moments(ids []ID, seconds []int64, kinds []ValueKind) {
	for i, id := range ids {
		seconds[i], kinds[i] = 0, NoValue
		s := d.base
		if id >= d.end {
			if s, id = d.locate(id); s == nil {
				continue
			}
		}
		if id < s.starts[Temporals] || id >= s.starts[Booleans] {
			continue
		}
		payload, meta := s.words(id)
		v, whole := unpackValue(payload, meta)
		if !whole {
			continue
		}
		seconds[i], kinds[i] = v.Local(), v.Kind
	}
}

// Lone reports whether an ID is that of a number of a segment which the numbers beside it, in the order of their IDs, are known to differ from: then
// smaller IDs of the segment's numbers are of smaller numbers and larger ones of larger numbers. False where that would take more than two looks.
func (d *Dictionary) Lone(id ID) bool {
	s := d.base
	if id >= d.end {
		if s, id = d.locate(id); s == nil {
			return false
		}
	}
	numbers := s.Section(Numbers)
	if !numbers.Contains(id) {
		return false
	}
	payload, meta := s.words(id)
	if class := numberClass(meta); class == NoNumber || class == FloatBits || class == DoubleBits {
		return false
	}
	differs := func(beside ID) bool {
		if !numbers.Contains(beside) {
			return true
		}
		p, m := s.words(beside)
		return m == meta && p != payload
	}
	return differs(id-1) && differs(id+1)
}
