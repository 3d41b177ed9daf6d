package expr

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"pgregory.net/rapid"
)

// aggregate computes one aggregate over one group per list of values, in batches of three rows.
func aggregate(t *testing.T, env *Env, text string, groups ...string) string {
	t.Helper()
	q, err := parser.Parse(prologue+"SELECT ("+text+" AS ?r) { ?s ?p ?x }", parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	group := q.Where.(*parser.Project).Input.(*parser.Extend).Input.(*parser.Group)
	acc, err := NewAccumulator(group.Aggregates[0], map[string]int{"x": 0}, env, dictionary.IdentityFull)
	if err != nil {
		t.Fatal(err)
	}
	var ids []dictionary.ID
	var of []uint32
	for g, values := range groups {
		for _, v := range strings.Fields(values) {
			id := dictionary.None
			if v != "UNDEF" {
				id = env.Terms.ID(parseExpr(t, v).(*parser.Const).Term)
			}
			ids, of = append(ids, id), append(of, uint32(g))
		}
	}
	for len(ids) > 0 {
		n := min(3, len(ids))
		acc.Add([][]dictionary.ID{ids[:n]}, n, of[:n], nil)
		ids, of = ids[n:], of[n:]
	}
	out := make([]dictionary.ID, len(groups))
	acc.Results(out)
	var results []string
	for _, id := range out {
		if id == dictionary.None {
			results = append(results, "none")
		} else {
			results = append(results, short(env.Terms.Term(id)))
		}
	}
	if acc.Bytes() < 0 {
		t.Error("negative size")
	}
	return strings.Join(results, " ")
}

func TestAggregates(t *testing.T) {
	env := newEnv(t)
	for _, c := range []struct{ text, groups, want string }{
		{"COUNT(*)", "1 2 UNDEF |", "3 0"},
		{"COUNT(?x)", "1 2 UNDEF | UNDEF", "2 0"},
		{"COUNT(DISTINCT ?x)", "1 1 2 1.0 UNDEF | 1", "3 1"},
		{"COUNT(DISTINCT *)", "1 1 2 UNDEF UNDEF | 1", "3 1"},
		{"SUM(?x)", "1 2 | 1 2.5 | 1 1e0 | | 1 <a> | 1 UNDEF", `3 "3.5"^^<decimal> "2.0E0"^^<double> 0 none none`},
		{"SUM(DISTINCT ?x)", "1 1 2 | 5", "3 5"},
		{"SUM(?x)", "9223372036854775807 1 | 9223372036854775807 1 -1", "9223372036854775808 9223372036854775807"},
		{"SUM(?x * 2)", "1 2 3", "12"},
		{"AVG(?x)", "1 2 3 | 1 2 | 1e0 2 | | <a>", `"2.0"^^<decimal> "1.5"^^<decimal> "1.5E0"^^<double> 0 none`},
		{"MIN(?x)", "3 1 2 | \"b\" \"a\" | 2 \"a\" <a> | | 1 UNDEF", `1 "a" <http://b/a> none none`},
		{"MAX(?x)", "3 1 2 | \"b\" \"a\" | 2 \"a\" <a> | ", `3 "b" "a" none`},
		{"SAMPLE(?x)", "UNDEF 2 3 | UNDEF", "2 none"},
		{"GROUP_CONCAT(?x)", "1 \"a\"@en <a> | | 1 | UNDEF | 1 UNDEF 2", `"1 a http://b/a" "" "1" none none`},
		{"GROUP_CONCAT(?x / 0)", "1 2", "none"},
		{"GROUP_CONCAT(COALESCE(?x, \"-\"))", "1 UNDEF", `"1 -"`},
		{"GROUP_CONCAT(BNODE())", "1", "none"},
		{"GROUP_CONCAT(DISTINCT ?x; SEPARATOR=\", \")", "1 2 1", `"1, 2"`},
	} {
		if got := aggregate(t, env, c.text, strings.Split(c.groups, "|")...); got != c.want {
			t.Errorf("%s of %s: got %s, want %s", c.text, c.groups, got, c.want)
		}
	}
}

func TestOrderIsTotalAndAgreesWithLess(t *testing.T) {
	list := sampleTerms()
	env := newEnv(t, list[:len(list)-7]...)
	ids := []dictionary.ID{dictionary.None}
	for _, term := range list {
		ids = append(ids, env.Terms.ID(term))
	}
	for _, c := range []*Comparer{NewComparer(env.Terms, env.Dictionary), NewComparer(env.Terms, nil)} {
		for _, a := range ids {
			for _, b := range ids {
				if c.Compare(a, b) != -c.Compare(b, a) {
					t.Fatalf("%v and %v: not antisymmetric", env.Terms.Term(a), env.Terms.Term(b))
				}
				if reference("<", env.Terms.Term(a), env.Terms.Term(b)) == "true" && c.Compare(a, b) >= 0 {
					t.Errorf("%v < %v, but is not ordered so", env.Terms.Term(a), env.Terms.Term(b))
				}
				for _, d := range ids {
					if c.Compare(a, b) <= 0 && c.Compare(b, d) <= 0 && c.Compare(a, d) > 0 {
						t.Fatalf("%v, %v, %v: not transitive", env.Terms.Term(a), env.Terms.Term(b), env.Terms.Term(d))
					}
				}
			}
		}
		sorted := slices.SortedStableFunc(slices.Values(ids), c.Compare)
		kind := func(id dictionary.ID) int {
			return map[rdf.Kind]int{0: 0, rdf.BlankNode: 1, rdf.IRI: 2, rdf.Literal: 3}[env.Terms.Term(id).Kind]
		}
		if !slices.IsSortedFunc(sorted, func(a, b dictionary.ID) int { return kind(a) - kind(b) }) {
			t.Error("unbound, blank nodes, IRIs and literals are out of order")
		}
	}
}

// TestOrderIsThatOfTheTermsInAllSegments compares the order by ID with that of the decoded terms, in one to four segments,
// and with a tail behind them.
func TestOrderIsThatOfTheTermsInAllSegments(t *testing.T) {
	list := sampleTerms()
	r := rand.New(rand.NewPCG(5, 5))
	for i := range 60 {
		list = append(list, rdf.NewString(fmt.Sprint(i*i)), rdf.NewLangString(fmt.Sprint(i*i), []string{"en", "de", "de-AT"}[i%3]))
		list = append(list, rdf.NewTyped(fmt.Sprint(i/4), []string{rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat}[i%4]))
	}
	for n := 1; n <= 8; n++ {
		var env *Env
		if stored := list[:len(list)-9]; n <= 4 {
			env = newEnvOfSegments(t, split(r, n, stored)...)
		} else {
			env = newEnvWithTail(t, list, split(r, n-3, stored)...)
		}
		ids := []dictionary.ID{dictionary.None}
		for _, term := range list {
			ids = append(ids, env.Terms.ID(term))
		}
		byID, decoded := NewComparer(env.Terms, env.Dictionary), NewComparer(env.Terms, nil)
		for _, b := range ids {
			against := byID.Against(b)
			for _, a := range ids {
				want := decoded.Compare(a, b)
				if got := byID.Compare(a, b); cmp.Compare(got, 0) != cmp.Compare(want, 0) {
					t.Fatalf("split %d: %v and %v: %d, want %d", n, env.Terms.Term(a), env.Terms.Term(b), got, want)
				}
				if got := against(a); cmp.Compare(got, 0) != cmp.Compare(want, 0) {
					t.Fatalf("split %d: %v against %v: %d, want %d", n, env.Terms.Term(a), env.Terms.Term(b), got, want)
				}
				for _, c := range []*Comparer{byID, decoded} {
					x, y := c.Key(a), c.Key(b)
					if got := c.CompareKeys(a, b, &x, &y); cmp.Compare(got, 0) != cmp.Compare(want, 0) {
						t.Fatalf("split %d: %v and %v by keys %+v and %+v: %d, want %d", n, env.Terms.Term(a), env.Terms.Term(b), x, y, got, want)
					}
				}
			}
		}
	}
}

func TestBlankNodesByLabelBelongToASolution(t *testing.T) {
	a, b := rdf.NewString("a"), rdf.NewString("b")
	env := newEnv(t, a, b)
	columns := map[string]int{"x": 0, "y": 1, "m": 2}
	x, y := env.Terms.ID(a), env.Terms.ID(b)
	cols := [][]dictionary.ID{{x, x, y}, {x, y, y}, {dictionary.None, dictionary.None, dictionary.None}}
	first, err := Compile(parseExpr(t, "BNODE(?x)"), columns, env)
	if err != nil {
		t.Fatal(err)
	}
	m := make([]dictionary.ID, 3)
	first.IDs(cols, 3, m)
	cols[2] = m
	second, _ := Compile(parseExpr(t, "BNODE(?y)"), columns, env)
	n := make([]dictionary.ID, 3)
	second.IDs(cols, 3, n)
	if m[0] != n[0] || m[1] == n[1] || m[2] != n[2] || m[0] == m[1] || m[0] == m[2] {
		t.Errorf("got %v and %v", m, n)
	}
}

func benchmarkFilter(b *testing.B, text string, ranges bool) {
	var list []rdf.Term
	for i := range 20000 {
		list = append(list, rdf.NewTyped(itoa(i), rdf.XSDInteger), rdf.NewString("name "+itoa(i)), rdf.NewIRI("http://e/item/"+itoa(i)))
	}
	env := newEnv(b, list...)
	if !ranges {
		env.Dictionary = nil
	}
	p, err := Compile(parseExpr(b, text), map[string]int{"n": 0, "s": 1, "i": 2}, env)
	if err != nil {
		b.Fatal(err)
	}
	const n = 4096
	cols := [][]dictionary.ID{make([]dictionary.ID, n), make([]dictionary.ID, n), make([]dictionary.ID, n)}
	for i := range n {
		for k := range cols {
			cols[k][i], _ = env.Terms.Find(list[3*rand.IntN(4000)+k])
		}
	}
	keep := make([]uint32, 0, n)
	b.ReportAllocs()
	for b.Loop() {
		keep = p.Filter(cols, n, keep[:0])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}

func itoa(i int) string { return integerText(i) }

func integerText(i int) string { v := integer(int64(i)); return v.ExactText() }

func BenchmarkFilterByRange(b *testing.B)    { benchmarkFilter(b, "?n < 2000", true) }
func BenchmarkFilterByValue(b *testing.B)    { benchmarkFilter(b, "?n < 2000", false) }
func BenchmarkFilterByIRI(b *testing.B)      { benchmarkFilter(b, "?i != <http://e/item/7>", false) }
func BenchmarkFilterArithmetic(b *testing.B) { benchmarkFilter(b, "?n * 2 + 1 < 4000", true) }
func BenchmarkFilterColumns(b *testing.B)    { benchmarkFilter(b, "?n = ?s", true) }
func BenchmarkFilterRegex(b *testing.B)      { benchmarkFilter(b, `REGEX(?s, "^name [0-9]*7$")`, true) }
func BenchmarkFilterContains(b *testing.B)   { benchmarkFilter(b, `CONTAINS(?s, "77")`, true) }
func BenchmarkFilterLogic(b *testing.B) {
	benchmarkFilter(b, `?n < 100 || ?n > 3000 || ?s = "name 5"`, true)
}

func TestTextsGrowInPieces(t *testing.T) {
	t.Parallel()
	var p pieces
	var want strings.Builder
	for i := range 400 {
		part := strings.Repeat(string(rune('a'+i%26)), i*i*i%(maxPiece/64))
		if i%150 == 149 {
			part = strings.Repeat("long", maxPiece/2)
		}
		p.add([]byte(part))
		want.WriteString(part)
	}
	if p.joined() != want.String() || p.length != want.Len() || len(p.full) < 3 {
		t.Errorf("%d bytes of %d in %d pieces", len(p.joined()), want.Len(), len(p.full))
	}
}

// TestSumsOfWhatIsComputedAreThoseOfItsTerms: SUM and AVG that take values of random expressions have the results of those that take the terms,
// with weights and without, in several groups.
func TestSumsOfWhatIsComputedAreThoseOfItsTerms(t *testing.T) {
	list := sampleTerms()
	env := newEnv(t, list[:len(list)*3/4]...)
	r := rand.New(rand.NewPCG(3, 4))
	numbers := []rdf.Term{}
	for _, term := range list {
		if v := dictionary.ParseValue(term); v.IsNumeric() {
			numbers = append(numbers, term)
		}
	}
	rounds := 1500
	if testing.Short() {
		rounds = 300
	}
	columns := map[string]int{"x": 0, "y": 1}
	for range rounds {
		text, from := randomExpr(r, 1+r.IntN(2), constants(list)), list
		if r.IntN(2) == 0 { // most others are errors
			text = []string{"?x + ?y", "?x * 3", "?x - ?y", "ABS(?x)", "FLOOR(?x)", "IF(?x > ?y, 1, 0)", "STRLEN(STR(?x))", "?x / 3"}[r.IntN(8)]
			from = numbers[:1+r.IntN(len(numbers))]
		}
		const n, groups = 12, 3
		cols := [][]dictionary.ID{make([]dictionary.ID, n), make([]dictionary.ID, n)}
		of, weights := make([]uint32, n), make([]uint64, n)
		for i := range n {
			for k := range cols {
				cols[k][i] = env.Terms.ID(from[r.IntN(len(from))])
			}
			of[i], weights[i] = uint32(r.IntN(groups)), uint64(1+r.IntN(3))
		}
		if r.IntN(2) == 0 {
			weights = nil
		}
		for _, function := range []string{"SUM", "AVG"} {
			aggregation := parser.Aggregation{Variable: "r", Function: function, Argument: parseExpr(t, text)}
			computed, err := NewAccumulator(aggregation, columns, env, dictionary.IdentityFull)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Compile(aggregation.Argument, columns, env)
			if err != nil {
				t.Fatal(err)
			}
			ids := make([]dictionary.ID, n)
			p.IDs(cols, n, ids)
			aggregation.Argument = &parser.Var{Name: "v"}
			stored, err := NewAccumulator(aggregation, map[string]int{"v": 0}, env, dictionary.IdentityFull)
			if err != nil {
				t.Fatal(err)
			}
			computed.Add(cols, n, of, weights)
			stored.Add([][]dictionary.ID{ids}, n, of, weights)
			got, want := make([]dictionary.ID, groups), make([]dictionary.ID, groups)
			computed.Results(got)
			stored.Results(want)
			if !slices.Equal(got, want) {
				t.Fatalf("%s(%s) with weights %v is %v, and %v of the terms", function, text, weights, termsOf(env, got), termsOf(env, want))
			}
		}
	}
}

func termsOf(env *Env, ids []dictionary.ID) (out []rdf.Term) {
	for _, id := range ids {
		if id == dictionary.None {
			out = append(out, rdf.Term{})
		} else {
			out = append(out, env.Terms.Term(id))
		}
	}
	return out
}

// TestLargeNumbersAreCounted: numbers of thousands of digits, one for each group, are part of what an aggregate takes.
func TestLargeNumbersAreCounted(t *testing.T) {
	const groups, digits = 50, 9000
	env := newEnv(t, rdf.NewTyped("1", rdf.XSDInteger), rdf.NewTyped("2", rdf.XSDInteger))
	var ids []dictionary.ID
	var of []uint32
	for g := range uint32(groups) {
		for _, n := range []string{"1", "2"} {
			ids, of = append(ids, env.Terms.ID(rdf.NewTyped(n, rdf.XSDInteger))), append(of, g)
		}
	}
	for _, function := range []string{"SUM", "AVG", "MIN", "MAX"} {
		one := func(text string) int64 {
			acc, err := NewAccumulator(parser.Aggregation{Function: function, Argument: parseExpr(t, text)}, map[string]int{"x": 0}, env, dictionary.IdentityFull)
			if err != nil {
				t.Fatal(err)
			}
			acc.Add([][]dictionary.ID{ids}, len(ids), of, nil)
			return acc.Bytes()
		}
		small, large := one("?x * 0.5"), one("?x * 0."+strings.Repeat("3", digits))
		if least := int64(groups * digits / 3); large-small < least || large-small > 2*least {
			t.Errorf("%s of numbers of %d digits takes %d bytes, of small ones %d", function, digits, large, small)
		}
		if again := one("IF(?x = 1, ?x * 0." + strings.Repeat("3", digits) + ", 0 - ?x * 0." + strings.Repeat("3", digits) + ")"); again > large {
			t.Errorf("%s: %d bytes with numbers that take the place of others, %d", function, again, large)
		}
	}
}

// TestExtremesOfManyTermsAreThoseOfAComparisonWithEach: MIN and MAX pass over terms that they need not compare, in any order and beside other groups.
func TestExtremesOfManyTermsAreThoseOfAComparisonWithEach(outer *testing.T) {
	rapid.Check(outer, func(t *rapid.T) {
		types := []string{"integer", "decimal", "double", "string", "date"}
		resources := rapid.Bool().Draw(t, "resources")
		term := rapid.Custom(func(t *rapid.T) rdf.Term {
			n, kind := rapid.IntRange(-40, 40).Draw(t, "number"), types[rapid.IntRange(0, 2).Draw(t, "type")]
			if resources && rapid.IntRange(0, 99).Draw(t, "literal") > 0 {
				text := fmt.Sprint("http://e/", n, strings.Repeat("x", rapid.SampledFrom([]int{0, 1, 300}).Draw(t, "length")))
				if rapid.IntRange(0, 4).Draw(t, "blank") == 0 {
					return rdf.NewBlank(fmt.Sprint("b", n+50))
				}
				return rdf.NewIRI(text)
			}
			if rapid.IntRange(0, 99).Draw(t, "other") == 0 {
				kind = rapid.SampledFrom(types[3:]).Draw(t, "sort")
			}
			return rdf.NewTyped(fmt.Sprint(n), "http://www.w3.org/2001/XMLSchema#"+kind)
		})
		all := rapid.SliceOfN(term, 300, 900).Draw(t, "terms")
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		env := newEnvOfSegments(outer, all[:cut], all[cut:])
		ids := make([]dictionary.ID, len(all))
		for i := range all {
			ids[i] = env.Terms.ID(all[i])
		}
		switch rapid.IntRange(0, 2).Draw(t, "order") {
		case 1:
			slices.Sort(ids)
		case 2:
			slices.SortFunc(ids, func(a, b dictionary.ID) int { return cmp.Compare(b, a) })
		}
		order := NewComparer(env.Terms, env.Dictionary)
		for name, sign := range map[string]int{"MIN": -1, "MAX": 1} {
			f := folds[name](parser.Aggregation{}, env)
			want := ids[0]
			for _, id := range ids {
				f.add(0, id)
				f.add(uint32(1+id%3), id)
				if c := cmp.Or(order.Compare(id, want), compareText(env.Terms.Term(id), env.Terms.Term(want))); c*sign > 0 {
					want = id
				}
			}
			if got := f.result(0, &idSource{terms: env.Terms}); got != want {
				t.Fatalf("%s of %d terms is %v, want %v", name, len(ids), env.Terms.Term(got), env.Terms.Term(want))
			}
		}
	})
}
