package expr

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"pgregory.net/rapid"
)

// sampleTerms holds every sort of term, numbers near each other in several datatypes among them.
func sampleTerms() []rdf.Term {
	var list []rdf.Term
	typed := func(datatype string, lexicals ...string) {
		for _, l := range lexicals {
			list = append(list, rdf.NewTyped(l, rdf.XSD+datatype))
		}
	}
	typed("integer", "0", "1", "01", "-1", "5", "16777216", "16777217", "9007199254740993", "99999999999999999999", "100000000000000000000", "-9223372036854", "-9223372036855")
	typed("byte", "5", "128")
	typed("decimal", "0.1", "0.10", "1.0", "5.0", "4.9999999999", "0.1000000000000000000001", "-3.75", "1e3", "9007199254740992.5", "-0.000001", "-0.0000001", "9223372036854.775807", "9223372036854.775808")
	typed("double", "1e-1", "1", "5e0", "9007199254740992", "INF", "-INF", "NaN", "-0", "1e19", "x", "1e20", "-1.5", "-2e300", "1e-300", "0")
	typed("float", "0.1", "16777216", "5", "NaN", "INF")
	typed("boolean", "true", "false", "1", "0", "yes")
	typed("dateTime", "2006-08-23T09:00:00+01:00", "2006-08-23T08:00:00Z", "2006-08-23T08:00:00", "2006-08-22T10:00:00",
		"2006-08-24T23:00:00", "2006-08-23T08:00:00.5Z", "2006-13-01T00:00:00", "1999-12-31T24:00:00")
	typed("date", "2006-08-23", "2006-08-23Z", "2006-08-22+14:00", "2001-01-01", "2001-01-01-05:00")
	typed("time", "10:00:00", "10:00:00Z", "23:00:00-05:00")
	typed("gYear", "2006", "2006Z")
	typed("duration", "P1D", "PT24H")
	list = append(list, rdf.NewString(""), rdf.NewString("a"), rdf.NewString("b"), rdf.NewString("A"), rdf.NewString("1"),
		rdf.NewString("é"), rdf.NewString("ab"), rdf.NewLangString("a", "en"), rdf.NewLangString("a", "EN"),
		rdf.NewLangString("b", "de"), rdf.NewLangString("", "en"), rdf.NewTyped("a", "http://e/t"), rdf.NewTyped("b", "http://e/t"),
		rdf.NewTyped("a", "http://e/u"), rdf.NewIRI("http://b/a"), rdf.NewIRI("http://b/b"), rdf.NewBlank("x"), rdf.NewBlank("y"))
	return list
}

// split deals terms out at random.
func split(r *rand.Rand, n int, terms []rdf.Term) [][]rdf.Term {
	lists := make([][]rdf.Term, n)
	for _, t := range terms {
		i := r.IntN(n)
		lists[i] = append(lists[i], t)
	}
	return lists
}

// reference compares two terms by the operator mapping, with exact numbers and without any of the package's code but
// the reading of literals; "" means an error.
func reference(op string, a, b rdf.Term) string {
	x, y := dictionary.ParseValue(a), dictionary.ParseValue(b)
	order := func(c int) string {
		return fmt.Sprint(map[string]bool{"=": c == 0, "!=": c != 0, "<": c < 0, ">": c > 0, "<=": c <= 0, ">=": c >= 0}[op])
	}
	equality := func(equal bool) string {
		switch op {
		case "=":
			return fmt.Sprint(equal)
		case "!=":
			return fmt.Sprint(!equal)
		}
		return ""
	}
	numeric := func(v dictionary.Value) bool { return v.Kind >= dictionary.Integer && v.Kind <= dictionary.Double }
	switch {
	case numeric(x) && numeric(y):
		switch kind := max(x.Kind, y.Kind); {
		case x.IsNaN() || y.IsNaN():
			return fmt.Sprint(op == "!=")
		case kind == dictionary.Double:
			return order(compareAny(x.Float64(), y.Float64()))
		case kind == dictionary.Float:
			return order(compareAny(float64(x.Float32()), float64(y.Float32())))
		}
		r, _ := new(big.Rat).SetString(strings.TrimPrefix(a.Value, "+"))
		s, _ := new(big.Rat).SetString(strings.TrimPrefix(b.Value, "+"))
		return order(r.Cmp(s))
	case x.Kind == dictionary.String && y.Kind == dictionary.String:
		return order(strings.Compare(a.Value, b.Value))
	case x.Kind == dictionary.Boolean && y.Kind == dictionary.Boolean:
		return order(int(x.Int - y.Int))
	case x.Kind == y.Kind && x.Kind >= dictionary.DateTime && x.Kind <= dictionary.GYearMonth:
		switch o := dictionary.Compare(x, y); o {
		case dictionary.Incomparable:
			return ""
		default:
			return order(int(o))
		}
	case a == b:
		return equality(true)
	case a.Kind != rdf.Literal || b.Kind != rdf.Literal:
		return equality(false)
	case a.Language != "" && b.Language != "":
		return equality(a.Value == b.Value && strings.EqualFold(a.Language, b.Language))
	case a.Language != "" || b.Language != "":
		return equality(false)
	case x.Kind == dictionary.OtherLiteral || y.Kind == dictionary.OtherLiteral:
		return ""
	}
	return equality(false)
}

