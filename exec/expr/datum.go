package expr

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// What of a datum is known.
const (
	hasID uint8 = 1 << iota
	hasValue
	hasTerm
)

// datum is the result of an expression for one row: an ID, a value or a term, and the other two when they were asked
// for. The zero datum is an error (an unbound variable is one too).
type datum struct {
	known uint8
	id    dictionary.ID
	value dictionary.Value
	term  rdf.Term
}

func (d *datum) ok() bool { return d.known != 0 }

// sameID reports whether both are known to be one term by their IDs.
func (d *datum) sameID(e *datum) bool { return d.known&e.known&hasID != 0 && d.id == e.id }

// light reports whether a datum takes little memory.
func (d *datum) light() bool { return len(d.term.Value) <= lightText }

// lightText is up to which length computed strings are remembered by what they were computed of.
const lightText = 1 << 10

func (d *datum) setID(id dictionary.ID) {
	if id == dictionary.None {
		d.known = 0
		return
	}
	d.known, d.id = hasID, id
}

func (d *datum) setTerm(t rdf.Term) { d.known, d.term = hasTerm, t }

func (d *datum) setValue(v dictionary.Value) { d.known, d.value = hasValue, v }

func (d *datum) setBool(b bool) {
	v := dictionary.Value{Kind: dictionary.Boolean, Datatype: dictionary.XSDBoolean, Zone: dictionary.NoZone}
	if b {
		v.Int = 1
	}
	d.setValue(v)
}

func (d *datum) setInt(n int64) { d.setValue(integer(n)) }

func (d *datum) setString(s string) {
	d.known, d.term = hasTerm|hasValue, rdf.NewString(s)
	d.value = dictionary.Value{Kind: dictionary.String, Zone: dictionary.NoZone}
}

func integer(n int64) dictionary.Value {
	return dictionary.Value{Kind: dictionary.Integer, Datatype: dictionary.XSDInteger, Zone: dictionary.NoZone, Int: n}
}

// valueOf returns the value of a datum that is no error.
func (c *run) valueOf(d *datum) *dictionary.Value {
	if d.known&hasValue == 0 {
		if d.known&hasID != 0 {
			d.value = c.env.Terms.Value(d.id)
		} else {
			d.value = dictionary.ParseValue(d.term)
		}
		d.known |= hasValue
	}
	return &d.value
}

// termOf returns the term of a datum that is no error.
func (c *run) termOf(d *datum) *rdf.Term {
	if d.known&hasTerm == 0 {
		if d.known&hasID != 0 {
			d.term = c.env.Terms.Term(d.id)
		} else {
			d.term = d.value.Canonical()
		}
		d.known |= hasTerm
	}
	return &d.term
}

// tri is a truth value of SPARQL's three-valued logic (section 17.2).
type tri uint8

const (
	isFalse tri = iota
	isTrue
	isError
)

func truth(b bool) tri {
	if b {
		return isTrue
	}
	return isFalse
}

// effective returns the effective boolean value (section 17.2.2).
func (c *run) effective(d *datum) tri {
	if !d.ok() {
		return isError
	}
	switch v := c.valueOf(d); {
	case v.Kind == dictionary.Boolean:
		return truth(v.Int != 0)
	case v.IsNumeric():
		return truth(!isZero(v) && !v.IsNaN())
	case v.Kind == dictionary.String, v.Kind == dictionary.LangString:
		return truth(c.termOf(d).Value != "")
	case v.Kind == dictionary.OtherLiteral && hasTruth(v.Datatype):
		return isFalse // a number or boolean with an invalid lexical form
	}
	return isError
}

func isZero(v *dictionary.Value) bool {
	switch {
	case v.Kind == dictionary.Float || v.Kind == dictionary.Double:
		return v.Float == 0
	case v.Big != nil:
		return v.Big.IsZero()
	}
	return v.Int == 0
}

// hasTruth reports whether the literals of a datatype have an effective boolean value.
func hasTruth(d dictionary.Datatype) bool {
	return d >= dictionary.XSDInteger && d <= dictionary.XSDUnsignedByte || d == dictionary.XSDBoolean
}
