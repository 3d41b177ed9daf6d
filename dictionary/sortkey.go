package dictionary

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

// SectionOf is the section that a term belongs to, given its key: Resources for every IRI and blank node (only the
// writer knows which of them are Predicates), and for what is no key at all.
func SectionOf(key []byte) Section {
	p, err := splitKey(key)
	if err != nil {
		return Resources
	}
	section, _ := p.classify()
	return section
}

func (p *parts) classify() (Section, Value) {
	switch p.mark {
	case keyIRI, keyBlank:
		return Resources, Value{}
	case keyString:
		return Strings, Value{}
	case keyLang:
		return LangStrings, Value{}
	case keyOther:
		return Others, Value{}
	}
	v := parseLexical(p.datatype, p.text)
	return sectionOfValue(v.Kind), v
}

func sectionOfValue(k ValueKind) Section {
	switch {
	case k >= Integer && k <= Double:
		return Numbers
	case k >= DateTime && k <= GYearMonth:
		return Temporals
	case k == Boolean:
		return Booleans
	}
	return Others
}

// AppendSortKey appends to dst the bytes by which a term is sorted inside its section (bytes.Compare), and says which
// section that is (SectionOf). Different keys of one section have different sort keys. For IRIs, blank nodes, plain
// and language-tagged strings it costs a copy.
func AppendSortKey(dst, key []byte) ([]byte, Section, error) {
	p, err := splitKey(key)
	if err != nil {
		return dst, Resources, err
	}
	section, v := p.classify()
	switch section {
	case Resources:
		return append(dst, key...), section, nil
	case Numbers:
		dst = appendNumberOrder(dst, &v)
	case Temporals:
		dst = appendTemporalOrder(dst, &v)
	case Booleans:
		dst = append(dst, byte(v.Int))
	case Strings:
		return append(dst, p.text...), section, nil
	case LangStrings:
		return append(dst, key[1:]...), section, nil
	case Others:
		dst = append(dst, p.datatypeIRI()...)
		dst = append(dst, 0)
		return append(dst, p.text...), section, nil
	}
	dst = append(dst, byte(p.datatype))
	return append(dst, p.text...), section, nil
}

func (p *parts) datatypeIRI() string {
	if p.mark == keyKnown {
		return p.datatype.IRI()
	}
	return string(p.qualifier)
}

// What appendNumberOrder starts with.
const (
	orderNegativeInfinity = iota + 1
	orderNegative
	orderZero
	orderPositive
	orderInfinity
	orderNaN
)

// appendNumberOrder appends bytes that compare as the numbers do, exactly and whatever their datatypes: sign, decimal
// exponent, digits without trailing zeros, 0. The bytes of a negative number after the sign are complemented.
func appendNumberOrder(dst []byte, v *Value) []byte {
	var buffer [64]byte
	var digits []byte
	var exponent int // the value is 0.digits × 10^exponent
	negative := false
	switch {
	case v.Kind == Float || v.Kind == Double:
		switch f := v.Float; {
		case f != f:
			return append(dst, orderNaN)
		case math.IsInf(f, 1):
			return append(dst, orderInfinity)
		case math.IsInf(f, -1):
			return append(dst, orderNegativeInfinity)
		case f == math.Trunc(f) && math.Abs(f) < 1<<62:
			digits, exponent, negative = integerDigits(buffer[:0], int64(f), 0)
		default:
			digits, exponent, negative = floatDigits(buffer[:0], f)
		}
	case v.Big != nil:
		digits, exponent, negative = bigDigits(buffer[:0], v.Big)
	default:
		digits, exponent, negative = integerDigits(buffer[:0], v.Int, int(v.Scale))
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if len(digits) == 0 {
		return append(dst, orderZero)
	}
	sign, flip := byte(orderPositive), byte(0)
	if negative {
		sign, flip = orderNegative, 0xff
	}
	dst = append(dst, sign)
	start := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(exponent+1<<31))
	dst = append(dst, digits...)
	dst = append(dst, 0)
	for i := start; i < len(dst); i++ {
		dst[i] ^= flip
	}
	return dst
}

func integerDigits(dst []byte, n int64, scale int) (digits []byte, exponent int, negative bool) {
	if n == 0 {
		return nil, 0, false
	}
	magnitude := uint64(n)
	if negative = n < 0; negative {
		magnitude = -magnitude
	}
	digits = strconv.AppendUint(dst, magnitude, 10)
	return digits, len(digits) - scale, negative
}

func bigDigits(dst []byte, d *apd.Decimal) (digits []byte, exponent int, negative bool) {
	digits = d.Coeff.Append(dst, 10)
	if d.Coeff.Sign() == 0 {
		return nil, 0, false
	}
	return digits, len(digits) + int(d.Exponent), d.Negative
}

// floatDigits is the exact decimal expansion of a finite float64, which has at most 767 significant digits.
func floatDigits(dst []byte, f float64) (digits []byte, exponent int, negative bool) {
	text := strconv.AppendFloat(dst, f, 'e', 766, 64)
	if negative = text[0] == '-'; negative {
		text = text[1:]
	}
	e := bytes.IndexByte(text, 'e')
	exponent, _ = strconv.Atoi(string(text[e+1:]))
	text[1] = text[0] // over the point: d.ddd becomes 0.dddd × 10
	return text[1:e], exponent + 1, negative
}

// appendTemporalOrder appends bytes that compare by kind, zone or none, instant and zone.
func appendTemporalOrder(dst []byte, v *Value) []byte {
	unzoned := byte(0)
	if v.Zone == NoZone {
		unzoned = 1
	}
	dst = append(dst, byte(v.Kind), unzoned)
	dst = binary.BigEndian.AppendUint64(dst, uint64(v.Int)^1<<63)
	dst = binary.BigEndian.AppendUint32(dst, v.Nanos)
	return binary.BigEndian.AppendUint16(dst, uint16(v.Zone)^1<<15)
}