func compareAny(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TestComparisonsAgreeWithTheReference compares every pair of terms by every operator, as two columns, and with a
// constant on either side, stored and computed.
func TestComparisonsAgreeWithTheReference(t *testing.T) {
	list := sampleTerms()
	t.Run("stored", func(t *testing.T) { checkComparisons(t, list, newEnv(t, list[:len(list)/2*2-1]...)) })
	t.Run("tail", func(t *testing.T) {
		checkComparisons(t, list, newEnvWithTail(t, list, split(rand.New(rand.NewPCG(1, 3)), 2, list[:len(list)/2*2-1])...))
	})
}

func checkComparisons(t *testing.T, list []rdf.Term, env *Env) {
	columns := map[string]int{"x": 0, "y": 1}
	var cols [2][]dictionary.ID
	for _, a := range list {
		for _, b := range list {
			cols[0], cols[1] = append(cols[0], env.Terms.ID(a)), append(cols[1], env.Terms.ID(b))
		}
	}
	for _, op := range []string{"=", "!=", "<", ">", "<=", ">="} {
		x, y := &parser.Var{Name: "x"}, &parser.Var{Name: "y"}
		check := func(how string, e parser.Expr, cols [][]dictionary.ID, pair func(row int) (rdf.Term, rdf.Term)) {
			t.Helper()
			p, err := Compile(e, columns, env)
			if err != nil {
				t.Fatal(err)
			}
			n := len(cols[0])
			out := make([]dictionary.ID, n)
			p.IDs(cols, n, out)
			keep := rowSet(p.Filter(cols, n, nil))
			for i, id := range out {
				a, b := pair(i)
				got, want := "", reference(op, a, b)
				if id != dictionary.None {
					got = env.Terms.Term(id).Value
				}
				if got != want {
					t.Errorf("%s: %v %s %v: got %q, want %q", how, a, op, b, got, want)
				}
				if keep[uint32(i)] != (want == "true") {
					t.Errorf("%s: %v %s %v: the filter disagrees", how, a, op, b)
				}
			}
		}
		check("columns", &parser.Call{Function: op, Args: []parser.Expr{x, y}}, cols[:], func(i int) (rdf.Term, rdf.Term) {
			return list[i/len(list)], list[i%len(list)]
		})
		for i, c := range list {
			if c.Kind == rdf.BlankNode {
				continue
			}
			few := [][]dictionary.ID{cols[1][:len(list)], cols[1][:len(list)]}
			check("constant right", &parser.Call{Function: op, Args: []parser.Expr{x, &parser.Const{Term: c}}}, few,
				func(k int) (rdf.Term, rdf.Term) { return list[k], list[i] })
			check("constant left", &parser.Call{Function: op, Args: []parser.Expr{&parser.Const{Term: c}, x}}, few,
				func(k int) (rdf.Term, rdf.Term) { return list[i], list[k] })
		}
	}
}

// randomExpr makes conditions over ?x and ?y.
func randomExpr(r *rand.Rand, depth int, pool []string) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	if depth == 0 {
		return pick("?x", "?x", "?x", "?y", "?u", pool[r.IntN(len(pool))], pool[r.IntN(len(pool))])
	}
	sub := func() string { return randomExpr(r, depth-1, pool) }
	switch r.IntN(13) {
	case 0, 1, 2:
		return "(" + sub() + pick(" = ", " != ", " < ", " > ", " <= ", " >= ") + sub() + ")"
	case 3, 4:
		return "(" + sub() + pick(" && ", " || ") + sub() + ")"
	case 5:
		return "(!" + sub() + ")"
	case 6:
		return "(" + sub() + pick(" + ", " - ", " * ", " / ") + sub() + ")"
	case 7:
		return pick("STR", "UCASE", "STRLEN", "LANG", "ISNUMERIC", "ISLITERAL", "ISIRI", "ABS", "CEIL", "xsd:integer", "xsd:string", "YEAR") + "(" + sub() + ")"
	case 8:
		return "REGEX(" + sub() + ", " + pick(`"a"`, `"^a$"`, `"[ab]"`, `"1|b", "i"`) + ")"
	case 9:
		return "IF(" + sub() + ", " + sub() + ", " + sub() + ")"
	case 10:
		return "COALESCE(" + sub() + ", " + sub() + ")"
	case 11:
		if r.IntN(2) == 0 {
			return "(" + sub() + pick(" IN (", " NOT IN (") + "<http://b/a>, <http://b/b>))"
		}
		return "(" + sub() + pick(" IN (", " NOT IN (") + sub() + ", " + sub() + "))"
	}
	return pick("CONTAINS", "STRSTARTS", "CONCAT", "SAMETERM") + "(" + sub() + ", " + sub() + ")"
}

