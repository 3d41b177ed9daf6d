package watch_test

import (
	"context"
	"errors"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/watch"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestWhatIsIncremental says which queries are kept up to date from changed triples alone (docs/WATCH.md).
func TestWhatIsIncremental(t *testing.T) {
	w := newWorld(t, map[rdf.Quad]bool{}, live.Options{})
	defer w.close()
	for text, want := range map[string]bool{
		"SELECT * { ?x <p:> ?y . ?y a <C:> }":                                                    true,
		"SELECT ?x { ?x ?p ?x FILTER (?p != <p:>) } ORDER BY ?x":                                 true,
		"SELECT DISTINCT ?x { ?x <p:> ?y BIND (str(?y) AS ?s) }":                                 true,
		"SELECT REDUCED ?x { { ?x <p:> ?y } UNION { ?x <q:> ?z VALUES ?z { 1 2 } } }":            true,
		"SELECT * { { SELECT ?x { ?x <p:> ?y } } FILTER isIRI(?x) }":                             true,
		"SELECT * { GRAPH <g:> { ?x <p:> ?y FILTER (?x != ?y) } }":                               true,
		"SELECT * { GRAPH ?g { ?x <p:> ?y } FILTER (?g != ?x) }":                                 true,
		"SELECT * { ?x <p:>/<q:> ?y }":                                                           true,
		"SELECT * { ?x <p:> ?y } LIMIT 3":                                                        false,
		"SELECT * { ?x <p:> ?y OPTIONAL { ?y <p:> ?z } }":                                        false,
		"SELECT * { ?x <p:> ?y FILTER NOT EXISTS { ?y <p:> ?x } }":                               false,
		"SELECT * { ?x <p:> ?y MINUS { ?y <p:> ?x } }":                                           false,
		"SELECT * { ?x <p:>* ?y }":                                                               false,
		"SELECT (COUNT(*) AS ?n) { ?x <p:> ?y }":                                                 false,
		"SELECT * { ?x <p:> \"chat\"@fr }":                                                       false,
		"SELECT * FROM <g:> { ?x <p:> ?y }":                                                      false,
		"SELECT * { <a:> <p:> <b:> }":                                                            false,
		"SELECT * { { SELECT DISTINCT ?x { ?x <p:> ?y } } ?x <q:> ?z }":                          false,
		"SELECT * { GRAPH ?g { { ?x <p:> ?y } UNION { ?y <p:> ?x } } }":                          false,
		"SELECT * { VALUES ?x { <a:> <b:> } }":                                                   false,
		"SELECT * { { ?x <p:> ?y } UNION { VALUES ?x { <a:> } } }":                               false,
		"SELECT * { { ?x <p:> ?y FILTER (?x != ?y) } { ?y <q:> ?z } }":                           false,
		"SELECT * { { ?x <p:> ?y BIND (1 AS ?one) } UNION { { ?x <q:> ?y } { ?y <q:> ?one } } }": true,
	} {
		s := w.watch(text, bgp.Homomorphism)
		if got := s.IsIncremental(); got != want {
			t.Errorf("%s: %v", text, got)
		}
		s.Close()
	}
	two := "SELECT * { { ?x <p:> ?y } { ?y <q:> ?z } }"
	for semantics, want := range map[bgp.Semantics]bool{bgp.Homomorphism: true, bgp.Isomorphism: false} {
		s := w.watch(two, semantics)
		if got := s.IsIncremental(); got != want {
			t.Errorf("%s under %v: %v", two, semantics, got)
		}
		s.Close()
	}
}

func TestWhatCannotStand(t *testing.T) {
	w := newWorld(t, map[rdf.Quad]bool{}, live.Options{})
	defer w.close()
	for _, text := range []string{
		"ASK { ?x <p:> ?y }", "CONSTRUCT { ?x <q:> ?y } { ?x <p:> ?y }", "DESCRIBE <a:>", "SELECT (RAND() AS ?r) { ?x <p:> ?y }",
		"SELECT * { SERVICE <http://e/sparql> { ?x <p:> ?y } }",
	} {
		if _, err := w.watcher.Subscribe(context.Background(), w.query(text, bgp.Homomorphism), watch.Options{}); !errors.Is(err, watch.ErrCannotStand) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if queries, seeds := w.watcher.Standing(); queries+seeds != 0 {
		t.Errorf("%d queries and %d seeds are left", queries, seeds)
	}
}
