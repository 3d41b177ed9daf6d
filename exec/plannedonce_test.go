package exec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// TestNothingIsPlannedWhileItRuns: match plans are made before the plan runs; what goroutines match beside one another are the same ones.
func TestNothingIsPlannedWhileItRuns(t *testing.T) {
	m := many(t, 200)
	for name, text := range map[string]string{
		"EXISTS that looks at all its solutions": "SELECT * { ?x :number ?n FILTER EXISTS { { SELECT ?x (COUNT(*) AS ?c) { ?x :link ?y } GROUP BY ?x } FILTER(?c > 0) } }",
		"EXISTS with MINUS":                      "SELECT * { ?x :number ?n FILTER NOT EXISTS { ?x :link ?y MINUS { ?y :number ?n } } }",
		"EXISTS with BIND":                       "SELECT * { ?x :number ?n FILTER EXISTS { ?x :link ?y BIND(?n AS ?m) ?y :number ?k FILTER(?k != ?m) } }",
		"what OPTIONAL leaves unbound":           "SELECT * { ?x :number ?n OPTIONAL { ?x :none ?y } OPTIONAL { ?x :group ?y } FILTER EXISTS { ?y ?p ?x } }",
		"conditions on few values":               "SELECT * { ?x :link ?y . ?y :group ?g . ?g ^:group ?z FILTER(REGEX(STR(?g), '7$')) }",
	} {
		t.Run(name, func(t *testing.T) {
			o := onProcessor()
			matcher, asked := o.Matcher, map[*bgp.MatchPlan]bool{}
			o.Matcher = func(plan *bgp.MatchPlan, graph *pcsr.Graph) match.Matcher {
				asked[plan] = true
				return matcher(plan, graph)
			}
			o.Tuning.TestTime = -1
			p, err := exec.Prepare(t.Context(), parse(t, "PREFIX : <"+exampleNS+"> "+text), m, m.dict, o)
			if err != nil {
				t.Fatal(err)
			}
			before := len(asked)
			if err := p.Run(t.Context(), func(*vector.Batch) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if len(asked) != before {
				t.Errorf("%d patterns were planned before the run, %d during it", before, len(asked)-before)
			}
		})
	}
}

// TestPatternsOfEXISTSAnswerAsTheReferenceSays, those that are planned with parameters above all.
func TestPatternsOfEXISTSAnswerAsTheReferenceSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		quads, names := g.dataset()
		inner := g.triples()
		for range 1 + g.pick(3) {
			inner += g.oneOf("MINUS "+g.group(1), "BIND("+g.variable()+" AS ?x9) FILTER(?x9 = "+g.variable()+") ", "BIND("+g.oneOf(":n1", "?b")+" AS ?c) ",
				"{ "+g.subquery(1)+"} ", "GRAPH "+g.oneOf("?a", "?g")+" "+g.group(0), "OPTIONAL "+g.group(1), g.group(1)+"UNION "+g.group(1),
				"VALUES (?a ?b) { (:n1 UNDEF) (:n2 :n1) } ", "FILTER "+g.oneOf("", "NOT ")+"EXISTS { "+g.triples()+"MINUS "+g.group(0)+"} ")
		}
		text := "PREFIX : <" + exampleNS + ">\nSELECT * { " + g.triples() + g.oneOf("", "OPTIONAL "+g.group(0)) +
			"FILTER " + g.oneOf("", "NOT ") + "EXISTS { " + inner + "} }"
		q, err := parser.Parse(text, parser.Options{})
		if err != nil {
			t.Skip(err)
		}
		segments, commits := g.split(quads)
		m, err := newEdited(segments, commits, names...)
		if err != nil {
			t.Fatal(err)
		}
		semantics := g.semantics(q)
		want := tally(reference1(quads, names, q, semantics))
		for _, off := range []bool{false, true} {
			o := onProcessor()
			o.Semantics, o.Unoptimised = semantics, off
			a, err := m.run(q, o)
			if err != nil {
				t.Fatalf("%v\n%s", err, reproduce(segments, commits, text))
			}
			if got := tally(a.rows); !slices.Equal(got, want) {
				t.Fatalf("unoptimised %v, semantics %v: %d rows, the reference has %d\n%s\n got:\n  %s\n want:\n  %s", off, semantics, len(got), len(want),
					reproduce(segments, commits, text), strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
		}
	})
}

// TestNestedQueriesArePlannedOnce: time does not double with each level.
func TestNestedQueriesArePlannedOnce(t *testing.T) {
	m := many(t, 50)
	count := "{ ?x :link ?y }"
	for i := range 18 {
		count = fmt.Sprintf("{ SELECT (COUNT(*) AS ?n%d) %s }", i, count)
	}
	optional := "{ ?x :number ?n }"
	for range 60 {
		optional = "{ ?x :link ?y OPTIONAL " + optional + " }"
	}
	for name, pattern := range map[string]string{"counts": "{ " + count + " }", "optionals": optional} {
		began := time.Now()
		q := parse(t, "PREFIX : <"+exampleNS+"> SELECT * "+pattern)
		if _, err := exec.Prepare(t.Context(), q, m, m.dict, onProcessor()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: planning took %v", name, took)
		}
	}
}