// constants writes terms for use in a query.
func constants(list []rdf.Term) []string {
	var pool []string
	for _, t := range list {
		if t.Kind != rdf.BlankNode {
			pool = append(pool, t.String())
		}
	}
	return pool
}

// TestShortcutsChangeNothing compares programs over columns (memories, folding, ranges, value comparisons) with the
// same expression evaluated one row at a time with constants in place of its variables.
func TestShortcutsChangeNothing(t *testing.T) {
	list := sampleTerms()
	t.Run("stored", func(t *testing.T) { checkShortcuts(t, list, newEnv(t, list[:len(list)*3/4]...)) })
	t.Run("tail", func(t *testing.T) {
		checkShortcuts(t, list, newEnvWithTail(t, list, split(rand.New(rand.NewPCG(1, 4)), 3, list[:len(list)*3/4])...))
	})
}

func checkShortcuts(t *testing.T, list []rdf.Term, env *Env) {
	pool := constants(list)
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 250
	if testing.Short() {
		rounds = 100
	}
	columns := map[string]int{"x": 0, "y": 1}
	for range rounds {
		text := randomExpr(r, 1+r.IntN(3), pool)
		e := parseExpr(t, text)
		p, err := Compile(e, columns, env)
		if err != nil {
			t.Fatal(err)
		}
		n := 300
		cols := [][]dictionary.ID{make([]dictionary.ID, n), make([]dictionary.ID, n)}
		for i := range n {
			for k := range cols {
				cols[k][i] = dictionary.None
				if r.IntN(10) > 0 {
					cols[k][i] = env.Terms.ID(list[r.IntN(len(list))])
				}
			}
		}
		out := make([]dictionary.ID, n)
		p.IDs(cols, n, out)
		keep := rowSet(p.Filter(cols, n, nil))
		for i := range n {
			if i%6 != 0 && depthOf(text) > 2 {
				continue
			}
			bound := substitute(e, map[string]rdf.Term{"x": env.Terms.Term(cols[0][i]), "y": env.Terms.Term(cols[1][i])})
			one, err := Compile(bound, nil, &Env{Terms: env.Terms, Base: env.Base, Now: env.Now})
			if err != nil {
				continue // a bad regular expression that became constant
			}
			var want [1]dictionary.ID
			one.IDs(nil, 1, want[:])
			if out[i] != want[0] {
				t.Fatalf("%s with ?x = %v, ?y = %v: column %v, row %v", text, env.Terms.Term(cols[0][i]),
					env.Terms.Term(cols[1][i]), env.Terms.Term(out[i]), env.Terms.Term(want[0]))
			}
			kept := len(one.Filter(nil, 1, nil)) == 1
			if keep[uint32(i)] != kept {
				t.Fatalf("%s with ?x = %v, ?y = %v: filter disagrees", text, env.Terms.Term(cols[0][i]), env.Terms.Term(cols[1][i]))
			}
		}
	}
}

