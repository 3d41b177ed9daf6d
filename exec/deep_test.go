package exec_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
)

// TestLargeQueriesArePlannedInTime: neither depth nor width of a query makes planning explode.
func TestLargeQueriesArePlannedInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("in one goroutine, where the race detector sees nothing")
	}
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
		"more UNIONs":      "{ { ?x :link ?y }" + strings.Repeat(" UNION { ?x :group ?y }", 20_000) + " }",
		"more OPTIONALs":   "{ ?x :number 1 " + numbered("OPTIONAL { ?x :link ?y%d } ", 500) + "}",
		"many BINDs":       "{ ?x :number ?n " + numbered("BIND(?n + 1 AS ?b%d) ", 500) + "}",
		"many FILTERs":     "{ ?x :number ?n OPTIONAL { ?x :link ?y } " + numbered("FILTER(?n != %d) ", 2000) + "}",
		"a large IN":       "{ ?x :link ?y FILTER(?y IN (:i1" + strings.Repeat(", :i2", 5000) + ")) }",
		"a large NOT IN":   "{ ?x :link ?y FILTER(?y NOT IN (?z" + numbered(", ?z%d", 50_000) + ")) }",
		"a large VALUES":   "{ ?x :link ?y VALUES ?y { " + strings.Repeat(":i1 ", 5000) + "} }",
		"nested COUNTs":    numbered("{ SELECT (COUNT(*) AS ?n%d) ", 60) + "{ ?x :link ?y }" + strings.Repeat(" }", 60),
		"nested paths":     "{ :i1 " + strings.Repeat("(", 100) + ":link" + strings.Repeat(")*", 100) + " ?o }",
		"steps in a row":   "{ ?x (" + strings.Repeat("(:link|:group|^:link|^:group)/", 40) + ":none)+ ?y }",
		"many groups":      "{" + strings.Repeat("{ ?x :number 7 OPTIONAL { ?x :none ?y } } ", 300) + "}",
		"subqueries apart": "{" + strings.Repeat(" { SELECT ?x (COUNT(*) AS ?n) { ?x :link ?y } GROUP BY ?x }", 12) + " }",
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			q := parse(t, "PREFIX : <"+exampleNS+"> SELECT * "+pattern)
			p, err := exec.Prepare(t.Context(), q, m, m.dict, onProcessor())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Count(t.Context()); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestExplainIsJSONWhateverItCosts: estimates stay numbers where the product of what is joined does not.
func TestExplainIsJSONWhateverItCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, and of one goroutine")
	}
	m := many(t, 1000)
	for _, pattern := range []string{
		"{ " + numbered("?a%[1]d ?p%[1]d ?b%[1]d . ", 300) + "}",
		"{ " + numbered("{ ?a%[1]d ?p%[1]d ?b%[1]d } UNION { ?a%[1]d :link ?b%[1]d } ", 150) + "}",
	} {
		p, err := exec.Prepare(t.Context(), parse(t, "PREFIX : <"+exampleNS+"> SELECT * "+pattern), m, m.dict, onProcessor())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(p.Explain()); err != nil {
			t.Error(err)
		}
	}
}

// numbered repeats a text with the numbers from 0 on.
func numbered(format string, n int) string {
	var sb strings.Builder
	for i := range n {
		fmt.Fprintf(&sb, format, i)
	}
	return sb.String()
}

// TestWhatIsTooLargeToPlanIsRefused at once, whatever holds it.
func TestWhatIsTooLargeToPlanIsRefused(t *testing.T) {
	m := many(t, 10)
	for name, pattern := range map[string]string{
		"OPTIONALs":  "{ ?x :number 1 " + numbered("OPTIONAL { ?x :link ?y%d } ", 20_000) + "}",
		"BINDs":      "{ ?x :number ?n " + numbered("BIND(?n + 1 AS ?b%d) ", 5000) + "}",
		"in EXISTS":  "{ ?x :number ?n FILTER(1 = 1 && NOT EXISTS { ?x :number 1 " + numbered("OPTIONAL { ?x :link ?y%d } ", 5000) + "}) }",
		"aggregates": "{ { SELECT" + numbered(" (COUNT(*) AS ?c%d)", 3000) + " { ?x :number ?n } } " + strings.Repeat("{ ?x :link ?y } UNION ", 3000) + "{ ?y :group ?x } }",
	} {
		t.Run(name, func(t *testing.T) {
			q := parse(t, "PREFIX : <"+exampleNS+"> SELECT * "+pattern)
			began := time.Now()
			_, err := exec.Prepare(t.Context(), q, m, m.dict, onProcessor())
			if took := time.Since(began); !errors.Is(err, exec.ErrUnsupported) || took > 10*time.Second {
				t.Errorf("%v after %v", err, took)
			}
		})
	}
}

