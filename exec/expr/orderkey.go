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
	// sort is what it has, in its highest byte, and a number in the others, negative ones below.
	sort uint64
	text string
}

// Sorts of OrderKey; two of one sort are compared by it.
const (
	_ = iota << sortShift
	// keyBlank and keyIRI have a text.
	keyBlank
	keyIRI
	// keyString has the text of a plain string that the query computed; stored ones are mostly in the order of their IDs.
	keyString
	// keyExact has an integer or a decimal by 10^keyDecimals.
	keyExact
	// keyFloat has the highest bits of a float or double, so that they are in its order; where they are equal the others tell.
	keyFloat
	// keyMoment and those behind it have the seconds of a date or time without a part of one, by kind.
	keyMoment

	sortShift   = 56
	keyDecimals = 4
	middle      = 1 << (sortShift - 1)
)

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
			return OrderKey{keyBlank, t.Value}
		}
		return OrderKey{keyIRI, t.Value}
	case v.Kind == dictionary.String && (c.dictionary == nil || id >= dictionary.ID(c.dictionary.Len())):
		return OrderKey{keyString, c.terms.Term(id).Value}
	case isFloat(&v):
		return floatKey(v.Float)
	case v.IsNumeric() && v.Big == nil:
		return exactKey(v.Int, v.Scale)
	case rank(v.Kind) == rankTemporal && v.Nanos == 0:
		return numberKey(keyMoment+uint64(v.Kind)<<sortShift, v.Int)
	}
	return OrderKey{}
}

// numberKey is none of a number that does not fit.
func numberKey(sort uint64, n int64) OrderKey {
	if n < -middle || n >= middle {
		return OrderKey{}
	}
	return OrderKey{sort: sort | uint64(n+middle)}
}

// floatKey is none of NaN. −0 is 0.
func floatKey(f float64) OrderKey {
	if math.IsNaN(f) {
		return OrderKey{}
	}
	n := int64(math.Float64bits(f + 0))
	if n < 0 {
		n ^= math.MaxInt64
	}
	return numberKey(keyFloat, n>>(64-sortShift))
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
	return numberKey(keyExact, n)
}

// CompareKeys is Compare of two terms whose keys are known.
func (c *Comparer) CompareKeys(a, b dictionary.ID, of, with *OrderKey) int {
	sort, other := of.sort>>sortShift, with.sort>>sortShift
	switch {
	case sort == other && sort != 0:
		if sort <= keyString>>sortShift {
			return strings.Compare(of.text, with.text)
		}
		if of.sort != with.sort || sort != keyFloat>>sortShift {
			return cmp.Compare(of.sort, with.sort)
		}
	case sort != 0 && other != 0 && max(sort, other) <= keyIRI>>sortShift:
		return cmp.Compare(sort, other)
	}
	return c.Compare(a, b)
}