func rowSet(rows []uint32) map[uint32]bool {
	set := map[uint32]bool{}
	for _, r := range rows {
		set[r] = true
	}
	return set
}

func depthOf(text string) int { return strings.Count(text, "(") }

// substitute puts constants in the place of variables; the zero Term leaves a variable that nothing binds.
func substitute(e parser.Expr, terms map[string]rdf.Term) parser.Expr {
	all := func(list []parser.Expr) []parser.Expr {
		out := make([]parser.Expr, len(list))
		for i, e := range list {
			out[i] = substitute(e, terms)
		}
		return out
	}
	switch e := e.(type) {
	case *parser.Var:
		if t := terms[e.Name]; !t.IsZero() {
			return &parser.Const{Term: t}
		}
	case *parser.Call:
		return &parser.Call{Function: e.Function, Args: all(e.Args)}
	case *parser.FunctionCall:
		return &parser.FunctionCall{IRI: e.IRI, Args: all(e.Args)}
	}
	return e
}

// TestRangesAreExact compares ranges of IDs with the condition tested on every term of the segments, of one and of
// several, without and with a tail behind them.
func TestRangesAreExact(t *testing.T) {
	for n := 1; n <= 4; n++ {
		t.Run(fmt.Sprintf("%d segments", n), func(t *testing.T) { checkRanges(t, n, false) })
		t.Run(fmt.Sprintf("%d segments and a tail", n), func(t *testing.T) { checkRanges(t, n, true) })
	}
}

