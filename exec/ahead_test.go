package exec_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// TestTheFirstRowsEndTheMatch: what is matched for the first rows of an order is a small part of all, where values are in the order of their IDs.
func TestTheFirstRowsEndTheMatch(t *testing.T) {
	m := many(t, 20_000)
	for _, c := range []struct {
		text string
		ends bool
	}{
		{"SELECT ?x ?n { ?x :number ?n } ORDER BY DESC(?n) LIMIT 10", true},
		{"SELECT ?x ?n { ?x :number ?n } ORDER BY ?n LIMIT 10 OFFSET 20", true},
		{"SELECT ?x ?n ?g { ?x :number ?n ; :group ?g } ORDER BY DESC(?n) ?g LIMIT 10", true},
		{"SELECT ?g ?n { ?x :group ?g . ?y :link ?x . ?y :number ?n } ORDER BY ?n ?g LIMIT 10", true},
		{"SELECT ?x (?n * 2 AS ?d) { ?x :number ?n } ORDER BY DESC(?n) LIMIT 5", true},
		{"SELECT ?x ?n { ?x :number ?n FILTER(STRLEN(STR(?x)) > 3) } ORDER BY DESC(?n) LIMIT 5", true},
		{"SELECT ?x ?n { ?x :number ?n FILTER(?n < 15000) } ORDER BY DESC(?n) LIMIT 5", true},
		{"SELECT ?x ?n ?g ?h { ?x :number ?n OPTIONAL { ?x :group ?g } OPTIONAL { ?x :link ?y . ?y :group ?h } } ORDER BY DESC(?n) LIMIT 10", true},
		{"SELECT DISTINCT ?g ?n { ?x :number ?n ; :group ?g } ORDER BY DESC(?n) ?g LIMIT 10", true},
		{"SELECT DISTINCT ?n { ?x :number ?n . ?y :link ?x OPTIONAL { ?x :group ?g } } ORDER BY DESC(?n) LIMIT 10", true},
		{"SELECT ?x ?n { ?x :number ?n MINUS { ?x :group :g3 } } ORDER BY ?n LIMIT 10", true},
		{"SELECT ?x ?n { ?x :number ?n FILTER NOT EXISTS { ?x :group :g3 } } ORDER BY ?n LIMIT 10", true},
		{"SELECT (MIN(?n) AS ?a) (MAX(?n) AS ?b) { ?x :number ?n }", true},
		{"SELECT (MAX(DISTINCT ?n) AS ?b) { ?x :number ?n ; :group ?g . ?g ^:group ?y FILTER(?n < 15000) }", true},
		{"SELECT (MIN(?n) AS ?a) (MAX(?n) AS ?b) { ?x :number ?n FILTER(?n > 7 && CONTAINS(STR(?n), \"1\")) }", true},
		{"SELECT (MIN(?n) AS ?a) (SUM(?n) AS ?b) { ?x :number ?n }", false},
		{"SELECT ?x ?n { ?x :number ?n } ORDER BY DESC(?n + 1) LIMIT 10", false},
		{"SELECT ?x ?g { ?x :group ?g } ORDER BY ?g LIMIT 10", false},
		{"SELECT ?x ?n { ?x :number ?n } ORDER BY DESC(?n) LIMIT 19000", false},
		{"SELECT ?x ?n { ?x :number ?n FILTER EXISTS { ?x :link ?y } } ORDER BY DESC(?n)", false},
	} {
		for workers, o := range map[string]exec.Options{"one goroutine": unshared(), "four": shared()} {
			q := parse(t, "PREFIX : <"+exampleNS+">\n"+c.text)
			never := o
			never.Tuning.FirstGain = -1
			want, err := m.run(q, never)
			if err != nil {
				t.Fatal(err)
			}
			p, err := exec.Prepare(t.Context(), q, m, m.dict, o)
			if err != nil {
				t.Fatal(err)
			}
			p.Analyze()
			got, err := collect(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := equalRows(want.rows, got, true); err != nil {
				t.Errorf("%s, %s: %v", c.text, workers, err)
			}
			if rows := firstRows(p.Explain()); (rows < 1_500) != c.ends {
				t.Errorf("%s, %s: the first step found %d rows\n%v", c.text, workers, rows, p.Explain())
			}
		}
	}
}

// firstRows is how many rows the first step of the first match of a plan found.
func firstRows(e *exec.Explain) uint64 {
	if e.Trace != nil && len(e.Trace.Steps) > 0 {
		return e.Trace.Steps[0].RowsOut
	}
	for _, c := range e.Children {
		if n := firstRows(c); n > 0 {
			return n
		}
	}
	return 0
}

// orderedTerm draws a value of any sort, many of them equal though they differ.
func (g *generator) orderedTerm() rdf.Term {
	n := g.pick(12) - 4
	return []rdf.Term{
		integer(n), integer(n), rdf.NewTyped(fmt.Sprintf("%d.0", n), rdf.XSDDecimal), rdf.NewTyped(fmt.Sprintf("%d.5E0", n), rdf.XSDDouble), rdf.NewTyped("NaN", rdf.XSDDouble),
		rdf.NewString(fmt.Sprint("s", n)), rdf.NewLangString(fmt.Sprint("s", n), g.oneOf("de", "en")), node(g.pick(4)), rdf.NewTyped("x", rdf.XSDInteger),
		rdf.NewTyped(fmt.Sprintf("20%02d-01-01", 10+n), rdf.XSD+"date"), rdf.NewTyped(fmt.Sprintf("20%02d-01-01T00:00:00Z", 10+n), rdf.XSD+"dateTime"), rdf.NewTyped(fmt.Sprintf("20%02d-01-01T00:00:00", 10+n), rdf.XSD+"dateTime"),
	}[g.pick(12)]
}

// firstPattern draws a pattern with a value of any sort.
func (g *generator) firstPattern() string {
	text := g.oneOf("?a :n ?n . ", "?a :p0 ?b . ?b :n ?n . ", "?a :p0 ?b . ?a :n ?n . ?b :p1 ?c . ", "?a :n ?n . ?b :n ?n . ", "?b :p0 ?a . ?a :n ?n OPTIONAL { ?a :p1 ?c } ", "?a :n ?n OPTIONAL { ?a :p1 ?c . ?c :p0 ?b FILTER(?n > 0) } OPTIONAL { ?b :p1 ?d } ", "?a :n ?n OPTIONAL { ?b :n ?n FILTER(?a != ?b) } ", "?a :n ?n MINUS { ?a :p1 ?e } ", "?a :n ?n MINUS { ?e :n ?n ; :p0 :v1 } ", "?a ?p ?n . ?b :p0 ?a . ")
	return "{ " + text + g.oneOf("", "", "", "FILTER(?n > 0) ", "FILTER(?a != :v1) ", "FILTER(STRLEN(STR(?n)) < 4) ", "BIND(STR(?n) AS ?t) ", "FILTER EXISTS { ?a :p1 ?e } ", "FILTER(isLiteral(?n)) ") + "}"
}

// firstQuery draws a query for the first rows by a value, and then by all that tells rows apart.
func (g *generator) firstQuery() string {
	columns := g.oneOf("*", "*", "?n ?a", "DISTINCT ?n ?a ?c", "DISTINCT ?n", "DISTINCT *")
	text := "PREFIX : <" + exampleNS + "> SELECT " + columns + " " + g.firstPattern()
	if g.chance(15) {
		text = "PREFIX : <" + exampleNS + "> SELECT * { " + g.oneOf("{ SELECT ?n ?a ", "{ SELECT DISTINCT ?a ", "{ SELECT ?a ?n ?b ") + g.firstPattern() + " } ?a :n ?n }"
	}
	text += " ORDER BY " + g.oneOf("?n", "DESC(?n)", "DESC(?n)") + g.oneOf("", " ?a", " DESC(?a)") + " STR(?n) DATATYPE(?n) LANG(?n) ?a ?b ?c ?d ?p" + fmt.Sprintf(" LIMIT %d", 1+g.pick(8))
	if g.chance(30) {
		text += fmt.Sprintf(" OFFSET %d", g.pick(5))
	}
	return text
}

// endsQuery draws a query for the ends of a value.
func (g *generator) endsQuery() string {
	text := "PREFIX : <" + exampleNS + "> SELECT"
	for i := range 1 + g.pick(2) {
		text += fmt.Sprintf(" (%s AS ?x%d)", g.oneOf("MIN(?n)", "MAX(?n)", "MIN(DISTINCT ?n)", "MAX(DISTINCT ?n)"), i)
	}
	return text + " " + g.firstPattern()
}

// TestFirstRowsAreThoseOfAll compares the first rows by values of all sorts with the beginning of all rows.
func TestFirstRowsAreThoseOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		text := g.firstQuery()
		g.sameAhead(t, text, func(q *parser.Query, run func(*parser.Query) [][]rdf.Term) [][]rdf.Term {
			full, offset, limit := unsliced(q, true)
			all := run(full)
			return all[min(offset, len(all)):min(offset+limit, len(all))]
		})
	})
}

