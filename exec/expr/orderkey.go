package expr

import (
	"cmp"
	"math"
	"math/bits"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// OrderKey is what a term is ordered by, looked up once; the zero OrderKey is of one that is looked up for each comparison.
type OrderKey struct {
	sort   keySort
	number int64
	text   string
}

// keySort says what an OrderKey has: two of one sort are compared by it.
type keySort uint8

const (
	_ keySort = iota
	// keyBlank and keyIRI have a text.
	keyBlank
	keyIRI
	// keyString has the text of a plain string that the query computed; stored ones are mostly in the order of their IDs.
	keyString
	// keyExact has an integer or a decimal by 10^keyDecimals, keyFloat the bits of a float or double, so that they are in its order.
	keyExact
	keyFloat
	// keyMoment+k has the seconds of a date or time of kind k that has no part of one.
	keyMoment
)

const keyDecimals = 6

// Key looks up what a term is ordered by.
func (c *Comparer) Key(id dictionary.ID) OrderKey {
	if id == dictionary.None {
		return OrderKey{}
	}
	v := c.terms.Value(id)
	switch {
	case v.Kind == dictionary.NoValue:
		t := c.terms.Term(id)
		if t.Kind == rdf.BlankNode {
			return OrderKey{sort: keyBlank, text: t.Value}
		}
		return OrderKey{sort: keyIRI, text: t.Value}
	case v.Kind == dictionary.String && (c.dictionary == nil || id >= dictionary.ID(c.dictionary.Len())):
		return OrderKey{sort: keyString, text: c.terms.Term(id).Value}
	case isFloat(&v):
		return floatKey(v.Float)
	case v.IsNumeric() && v.Big == nil:
		return exactKey(v.Int, v.Scale)
	case rank(v.Kind) == rankTemporal && v.Nanos == 0:
		return OrderKey{sort: keyMoment + keySort(v.Kind), number: v.Int}
	}
	return OrderKey{}
}

// floatKey is none of NaN. The numbers are in the order of the floats, −0 being 0.
func floatKey(f float64) OrderKey {
	if math.IsNaN(f) {
		return OrderKey{}
	}
	n := int64(math.Float64bits(f + 0))
	if n < 0 {
		n ^= math.MaxInt64
	}
	return OrderKey{sort: keyFloat, number: n}
}

// exactKey is none of a number that does not fit.
func exactKey(units int64, scale uint8) OrderKey {
	if scale > keyDecimals {
		return OrderKey{}
	}
	high, low := bits.Mul64(magnitude(units), powerOfTen[keyDecimals-scale])
	if high > 0 || low > math.MaxInt64 {
		return OrderKey{}
	}
	n := int64(low)
	if units < 0 {
		n = -n
	}
	return OrderKey{sort: keyExact, number: n}
}

// CompareKeys is Compare of two terms whose keys are known.
func (c *Comparer) CompareKeys(a, b dictionary.ID, of, with *OrderKey) int {
	if of.sort != with.sort || of.sort == 0 {
		if of.sort == 0 || with.sort == 0 || of.sort > keyIRI || with.sort > keyIRI {
			return c.Compare(a, b)
		}
		return cmp.Compare(of.sort, with.sort)
	}
	if of.sort <= keyString {
		return strings.Compare(of.text, with.text)
	}
	return cmp.Compare(of.number, with.number)
}
