package dictionary

import (
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// ValueKind is the sort of value that a term has. Numbers are Integer to Double, in the order of type promotion.
type ValueKind uint8

const (
	// NoValue: an unbound variable, an IRI or a blank node.
	NoValue ValueKind = iota
	Integer
	Decimal
	Float
	Double
	DateTime
	Date
	Time
	GYear
	GYearMonth
	Boolean
	// String is a plain literal; its value is its lexical form.
	String
	// LangString is a literal with a language tag.
	LangString
	// OtherLiteral is a literal of a datatype without known values, or whose lexical form is none of its datatype.
	OtherLiteral
)

// NoZone is the Zone of a date or time without a time zone.
const NoZone = math.MinInt16

// Value is what a literal stands for. Two terms with the same value may be different terms ("1" and "01").
//
//	Integer            Int
//	Decimal            Int / 10^Scale
//	Float, Double      Float
//	Boolean            Int (0 or 1)
//	DateTime and Date  Int seconds since 1970-01-01T00:00:00 and Nanos; UTC when there is a Zone, else local
//	Time               Int seconds since midnight and Nanos; UTC (from −50,400 to 136,800) when there is a Zone, else local
//	GYear, GYearMonth  Int seconds of the first moment, as for Date
//
// An Integer or Decimal that does not fit has Big set and Int and Scale 0.
// Fractions of seconds beyond nanoseconds are cut off.
type Value struct {
	Kind     ValueKind
	Datatype Datatype
	// Scale is the number of decimals of a Decimal, 0 to 18, without trailing zeros.
	Scale uint8
	// Zone is the offset of the time zone in minutes, −840 to 840, or NoZone. Only dates and times have one.
	Zone  int16
	Nanos uint32
	Int   int64
	Float float64
	// Big is the number when it does not fit Int and Scale; it is shared and must not be changed.
	Big *apd.Decimal
}

// IsNumeric reports whether the value is a number.
func (v Value) IsNumeric() bool { return v.Kind >= Integer && v.Kind <= Double }

// IsTemporal reports whether the value is a date or a time.
func (v Value) IsTemporal() bool { return v.Kind >= DateTime && v.Kind <= GYearMonth }

// IsNaN reports whether the value is the Float or Double that is no number.
func (v Value) IsNaN() bool { return (v.Kind == Float || v.Kind == Double) && v.Float != v.Float }

// Float64 is a number as the nearest xsd:double (XPath and XQuery casting); 0 for what is no number.
func (v Value) Float64() float64 {
	switch {
	case v.Kind == Float || v.Kind == Double:
		return v.Float
	case !v.IsNumeric():
		return 0
	case v.Big != nil:
		f, _ := strconv.ParseFloat(v.Big.Text('E'), 64) // out of range gives an infinity, as the cast does
		return f
	case v.Scale == 0:
		return float64(v.Int)
	case v.Int > -1<<53 && v.Int < 1<<53:
		return float64(v.Int) / powersOfTen[v.Scale] // two exact numbers: one rounding
	}
	f, _ := strconv.ParseFloat(v.decimalText(), 64)
	return f
}

// Float32 is a number as the nearest xsd:float.
func (v Value) Float32() float32 {
	switch {
	case v.Kind == Float || v.Kind == Double:
		return float32(v.Float)
	case !v.IsNumeric():
		return 0
	case v.Big != nil:
		f, _ := strconv.ParseFloat(v.Big.Text('E'), 32)
		return float32(f)
	case v.Scale == 0:
		return float32(v.Int)
	}
	f, _ := strconv.ParseFloat(v.decimalText(), 32)
	return float32(f)
}

// decimalText is Int and Scale in scientific notation.
func (v Value) decimalText() string {
	b := strconv.AppendInt(make([]byte, 0, 32), v.Int, 10)
	b = append(b, 'e')
	return string(strconv.AppendInt(b, -int64(v.Scale), 10))
}

// Decimal is an Integer or Decimal as an arbitrary-precision number, which must not be changed; nil for other kinds.
func (v Value) Decimal() *apd.Decimal {
	switch {
	case v.Kind != Integer && v.Kind != Decimal:
		return nil
	case v.Big != nil:
		return v.Big
	}
	return apd.New(v.Int, -int32(v.Scale))
}

var powersOfTen = [19]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// ParseValue is the value of any term: the same that Dictionary.Value gives for a stored one.
func ParseValue(t rdf.Term) Value {
	switch {
	case t.Kind != rdf.Literal:
		return Value{Zone: NoZone}
	case t.Language != "":
		return Value{Kind: LangString, Zone: NoZone}
	case t.Datatype == "" || t.Datatype == rdf.XSDString:
		return Value{Kind: String, Zone: NoZone}
	}
	return parseLexical(DatatypeOf(t.Datatype), t.Value)
}

// parseLexical is the value of a literal with a datatype; OtherLiteral when the lexical form is none of the datatype's.
func parseLexical[T string | []byte](d Datatype, lexical T) Value {
	v := Value{Kind: d.Kind(), Datatype: d, Zone: NoZone}
	ok := false
	switch v.Kind {
	case Integer:
		ok = parseInteger(&v, lexical) && integerInRange(&v)
	case Decimal:
		ok = parseDecimal(&v, lexical)
	case Float, Double:
		ok = parseFloat(&v, lexical)
	case DateTime, Date, Time, GYear, GYearMonth:
		ok = parseTemporal(&v, lexical) && (d != XSDDateTimeStamp || v.Zone != NoZone)
	case Boolean:
		ok = parseBoolean(&v, lexical)
	}
	if !ok {
		return Value{Kind: OtherLiteral, Datatype: d, Zone: NoZone}
	}
	return v
}

// A value is kept as two words: its payload (Int, or the bits of Float) and, from the lowest bit, 8 bits datatype, 8 bits
// scale (valueBig where the number must be read from the lexical form), 16 bits zone, 32 bits nanoseconds.
const valueBig = 0xff

// packValue is the words of the value of a number, date or boolean.
func packValue(v *Value) (payload, meta uint64) {
	payload, scale := uint64(v.Int), v.Scale
	if v.Kind == Float || v.Kind == Double {
		payload = math.Float64bits(v.Float)
	}
	if v.Big != nil {
		scale = valueBig
	}
	return payload, uint64(v.Datatype) | uint64(scale)<<8 | uint64(uint16(v.Zone))<<16 | uint64(v.Nanos)<<32
}

// unpackValue is the value of two words. Where whole is false, only its datatype and scale mean anything: the number must
// be read from the lexical form, or the datatype is none.
func unpackValue(payload, meta uint64) (v Value, whole bool) {
	v = Value{Datatype: Datatype(meta), Scale: uint8(meta >> 8), Zone: int16(meta >> 16), Nanos: uint32(meta >> 32)}
	if v.Datatype >= datatypes || v.Scale > 18 {
		return v, false
	}
	if v.Kind = v.Datatype.Kind(); v.Kind == Float || v.Kind == Double {
		v.Float = math.Float64frombits(payload)
	} else {
		v.Int = int64(payload)
	}
	return v, true
}

func parseBoolean[T string | []byte](v *Value, s T) bool {
	switch string(s) {
	case "true", "1":
		v.Int = 1
	case "false", "0":
	default:
		return false
	}
	return true
}