// TestEndsAreThoseOfAll compares the least and the greatest of values of all sorts, where the match begins with these, with those of all.
func TestEndsAreThoseOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		text := g.endsQuery()
		g.sameAhead(t, text, func(q *parser.Query, run func(*parser.Query) [][]rdf.Term) [][]rdf.Term { return run(q) })
	})
}

// sameAhead compares a query's rows, where matches begin with what is needed first, on the processor, in batches of few rows, by workers, and on a device, with
// what matches that do not begin with it come to.
func (g *generator) sameAhead(t *rapid.T, text string, wanted func(*parser.Query, func(*parser.Query) [][]rdf.Term) [][]rdf.Term) {
	var quads []quad
	for range 4 + g.pick(12) {
		quads = append(quads, quad{subject: node(g.pick(4)), predicate: rdf.NewIRI(fmt.Sprintf("%sp%d", exampleNS, g.pick(2))), object: node(g.pick(4))})
	}
	draw := g.orderedTerm
	if g.chance(60) {
		draw = g.exactFigure
	}
	for range 1 + g.pick(150) {
		quads = append(quads, quad{subject: node(g.pick(4)), predicate: rdf.NewIRI(exampleNS + "n"), object: draw()})
	}
	segments, commits := g.split(quads)
	if g.chance(50) {
		segments, commits = []edits{{added: quads}}, nil
	}
	q, m, device := drawn(t, text, segments, commits)
	defer device.Close()
	semantics := g.semantics(q)
	run := func(q *parser.Query, o exec.Options) [][]rdf.Term {
		o.Semantics = semantics
		a, err := m.run(q, o)
		if err != nil {
			t.Fatalf("%v\n%s", err, reproduce(segments, commits, text))
		}
		return a.rows
	}
	never := onProcessor()
	never.Tuning.FirstGain = -1
	want := orderedRows(wanted(q, func(q *parser.Query) [][]rdf.Term { return run(q, never) }))
	for name, o := range map[string]exec.Options{"always": onProcessor(), "kept": onProcessor(), "in pieces": inPieces(1 + g.pick(3)), "workers": shared(), "device": device.options()} {
		o.Tuning.FirstGain = math.Inf(1)
		if name == "kept" {
			o.Semantics = semantics
			var err error
			if o.Planned, err = m.kept(q, o); err != nil {
				t.Fatal(err)
			}
		}
		if got := orderedRows(run(q, o)); !slices.Equal(got, want) {
			t.Fatalf("%s: %s\n got:\n  %s\n want:\n  %s", name, reproduce(segments, commits, text), strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	}
}

func orderedRows(rows [][]rdf.Term) (out []string) {
	for _, r := range rows {
		out = append(out, rowKey(r, nil))
	}
	return out
}
