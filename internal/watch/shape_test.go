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
		"SELECT (COUNT(*) AS ?n) { ?x <p:> ?y }":                                                 true,
		"SELECT ?x (AVG(?y) * 2 AS ?n) { ?x <p:> ?y } GROUP BY ?x HAVING (MAX(?y) > 1)":          true,
		"SELECT (SAMPLE(?y) AS ?n) { ?x <p:> ?y }":                                               false,
		"SELECT (GROUP_CONCAT(?y) AS ?n) { ?x <p:> ?y }":                                         false,
		"SELECT (COUNT(DISTINCT *) AS ?n) { ?x <p:> ?y }":                                        false,
		"SELECT DISTINCT (COUNT(*) AS ?n) { ?x <p:> ?y } GROUP BY ?x":                            false,
		"SELECT (COUNT(*) AS ?n) { ?x <p:> ?y } GROUP BY (str(?x) AS ?s)":                        false,
		"SELECT (COUNT(*) AS ?n) { ?x <p:> ?y } GROUP BY ?x LIMIT 2":                             false,
		"SELECT (COUNT(*) AS ?n) { ?x <p:> ?y OPTIONAL { ?y <p:> ?z } }":                         false,
		"SELECT (COUNT(*) AS ?n) { ?x <p:> ?y } GROUP BY ?x HAVING (EXISTS { ?x <q:> ?z })":      false,
		"SELECT * { { SELECT ?x (COUNT(*) AS ?n) { ?x <p:> ?y } GROUP BY ?x } ?x <q:> ?z }":      false,
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
	for semantics, want := range map[bgp.Semantics]bool{bgp.Homomorphism: true, bgp.Isomorphism: false, bgp.Induced: false} {
		s := w.watch(two, semantics)
		if got := s.IsIncremental(); got != want {
			t.Errorf("%s under %v: %v", two, semantics, got)
		}
		s.Close()
	}
}

// TestExplain says why a query is evaluated again.
func TestExplain(t *testing.T) {
	w := newWorld(t, map[rdf.Quad]bool{}, live.Options{})
	defer w.close()
	for text, want := range map[string]string{
		"SELECT * { ?x <p:> ?y }":                                "Changes are found from the changed triples alone.\n",
		"SELECT DISTINCT ?x { ?x <p:> ?y }":                      "Changes are found from the changed triples alone.\nFor each subscriber is kept: each solution, with how often it is there.\n",
		"SELECT ?x (AVG(?y) AS ?n) { ?x <p:> ?y } GROUP BY ?x":   "Changes are found from the changed triples alone.\nFor each subscriber is kept: the rows of each group: ?y.\n",
		"SELECT (COUNT(*) AS ?n) { ?x <p:> ?y }":                 "Changes are found from the changed triples alone.\nFor each subscriber is kept: the rows of each group: their number.\n",
		"SELECT * { ?x <p:> ?y OPTIONAL { ?y <q:> ?z } }":        "The query is evaluated again, because of OPTIONAL, when a triple has changed whose predicate is one of\n  <p:>\n  <q:>.\nFor each subscriber is kept: all solutions.\n",
		"SELECT * { ?x ?p ?y FILTER NOT EXISTS { ?y <q:> ?z } }": "The query is evaluated again, because of EXISTS, when a triple has changed.\nFor each subscriber is kept: all solutions.\n",
		"SELECT * { ?x <p:>* ?y }":                               "The query is evaluated again, because of a path of any length, when a triple has changed.\nFor each subscriber is kept: all solutions.\n",
		"SELECT * { ?x <p:> \"chat\"@fr }":                       "The query is evaluated again, because of a basic graph pattern without variables, or with a language tag, when a triple has changed whose predicate is one of\n  <p:>.\nFor each subscriber is kept: all solutions.\n",
	} {
		e, err := watch.Explain(w.query(text, bgp.Homomorphism))
		if err != nil || e.String() != want {
			t.Errorf("%s: %s, %v", text, e, err)
		}
	}
	e, err := watch.Explain(w.query("SELECT * { ?x <p:> ?y }", bgp.Induced))
	if err != nil || e.Way != watch.Evaluated || e.Reason != "induced matching" {
		t.Errorf("induced: %s, %v", e, err)
	}
	if _, err := watch.Explain(w.query("SELECT * { ?x ?p ?y }", bgp.Induced)); !errors.Is(err, watch.ErrCannotStand) {
		t.Errorf("induced, with a variable predicate: %v", err)
	}
	if _, err := watch.Explain(w.query("ASK {}", bgp.Homomorphism)); !errors.Is(err, watch.ErrCannotStand) {
		t.Error(err)
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
