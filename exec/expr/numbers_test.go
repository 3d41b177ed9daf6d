package expr

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// TestColumnsOfNumbersAreComputedAsTheirRows compares expressions over columns, most of them of one type, with the same over each row alone.
func TestColumnsOfNumbersAreComputedAsTheirRows(outer *testing.T) {
	pools := [][]string{
		{"1", "2", "-3", "7", "2000000000", "0"},
		{"9223372036854775807", "-9223372036854775808", "4611686018427387904", "-1", "3037000500", "0"},
		{"1.5", "-2.5", "0.5", "100.5", "922337203685477580.7"},
		{"0.000000000000000001", "9.223372036854775807", "-1.000000000000000001"},
		{"1e0", "-2.5e0", "NaN", "INF", "-0"},
		{"100000000000000000000", "0.0000000000000000000001", "7"},
	}
	term := func(text string) rdf.Term {
		datatype := rdf.XSDInteger
		for _, c := range text {
			switch c {
			case '.':
				datatype = rdf.XSDDecimal
			case 'e', 'N', 'I':
				return rdf.NewTyped(text, rdf.XSDDouble)
			}
		}
		if text == "-0" {
			datatype = rdf.XSDDouble
		}
		return rdf.NewTyped(text, datatype)
	}
	operators := []string{"?x + ?y", "?x - ?y", "?x * ?y", "?x / ?y", "-?x", "ABS(?x)", "CEIL(?x)", "FLOOR(?x)", "ROUND(?x)", "?x < ?y", "?x * 3 = ?y", "?x / ?y > 2",
		"IF(?x > 0, ?x, ?y) + 1", "COALESCE(?x / 0, ?y) * 2", "(?x / ?y) * (?y / ?x)", "?x / ?y - 0.5"}
	rapid.Check(outer, func(t *rapid.T) {
		pool := rapid.SampledFrom(pools).Draw(t, "pool")
		texts := rapid.SliceOfN(rapid.SampledFrom(pool), 2, 40).Draw(t, "texts")
		if rapid.IntRange(0, 3).Draw(t, "mixed") == 0 {
			texts = append(texts, "1.25", "2", "3e0")
		}
		var stored []rdf.Term
		for _, s := range texts {
			stored = append(stored, term(s))
		}
		env := newEnv(outer, stored...)
		var cols [2][]dictionary.ID
		for i := range stored {
			k := rapid.IntRange(0, len(stored)-1).Draw(t, "other")
			cols[0], cols[1] = append(cols[0], env.Terms.ID(stored[i])), append(cols[1], env.Terms.ID(stored[k]))
		}
		text := rapid.SampledFrom(operators).Draw(t, "expression")
		p, err := Compile(parseExpr(outer, text), map[string]int{"x": 0, "y": 1}, env)
		if err != nil {
			t.Fatal(err)
		}
		out, one := make([]dictionary.ID, len(stored)), make([]dictionary.ID, 1)
		p.IDs(cols[:], len(stored), out)
		for i := range out {
			p.IDs([][]dictionary.ID{cols[0][i : i+1], cols[1][i : i+1]}, 1, one)
			if one[0] != out[i] {
				t.Fatalf("%s of %v and %v: %v in a column, %v alone", text, env.Terms.Term(cols[0][i]), env.Terms.Term(cols[1][i]), env.Terms.Term(out[i]), env.Terms.Term(one[0]))
			}
		}
	})
}

// TestQuotientsAreRoundedOnce, of numbers of any size, whichever way they are divided.
func TestQuotientsAreRoundedOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		x, y := apd.New(int64(random.Uint64())>>random.IntN(63), -int32(random.IntN(19))), apd.New(1+int64(random.Uint64()>>1)>>random.IntN(62), -int32(random.IntN(19)))
		if y.IsZero() {
			continue
		}
		v, ok := quotient(x, y)
		a, _ := new(big.Rat).SetString(x.Text('f'))
		b, _ := new(big.Rat).SetString(y.Text('f'))
		q := new(big.Rat).Quo(a, b)
		digits, least := divisionDigits, new(big.Rat).Abs(q)
		for tenth := big.NewRat(1, 10); least.Sign() > 0 && least.Cmp(tenth) < 0; digits++ {
			least.Quo(least, tenth)
		}
		want, _ := new(big.Rat).SetString(q.FloatString(digits))
		got, _ := new(big.Rat).SetString(v.Canonical().Value)
		if !ok || got.Cmp(want) != 0 {
			t.Fatalf("%v / %v is %s, not %s", x, y, v.Canonical().Value, want.FloatString(digits))
		}
	}
}
