package watch_test

import (
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestQueriesThatAskTheSameAreOne: whatever they call their variables, and in whatever order they have their patterns; each is told in its own words.
func TestQueriesThatAskTheSameAreOne(t *testing.T) {
	w := newWorld(t, map[rdf.Quad]bool{}, live.Options{})
	defer w.close()
	for text, others := range map[string][]string{
		"SELECT ?a ?b { ?a <p:> ?b . ?b <q:> ?c }": {"SELECT ?x ?y { ?y <q:> ?z . ?x <p:> ?y }", "PREFIX x: <p:> SELECT ?x ?y { ?x x: ?y ; <p:> ?y . ?y <q:> _:z }"},
		"SELECT ?a { ?a <p:> ?a }":                 {"SELECT ?b { ?b <p:> ?b }"},
		"SELECT ?a ?n { ?a <p:> 1 }":               {"SELECT ?n ?a { ?n <p:> 1 }"},
	} {
		for i, other := range append(others, "SELECT ?x ?y { ?x <p:> ?y }", "SELECT ?y ?x { ?x <p:> ?y . ?y <q:> ?z }", "SELECT ?x { ?x <p:> ?y }",
			"SELECT DISTINCT ?a ?b { ?a <p:> ?b . ?b <q:> ?c }", "SELECT ?x ?y { ?x <p:> ?y . ?y <q:> <c:> }", `SELECT ?x ?y { ?x <p:> "1" }`) {
			one, two := w.watch(text, bgp.Homomorphism), w.watch(other, bgp.Homomorphism)
			if queries, _ := w.watcher.Standing(); (queries == 1) != (i < len(others)) {
				t.Errorf("%s and %s are %d queries", text, other, queries)
			}
			for _, q := range []*watched{one, two} {
				for _, c := range w.told(q) {
					if !slices.Equal(c.Variables, q.asked.Parsed.Variables) {
						t.Errorf("%s is told of %v", q.asked.Text, c.Variables)
					}
				}
				q.Close()
			}
		}
	}
	one, two := w.watch("SELECT ?a { ?a <p:> ?b }", bgp.Homomorphism), w.watch("SELECT ?x { ?x <p:> ?y }", bgp.Isomorphism)
	defer one.Close()
	defer two.Close()
	if queries, _ := w.watcher.Standing(); queries != 2 {
		t.Error("queries of two semantics are one")
	}
}