// TestQueriesOfAnyWidthAnswer: one solution, over one triple and over a graph where there are more than numbers can say. In what
// is repeated, @ stands for its number and ~ for the next.
func TestQueriesOfAnyWidthAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, and of one goroutine")
	}
	one := []quad{{subject: node(0), predicate: node(9), object: node(0)}}
	var dense []quad
	for i := range 32 {
		dense = append(dense, quad{subject: node(i / 8), predicate: node(9 - i%2), object: node(i / 2 % 4)})
	}
	for name, shape := range map[string]struct {
		first, each string
		widths      []int
	}{
		"chain of variables":   {"", "?v@ ?p@ ?v~ . ", []int{1, 47, 48, 49, 64, 65, 100}},
		"star of variables":    {"", "?v ?p@ ?v@ . ", []int{1, 48, 64, 65, 130}},
		"chain":                {"", "?v@ :n9 ?v~ . ", []int{1, 64, 65, 130}},
		"star":                 {"", "?v :n9 ?v@ . ", []int{1, 64, 65, 130}},
		"parts":                {"", "?v@ :n9 ?w@ . ", []int{1, 64, 65}},
		"star of OPTIONALs":    {"?v :n9 ?w ", "OPTIONAL { ?v :n9 ?v@ } ", []int{1, 63, 64, 65}},
		"chain of OPTIONALs":   {"?v0 :n9 ?w ", "OPTIONAL { ?v@ ?p@ ?v~ } ", []int{1, 63, 64, 65}},
		"UNION":                {"{ ?v :n9 ?w } ", "UNION { ?v :n9 ?w@ } ", []int{1, 64, 65, 1000}},
		"MINUS":                {"?v :n9 ?w ", "MINUS { ?v :none ?v@ } ", []int{1, 64, 65, 130}},
		"EXISTS":               {"?v :n9 ?w ", "FILTER EXISTS { ?v :n9 ?v@ } ", []int{1, 64, 65, 130}},
		"BIND":                 {"?v :n9 ?w ", "BIND(?w AS ?v@) ", []int{1, 64, 65, 130}},
		"FILTER":               {"?v :n9 ?w ", "FILTER(?w != :x@) ", []int{1, 64, 65, 1000}},
		"VALUES beside it":     {"?v :n9 ?w ", "VALUES ?v@ { :n0 } ", []int{1, 64, 65, 130}},
		"subqueries beside it": {"?v :n9 ?w ", "{ SELECT ?v { ?v :n9 ?v@ } } ", []int{1, 30}},
		"sequence":             {"?v :n9 ?w . ?v :n9", "/:n9", []int{1, 64, 65, 130}},
	} {
		for _, n := range shape.widths {
			pattern := shape.first
			for i := range n {
				pattern += strings.NewReplacer("@", fmt.Sprint(i), "~", fmt.Sprint(i+1)).Replace(shape.each)
			}
			if name == "sequence" {
				pattern += " ?u"
			}
			q := parse(t, "PREFIX : <"+exampleNS+"> SELECT * { "+pattern+" } LIMIT 1")
			for _, quads := range [][]quad{one, dense} {
				m, err := newMemory(quads)
				if err != nil {
					t.Fatal(err)
				}
				if a, err := m.run(q, onProcessor()); err != nil || len(a.rows) != 1 {
					t.Errorf("%s, width %d, %d triples: not one solution, error %v", name, n, len(quads), err)
				}
			}
		}
	}
}
