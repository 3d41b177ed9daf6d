package exec_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// TestCountsDoNotOverflowSilently: a number of solutions beyond 64 bits is an error, the largest ones below are right.
func TestCountsDoNotOverflowSilently(t *testing.T) {
	var quads []quad
	iri := func(name string) rdf.Term { return rdf.NewIRI(exampleNS + name) }
	for i := range 1000 {
		quads = append(quads, quad{subject: iri("hub"), predicate: iri("p"), object: iri(fmt.Sprintf("o%d", i))})
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	arms := func(n int) (out string) {
		for i := range n {
			out += fmt.Sprintf("?h :p ?v%d . ", i)
		}
		return out
	}
	for _, form := range []string{
		"SELECT (COUNT(*) AS ?n) { %s }",
		"SELECT ?h (COUNT(*) AS ?n) { %s } GROUP BY ?h",
		"SELECT (COUNT(?h) AS ?n) { { %s } UNION { ?h :q ?x } }",
		"SELECT ?h (SUM(1) AS ?n) { %s } GROUP BY ?h",
		"SELECT (COUNT(*) AS ?n) { %s OPTIONAL { ?h :q ?x } }",
		"SELECT (COUNT(*) AS ?n) { ?h :p ?w OPTIONAL { %s } FILTER(?w = :o1) }",
	} {
		for n, want := range map[int]string{6: "1" + strings.Repeat("0", 18), 7: ""} {
			a, err := m.run(parse(t, "PREFIX : <"+exampleNS+"> "+fmt.Sprintf(form, arms(n))), onProcessor())
			switch {
			case want == "" && !errors.Is(err, match.ErrTooMany):
				t.Errorf("%s with %d arms: %d rows, error %v", form, n, len(a.rows), err)
			case want != "" && (err != nil || len(a.rows) != 1 || a.rows[0][len(a.rows[0])-1].Value != want):
				t.Errorf("%s with %d arms: %v, error %v instead of %s", form, n, a.rows, err, want)
			}
		}
	}
}

// TestSumsOfRepeatedRowsAreExact: a row that stands for many adds its value as often.
func TestSumsOfRepeatedRowsAreExact(t *testing.T) {
	var quads []quad
	iri := func(name string) rdf.Term { return rdf.NewIRI(exampleNS + name) }
	for i := range 100 {
		quads = append(quads, quad{subject: iri("hub"), predicate: iri("p"), object: iri(fmt.Sprintf("o%d", i))})
	}
	for _, value := range []rdf.Term{integer(3), rdf.NewTyped("9223372036854775807", rdf.XSDInteger), rdf.NewTyped("0.5", rdf.XSDDecimal)} {
		quads = append(quads, quad{subject: iri("hub"), predicate: iri("value"), object: value})
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.run(parse(t, "PREFIX : <"+exampleNS+"> SELECT (SUM(?x) AS ?s) (AVG(?x) AS ?a) (COUNT(?x) AS ?n) { ?h :value ?x . ?h :p ?v . ?h :p ?w }"), onProcessor())
	if err != nil || len(a.rows) != 1 {
		t.Fatal(a.rows, err)
	}
	for i, want := range []string{"92233720368547758105000", "3074457345618258603.5", "30000"} {
		if got := a.rows[0][i].Value; strings.TrimSuffix(got, ".0") != want {
			t.Errorf("column %d: %s instead of %s", i, got, want)
		}
	}
}

// TestWhatDiffersEachTimeIsCountedByRow: UUID and RAND are other terms for each solution, whether or not the solutions are equal, and BNODE makes another
// blank node of a label in each; what a solution is joined with does not change its terms.
func TestWhatDiffersEachTimeIsCountedByRow(t *testing.T) {
	t.Parallel()
	m, err := readTriG(":a :p :b, :c, :d . :b :p :a, :c .")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"UUID()", "RAND()", "STRUUID()", "BNODE()", "BNODE(\"x\")"} {
		for query, want := range map[string]string{
			"SELECT (COUNT(DISTINCT %s) AS ?n) { ?x :p ?y }":                                                      "5",
			"SELECT (COUNT(DISTINCT ?r) AS ?n) { ?x :p ?y BIND(%s AS ?r) }":                                       "5",
			"SELECT (COUNT(*) AS ?n) { SELECT DISTINCT ?r { ?x :p ?y BIND(%s AS ?r) } }":                          "5",
			"SELECT (COUNT(*) AS ?n) { SELECT ?r { ?x :p ?y } GROUP BY (%s AS ?r) }":                              "5",
			"SELECT (COUNT(DISTINCT ?r) AS ?n) { { ?x :p :c BIND(%s AS ?r) } UNION { ?x :p :c BIND(%s AS ?r) } }": "4",
			"SELECT (COUNT(DISTINCT ?r) AS ?n) { ?x :p ?y { ?x :p :c BIND(%s AS ?r) } }":                          "2",
			"SELECT (COUNT(DISTINCT ?r) AS ?n) { ?x :p ?y BIND(%s AS ?r) VALUES ?x { :a :a } }":                   "3",
		} {
			text := strings.ReplaceAll(query, "%s", of)
			a, err := m.run(parse(t, "PREFIX : <"+exampleNS+"> "+text), onProcessor())
			if err != nil || a.rows[0][0].Value != want {
				t.Errorf("%s: %v (error %v), want %s", text, a, err, want)
			}
		}
	}
}
