package expr

import (
	"cmp"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// TestNumberKeysAreInTheOrderOfTerms compares the order of keys, and of their bits, with that of the terms of the same rows.
func TestNumberKeysAreInTheOrderOfTerms(outer *testing.T) {
	typed := func(datatype string, lexicals ...string) (list []rdf.Term) {
		for _, l := range lexicals {
			list = append(list, rdf.NewTyped(l, rdf.XSD+datatype))
		}
		return list
	}
	pools := [][]rdf.Term{
		typed("integer", "1", "2", "-3", "7", "2000000000", "0", "01"),
		typed("integer", "9223372036854775807", "-9223372036854775808", "4611686018427387904", "-1", "3037000500"),
		typed("decimal", "1.5", "-2.5", "0.5", "100.50", "922337203685477580.7", "-0.000000000000000001", "9.223372036854775807"),
		typed("double", "1e0", "-2.5e0", "NaN", "INF", "-INF", "-0", "0", "2e0"),
		typed("float", "1.5", "-2.5", "NaN"),
		append(typed("integer", "100000000000000000000", "x"), rdf.NewString("a"), rdf.NewIRI("http://e/a"), rdf.NewTyped("true", rdf.XSDBoolean)),
		append(typed("decimal", "0.0000000000000000000001"), typed("dateTime", "2006-08-23T23:30:00-05:00", "0044-03-15T00:00:00Z")...),
	}
	texts := []string{"?x * 3", "?x / ?y", "?x + ?y", "-?x", "+?x", "?x / 7", "FLOOR(?x / 7)", "ABS(?x)", "IF(?x > 0, ?x, ?y / 3)", "COALESCE(?x / ?y, ?x)", "COALESCE(-?x, ?x)", "YEAR(?x)"}
	rapid.Check(outer, func(t *rapid.T) {
		pool := rapid.SampledFrom(pools).Draw(t, "pool")
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			pool = append(pool[:len(pool):len(pool)], rapid.SampledFrom(pools).Draw(t, "other")...)
		}
		env := newEnv(outer, pool...)
		n := rapid.IntRange(2, 30).Draw(t, "rows")
		var cols [2][]dictionary.ID
		for c := range cols {
			for range n {
				cols[c] = append(cols[c], env.Terms.ID(rapid.SampledFrom(pool).Draw(t, "term")))
			}
		}
		text := rapid.SampledFrom(texts).Draw(t, "expression")
		p, err := Compile(parseExpr(outer, text), map[string]int{"x": 0, "y": 1}, env)
		if err != nil {
			t.Fatal(err)
		}
		if !p.IsOrderedAsNumber() {
			t.Fatalf("%s is not ordered as a number", text)
		}
		ids, keys := make([]dictionary.ID, n), make([][]dictionary.ID, NumberKeyColumns)
		for i := range keys {
			keys[i] = make([]dictionary.ID, n)
		}
		p.IDs(cols[:], n, ids)
		p.NumberKeys(cols[:], n, keys)
		half := n / 2
		order := SeenNumberKeys(keys, 0, half).Or(SeenNumberKeys(keys, half, n)).Order()
		bits := make([]uint64, n)
		order.Bits(keys, 0, half, bits[:half])
		order.Bits(keys, half, n, bits[half:])
		comparer := NewComparer(env.Terms, env.Dictionary)
		for i := range n {
			if failed := IsError(keys[0][i]); failed != (ids[i] == dictionary.None) || failed && !order.Failed {
				t.Fatalf("%s: row %d is an error by its key, or by its term", text, i)
			}
			for k := range n {
				x, y := NumberKeyAt(keys, i), NumberKeyAt(keys, k)
				want := cmp.Compare(comparer.Compare(ids[i], ids[k]), 0)
				if got := cmp.Compare(comparer.CompareNumberKeys(&x, &y), 0); got != want {
					t.Fatalf("%s: keys of %v and %v compare as %d, want %d", text, env.Terms.Term(ids[i]), env.Terms.Term(ids[k]), got, want)
				}
				if IsError(keys[0][i]) || IsError(keys[0][k]) {
					continue
				}
				if got := cmp.Compare(bits[i], bits[k]); got != want && (order.Exact || got != 0) {
					t.Fatalf("%s: bits of %v and %v compare as %d, want %d", text, env.Terms.Term(ids[i]), env.Terms.Term(ids[k]), got, want)
				}
			}
		}
	})
}

// TestQuotientsAreRoundedAsValues compares rounding in 128 bits with that of values.
func TestQuotientsAreRoundedAsValues(outer *testing.T) {
	rapid.Check(outer, func(t *rapid.T) {
		v := &numbers{unitRoom: make([]int64, 1), classes: make([]class, 1), units: make([]int64, 1)}
		x, y := rapid.Int64().Draw(t, "dividend"), rapid.Int64Range(-1000, 1000).Draw(t, "divisor")
		if rapid.Bool().Draw(t, "whole") {
			x = x / 1000 * y
		}
		high, low, ok := wideQuotient(x, y)
		if !ok {
			t.Skip("no quotient of 128 bits")
		}
		for _, op := range []string{"ABS", "CEIL", "FLOOR", "ROUND", "-"} {
			v.setWide(0, high, low)
			of := v.value(nil, 0)
			if op == "-" {
				want, _ := negate(&of)
				if got := *v; !v.negate(0) || dictionary.Compare(v.value(nil, 0), want) != 0 {
					t.Fatalf("-(%d / %d) is %v of %v", x, y, v.value(nil, 0), got)
				}
				continue
			}
			want, _ := rounded(op, &of)
			if n := (&rounding{op: op}); n.quick(v, 0) && (v.value(nil, 0).Kind != want.Kind || dictionary.Compare(v.value(nil, 0), want) != 0) {
				t.Fatalf("%s(%d / %d) is %v, want %v", op, x, y, v.value(nil, 0), want)
			}
		}
	})
}
