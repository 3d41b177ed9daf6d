package updatetest

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/naive"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// after is what a request makes of quads.
func after(quads []rdf.Quad, request string) ([]rdf.Quad, error) {
	var s naive.Store
	s.Load(quads)
	err := s.Update(request, "")
	return s.Quads(), err
}

// TestDrawnRequestsAreUpdates: they parse, but where a variable is bound twice; they mean the same when they are printed;
// and they change something often enough.
func TestDrawnRequestsAreUpdates(t *testing.T) {
	count, changed, failed := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		quads, request := DrawQuads(t), DrawRequest(t)
		u, err := parser.ParseUpdate(t.Context(), request, parser.Options{})
		if err != nil {
			if !strings.Contains(err.Error(), "has a value already") {
				t.Fatalf("%v\n%s", err, request)
			}
			t.Skip(err)
		}
		got, err := after(quads, request)
		again, errAgain := after(quads, u.String())
		if (err == nil) != (errAgain == nil) || Compare(again, got) != nil {
			t.Fatalf("%v, %v, printed as %s\n%v", err, errAgain, u, Compare(again, got))
		}
		count++
		switch {
		case errors.Is(err, naive.ErrNoGraph) || errors.Is(err, naive.ErrGraphExists):
			failed++
		case err != nil:
			t.Fatal(err)
		case Compare(got, quads) != nil:
			changed++
		}
	})
	if count >= 50 && (changed < count/4 || failed > count/2) {
		t.Errorf("of %d requests %d change something and %d fail", count, changed, failed)
	}
}

// TestOperationsThatAreOthersForShort: what SPARQL 1.1 Update says an operation is the same as.
func TestOperationsThatAreOthersForShort(t *testing.T) {
	for short, long := range map[string]string{
		"COPY SILENT :g0 TO :g1":     "DROP SILENT GRAPH :g1 ; INSERT { GRAPH :g1 { ?s ?p ?o } } WHERE { GRAPH :g0 { ?s ?p ?o } }",
		"COPY DEFAULT TO :g1":        "DROP SILENT GRAPH :g1 ; INSERT { GRAPH :g1 { ?s ?p ?o } } WHERE { ?s ?p ?o }",
		"MOVE SILENT :g0 TO :g1":     "COPY SILENT :g0 TO :g1 ; DROP SILENT GRAPH :g0",
		"MOVE SILENT :g0 TO DEFAULT": "COPY SILENT :g0 TO DEFAULT ; DROP SILENT GRAPH :g0",
		"ADD SILENT :g0 TO :g1":      "INSERT { GRAPH :g1 { ?s ?p ?o } } WHERE { GRAPH :g0 { ?s ?p ?o } }",
		"CLEAR ALL":                  "CLEAR DEFAULT ; CLEAR NAMED",
		"CLEAR NAMED":                "DELETE { GRAPH ?g { ?s ?p ?o } } WHERE { GRAPH ?g { ?s ?p ?o } }",
		"DROP SILENT GRAPH :g0":      "WITH :g0 DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
		"DELETE WHERE { ?s :p0 ?o . GRAPH ?g { ?s ?p ?o } }":                     "DELETE { ?s :p0 ?o . GRAPH ?g { ?s ?p ?o } } WHERE { ?s :p0 ?o . GRAPH ?g { ?s ?p ?o } }",
		"INSERT DATA { :n0 :p0 [] }":                                             "INSERT { :n0 :p0 [] } WHERE {}",
		"WITH :g0 DELETE { ?s :p0 ?o } INSERT { ?o :p1 ?s } WHERE { ?s :p0 ?o }": "DELETE { GRAPH :g0 { ?s :p0 ?o } } INSERT { GRAPH :g0 { ?o :p1 ?s } } WHERE { GRAPH :g0 { ?s :p0 ?o } }",
		"INSERT { ?s :p2 ?o } USING :g0 USING :g1 WHERE { ?s :p0 ?o }":           "INSERT { ?s :p2 ?o } WHERE { { GRAPH :g0 { ?s :p0 ?o } } UNION { GRAPH :g1 { ?s :p0 ?o } } }",
	} {
		rapid.Check(t, func(t *rapid.T) {
			quads := DrawQuads(t)
			const prologue = "PREFIX : <" + Namespace + "> "
			if strings.HasPrefix(short, "COPY SILENT") || strings.HasPrefix(short, "MOVE SILENT") {
				// Of a graph that is not there, the short form does nothing.
				quads = append(quads, rdf.Quad{Subject: rdf.NewIRI("s:"), Predicate: rdf.NewIRI("p:"), Object: rdf.NewIRI("o:"), Graph: rdf.NewIRI(Namespace + "g0")})
			}
			a, err := after(quads, prologue+short)
			if err != nil {
				t.Fatal(err)
			}
			b, err := after(quads, prologue+long)
			if err != nil {
				t.Fatal(err)
			}
			if err := Compare(a, b); err != nil {
				t.Fatalf("%s, %s: %v", short, long, err)
			}
		})
	}
}