func checkRanges(t *testing.T, segments int, tail bool) {
	list := sampleTerms()
	for i := range 200 {
		list = append(list, rdf.NewTyped(fmt.Sprint(i%50), rdf.XSDInteger), rdf.NewTyped(fmt.Sprintf("%d.%02d", i/20, i%20), rdf.XSDDecimal),
			rdf.NewTyped(fmt.Sprintf("%de-1", i), rdf.XSDDouble), rdf.NewTyped(fmt.Sprintf("%d.1", i), rdf.XSDFloat))
	}
	r := rand.New(rand.NewPCG(3, uint64(segments)))
	env := newEnvOfSegments(t, split(r, segments, list)...)
	if tail {
		env = newEnvWithTail(t, nil, split(r, segments+1, list)...)
	}
	d := env.Dictionary
	plain := &Env{Terms: env.Terms, Base: env.Base, Now: env.Now}
	all := make([]dictionary.ID, d.Ordered())
	for i := range all {
		all[i] = dictionary.ID(i)
	}
	check := func(e parser.Expr) (exact bool) {
		t.Helper()
		variable, ranges, ok := IDRanges(e, d)
		if !ok {
			return false
		}
		if variable != "x" {
			t.Fatalf("%s: variable %q", parser.FormatExpr(e), variable)
		}
		p, err := Compile(e, map[string]int{"x": 0}, plain)
		if err != nil {
			t.Fatal(err)
		}
		want := p.Filter([][]dictionary.ID{all}, len(all), nil)
		var got []uint32
		for i, r := range ranges {
			if r.From >= r.To || i > 0 && ranges[i-1].To >= r.From {
				t.Fatalf("%s: ranges %v", parser.FormatExpr(e), ranges)
			}
			for id := r.From; id < r.To; id++ {
				got = append(got, id)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", parser.FormatExpr(e), got, want)
		}
		return true
	}
	x := &parser.Var{Name: "x"}
	exact := 0
	var conditions []parser.Expr
	for _, c := range list[:len(list)-700] {
		if c.Kind == rdf.BlankNode {
			continue
		}
		for _, op := range []string{"=", "!=", "<", ">", "<=", ">=", "SAMETERM", "IN"} {
			conditions = append(conditions, &parser.Call{Function: op, Args: []parser.Expr{x, &parser.Const{Term: c}}},
				&parser.Call{Function: op, Args: []parser.Expr{x, &parser.Const{Term: c}}})
		}
	}
	conditions = append(conditions, parseExpr(t, "isNumeric(?x)"), parseExpr(t, "isLiteral(?x)"))
	for _, e := range conditions {
		if check(e) {
			exact++
		}
	}
	if exact < len(conditions)/2 {
		t.Errorf("only %d of %d conditions became ranges", exact, len(conditions))
	}
	for range 300 {
		a, b := conditions[r.IntN(len(conditions))], conditions[r.IntN(len(conditions))]
		check(&parser.Call{Function: []string{"&&", "||"}[r.IntN(2)], Args: []parser.Expr{a, b}})
	}
}

// momentTerm draws a date or time of any kind, with a zone or without.
func momentTerm(t *rapid.T) rdf.Term {
	year := rapid.SampledFrom([]string{"-0044", "0001", "1969", "1970", "2024", "12000", "99999999999999999999"}).Draw(t, "year")
	date := fmt.Sprintf("%s-%02d-%02d", year, rapid.IntRange(1, 12).Draw(t, "month"), rapid.IntRange(1, 28).Draw(t, "day"))
	time := fmt.Sprintf("%02d:%02d:%02d%s", rapid.IntRange(0, 24).Draw(t, "hour"), rapid.IntRange(0, 1).Draw(t, "minute"), rapid.IntRange(0, 1).Draw(t, "second"), rapid.SampledFrom([]string{"", ".5", ".123456789", ".1234567891"}).Draw(t, "fraction"))
	zone := rapid.SampledFrom([]string{"", "", "Z", "+14:00", "-05:30"}).Draw(t, "zone")
	switch kind := rapid.SampledFrom([]string{"dateTime", "date", "time", "gYear", "gYearMonth"}).Draw(t, "kind"); kind {
	case "dateTime":
		return rdf.NewTyped(date+"T"+time+zone, rdf.XSD+kind)
	case "date":
		return rdf.NewTyped(date+zone, rdf.XSD+kind)
	case "time":
		return rdf.NewTyped(time+zone, rdf.XSD+kind)
	case "gYear":
		return rdf.NewTyped(year+zone, rdf.XSD+kind)
	}
	return rdf.NewTyped(date[:len(date)-3]+zone, rdf.XSD+"gYearMonth")
}

// TestTermsThatAscendAreInOrder: wherever Ascend says so, of numbers of several datatypes, of strings, and of dates and times, in two segments; and what is beaten
// by a term comes after it, or before it.
func TestTermsThatAscendAreInOrder(outer *testing.T) {
	rapid.Check(outer, func(t *rapid.T) {
		term := rapid.Custom(func(t *rapid.T) rdf.Term {
			n, kind := rapid.IntRange(-9, 9).Draw(t, "number"), rapid.SampledFrom([]string{"integer", "decimal", "double", "string", "date", "moment", "moment", "moment"}).Draw(t, "type")
			if kind == "moment" {
				return momentTerm(t)
			}
			return rdf.NewTyped(fmt.Sprint(n), "http://www.w3.org/2001/XMLSchema#"+kind)
		})
		env := newEnvOfSegments(outer, rapid.SliceOfN(term, 1, 40).Draw(t, "first"), rapid.SliceOfN(term, 0, 40).Draw(t, "second"))
		order := NewComparer(env.Terms, env.Dictionary)
		for first := range dictionary.ID(env.Dictionary.Len()) {
			for last := first + 1; int(last) < env.Dictionary.Len() && order.Ascend(first, last); last++ {
				if order.Compare(last-1, last) > 0 {
					t.Fatalf("%v comes after %v", env.Terms.Term(last-1), env.Terms.Term(last))
				}
			}
			for _, sign := range []int{-1, 1} {
				for _, beaten := range order.Beaten(first, sign) {
					for id := beaten.From; id < beaten.To; id++ {
						if c := order.Compare(id, first); c == 0 || (c < 0) != (sign > 0) {
							t.Fatalf("%v is not beaten by %v", env.Terms.Term(id), env.Terms.Term(first))
						}
					}
				}
			}
		}
	})
}
