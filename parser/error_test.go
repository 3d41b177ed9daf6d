package parser

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

func itoa(i int) string { return strconv.Itoa(i) }

func TestErrors(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"SELECT ?x {\n  ?x ?p\n}", `line 3, column 1: unexpected "}", expected a variable, an IRI, a literal or a blank node`},
		{"SELECT ?x { ?x }", `line 1, column 16: unexpected "}", expected a predicate`},
		{"SELECT ?é { ?é foaf:name ?n }", `line 1, column 16: the prefix "foaf:" is not declared (add PREFIX foaf: <http://xmlns.com/foaf/0.1/>)`},
		{"SELECT ?x { ?x ?p ?o", `line 1, column 21: unexpected end of the query, expected a triple pattern, a keyword such as OPTIONAL or FILTER or "}" (the '{' of line 1, column 11 is not closed)`},
		{"SELECT ?x { ?x ?p ?o ?a ?b ?c }", `line 1, column 22: unexpected "?a", expected ".", ";" or "," (triple patterns are separated by a full stop)`},
		{"SELECT ?x { ?x ?p ?o OPTIONL { ?x ?p ?y } }", `line 1, column 22: unexpected "OPTIONL", expected a triple pattern, a keyword such as OPTIONAL or FILTER or "}" (did you mean OPTIONAL?)`},
		{"CONSTRUCT { GRAPH <http://e/g> { ?s ?p ?o } } WHERE { ?s ?p ?o }", `line 1, column 13: GRAPH in the template of CONSTRUCT is not in SPARQL 1.1, which constructs one graph (GRAPH may stand in WHERE; an update writes graphs: INSERT { GRAPH … } WHERE …)`},
		{"CONSTRUCT {\n ?s ?p ?o . graph ?g { ?s ?p ?o } } WHERE { ?s ?p ?o }", `line 2, column 13: GRAPH in the template of CONSTRUCT is not in SPARQL 1.1, which constructs one graph (GRAPH may stand in WHERE; an update writes graphs: INSERT { GRAPH … } WHERE …)`},
		{"CONSTRUCT WHERE { GRAPH ?g { ?s ?p ?o } }", `line 1, column 19: GRAPH in the template of CONSTRUCT is not in SPARQL 1.1, which constructs one graph (GRAPH may stand in WHERE; an update writes graphs: INSERT { GRAPH … } WHERE …)`},
		{"CONSTRUCT { ?s ?p } WHERE { ?s ?p ?o }", `line 1, column 19: unexpected "}", expected a variable, an IRI, a literal or a blank node`},
		{"SELEC ?x { ?x ?p ?o }", `line 1, column 1: unexpected "SELEC", expected SELECT, ASK, CONSTRUCT, DESCRIBE, PREFIX or BASE (did you mean SELECT?)`},
		{"SELECT { ?x ?p ?o }", `line 1, column 8: unexpected "{", expected a variable, "*" or "(" expression AS variable ")"`},
		{"SELECT * { ?x ?p ?o } LIMIT x", `line 1, column 29: unexpected "x", expected a number`},
		{"SELECT * { FILTER(?x = 1 = 2) }", `line 1, column 26: unexpected "=", expected an operator or ")"`},
		{"SELECT * { FILTER(STRLEN(1, 2) = 2) }", `line 1, column 19: STRLEN takes 1 argument, not 2`},
		{"SELECT * { ?x ?p 'abc }", `line 1, column 18: this string is not closed`},
		{"SELECT ?y { ?x ?p ?o } GROUP BY ?x", `line 1, column 8: ?y is neither grouped by nor inside an aggregate (add ?y to GROUP BY or write SAMPLE(?y))`},
		{"SELECT (1 AS ?x) { ?x ?p ?o } GROUP BY ?x", `line 1, column 8: SELECT cannot assign ?x, which has a value already (use another variable name)`},
		{"SELECT ?x (1 AS ?o) { ?x ?p ?o }", `line 1, column 11: SELECT cannot assign ?o, which has a value already (use another variable name)`},
		{"SELECT (1 AS ?z) (2 AS ?z) { ?x ?p ?o } GROUP BY ?x", `line 1, column 18: SELECT cannot assign ?z, which has a value already (use another variable name)`},
		{"SELECT * { ?x ?p ?o BIND(1 AS ?o) }", `line 1, column 31: BIND cannot assign ?o, which has a value already in this group (use another variable name)`},
		{`SELECT * { ?x ?p "\u00e9" . }} `, `line 1, column 30: unexpected "}", expected the end of the query`},
		{"SELECT * { ?x ?p ?o } trailing", `line 1, column 23: unexpected "trailing", expected the end of the query`},
		{"", `line 1, column 1: unexpected end of the query, expected SELECT, ASK, CONSTRUCT, DESCRIBE, PREFIX or BASE`},
		{"SELECT * { ?x ?p \xff }", `line 1, column 18: the query is not valid UTF-8`},
		{`SELECT * { ?x ?p "\ud800" }`, `line 1, column 19: \ud800 is no character`},
		{"SELECT * { _:a ?p 1 { _:a ?q 2 } }", `line 1, column 23: the blank node label _:a is used in two basic graph patterns (use a variable instead)`},
		{"INSERT DATA { <a> <b> <c> }", `line 1, column 1: unexpected "INSERT", expected SELECT, ASK, CONSTRUCT, DESCRIBE, PREFIX or BASE (an update is sent apart from queries)`},
		{"CONSTRUCT FROM <g> { ?s ?p ?o }", `line 1, column 20: unexpected "{", expected WHERE`},
		{"CONSTRUCT WHERE { ?s ?p ?o FILTER(?o) }", `line 1, column 28: CONSTRUCT WHERE takes triple patterns only`},
		{"CONSTRUCT WHERE { ?s <p>/<q> ?o }", `line 1, column 22: a property path cannot stand in a template`},
		{"SELECT * { FILTER(SUM(?x) > 1) }", `line 1, column 19: the aggregate SUM cannot stand here (aggregates belong in SELECT, HAVING and ORDER BY, and not inside each other)`},
	} {
		_, err := Parse(c.query, Options{})
		if err == nil {
			t.Errorf("%s: accepted", c.query)
		} else if err.Error() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.query, err, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	for name, query := range map[string]string{
		"brackets": "ASK { FILTER(" + strings.Repeat("(", 1<<19) + "1",
		"groups":   "ASK " + strings.Repeat("{", 1<<19),
		"lists":    "ASK { ?s ?p " + strings.Repeat("[ ?p ", 1<<17),
		"sums":     "ASK { FILTER(1" + strings.Repeat("+1", 1<<18) + ") }",
		"ors":      "ASK { FILTER(1" + strings.Repeat("||1", 1<<16) + ") }",
		"length":   "ASK { } #" + strings.Repeat("x", 2<<20),
	} {
		if _, err := Parse(query, Options{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	start := time.Now()
	for name, query := range map[string]string{
		"sums":      "ASK { FILTER(1" + strings.Repeat("+1", 9999) + ") }",
		"optionals": "ASK { " + strings.Repeat("OPTIONAL {} ", 1<<14) + "}",
		"unions":    "ASK { {}" + strings.Repeat("UNION {}", 1<<14) + "}",
		"binds":     "ASK { " + manyBinds(1<<12) + "}",
		"paths":     "ASK { ?s ?p ?o . ?s <p>" + strings.Repeat("/<p>", 1<<15) + " ?o }",
		"counts":    "SELECT " + manyCounts(1<<14) + " {}",
		"rows":      "ASK { VALUES ?x { " + strings.Repeat("1 ", 1<<16) + "} }",
		"triples":   "SELECT * { " + strings.Repeat("?s ?p 1.", 1<<14) + "}",
	} {
		if _, err := Parse(query, Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if took := time.Since(start); took > 60*time.Second {
		t.Errorf("long queries took %v", took)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		benchQuery, `SELECT (SUM(?x) AS ?y) { ?a !(^:p|a)*/:q+ [ :r (1 2.5 "x"@en) ] } GROUP BY ?z HAVING(?x>1)`,
		`ASK{FILTER NOT EXISTS{GRAPH<g>{SERVICE ?s{}}}OPTIONAL{BIND(1 AS ?x)}VALUES(?a ?b){(UNDEF 1)}}`,
		`CONSTRUCT{?s?p _:x}WHERE{\u003Fs ?p """a""" MINUS{?s a <>}}ORDER BY DESC(?x)LIMIT 1`,
	} {
		f.Add(seed)
	}
	for _, seed := range w3cTexts(".rq") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		q, err := Parse(text, Options{Base: "http://example.org/", Prefixes: map[string]string{"": "http://e/"}})
		if took := time.Since(start); took > 5*time.Second {
			t.Fatalf("took %v", took)
		}
		if err == nil {
			FormatNode(q.Where)
			return
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%T: %v", err, err)
		}
		lines := strings.Split(text, "\n")
		if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Column > len([]rune(lines[e.Line-1]))+1 {
			t.Fatalf("%q: position %d:%d is outside of the query", text, e.Line, e.Column)
		}
	})
}

func manyCounts(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("(COUNT(" + itoa(i) + ") AS ?x" + itoa(i) + ") ")
	}
	return b.String()
}

func manyBinds(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("BIND(1 AS ?x" + itoa(i) + ") ")
	}
	return b.String()
}
