package expr

import (
	"math"
	"math/bits"

	"github.com/cockroachdb/apd/v3"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// maxDigits bounds the numbers that arithmetic makes; what is longer is an error.
const maxDigits = 10_000

// divisionDigits is how many decimals a quotient that does not end has, at least.
const divisionDigits = 18

// exact computes without rounding.
var exact = apd.BaseContext

// arithmetic applies "+", "-", "*" or "/" to two numbers, promoted to their common type (section 17.3).
// ok is false for operands that are no numbers and for a division of integers or decimals by zero.
func arithmetic(op byte, a, b *dictionary.Value) (v dictionary.Value, ok bool) {
	if !a.IsNumeric() || !b.IsNumeric() {
		return v, false
	}
	switch kind := max(a.Kind, b.Kind); kind {
	case dictionary.Double:
		return float(kind, floatArithmetic(op, a.Float64(), b.Float64())), true
	case dictionary.Float:
		return float(kind, float64(float32(floatArithmetic(op, float64(a.Float32()), float64(b.Float32()))))), true
	case dictionary.Integer:
		if n, ok := integerArithmetic(op, a, b); ok {
			return integer(n), true
		}
	}
	return exactArithmetic(op, a, b)
}

func float(kind dictionary.ValueKind, f float64) dictionary.Value {
	v := dictionary.Value{Kind: kind, Datatype: dictionary.XSDDouble, Zone: dictionary.NoZone, Float: f}
	if kind == dictionary.Float {
		v.Datatype = dictionary.XSDFloat
	}
	return v
}

func floatArithmetic(op byte, a, b float64) float64 {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	}
	return a / b
}

// integerArithmetic is the fast path; ok is false when the result needs more than 64 bits or is a quotient.
func integerArithmetic(op byte, a, b *dictionary.Value) (n int64, ok bool) {
	if a.Big != nil || b.Big != nil {
		return 0, false
	}
	return unitArithmetic(op, a.Int, b.Int)
}

// unitArithmetic adds, subtracts or multiplies; ok is false when the result needs more than 64 bits.
func unitArithmetic(op byte, x, y int64) (n int64, ok bool) {
	switch op {
	case '+':
		n = x + y
		return n, (n > x) == (y > 0)
	case '-':
		n = x - y
		return n, (n < x) == (y > 0)
	case '*':
		return multiply(x, y)
	}
	return 0, false
}

