package dictionary

import (
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

// maxDigits bounds the numbers that are read exactly: longer lexical forms count as ill-typed.
const maxDigits = 100_000

// decimalParts is a decimal number as written: sign, digits before and after the point.
type decimalParts[T string | []byte] struct {
	negative       bool
	whole, decimal T
}

// splitDecimal takes "[+-]digits[.digits]" apart; ok only when nothing else is there and there is a digit.
func splitDecimal[T string | []byte](s T) (p decimalParts[T], ok bool) {
	i := 0
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		p.negative = s[0] == '-'
		i = 1
	}
	end := i + digits(s[i:])
	p.whole = s[i:end]
	if end < len(s) && s[end] == '.' {
		start := end + 1
		end = start + digits(s[start:])
		p.decimal = s[start:end]
	}
	return p, end == len(s) && len(p.whole)+len(p.decimal) > 0
}

// digits is the number of decimal digits that s starts with.
func digits[T string | []byte](s T) int {
	for i := 0; i < len(s); i++ {
		if s[i]-'0' > 9 {
			return i
		}
	}
	return len(s)
}

func parseInteger[T string | []byte](v *Value, s T) bool {
	p, ok := splitDecimal(s)
	if !ok || len(p.whole) == 0 || s[len(s)-1] == '.' || len(p.decimal) > 0 {
		return false
	}
	return setDecimal(v, p)
}

func parseDecimal[T string | []byte](v *Value, s T) bool {
	p, ok := splitDecimal(s)
	return ok && setDecimal(v, p)
}

// setDecimal fills in Int and Scale, or Big.
func setDecimal[T string | []byte](v *Value, p decimalParts[T]) bool {
	for len(p.whole) > 0 && p.whole[0] == '0' {
		p.whole = p.whole[1:]
	}
	for n := len(p.decimal); n > 0 && p.decimal[n-1] == '0'; n-- {
		p.decimal = p.decimal[:n-1]
	}
	if len(p.whole)+len(p.decimal) > 18 {
		return setBig(v, p)
	}
	n := int64(0)
	for i := 0; i < len(p.whole); i++ {
		n = n*10 + int64(p.whole[i]-'0')
	}
	for i := 0; i < len(p.decimal); i++ {
		n = n*10 + int64(p.decimal[i]-'0')
	}
	if p.negative {
		n = -n
	}
	v.Int, v.Scale = n, uint8(len(p.decimal))
	return true
}

// setBig keeps what has more than 18 digits: as an int64 when it is a whole number that fits, else as Big.
func setBig[T string | []byte](v *Value, p decimalParts[T]) bool {
	if len(p.whole)+len(p.decimal) > maxDigits {
		return false
	}
	b := make([]byte, 0, len(p.whole)+len(p.decimal)+1)
	if p.negative {
		b = append(b, '-')
	}
	b = append(b, p.whole...)
	b = append(b, p.decimal...)
	if len(p.decimal) == 0 {
		if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			v.Int = n
			return true
		}
	}
	big := new(apd.Decimal)
	if _, _, err := big.SetString(string(b)); err != nil {
		return false
	}
	big.Exponent = -int32(len(p.decimal))
	v.Big = big
	return true
}

// integerBounds are the value spaces of the datatypes derived from xsd:integer.
var integerBounds = map[Datatype][2]int64{
	XSDLong:               {math.MinInt64, math.MaxInt64},
	XSDInt:                {math.MinInt32, math.MaxInt32},
	XSDShort:              {math.MinInt16, math.MaxInt16},
	XSDByte:               {math.MinInt8, math.MaxInt8},
	XSDNonNegativeInteger: {0, math.MaxInt64},
	XSDPositiveInteger:    {1, math.MaxInt64},
	XSDNonPositiveInteger: {math.MinInt64, 0},
	XSDNegativeInteger:    {math.MinInt64, -1},
	XSDUnsignedLong:       {0, math.MaxInt64},
	XSDUnsignedInt:        {0, math.MaxUint32},
	XSDUnsignedShort:      {0, math.MaxUint16},
	XSDUnsignedByte:       {0, math.MaxUint8},
}

var maxUnsignedLong, _, _ = apd.NewFromString("18446744073709551615")

func integerInRange(v *Value) bool {
	if v.Datatype == XSDInteger {
		return true
	}
	bounds := integerBounds[v.Datatype]
	if v.Big == nil {
		return bounds[0] <= v.Int && v.Int <= bounds[1]
	}
	switch v.Datatype {
	case XSDNonNegativeInteger, XSDPositiveInteger:
		return !v.Big.Negative
	case XSDNonPositiveInteger, XSDNegativeInteger:
		return v.Big.Negative
	case XSDUnsignedLong:
		return !v.Big.Negative && v.Big.Cmp(maxUnsignedLong) <= 0
	}
	return false
}

func parseFloat[T string | []byte](v *Value, s T) bool {
	switch string(s) {
	case "INF", "+INF":
		v.Float = math.Inf(1)
		return true
	case "-INF":
		v.Float = math.Inf(-1)
		return true
	case "NaN":
		v.Float = math.NaN()
		return true
	}
	mantissa := s
	for i := 0; i < len(s); i++ {
		if s[i] == 'e' || s[i] == 'E' {
			exponent := s[i+1:]
			if len(exponent) > 0 && (exponent[0] == '+' || exponent[0] == '-') {
				exponent = exponent[1:]
			}
			if len(exponent) == 0 || digits(exponent) != len(exponent) {
				return false
			}
			mantissa = s[:i]
			break
		}
	}
	if _, ok := splitDecimal(mantissa); !ok || len(s) > maxDigits {
		return false
	}
	bits := 64
	if v.Kind == Float {
		bits = 32
	}
	v.Float, _ = strconv.ParseFloat(string(s), bits) // beyond the range it is an infinity, as XSD has it
	return true
}
