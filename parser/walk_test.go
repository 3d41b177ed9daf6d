package parser

import (
	"slices"
	"testing"
)

// everything is a query that has each operator of the algebra but SERVICE.
const everything = `SELECT DISTINCT ?x (COUNT(?y) AS ?n) {
	?x <p> ?y OPTIONAL { ?y <q>* ?z FILTER(?z > 1) }
	{ ?x <r> ?z } UNION { GRAPH ?g { ?x <r> ?z } }
	MINUS { ?x <s> 5 } BIND(?y + 1 AS ?w) VALUES ?x { <a> <b> }
	{ SELECT REDUCED ?x { ?x <t> ?u FILTER(EXISTS { ?u <v> ?x } || STRLEN(STR(?u)) > 2) } LIMIT 5 }
} GROUP BY ?x ORDER BY DESC(?n)`

func mustParse(t *testing.T, text string) *Query {
	t.Helper()
	q, err := Parse(text, Options{Base: "http://e/"})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// kinds counts the operators of a pattern.
func kinds(into map[string]int, n Node) map[string]int {
	into[kindOf(n)]++
	for _, c := range Children(n) {
		kinds(into, c)
	}
	return into
}

func kindOf(n Node) string {
	text := FormatNode(n)
	return text[1:slices.IndexFunc([]byte(text), func(b byte) bool { return b == ' ' || b == ')' })]
}

func TestChildrenReachEveryOperator(t *testing.T) {
	found := kinds(map[string]int{}, mustParse(t, everything).Where)
	for _, kind := range []string{"bgp", "path", "join", "leftjoin", "union", "graph", "minus", "extend", "table", "filter", "project", "reduced", "slice", "distinct", "group", "order"} {
		if found[kind] == 0 {
			t.Errorf("no %s among %v", kind, found)
		}
	}
}

func TestMapChangesOnlyWhatItIsTold(t *testing.T) {
	where := mustParse(t, everything).Where
	var same, other func(Node) Node
	same = func(n Node) Node { return Map(n, same) }
	if same(where) != where {
		t.Error("an operator was made anew although nothing changed")
	}
	before := FormatNode(where)
	other = func(n Node) Node {
		if _, ok := n.(*BGP); ok {
			return &BGP{}
		}
		return Map(n, other)
	}
	changed := kinds(map[string]int{}, other(where))
	for kind, n := range kinds(map[string]int{}, where) {
		if changed[kind] != n {
			t.Errorf("%d operators %s instead of %d", changed[kind], kind, n)
		}
	}
	if FormatNode(where) != before {
		t.Error("the algebra itself was changed")
	}
}

func TestMapExpressionsReachesEveryExpression(t *testing.T) {
	var list []string
	var visit func(n Node) Node
	visit = func(n Node) Node {
		for _, e := range Expressions(n) {
			list = append(list, FormatExpr(e))
		}
		return Map(n, visit)
	}
	where := mustParse(t, everything).Where
	visit(where)
	want := 7 // of OPTIONAL, BIND, FILTER, the key, the aggregate, ORDER BY and the SELECT clause
	if len(list) != want {
		t.Errorf("%d expressions instead of %d: %q", len(list), want, list)
	}
	var rename func(e Expr) Expr
	rename = func(e Expr) Expr {
		if v, ok := e.(*Var); ok {
			return &Var{Name: v.Name + v.Name}
		}
		return MapArguments(e, rename)
	}
	e := mustParse(t, "ASK { FILTER(?x + STRLEN(?y) > 1) }").Where.(*Filter).Condition
	if got := FormatExpr(rename(e)); got != `(> (+ ?xx (STRLEN ?yy)) "1"^^<http://www.w3.org/2001/XMLSchema#integer>)` {
		t.Errorf("renamed to %s", got)
	}
	if e2 := MapArguments(e, func(e Expr) Expr { return e }); e2 != e {
		t.Error("an expression was made anew although nothing changed")
	}
}

func TestWhatExpressionsHold(t *testing.T) {
	for text, want := range map[string][3]bool{
		"?x > 1":                              {},
		"1 = 1 && !(NOT EXISTS { ?x ?p ?o })": {true, false, false},
		"STRLEN(STR(UUID())) > 1":             {false, true, false},
		"<f>(BNODE('a')) = ?x":                {false, true, true},
		"BNODE() = ?x || EXISTS { ?x ?p ?o }": {true, true, false},
	} {
		q, err := Parse("ASK { FILTER("+text+") }", Options{Base: "http://e/"})
		if err != nil {
			continue
		}
		e := q.Where.(*Filter).Condition
		if got := [3]bool{HasExists(e), IsVolatile(e), LabelsBlanks(e)}; got != want {
			t.Errorf("%s: %v instead of %v", text, got, want)
		}
	}
}

// TestWalkVisitsPatternsOfExists, also of those in each other, and nothing below what it is told to leave.
func TestWalkVisitsPatternsOfExists(t *testing.T) {
	q, err := Parse(`SELECT * { ?a <http://e/1> ?b FILTER (true || EXISTS { ?a <http://e/2> ?c FILTER NOT EXISTS { ?c <http://e/3> ?d } })
		SERVICE <http://e/s> { ?a <http://e/4> ?e } }`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	Walk(q.Where, func(n Node) bool {
		if bgp, ok := n.(*BGP); ok {
			for _, p := range bgp.Patterns {
				seen = append(seen, p.Predicate.Term.Value)
			}
		}
		_, service := n.(*Service)
		return !service
	})
	slices.Sort(seen)
	if want := []string{"http://e/1", "http://e/2", "http://e/3"}; !slices.Equal(seen, want) {
		t.Errorf("seen %v, want %v", seen, want)
	}
}
