package dictionary

import (
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Canonical writes a number or boolean as a literal in canonical form (XSD 1.0 part 2): decimals have a point, floats an exponent. Of other values it is the zero Term.
func (v *Value) Canonical() rdf.Term {
	switch v.Kind {
	case Boolean:
		return rdf.NewTyped(strconv.FormatBool(v.Int != 0), rdf.XSDBoolean)
	case Integer:
		return rdf.NewTyped(v.ExactText(), rdf.XSDInteger)
	case Decimal:
		s := v.ExactText()
		if strings.IndexByte(s, '.') < 0 {
			s += ".0"
		}
		return rdf.NewTyped(s, rdf.XSDDecimal)
	case Float:
		return rdf.NewTyped(FloatText(v.Float, 32), rdf.XSDFloat)
	case Double:
		return rdf.NewTyped(FloatText(v.Float, 64), rdf.XSDDouble)
	}
	return rdf.Term{}
}

// ExactText is an Integer or Decimal without exponent.
func (v *Value) ExactText() string {
	switch {
	case v.Big != nil:
		return v.Big.Text('f')
	case v.Scale == 0:
		return strconv.FormatInt(v.Int, 10)
	}
	return string(appendUnits(nil, v.Int, v.Scale))
}

// FloatText is the canonical form of a float (size 32) or double (64): 1.0E0, INF.
func FloatText(f float64, size int) string { return string(appendFloat(nil, f, size)) }

func appendFloat(dst []byte, f float64, size int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "INF"...)
	case math.IsInf(f, -1):
		return append(dst, "-INF"...)
	}
	var room [32]byte
	text := strconv.AppendFloat(room[:0], f, 'E', -1, size)
	mantissa, exponent, _ := strings.Cut(string(text), "E")
	dst = append(dst, mantissa...)
	if strings.IndexByte(mantissa, '.') < 0 {
		dst = append(dst, ".0"...)
	}
	n, _ := strconv.Atoi(exponent)
	return strconv.AppendInt(append(dst, 'E'), int64(n), 10)
}

// appendUnits appends units / 10^scale without exponent, with so many decimals.
func appendUnits(dst []byte, units int64, scale uint8) []byte {
	magnitude := uint64(units)
	if units < 0 {
		dst, magnitude = append(dst, '-'), -magnitude
	}
	var room [24]byte
	digits := strconv.AppendUint(room[:0], magnitude, 10)
	switch whole := len(digits) - int(scale); {
	case scale == 0:
		return append(dst, digits...)
	case whole > 0:
		return append(append(append(dst, digits[:whole]...), '.'), digits[whole:]...)
	default:
		dst = append(append(dst, "0."...), "000000000000000000"[:-whole]...)
		return append(dst, digits...)
	}
}

// Value is the number of a class other than NoNumber.
func (k NumberClass) Value(units int64) Value {
	v := Value{Zone: NoZone}
	switch k {
	case IntegerUnits:
		v.Kind, v.Datatype, v.Int = Integer, XSDInteger, units
	case FloatBits:
		v.Kind, v.Datatype, v.Float = Float, XSDFloat, math.Float64frombits(uint64(units))
	case DoubleBits:
		v.Kind, v.Datatype, v.Float = Double, XSDDouble, math.Float64frombits(uint64(units))
	default:
		k, units = Reduced(k, units)
		v.Kind, v.Datatype, v.Int, v.Scale = Decimal, XSDDecimal, units, uint8(k-DecimalUnits)
	}
	return v
}

// Reduced is a Decimal without trailing zeros.
func Reduced(k NumberClass, units int64) (NumberClass, int64) {
	for k > DecimalUnits && units%10 == 0 {
		k, units = k-1, units/10
	}
	return k, units
}

// ClassOf is the class of a number, and its units; NoNumber of what is none, or fits no class.
func ClassOf(v *Value) (k NumberClass, units int64) {
	switch {
	case v.Big != nil:
		return classOfBig(v)
	case v.Kind == Integer:
		return IntegerUnits, v.Int
	case v.Kind == Decimal:
		return DecimalUnits + NumberClass(v.Scale), v.Int
	case v.Kind == Float:
		return FloatBits, int64(math.Float64bits(v.Float))
	case v.Kind == Double:
		return DoubleBits, int64(math.Float64bits(v.Float))
	}
	return NoNumber, 0
}

// classOfBig is ClassOf of a Big: a decimal that was read has its class all the same where its digits, more than 18, are those of an int64.
func classOfBig(v *Value) (NumberClass, int64) {
	b := v.Big
	if v.Kind != Decimal || b.Exponent > 0 || b.Exponent < -MostDecimals {
		return NoNumber, 0
	}
	units := new(apd.BigInt).Set(&b.Coeff)
	if b.Negative {
		units.Neg(units)
	}
	if !units.IsInt64() {
		return NoNumber, 0
	}
	return Reduced(DecimalUnits+NumberClass(-b.Exponent), units.Int64())
}

// AppendCanonical appends the lexical form of a number of a class other than NoNumber, as Value.Canonical has it, and returns its datatype, too.
func (k NumberClass) AppendCanonical(dst []byte, units int64) (text []byte, datatype string) {
	switch k {
	case IntegerUnits:
		return strconv.AppendInt(dst, units, 10), rdf.XSDInteger
	case FloatBits:
		return appendFloat(dst, math.Float64frombits(uint64(units)), 32), rdf.XSDFloat
	case DoubleBits:
		return appendFloat(dst, math.Float64frombits(uint64(units)), 64), rdf.XSDDouble
	}
	k, units = Reduced(k, units)
	if dst = appendUnits(dst, units, uint8(k-DecimalUnits)); k == DecimalUnits {
		dst = append(dst, ".0"...)
	}
	return dst, rdf.XSDDecimal
}
