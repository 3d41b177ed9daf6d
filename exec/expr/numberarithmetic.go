package expr

import (
	"math"

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
	c.eachNumber(n.of, rows, out, func(k class, units int64) (class, int64, bool) {
		if k == isFloat32 || k == isDouble {
			return k, bitsOf(-ofBits(units)), true
		}
		return k, -units, units != math.MinInt64
	}, negate)
}

// eachNumber computes a function of one number: quick on units or bits, where it can, else whole.
func (c *run) eachNumber(arg node, rows []uint32, out *numbers, quick func(k class, units int64) (class, int64, bool), whole func(*dictionary.Value) (dictionary.Value, bool)) {
	c.numbersOf(arg, rows, out)
	if !c.spend(rowWork * len(rows)) {
		out.fail()
		return
	}
	for i, k := range out.classes {
		switch {
		case k == isFailed:
			continue
		case k != isOdd && k != isWide:
			if k, units, ok := quick(k, out.units[i]); ok {
				out.setUnits(i, k, units)
				continue
			}
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

// quick rounds units or bits.
func (n *rounding) quick(k class, units int64) (class, int64, bool) {
	switch {
	case k == isFloat32 || k == isDouble:
		return k, bitsOf(roundFloat(n.op, ofBits(units))), true
	case n.op == "ABS":
		return k, int64(magnitude(units)), units != math.MinInt64
	case k == isInteger:
		return k, units, true
	}
	return isDecimal, roundUnits(n.op, units, int64(powerOfTen[scaleOf(k)])), true
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
	c.eachNumber(n.of, rows, out, func(k class, units int64) (class, int64, bool) { return k, units, true }, same)
}
