package exec_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
)

// TestLargeQueriesArePlannedInTime: neither depth nor width of a query makes planning explode.
func TestLargeQueriesArePlannedInTime(t *testing.T) {
	m := many(t, 100)
	nest := func(open, middle, end string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	var wide strings.Builder
	for i := range 100 {
		fmt.Fprintf(&wide, "OPTIONAL { ?x%d :link ?x%d } ", i, i+1)
	}
	for name, pattern := range map[string]string{
		"nested OPTIONAL":  nest("{ ?x :link ?y OPTIONAL ", "{ ?x :number ?n }", " }", 40),
		"nested UNION":     nest("{ { ?x :link ?y } UNION ", "{ ?x :number ?n }", " }", 40),
		"nested joins":     nest("{ ?x :link* ?y { ?y :group ?g } UNION { ?y :number ?g } ", "{ ?x :number ?n }", " }", 30),
		"nested EXISTS":    nest("{ ?x :link ?y FILTER EXISTS ", "{ ?x :number ?n }", " }", 20),
		"nested MINUS":     nest("{ ?x :link ?y MINUS ", "{ ?x :number ?n }", " }", 20),
		"nested subquery":  nest("{ SELECT ?x ?y { ?x :link ?y . ", "{ ?x :number ?n }", " } }", 20),
		"many OPTIONALs":   "{ ?x0 :number 1 " + wide.String() + "}",
		"many UNIONs":      "{ { ?x :link ?y }" + strings.Repeat(" UNION { ?x :group ?y }", 200) + " }",
		"a large IN":       "{ ?x :link ?y FILTER(?y IN (:i1" + strings.Repeat(", :i2", 5000) + ")) }",
		"a large VALUES":   "{ ?x :link ?y VALUES ?y { " + strings.Repeat(":i1 ", 5000) + "} }",
		"subqueries apart": "{" + strings.Repeat(" { SELECT ?x (COUNT(*) AS ?n) { ?x :link ?y } GROUP BY ?x }", 12) + " }",
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			q := parse(t, "PREFIX : <"+exampleNS+"> SELECT * "+pattern)
			p, err := exec.Prepare(q, m, m.dict, onProcessor())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Count(t.Context()); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}
