package exec_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// TestConditionsAnswerTheSameWheneverTheyAreComputed: while a query is planned, before its match runs, or on its rows.
func TestConditionsAnswerTheSameWheneverTheyAreComputed(t *testing.T) {
	m := many(t, 3000)
	ns := "PREFIX : <" + exampleNS + "> "
	for _, text := range []string{
		"SELECT ?x ?g { ?x :link ?y . ?y :group ?g . ?g ^:group ?z FILTER(REGEX(STR(?g), '7$')) }",
		"SELECT ?g ?n { { ?x :group ?g . ?x :link ?y . ?z :link ?x } UNION { ?y :link ?g . ?g :number ?n . ?x :link ?y } FILTER(REGEX(STR(?g), '12$')) }",
		"SELECT ?g (COUNT(*) AS ?n) { ?x :group ?g . ?y :group ?g . ?y :link ?z FILTER(STRLEN(STR(?g)) > 21) FILTER(CONTAINS(STR(?g), '1')) } GROUP BY ?g",
		"SELECT ?x { ?x :number 5 OPTIONAL { ?x :group ?g . ?y :group ?g . ?y :link ?z . ?z :link ?a FILTER(REGEX(STR(?g), 'g.?5')) } }",
		"SELECT ?g { ?g ^:group ?z . ?z :link ?y . ?y :link ?x FILTER(REGEX(STR(?g), 'nothing')) }",
	} {
		q := parse(t, ns+text)
		var want []string
		for _, variant := range []string{"on rows", "while planned", "late"} {
			o := onProcessor()
			o.Unoptimised = variant == "on rows"
			if o.Tuning.TestTime = time.Hour; variant == "late" {
				o.Tuning.TestTime = -1
			}
			a, err := m.run(q, o)
			if err != nil {
				t.Fatalf("%s: %v\n%s", variant, err, text)
			}
			if got := tally(a.rows); want == nil {
				want = got
			} else if !slices.Equal(got, want) {
				t.Errorf("%s: %d rows instead of %d\n%s", variant, len(got), len(want), text)
			}
		}
	}
}

// TestAConditionOfTwoBranchesIsComputedForEach: the values that a filter is computed for are those of the branch that it
// was pushed into, even where there are as many in the other.
func TestAConditionOfTwoBranchesIsComputedForEach(t *testing.T) {
	var quads []quad
	iri := func(format string, a ...any) rdf.Term { return rdf.NewIRI(exampleNS + fmt.Sprintf(format, a...)) }
	for i := range 2000 {
		quads = append(quads,
			quad{subject: iri("s%d", i), predicate: iri("p"), object: iri("a%d", i%5)},
			quad{subject: iri("s%d", i), predicate: iri("q"), object: iri("b%d", i%5)})
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.run(parse(t, "PREFIX : <"+exampleNS+"> SELECT ?v { { ?s :p ?v } UNION { ?s :q ?v } FILTER(REGEX(STR(?v), '[ab]3$')) }"), onProcessor())
	if err != nil || len(a.rows) != 800 {
		t.Fatalf("%d rows instead of 800, error %v", len(a.rows), err)
	}
}

// TestHostileConditionsEndAtTheTimeLimit: planning is short and a filter looks at the context between values.
func TestHostileConditionsEndAtTheTimeLimit(t *testing.T) {
	var quads []quad
	long := strings.Repeat("xxxxxxxxxxxxxxxz", 64)
	for i := range 20_000 {
		s := rdf.NewIRI(fmt.Sprintf("%ss%d", exampleNS, i))
		quads = append(quads,
			quad{subject: s, predicate: rdf.NewIRI(exampleNS + "text"), object: rdf.NewString(fmt.Sprint(long, i))},
			quad{subject: s, predicate: rdf.NewIRI(exampleNS + "link"), object: rdf.NewIRI(fmt.Sprintf("%ss%d", exampleNS, i*7%20_000))})
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{
		"?x :text ?t . ?y :link ?x . ?z :link ?y . ?a :link ?z FILTER(%s)",
		"?x :text ?t FILTER(%s)",
		"?x :text ?t BIND(%s AS ?found) FILTER(!BOUND(?found) || ?found)",
		"?x :link ?y OPTIONAL { ?y :text ?t FILTER(%s) }",
	} {
		for _, condition := range []string{"REGEX(?t, '(x+x+)+(y|w+)+$')", "REGEX(REPLACE(?t, '(x+x+)+(y|w+)', 'b'), 'a')"} {
			q := parse(t, "PREFIX : <"+exampleNS+"> SELECT * { "+fmt.Sprintf(pattern, condition)+" }")
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			p, err := exec.Prepare(t.Context(), q, m, m.dict, onProcessor())
			if err == nil {
				err = p.Run(ctx, func(*vector.Batch) error { return nil })
			}
			cancel()
			took := time.Since(began)
			t.Logf("%v %s", took, pattern)
			if !errors.Is(err, context.DeadlineExceeded) || took > 10*time.Second {
				t.Errorf("%s %s: %v after %v", pattern, condition, err, took)
			}
		}
	}
}
