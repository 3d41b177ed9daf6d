package expr

import (
	"cmp"
	"math"
	"math/bits"
	"strconv"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// class says how a row of numbers is kept.
type class = dictionary.NumberClass

const (
	// isOdd: a datum of its own: what is no number, or one that fits nowhere else.
	isOdd     = dictionary.NoNumber
	isInteger = dictionary.IntegerUnits
	isFloat32 = dictionary.FloatBits
	isDouble  = dictionary.DoubleBits
	// isDecimal+s: units / 10^s.
	isDecimal = dictionary.DecimalUnits
	// isWide: a Decimal of high and units, 128 bits with a sign, / 10^divisionDigits.
	isWide   = isDecimal + dictionary.MostDecimals + 1
	isFailed = isWide + 1
	// isMixed: of all rows, that they differ.
	isMixed = isFailed + 1
)

// fitsUnits reports whether a row of a class is its units alone, by a power of ten.
func fitsUnits(k class) bool { return k == isInteger || k >= isDecimal && k < isWide }

// scaleOf is the power of ten of a class that fits units.
func scaleOf(k class) uint8 {
	if k == isInteger {
		return 0
	}
	return uint8(k - isDecimal)
}

// numbers are the results of a node for some rows, most of them numbers: kept by their values, with no term. Which of the terms of one value it was is
// not kept, so they are for who asks for values alone.
type numbers struct {
	// all is the class of all rows, isMixed where they differ.
	all     class
	classes []class
	// units are of each row's class, high of those that are wide, odd of those that are odd; the latter two are nil where there were none yet.
	units []int64
	high  []int64
	odd   []datum
	// room are the columns in whole.
	classRoom []class
	unitRoom  []int64
}

// numeric is a node whose results are mostly numbers. numbers writes those of some rows to out, of the same length; what out held before means nothing.
type numeric interface {
	node
	numbers(c *run, rows []uint32, out *numbers)
}

// takeNumbers returns scratch for n rows, at most a chunk; the caller gives it back by lowering numbersTop.
func (c *run) takeNumbers(n int) *numbers {
	if c.numbersTop == len(c.numberRoom) {
		c.numberRoom = append(c.numberRoom, &numbers{classRoom: make([]class, c.size), unitRoom: make([]int64, c.size)})
	}
	v := c.numberRoom[c.numbersTop]
	c.numbersTop++
	v.classes, v.units = v.classRoom[:n], v.unitRoom[:n]
	return v
}

// numbersOf evaluates any node.
func (c *run) numbersOf(n node, rows []uint32, out *numbers) {
	if v, ok := n.(numeric); ok {
		v.numbers(c, rows, out)
		return
	}
	data := c.take()[:len(rows)]
	n.eval(c, rows, data)
	for i := range data {
		out.setDatum(c, i, &data[i])
	}
	out.survey()
	c.dataTop--
}

// evalNumbers is eval for numeric nodes.
func evalNumbers(n numeric, c *run, rows []uint32, out []datum) {
	v := c.takeNumbers(len(rows))
	n.numbers(c, rows, v)
	for i := range out {
		v.datum(i, &out[i])
	}
	c.numbersTop--
}

// survey sets all, once all rows are there.
func (v *numbers) survey() {
	v.all = isMixed
	if len(v.classes) == 0 {
		return
	}
	first, differ := v.classes[0], class(0)
	for _, k := range v.classes {
		differ |= k ^ first
	}
	if differ == 0 {
		v.all = first
	}
}

// fill makes all rows one value of a class of units or bits.
func (v *numbers) fill(k class, units int64) {
	v.all = k
	for i := range v.classes {
		v.classes[i], v.units[i] = k, units
	}
}

// fail makes all rows errors.
func (v *numbers) fail() { v.fill(isFailed, 0) }

// setUnits sets a row of any class but isOdd and isWide.
func (v *numbers) setUnits(i int, k class, units int64) { v.classes[i], v.units[i] = k, units }

// setWide sets a row to a number of 128 bits by 10^divisionDigits.
func (v *numbers) setWide(i int, high, low int64) {
	if high == low>>63 {
		v.setUnits(i, isDecimal+divisionDigits, low)
		return
	}
	if v.high == nil {
		v.high = make([]int64, len(v.unitRoom))
	}
	v.classes[i], v.units[i], v.high[i] = isWide, low, high
}

// setDatum sets a row to what a datum is; an error or no number, too.
func (v *numbers) setDatum(c *run, i int, d *datum) {
	if !d.ok() {
		v.setUnits(i, isFailed, 0)
		return
	}
	if of := c.valueOf(d); !v.setValue(i, of) {
		v.setOdd(i, d)
	}
}

func (v *numbers) setOdd(i int, d *datum) {
	if v.odd == nil {
		v.odd = make([]datum, len(v.unitRoom))
	}
	v.classes[i], v.odd[i] = isOdd, *d
}

// setNumber sets a row to a number.
func (v *numbers) setNumber(i int, of *dictionary.Value) {
	if !v.setValue(i, of) {
		var d datum
		d.setValue(*of)
		v.setOdd(i, &d)
	}
}

// setValue sets a row to a number that has a class; false for the others.
func (v *numbers) setValue(i int, of *dictionary.Value) bool {
	k, units := dictionary.ClassOf(of)
	if k == isOdd {
		return false
	}
	v.setUnits(i, k, units)
	return true
}

// value is that of a row that is no error.
func (v *numbers) value(c *run, i int) dictionary.Value {
	switch k := v.classes[i]; k {
	case isOdd:
		return *c.valueOf(&v.odd[i])
	case isWide:
		return wideValue(v.high[i], v.units[i])
	default:
		return k.Value(v.units[i])
	}
}

// wideValue is a number of 128 bits by 10^divisionDigits.
func wideValue(high, low int64) dictionary.Value {
	t := Total{High: uint64(high), Low: uint64(low), Scale: divisionDigits, Decimal: true}
	return t.value()
}

// datum sets d to a row.
func (v *numbers) datum(i int, d *datum) {
	switch v.classes[i] {
	case isFailed:
		d.known = 0
	case isOdd:
		*d = v.odd[i]
	case isWide:
		d.setTerm(rdf.NewTyped(wideText(v.high[i], v.units[i]), rdf.XSDDecimal))
	default:
		d.setValue(v.value(nil, i))
	}
}

// wideText is a quotient of numbers of 64 bits, kept as 128 bits by 10^divisionDigits, in canonical form.
func wideText(high, low int64) string {
	h, l := uint64(high), uint64(low)
	text := make([]byte, 0, 40)
	if high < 0 {
		h, l = negated(h, l)
		text = append(text, '-')
	}
	whole, fraction := bits.Div64(h, l, tenTo18) // h < tenTo18: the quotient has 64 bits
	text = append(strconv.AppendUint(text, whole, 10), '.')
	digits := strconv.AppendUint(nil, tenTo18+fraction, 10)[1:]
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return string(append(text, digits...))
}

// narrowed is a number of 128 bits by 10^divisionDigits as one of units, without trailing zeros, if it has so few digits.
func narrowed(high, low int64) (k class, units int64, ok bool) {
	h, l := uint64(high), uint64(low)
	if high < 0 {
		h, l = negated(h, l)
	}
	k = isDecimal + divisionDigits
	for step := uint8(divisionDigits - 2); step > 0 && k > isDecimal; { // most have two decimals or none
		if l&1 != 0 || k < isDecimal+class(step) {
			step /= 2
			continue
		}
		ten := powerOfTen[step]
		qh, r := bits.Div64(0, h, ten)
		ql, r := bits.Div64(r, l, ten)
		if r != 0 {
			step /= 2
			continue
		}
		h, l, k = qh, ql, k-class(step)
	}
	if high < 0 {
		h, l = negated(h, l)
	}
	units = int64(l)
	return k, units, int64(h) == units>>63
}

// compare compares two rows that are numbers, as dictionary.Compare.
func (v *numbers) compare(c *run, i int, with *numbers, k int) dictionary.Order {
	a, b := v.classes[i], with.classes[k]
	switch {
	case a == b && fitsUnits(a):
		return dictionary.Order(cmp.Compare(v.units[i], with.units[k]))
	case !isExact(a) || !isExact(b):
		return dictionary.Compare(v.value(c, i), with.value(c, k))
	}
	high, low := v.wide(i)
	h, l := with.wide(k)
	return dictionary.Order(cmp.Or(cmp.Compare(high, h), cmp.Compare(low, l)))
}

// isExact reports whether rows of a class fit 128 bits by 10^divisionDigits.
func isExact(k class) bool { return fitsUnits(k) || k == isWide }

// wide is a row of an exact class by 10^divisionDigits.
func (v *numbers) wide(i int) (high int64, low uint64) {
	if v.classes[i] == isWide {
		return v.high[i], uint64(v.units[i])
	}
	return widened(v.classes[i], v.units[i])
}

// widened is a number of a class that fits units by 10^divisionDigits.
func widened(k class, units int64) (high int64, low uint64) {
	return product(units, powerOfTen[divisionDigits-scaleOf(k)])
}

// product is that of two numbers, of which 127 bits and a sign hold it.
func product(x int64, y uint64) (high int64, low uint64) {
	h, l := bits.Mul64(magnitude(x), y)
	if x < 0 {
		h, l = negated(h, l)
	}
	return int64(h), l
}

// negated is a number of 128 bits with the other sign.
func negated(high, low uint64) (uint64, uint64) {
	low, borrow := bits.Sub64(0, low, 0)
	high, _ = bits.Sub64(0, high, borrow)
	return high, low
}

func bitsOf(f float64) int64 { return int64(math.Float64bits(f)) }

func ofBits(units int64) float64 { return math.Float64frombits(uint64(units)) }
