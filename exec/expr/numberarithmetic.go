package expr

import (
	"math"
	"math/bits"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// calculation is "+", "-", "*" or "/".
type calculation struct {
	op          byte
	left, right node
}

func (n *calculation) eval(c *run, rows []uint32, out []datum) { evalNumbers(n, c, rows, out) }

func (n *calculation) numbers(c *run, rows []uint32, out *numbers) {
	c.numbersOf(n.left, rows, out)
	y := c.takeNumbers(len(rows))
	c.numbersOf(n.right, rows, y)
	switch {
	case !c.spend(2 * rowWork * len(rows)):
		out.fail()
	case !out.uniform(n.op, y):
		for i := range out.classes {
			c.combine(n.op, i, out, y)
		}
		out.survey()
	}
	c.numbersTop--
}

// uniform adds y to x, or subtracts or multiplies, where both are of one class each and all fit in 64 bits. It reports whether it has.
func (x *numbers) uniform(op byte, y *numbers) bool {
	if !fitsUnits(x.all) || !fitsUnits(y.all) {
		return false
	}
	k, ok := exactClass(op, x.all, y.all)
	if !ok || !unitsFit(op, x.units, y.units) {
		return false
	}
	switch op {
	case '+':
		for i := range x.units {
			x.units[i] += y.units[i]
		}
	case '-':
		for i := range x.units {
			x.units[i] -= y.units[i]
		}
	case '*':
		for i := range x.units {
			x.units[i] *= y.units[i]
		}
	}
	if x.all != k {
		x.all = k
		for i := range x.classes {
			x.classes[i] = k
		}
	}
	return true
}

// exactClass is the class of a sum, difference or product of two classes of units64; not ok where units of the two are not of one power of ten, or
// those of the product of none.
func exactClass(op byte, a, b class) (k class, ok bool) {
	scale := scaleOf(a)
	switch op {
	case '+', '-':
		ok = scale == scaleOf(b)
	case '*':
		scale += scaleOf(b)
		ok = scale <= dictionary.MostDecimals
	}
	if a == isInteger && b == isInteger {
		return isInteger, ok
	}
	return isDecimal + class(scale), ok
}

// unitsFit reports whether all sums, differences or products have 64 bits.
func unitsFit(op byte, x, y []int64) bool {
	y = y[:len(x)]
	over, large := int64(0), uint64(0)
	switch op {
	case '+':
		for i := range x {
			n := x[i] + y[i]
			over |= (x[i] ^ n) & (y[i] ^ n)
		}
	case '-':
		for i := range x {
			over |= (x[i] ^ y[i]) & (x[i] ^ (x[i] - y[i]))
		}
	case '*':
		for i := range x {
			large |= magnitude(x[i]) | magnitude(y[i])
		}
	}
	if over < 0 || large <= math.MaxInt32 {
		return over >= 0
	}
	for i := range x {
		if _, ok := multiply(x[i], y[i]); !ok {
			return false
		}
	}
	return true
}

// combine computes one row, in the place of x.
func (c *run) combine(op byte, i int, x, y *numbers) {
	a, b := x.classes[i], y.classes[i]
	switch {
	case a == isFailed:
		return
	case b == isFailed:
		x.setUnits(i, isFailed, 0)
		return
	case fitsUnits(a) && fitsUnits(b):
		if x.combineUnits(op, i, y) {
			return
		}
	case a == isDouble && b == isDouble:
		x.units[i] = bitsOf(floatArithmetic(op, ofBits(x.units[i]), ofBits(y.units[i])))
		return
	}
	v, w := x.value(c, i), y.value(c, i)
	x.setUnits(i, isFailed, 0)
	if (v.Big != nil || w.Big != nil) && !c.spend(bigWork) {
		return
	}
	if r, ok := arithmetic(op, &v, &w); ok && (r.Big == nil || c.makes(bigBytes(r.Big))) {
		x.setNumber(i, &r)
	}
}

// combineUnits is combine of two classes that fit units, where the result does.
func (x *numbers) combineUnits(op byte, i int, y *numbers) bool {
	a, b := x.classes[i], y.classes[i]
	if op == '/' {
		if scaleOf(a) != scaleOf(b) {
			return false
		}
		high, low, ok := wideQuotient(x.units[i], y.units[i])
		if ok {
			x.setWide(i, high, low)
		}
		return ok
	}
	k, ok := exactClass(op, a, b)
	if !ok {
		return false
	}
	n, ok := unitArithmetic(op, x.units[i], y.units[i])
	if ok {
		x.setUnits(i, k, n)
	}
	return ok
}

// negative is the unary "-".
type negative struct{ of node }

func (n *negative) eval(c *run, rows []uint32, out []datum) { evalNumbers(n, c, rows, out) }

func (n *negative) numbers(c *run, rows []uint32, out *numbers) {
	c.eachNumber(n.of, rows, out, (*numbers).negate, negate)
}

// negate changes the sign of a row, where it can.
func (v *numbers) negate(i int) bool {
	switch k, units := v.classes[i], v.units[i]; {
	case k == isWide:
		high, low := negated(uint64(v.high[i]), uint64(units))
		v.setWide(i, int64(high), int64(low))
	case k == isFloat32 || k == isDouble:
		v.units[i] = bitsOf(-ofBits(units))
	default:
		v.units[i] = -units
		return units != math.MinInt64
	}
	return true
}

// eachNumber computes a function of one number: quick in the place of a row that is kept by its value, where it can, else whole.
func (c *run) eachNumber(arg node, rows []uint32, out *numbers, quick func(v *numbers, row int) bool, whole func(*dictionary.Value) (dictionary.Value, bool)) {
	c.numbersOf(arg, rows, out)
	if !c.spend(rowWork * len(rows)) {
		out.fail()
		return
	}
	for i, k := range out.classes {
		if k == isFailed || k != isOdd && quick(out, i) {
			continue
		}
		v := out.value(c, i)
		out.setUnits(i, isFailed, 0)
		if !v.IsNumeric() || v.Big != nil && !c.spend(bigWork) {
			continue
		}
		if r, ok := whole(&v); ok {
			out.setNumber(i, &r)
		}
	}
	out.survey()
}

// rounding is ABS, CEIL, FLOOR or ROUND.
type rounding struct {
	op string
	of node
}

func (n *rounding) eval(c *run, rows []uint32, out []datum) { evalNumbers(n, c, rows, out) }

func (n *rounding) numbers(c *run, rows []uint32, out *numbers) {
	c.eachNumber(n.of, rows, out, n.quick, func(v *dictionary.Value) (dictionary.Value, bool) { return rounded(n.op, v) })
}

// quick rounds a row in its place.
func (n *rounding) quick(v *numbers, i int) bool {
	switch k, units := v.classes[i], v.units[i]; {
	case k == isFloat32 || k == isDouble:
		v.units[i] = bitsOf(roundFloat(n.op, ofBits(units)))
	case n.op == "ABS":
		return units >= 0 && k != isWide || k == isWide && v.high[i] >= 0 || v.negate(i)
	case k == isWide:
		return n.roundWide(v, i)
	case k != isInteger:
		v.setUnits(i, isDecimal, roundUnits(n.op, units, int64(powerOfTen[scaleOf(k)])))
	}
	return true
}

// roundWide is CEIL, FLOOR or ROUND of a row of 128 bits, where the result has 63.
func (n *rounding) roundWide(v *numbers, i int) bool {
	high, low, negative := uint64(v.high[i]), uint64(v.units[i]), v.high[i] < 0
	if negative {
		high, low = negated(high, low)
	}
	if high >= tenTo18/2-1 {
		return false
	}
	whole, rest := bits.Div64(high, low, tenTo18)
	units := int64(whole)
	if negative {
		if units = -units; rest > 0 {
			units, rest = units-1, tenTo18-rest
		}
	}
	v.setUnits(i, isDecimal, units+roundUnits(n.op, int64(rest), tenTo18))
	return true
}

// roundUnits is CEIL, FLOOR or ROUND of units / unit.
func roundUnits(op string, units, unit int64) int64 {
	n, rest := units/unit, units%unit
	if rest < 0 {
		n, rest = n-1, rest+unit
	}
	if op == "CEIL" && rest > 0 || op == "ROUND" && rest >= unit-rest {
		n++
	}
	return n
}

// powerOfTen are the powers that scales stand for.
var powerOfTen = func() (t [dictionary.MostDecimals + 1]uint64) {
	for i := range t {
		t[i] = 1
		if i > 0 {
			t[i] = 10 * t[i-1]
		}
	}
	return t
}()

// positive is the unary "+", which leaves a number the term that it is.
type positive struct{ of node }

func (n *positive) eval(c *run, rows []uint32, out []datum) {
	n.of.eval(c, rows, out)
	for i := range out {
		if d := &out[i]; d.ok() && !c.valueOf(d).IsNumeric() {
			d.known = 0
		}
	}
}

func (n *positive) numbers(c *run, rows []uint32, out *numbers) {
	same := func(v *dictionary.Value) (dictionary.Value, bool) { return *v, true }
	c.eachNumber(n.of, rows, out, func(*numbers, int) bool { return true }, same)
}
