package expr

import (
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// FuzzExpression compiles and runs any expression: no panic, no hang, and filter and value agree.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		`?x < 5 && REGEX(?y, "a|b", "i") || !BOUND(?z)`, `REPLACE(STR(?x), "(a)(b)?", "$2$1")`, `xsd:integer(?x) / 3.0 * -1e5`,
		`IF(?x IN (1, "a"@en, <i>), SUBSTR(?y, 2, 1e0), COALESCE(?z, CONCAT(?x, ?y)))`, `YEAR(?x) + HOURS(NOW()) - ROUND(2.5)`,
		`BNODE(STR(?x)) = BNODE()`, `STRDT("1", xsd:byte) >= "2010-01-01Z"^^xsd:date`, `REGEX("a", "[\\w-[a]]{2,3}?")`,
		`ENCODE_FOR_URI(?x) || LANGMATCHES(LANG(?y), "*")`,
	} {
		f.Add(seed)
	}
	list := sampleTerms()
	env := newEnv(f, list[:len(list)/2]...)
	columns := map[string]int{"x": 0, "y": 1}
	cols := [][]dictionary.ID{{dictionary.None}, {dictionary.None}}
	for i, t := range list {
		cols[0], cols[1] = append(cols[0], env.Terms.ID(t)), append(cols[1], env.Terms.ID(list[len(list)-1-i]))
	}
	n := len(cols[0])
	f.Fuzz(func(t *testing.T, text string) {
		q, err := parser.Parse(prologue+"ASK { FILTER("+text+") }", parser.Options{Base: "http://b/"})
		if err != nil {
			return
		}
		filter, ok := q.Where.(*parser.Filter)
		if !ok {
			return
		}
		start := time.Now()
		p, err := Compile(filter.Condition, columns, env)
		if err != nil {
			return
		}
		out := make([]dictionary.ID, n)
		p.IDs(cols, n, out)
		keep := rowSet(p.Filter(cols, n, nil))
		c := newRun(env)
		for i, id := range out {
			var d datum
			d.setID(id)
			if keep[uint32(i)] != (c.effective(&d) == isTrue) && !parser.IsVolatile(filter.Condition) {
				t.Fatalf("%s: row %d: the filter disagrees with the value", text, i)
			}
		}
		IDRanges(filter.Condition, env.Dictionary)
		if took := time.Since(start); took > 20*time.Second {
			t.Fatalf("took %v", took)
		}
	})
}