func multiply(x, y int64) (int64, bool) {
	high, low := bits.Mul64(magnitude(x), magnitude(y))
	negative := (x < 0) != (y < 0)
	if high != 0 || low > math.MaxInt64 {
		return 0, false
	}
	if negative {
		return -int64(low), true
	}
	return int64(low), true
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// exactArithmetic computes with decimals.
func exactArithmetic(op byte, a, b *dictionary.Value) (dictionary.Value, bool) {
	kind := dictionary.Decimal
	if a.Kind == dictionary.Integer && b.Kind == dictionary.Integer && op != '/' {
		kind = dictionary.Integer
	}
	if a.Scale == b.Scale && a.Big == nil && b.Big == nil && (op == '+' || op == '-') {
		if n, ok := unitArithmetic(op, a.Int, b.Int); ok {
			return compact(kind, n, a.Scale), true
		}
	}
	if a.Scale == b.Scale && a.Big == nil && b.Big == nil && op == '/' {
		if v, ok := shortQuotient(a.Int, b.Int); ok {
			return v, true
		}
	}
	x, y := a.Decimal(), b.Decimal()
	r := new(apd.Decimal)
	var err error
	switch op {
	case '+':
		_, err = exact.Add(r, x, y)
	case '-':
		_, err = exact.Sub(r, x, y)
	case '*':
		_, err = exact.Mul(r, x, y)
	default:
		return quotient(x, y)
	}
	if err != nil {
		return dictionary.Value{}, false
	}
	return decimalValue(kind, r)
}

// tenTo18 is the unit of the last of divisionDigits decimals.
const tenTo18 = 1e18

// shortQuotient is quotient for numbers of 64 bits whose quotient is at least 0.1, and 0; ok is false for the others.
func shortQuotient(x, y int64) (v dictionary.Value, ok bool) {
	high, low, ok := wideQuotient(x, y)
	switch {
	case !ok:
		return v, false
	case high == low>>63:
		return compact(dictionary.Decimal, low, divisionDigits), true
	}
	return wideValue(high, low), true
}

// wideQuotient is shortQuotient as 128 bits by 10^divisionDigits.
func wideQuotient(x, y int64) (high, low int64, ok bool) {
	a, b := magnitude(x), magnitude(y)
	if y == 0 || a>>63 != 0 || a != 0 && a <= b/10 {
		return 0, 0, false
	}
	whole, rest := a/b, a%b
	h, l := bits.Mul64(rest, tenTo18)
	fraction, rest := bits.Div64(h, l, b) // h < b, for tenTo18 < 1<<64
	if rest >= b-rest {
		fraction++
	}
	h, l = bits.Mul64(whole, tenTo18)
	l, carry := bits.Add64(l, fraction, 0)
	h += carry
	if (x < 0) != (y < 0) {
		h, l = negated(h, l)
	}
	return int64(h), int64(l), true
}

// quotient divides decimals. One that does not end is rounded to divisionDigits decimals, or, when it is smaller than
// 0.1, to as many significant digits.
func quotient(x, y *apd.Decimal) (dictionary.Value, bool) {
	if y.IsZero() {
		return dictionary.Value{}, false
	}
	whole := x.NumDigits() + int64(x.Exponent) - y.NumDigits() - int64(y.Exponent) + 1
	precision := max(whole, 0) + divisionDigits
	if precision > maxDigits {
		return dictionary.Value{}, false
	}
	r := new(apd.Decimal)
	context := exact.WithPrecision(uint32(precision) + 2)
	cut := *context
	cut.Rounding = apd.Round05Up // so that it is rounded once, below
	_, err := cut.Quo(r, x, y)
	if err == nil && r.Exponent < -divisionDigits {
		if digits := r.NumDigits() + int64(r.Exponent); digits >= 0 {
			_, err = context.Quantize(r, r, -divisionDigits)
		} else {
			_, err = exact.WithPrecision(divisionDigits).Round(r, r)
		}
	}
	if err != nil {
		return dictionary.Value{}, false
	}
	return decimalValue(dictionary.Decimal, r)
}

// compact is n / 10^scale without trailing zeros.
func compact(kind dictionary.ValueKind, n int64, scale uint8) dictionary.Value {
	k, n := dictionary.Reduced(isDecimal+class(scale), n)
	v := integer(n)
	v.Kind, v.Scale = kind, scaleOf(k)
	if kind == dictionary.Decimal {
		v.Datatype = dictionary.XSDDecimal
	}
	return v
}

// decimalValue is r, which it may change, as a value of kind Integer or Decimal.
func decimalValue(kind dictionary.ValueKind, r *apd.Decimal) (dictionary.Value, bool) {
	if r.Form != apd.Finite || r.NumDigits() > maxDigits || r.Exponent > maxDigits || r.Exponent < -maxDigits {
		return dictionary.Value{}, false
	}
	r.Reduce(r)
	if r.Exponent > 0 {
		scale := new(apd.BigInt).Exp(apd.NewBigInt(10), apd.NewBigInt(int64(r.Exponent)), nil)
		r.Coeff.Mul(&r.Coeff, scale)
		r.Exponent = 0
	}
	if r.Exponent >= -18 && r.Coeff.IsInt64() {
		n := r.Coeff.Int64()
		if r.Negative {
			n = -n
		}
		return compact(kind, n, uint8(-r.Exponent)), true
	}
	v := compact(kind, 0, 0)
	v.Big = r
	return v, true
}

// negate is the unary "-".
func negate(a *dictionary.Value) (dictionary.Value, bool) {
	if a.Kind == dictionary.Double || a.Kind == dictionary.Float {
		return float(a.Kind, -a.Float), true
	}
	zero := integer(0)
	return arithmetic('-', &zero, a)
}

// rounded is ABS, CEIL, FLOOR or ROUND of a number; the type stays.
func rounded(op string, a *dictionary.Value) (dictionary.Value, bool) {
	switch {
	case !a.IsNumeric():
		return dictionary.Value{}, false
	case a.Kind == dictionary.Double || a.Kind == dictionary.Float:
		return float(a.Kind, roundFloat(op, a.Float)), true
	case op == "ABS":
		if a.Big == nil && a.Int >= 0 || a.Big != nil && !a.Big.Negative {
			return plain(*a), true
		}
		return negate(a)
	case a.Kind == dictionary.Integer:
		return plain(*a), true
	}
	return roundDecimal(op, a)
}

// plain is a number with its datatype promoted to integer, decimal, float or double.
func plain(v dictionary.Value) dictionary.Value {
	v.Datatype = [...]dictionary.Datatype{dictionary.Integer: dictionary.XSDInteger, dictionary.Decimal: dictionary.XSDDecimal,
		dictionary.Float: dictionary.XSDFloat, dictionary.Double: dictionary.XSDDouble}[v.Kind]
	return v
}

func roundFloat(op string, f float64) float64 {
	switch op {
	case "ABS":
		return math.Abs(f)
	case "CEIL":
		return math.Ceil(f)
	case "FLOOR":
		return math.Floor(f)
	}
	// Halves go towards positive infinity (XPath fn:round).
	r := math.Floor(f)
	if f-r >= 0.5 {
		r++
	}
	return math.Copysign(r, f)
}

func roundDecimal(op string, a *dictionary.Value) (dictionary.Value, bool) {
	x, r := a.Decimal(), new(apd.Decimal)
	context := exact.WithPrecision(maxDigits)
	var err error
	switch op {
	case "CEIL":
		_, err = context.Ceil(r, x)
	case "FLOOR":
		_, err = context.Floor(r, x)
	default:
		sum := new(apd.Decimal) // Floor loses a fraction whose first digits are zeros where it may overwrite it
		if _, err = context.Add(sum, x, apd.New(5, -1)); err == nil {
			_, err = context.Floor(r, sum)
		}
	}
	if err != nil {
		return dictionary.Value{}, false
	}
	return decimalValue(dictionary.Decimal, r)
}
