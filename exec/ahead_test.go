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

// firstQuery draws a query for the first rows by a value, and then by all that tells rows apart.
func (g *generator) firstQuery() string {
	text := "PREFIX : <" + exampleNS + "> SELECT * { " + g.oneOf("?a :n ?n . ", "?a :p0 ?b . ?b :n ?n . ", "?a :p0 ?b . ?a :n ?n . ?b :p1 ?c . ", "?a :n ?n . ?b :n ?n . ", "?b :p0 ?a . ?a :n ?n OPTIONAL { ?a :p1 ?c } ", "?a ?p ?n . ?b :p0 ?a . ")
	text += g.oneOf("", "", "", "FILTER(?n > 0) ", "FILTER(?a != :v1) ", "FILTER(STRLEN(STR(?n)) < 4) ", "BIND(STR(?n) AS ?t) ", "FILTER EXISTS { ?a :p1 ?e } ", "FILTER(isLiteral(?n)) ")
	text += "} ORDER BY " + g.oneOf("?n", "DESC(?n)", "DESC(?n)") + g.oneOf("", " ?a", " DESC(?a)") + " STR(?n) DATATYPE(?n) LANG(?n) ?a ?b ?c ?p" + fmt.Sprintf(" LIMIT %d", 1+g.pick(8))
	if g.chance(30) {
		text += fmt.Sprintf(" OFFSET %d", g.pick(5))
	}
	return text
}

// TestFirstRowsAreThoseOfAll compares the first rows by values of all sorts with the beginning of all rows.
func TestFirstRowsAreThoseOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
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
		text := g.firstQuery()
		q, m, device := drawn(t, text, segments, commits)
		defer device.Close()
		semantics := g.semantics(q)
		full, offset, limit := unsliced(q, true)
		run := func(name string, o exec.Options) [][]rdf.Term {
			o.Semantics = semantics
			if name == "kept" {
				var err error
				if o.Planned, err = m.kept(q, o); err != nil {
					t.Fatal(err)
				}
			}
			of := q
			if name == "all" {
				of = full
			}
			a, err := m.run(of, o)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, reproduce(segments, commits, text))
			}
			return a.rows
		}
		all := run("all", onProcessor())
		never, always := onProcessor(), onProcessor()
		never.Tuning.FirstGain, always.Tuning.FirstGain = -1, math.Inf(1)
		pieces := inPieces(1 + g.pick(3))
		pieces.Tuning.FirstGain = math.Inf(1)
		workers := shared()
		workers.Tuning.FirstGain = math.Inf(1)
		by := device.options()
		by.Tuning.FirstGain = math.Inf(1)
		want := orderedRows(all[min(offset, len(all)):min(offset+limit, len(all))])
		for name, o := range map[string]exec.Options{"never": never, "always": always, "kept": always, "in pieces": pieces, "workers": workers, "device": by} {
			if got := orderedRows(run(name, o)); !slices.Equal(got, want) {
				t.Fatalf("%s: %s\n got:\n  %s\n want:\n  %s", name, reproduce(segments, commits, text), strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
		}
	})
}

func orderedRows(rows [][]rdf.Term) (out []string) {
	for _, r := range rows {
		out = append(out, rowKey(r, nil))
	}
	return out
}
