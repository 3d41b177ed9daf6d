package expr

import (
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// cast returns the constructor function of a datatype (section 17.5), nil when there is none.
func cast(iri string) function {
	if iri == rdf.XSDString {
		return castString
	}
	d := dictionary.DatatypeOf(iri)
	switch {
	case d == dictionary.XSDBoolean:
		return castBoolean
	case d == dictionary.XSDFloat:
		return castFloat(dictionary.Float)
	case d == dictionary.XSDDouble:
		return castFloat(dictionary.Double)
	case d == dictionary.XSDDecimal:
		return castDecimal
	case d == dictionary.XSDInteger:
		return castInteger
	case d > dictionary.XSDDouble && d <= dictionary.XSDUnsignedByte:
		return castDerived(iri)
	case d >= dictionary.XSDDateTime && d <= dictionary.XSDGYearMonth:
		return castTemporal(iri, d)
	}
	return nil
}

// lexical returns the text of a string to cast, without white space around it.
func (c *run) lexical(d *datum) (string, bool) {
	s, ok := c.plainText(d)
	return strings.Trim(s, " \t\r\n"), ok
}

// source returns the value to cast: a string is read as a literal of the datatype first.
func (c *run) source(d *datum, iri string) *dictionary.Value {
	if s, ok := c.lexical(d); ok {
		v := dictionary.ParseValue(rdf.NewTyped(s, iri))
		return &v
	}
	return c.valueOf(d)
}

func castString(c *run, a []*datum, out *datum) {
	v := c.valueOf(a[0])
	if s, ok := castText(v); ok {
		out.setString(s)
	} else if v.IsTemporal() {
		out.setString(temporalText(v, v.Kind, c.termOf(a[0]).Value))
	} else {
		str(c, a, out)
	}
}

func castBoolean(c *run, a []*datum, out *datum) {
	switch v := c.source(a[0], rdf.XSDBoolean); {
	case v.Kind == dictionary.Boolean:
		out.setBool(v.Int != 0)
	case v.IsNumeric():
		out.setBool(!isZero(v) && !v.IsNaN())
	}
}

func castFloat(kind dictionary.ValueKind) function {
	iri := rdf.XSDDouble
	if kind == dictionary.Float {
		iri = rdf.XSDFloat
	}
	return func(c *run, a []*datum, out *datum) {
		v := c.source(a[0], iri)
		switch {
		case v.Kind == dictionary.Boolean:
			out.setValue(float(kind, float64(v.Int)))
		case v.IsNumeric() && kind == dictionary.Float:
			out.setValue(float(kind, float64(v.Float32())))
		case v.IsNumeric():
			out.setValue(float(kind, v.Float64()))
		}
	}
}

func castDecimal(c *run, a []*datum, out *datum) {
	if v, ok := toDecimal(c.source(a[0], rdf.XSDDecimal)); ok {
		out.setValue(v)
	}
}

// toDecimal casts a number or boolean to xsd:decimal; NaN and infinities have none.
func toDecimal(v *dictionary.Value) (dictionary.Value, bool) {
	switch v.Kind {
	case dictionary.Boolean:
		return compact(dictionary.Decimal, v.Int, 0), true
	case dictionary.Integer, dictionary.Decimal:
		d := *v
		d.Kind, d.Datatype = dictionary.Decimal, dictionary.XSDDecimal
		return d, true
	case dictionary.Float, dictionary.Double:
		size := 64
		if v.Kind == dictionary.Float {
			size = 32
		}
		if math.IsNaN(v.Float) || math.IsInf(v.Float, 0) {
			break
		}
		if d, _, err := apd.NewFromString(strconv.FormatFloat(v.Float, 'E', -1, size)); err == nil {
			return decimalValue(dictionary.Decimal, d)
		}
	}
	return dictionary.Value{}, false
}

func castInteger(c *run, a []*datum, out *datum) {
	if v, ok := toInteger(c.source(a[0], rdf.XSDInteger)); ok {
		out.setValue(v)
	}
}

// toInteger casts to xsd:integer, cutting decimals off.
func toInteger(v *dictionary.Value) (dictionary.Value, bool) {
	d, ok := toDecimal(v)
	switch {
	case !ok:
		return d, false
	case d.Big == nil:
		for ; d.Scale > 0; d.Scale-- {
			d.Int /= 10
		}
		return integer(d.Int), true
	}
	op := "FLOOR"
	if d.Big.Negative {
		op = "CEIL"
	}
	if d, ok = roundDecimal(op, &d); ok {
		d.Kind, d.Datatype = dictionary.Integer, dictionary.XSDInteger
	}
	return d, ok
}

// castDerived casts to a datatype derived from xsd:integer; an error beyond its bounds.
func castDerived(iri string) function {
	return func(c *run, a []*datum, out *datum) {
		n, ok := toInteger(c.source(a[0], rdf.XSDInteger))
		if !ok {
			return
		}
		t := rdf.NewTyped(n.ExactText(), iri)
		if dictionary.ParseValue(t).Kind == dictionary.Integer {
			out.setTerm(t)
		}
	}
}

// castTemporal casts strings, literals of the same datatype, and what has the parts of the datatype (XPath and XQuery
// Functions, section 19.1): dateTime to all others, date to all but time.
func castTemporal(iri string, to dictionary.Datatype) function {
	kind := to.Kind()
	return func(c *run, a []*datum, out *datum) {
		v, text := c.source(a[0], iri), ""
		if s, ok := c.lexical(a[0]); ok {
			text = s
		} else {
			text = c.termOf(a[0]).Value
		}
		if !v.IsTemporal() || !hasPartsOf(v.Kind, kind) {
			return
		}
		t := rdf.NewTyped(temporalText(v, kind, text), iri)
		if dictionary.ParseValue(t).IsTemporal() { // dateTimeStamp wants a zone
			out.setTerm(t)
		}
	}
}

// hasPartsOf reports whether every value of one kind shows what a value of the other consists of; a date is its first
// moment.
func hasPartsOf(from, to dictionary.ValueKind) bool {
	switch from {
	case to, dictionary.DateTime:
		return true
	case dictionary.Date:
		return to != dictionary.Time
	}
	return false
}
