package expr

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// Total is the sum of Count exact numbers: High and Low, 128 bits with a sign, by 10^Scale; Decimal, whether one of them was a decimal.
type Total struct {
	Count, High, Low uint64
	Scale            uint8
	Decimal          bool
}

// NumberIDs writes the IDs, of an identity, of computed numbers of classes of units. Where expressions have stopped (Env.Err) some are missing.
func NumberIDs(env *Env, identity dictionary.Identity, classes []dictionary.NumberClass, units []int64, out []dictionary.ID) {
	c, source := newRun(env), idSource{terms: env.Terms, identity: identity}
	for i, k := range classes {
		if i%resultStep == 0 && !env.goesOn() {
			return
		}
		out[i] = c.unitsID(&source, k, units[i])
	}
}

// Totals writes SUM, or AVG, of the numbers of groups that were added up elsewhere, as an Accumulator of an identity has it of the numbers themselves. It reports whether there
// were no more than can be counted. Where expressions have stopped (Env.Err) results are missing.
func Totals(env *Env, identity dictionary.Identity, average bool, n int, total func(group int) Total, out []dictionary.ID) (counted bool) {
	f, results := &sum{env: env, average: average, sums: make([]sumState, 1)}, idSource{terms: env.Terms, identity: identity}
	for g := range n {
		if g%resultStep == 0 && !env.goesOn() {
			return true
		}
		t := total(g)
		v := t.value()
		f.sums[0] = sumState{count: f.plus(0, t.Count)}
		f.large.clear()
		f.plusValue(&f.sums[0], &v)
		out[g] = f.result(0, &results)
	}
	return !f.overflowed()
}

// value is the total as arithmetic has it.
func (t *Total) value() dictionary.Value {
	kind := dictionary.Integer
	if t.Decimal {
		kind = dictionary.Decimal
	}
	if n := int64(t.Low); int64(t.High) == n>>63 {
		return compact(kind, n, t.Scale) // a sum of integers is a multiple of 10^Scale
	}
	high, low, negative := t.High, t.Low, int64(t.High) < 0
	if negative {
		low = -low
		if high = ^high; low == 0 {
			high++
		}
	}
	r := &apd.Decimal{Negative: negative, Exponent: -int32(t.Scale)}
	r.Coeff.SetUint64(high)
	r.Coeff.Lsh(&r.Coeff, 64)
	r.Coeff.Add(&r.Coeff, new(apd.BigInt).SetUint64(low))
	v, _ := decimalValue(kind, r)
	return v
}
