package exec_test

import (
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
)

const joinedUnion = "PREFIX : <" + exampleNS + "> SELECT (COUNT(*) AS ?n) { ?x :link ?y . ?y :link ?z { ?z :link ?w . ?w :name ?k } UNION { ?z :mail ?m } }"

// TestUnionsThatAreJoinedAreCountedByTheirBranches where joining would hand many rows on.
func TestUnionsThatAreJoinedAreCountedByTheirBranches(t *testing.T) {
	checkDistributed(t, "join", []distributedCase{
		{joinedUnion, true},
		{strings.Replace(joinedUnion, "(COUNT(*) AS ?n)", "?x (COUNT(*) AS ?n)", 1) + " GROUP BY ?x", true},
		{strings.Replace(joinedUnion, "?z :mail ?m", "?z :mail+ ?m", 1), false},
		{strings.Replace(joinedUnion, "COUNT(*)", "COUNT(DISTINCT ?w)", 1), true}, // of each ?w the first solution is found soon
	})
}

const joinedStep = "PREFIX : <" + exampleNS + "> SELECT ?x ?z { ?x :link ?y . ?y :link? ?z . ?z :link ?x }"

// TestPathsOfNoStepOrOneAreMatchedWithTheirPatterns where joining would hand many rows on.
func TestPathsOfNoStepOrOneAreMatchedWithTheirPatterns(t *testing.T) {
	if testing.Short() {
		t.Skip("in one goroutine, where the race detector sees nothing")
	}
	checkDistributed(t, "path", []distributedCase{
		{joinedStep, true},
		{strings.Replace(joinedStep, "?x ?z {", "DISTINCT ?x {", 1), true},
		{strings.Replace(joinedStep, "?x ?z {", "(COUNT(*) AS ?n) {", 1), true},
		{strings.Replace(joinedStep, ":link? ?z . ?z :link ?x", "(^:link)? ?z", 1), true},
		{strings.Replace(joinedStep, ":link?", "(:link|:mail)?", 1), false},
		{strings.Replace(joinedStep, ":link?", "(:link/:link)?", 1), false},
		{strings.Replace(joinedStep, "?x :link ?y . ?y :link? ?z . ?z :link ?x", "?x :link ?y OPTIONAL { ?y :mail ?z } ?y :link? ?z", 1), false}, // which may leave ?z open
	})
}

// distributedCase is a query, and whether a join of it is distributed.
type distributedCase struct {
	text        string
	distributed bool
}

// checkDistributed compares queries with themselves without distribution, whose plans alone then have an operator.
func checkDistributed(t *testing.T, operator string, cases []distributedCase) {
	t.Helper()
	m := triangles(t, 2000, 20_000)
	never := onProcessor()
	never.Tuning.DistributedGain = -1
	for _, c := range cases {
		q := parse(t, c.text)
		p, err := exec.Prepare(t.Context(), q, m, m.dict, onProcessor())
		if err != nil {
			t.Fatal(err)
		}
		if text := explained(t, p); strings.Contains(text, operator) == c.distributed {
			t.Errorf("%s\n%s", c.text, text)
		}
		got, err := m.run(q, onProcessor())
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.run(q, never)
		if err != nil || len(got.rows) == 0 && c.distributed || strings.Join(tally(got.rows), "\n") != strings.Join(tally(want.rows), "\n") {
			t.Errorf("%s: %d rows, without distribution %d, error %v", c.text, len(got.rows), len(want.rows), err)
		}
	}
}

// BenchmarkJoinedUnion counts a join with a union by its branches, and by rows.
func BenchmarkJoinedUnion(b *testing.B) {
	m := triangles(b, 10_000, 60_000)
	for name, text := range map[string]string{
		"count":  joinedUnion,
		"group":  strings.Replace(joinedUnion, "(COUNT(*) AS ?n)", "?x (COUNT(*) AS ?n)", 1) + " GROUP BY ?x",
		"values": "PREFIX : <" + exampleNS + "> SELECT (COUNT(*) AS ?n) { ?x :link ?y . ?y :link ?z . ?z :link ?w VALUES (?x ?w) { (:v1 UNDEF) (UNDEF :v2) (UNDEF :v3) } }",
	} {
		q := parse(b, text)
		for _, variant := range []string{"branches", "rows"} {
			b.Run(name+"/"+variant, func(b *testing.B) {
				o := onProcessor()
				if variant == "rows" {
					o.Tuning.DistributedGain = -1
				}
				for b.Loop() {
					if _, err := m.run(q, o); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
