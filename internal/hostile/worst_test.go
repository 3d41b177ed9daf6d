//go:build !race

package hostile_test

import (
	"net/http"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/hostile"
)

// TestTheWorstEndAtTheirLimits: the limits hold for the queries that broke them.
func TestTheWorstEndAtTheirLimits(t *testing.T) {
	for _, kept := range hostile.Kept(hostile.StaysSmall) {
		t.Run(kept.Name, func(t *testing.T) {
			newSession(t).check(kept.Name, sent(http.MethodPost, "*/*", kept.Query))
		})
	}
}

// sent is a query and how it is sent.
func sent(method, accept, query string) *hostile.Query {
	return &hostile.Query{Tree: &hostile.Node{Open: prologue + query}, Request: hostile.Request{Method: method, Header: http.Header{"Accept": {accept}}}}
}

// TestEveryRequestGetsAStatus, whatever it asks for.
func TestEveryRequestGetsAStatus(t *testing.T) {
	s := newSession(t)
	s.check("the head of an answer that meets a limit", sent(http.MethodHead, "text/csv", "SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h . ?i ?t ?j }"))
	s.check("a predicate that RDF/XML has no name for", sent(http.MethodPost, "application/rdf+xml", "CONSTRUCT { ?a <http://example.org/1> ?b } WHERE { ?a ?p ?b }"))
}
