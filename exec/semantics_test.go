package exec_test

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestSubstitutedVariablesStayVertices: whether EXISTS is matched for many solutions at once or, because of a BIND, for
// each by itself, two of its variables are two vertices also where the outside gives them one value.
func TestSubstitutedVariablesStayVertices(t *testing.T) {
	p := func(name string) rdf.Term { return rdf.NewIRI(exampleNS + name) }
	m, err := newMemory([]quad{
		{subject: node(0), predicate: p("p"), object: node(1)},
		{subject: node(2), predicate: p("p"), object: node(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, outside, inside              string
		homomorphism, isomorphism, byEdges int
		induced                            int
	}{
		{"one value for two variables", "(:n0 :n0)", "?a :p ?x . ?b :p ?x", 1, 0, 0, 0},
		{"two values", "(:n0 :n2)", "?a :p ?x . ?b :p ?x", 1, 1, 1, 1},
		{"the value of a constant", "(:n0 :n2)", "?a :p ?x . :n0 :p ?x", 1, 0, 0, 0},
		{"one value, edges that may differ", "(:n0 :n0)", "?a :p ?x . ?b :p ?y", 1, 0, 0, 0},
		{"a variable twice", "(:n0 :n0)", "?a :p ?x . ?a :p ?x", 1, 1, 1, 1},
	} {
		for _, bind := range []string{"", " BIND(1 AS ?z)"} {
			text := "PREFIX : <" + exampleNS + "> SELECT * { VALUES (?a ?b) { " + c.outside + " } FILTER EXISTS { " + c.inside + bind + " } }"
			for semantics, want := range map[bgp.Semantics]int{
				bgp.Homomorphism: c.homomorphism, bgp.Isomorphism: c.isomorphism, bgp.EdgeIsomorphism: c.byEdges,
				bgp.Induced: c.induced,
			} {
				o := onProcessor()
				o.Semantics = semantics
				a, err := m.run(parse(t, text), o)
				if err != nil || len(a.rows) != want {
					t.Errorf("%s%s, semantics %v: %d solutions instead of %d, error %v", c.name, bind, semantics, len(a.rows), want, err)
				}
			}
		}
	}
}
