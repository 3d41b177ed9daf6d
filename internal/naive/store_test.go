package naive

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const prologue = "PREFIX : <http://e/> "

// store is a store after an INSERT DATA.
func store(t *testing.T, data string) *Store {
	t.Helper()
	s := &Store{}
	if err := s.Update(prologue+"INSERT DATA {"+data+"}", ""); err != nil {
		t.Fatal(err)
	}
	return s
}

func lines(s *Store) string {
	var list []string
	for _, q := range s.Quads() {
		list = append(list, fmt.Sprintln(q.Graph, q.Subject, q.Predicate, q.Object))
	}
	return strings.Join(list, "")
}

// TestUpdatesByTheirDefinitions: what SPARQL 1.1 Update says of each operation, and of one after the other.
func TestUpdatesByTheirDefinitions(t *testing.T) {
	for _, c := range []struct {
		name, before, update, after string
		err                         error
	}{
		{"data come and go", ":a :p 1 . GRAPH :g { :a :p 1 }", "DELETE DATA { :a :p 1 . :a :p 2 } ; INSERT DATA { :a :p 3 . GRAPH :h { :a :p 1 } }",
			":a :p 3 . GRAPH :g { :a :p 1 } GRAPH :h { :a :p 1 }", nil},
		{"the default graph and named ones are apart", ":a :p 1 . GRAPH :g { :a :p 2 }", "DELETE WHERE { ?s ?p ?o }", "GRAPH :g { :a :p 2 }", nil},
		{"deletions come before insertions", ":a :p 1", "DELETE { ?s :p ?o } INSERT { ?s :p ?o } WHERE { ?s :p ?o }", ":a :p 1", nil},
		{"all solutions come before the first change", ":a :p 1, 2", "DELETE { ?s :p ?o } INSERT { ?s :p ?n } WHERE { ?s :p ?o BIND(?o + 1 AS ?n) }", ":a :p 2, 3", nil},
		{"operations see those before them", "", "INSERT DATA { :a :p 1 } ; INSERT { ?s :q ?o } WHERE { ?s :p ?o } ; DELETE WHERE { ?s :p ?o }", ":a :q 1", nil},
		{"what is unbound is left out", ":a :p 1 . :b :q 2", "INSERT { ?s :r ?o . ?s :t 1 } WHERE { ?s ?p ?x OPTIONAL { ?s :q ?o } }",
			":a :p 1 ; :t 1 . :b :q 2 ; :r 2 ; :t 1", nil},
		{"and so is what is no quad", ":a :p 1", "INSERT { ?o :q ?s . ?s ?o 1 . GRAPH ?o { ?s :q 1 } ?s :q 1 } WHERE { ?s :p ?o }", ":a :p 1 ; :q 1", nil},
		{"deletions of what is no quad do nothing", ":a :p 1", "DELETE { ?o ?p ?s . ?s ?o ?p } WHERE { ?s ?p ?o }", ":a :p 1", nil},
		{"blank nodes are new for each solution", ":a :p 1, 2", "INSERT { ?s :q [ :r _:x ] . _:x :t ?o } WHERE { ?s :p ?o }",
			":a :p 1, 2 ; :q [ :r _:x ], [ :r _:y ] . _:x :t 1 . _:y :t 2", nil},
		{"also of equal ones", ":a :p 1 . :b :p 1", "INSERT { :c :q [] } WHERE { ?s :p ?o }", ":a :p 1 . :b :p 1 . :c :q [], []", nil},
		{"and for each operation", "", "INSERT { :c :q _:x } WHERE {} ; INSERT { :c :q _:x } WHERE {} ; INSERT DATA { :c :q _:x }", ":c :q [], [], []", nil},
		{"blank nodes are found and moved", ":a :p [ :q 1 ]", "DELETE { ?s :p ?o } INSERT { GRAPH :g { ?o :p ?s } } WHERE { ?s :p ?o }",
			"_:x :q 1 . GRAPH :g { _:x :p :a }", nil},
		{"WITH is the graph of patterns and templates", ":a :p 1 . GRAPH :g { :a :p 2 }", "WITH :g DELETE { ?s :p ?o } INSERT { ?s :q ?o . GRAPH :h { ?s :q ?o } } WHERE { ?s :p ?o }",
			":a :p 1 . GRAPH :g { :a :q 2 } GRAPH :h { :a :q 2 }", nil},
		{"with WITH there are named graphs", ":a :p 1 . GRAPH :g { :a :p 2 } GRAPH :h { :a :p 3 }", "WITH :g INSERT { ?s :q ?o, ?n } WHERE { ?s :p ?o GRAPH :h { ?s :p ?n } }",
			":a :p 1 . GRAPH :g { :a :p 2 ; :q 2, 3 } GRAPH :h { :a :p 3 }", nil},
		{"and its own graph is one of them", "GRAPH :g { :a :p 2 }", "WITH :g INSERT { ?s :q ?g } WHERE { ?s :p ?o GRAPH ?g { ?s :p ?o } }", "GRAPH :g { :a :p 2 ; :q :g }", nil},
		{"USING takes the place of WITH in the pattern", ":a :p 1 . GRAPH :g { :a :p 2 } GRAPH :h { :a :p 3 }", "WITH :g DELETE { ?s :p 2 } INSERT { ?s :q ?o } USING :h WHERE { ?s :p ?o }",
			":a :p 1 . GRAPH :g { :a :q 3 } GRAPH :h { :a :p 3 }", nil},
		{"several USING are merged", ":a :p 1 . GRAPH :g { :a :p 2 } GRAPH :h { :a :p 2, 3 }", "INSERT { :c :n ?o } USING :g USING :h WHERE { ?s :p ?o }",
			":a :p 1 . :c :n 2, 3 . GRAPH :g { :a :p 2 } GRAPH :h { :a :p 2, 3 }", nil},
		{"without repetitions", "GRAPH :g { :a :p 2 } GRAPH :h { :a :p 2, 3 }", "INSERT { :c :n [] } USING :g USING :h WHERE { ?s :p ?o }",
			":c :n [], [] . GRAPH :g { :a :p 2 } GRAPH :h { :a :p 2, 3 }", nil},
		{"under USING there are no named graphs", "GRAPH :g { :a :p 2 }", "INSERT { ?s :q 1 } USING :g WHERE { ?s :p ?o GRAPH :g { ?s :p ?o } }", "GRAPH :g { :a :p 2 }", nil},
		{"but those of USING NAMED", ":a :p 1 . GRAPH :g { :a :p 2 } GRAPH :h { :a :p 3 }", "INSERT { ?s ?g ?o } USING NAMED :h WHERE { { ?s :p ?o BIND(:d AS ?g) } UNION { GRAPH ?g { ?s :p ?o } } }",
			":a :p 1 ; :h 3 . GRAPH :g { :a :p 2 } GRAPH :h { :a :p 3 }", nil},
		{"templates name graphs by variables", "GRAPH :g { :a :p 2 } GRAPH :h { :a :p 3 }", "DELETE { GRAPH ?g { ?s :p ?o } } INSERT { GRAPH ?s { ?s :p ?g } } WHERE { GRAPH ?g { ?s :p ?o } }",
			"GRAPH :a { :a :p :g, :h }", nil},
		{"an empty GRAPH of DELETE WHERE has to match", ":a :p 1", "DELETE WHERE { ?s ?p ?o GRAPH :none {} }", ":a :p 1", nil},

		{"CLEAR and DROP of one graph", ":a :p 1 . GRAPH :g { :a :p 2 } GRAPH :h { :a :p 3 } GRAPH :i { :a :p 4 }", "CLEAR GRAPH :g ; DROP GRAPH :h", ":a :p 1 . GRAPH :i { :a :p 4 }", nil},
		{"of the default graph", ":a :p 1 . GRAPH :g { :a :p 2 }", "CLEAR DEFAULT ; DROP DEFAULT", "GRAPH :g { :a :p 2 }", nil},
		{"of the named ones", ":a :p 1 . GRAPH :g { :a :p 2 }", "DROP NAMED ; CLEAR NAMED", ":a :p 1", nil},
		{"of all", ":a :p 1 . GRAPH :g { :a :p 2 }", "CLEAR ALL", "", nil},
		{"of one that is not there", ":a :p 1", "INSERT DATA { :a :p 2 } ; DROP GRAPH :g", ":a :p 1", ErrNoGraph},
		{"which SILENT passes over", ":a :p 1", "INSERT DATA { :a :p 2 } ; DROP SILENT GRAPH :g ; CLEAR SILENT GRAPH :g", ":a :p 1, 2", nil},
		{"CREATE of a graph that is there", "GRAPH :g { :a :p 2 }", "CREATE GRAPH :g", "GRAPH :g { :a :p 2 }", ErrGraphExists},
		{"and that is not", "GRAPH :g { :a :p 2 }", "CREATE SILENT GRAPH :g ; CREATE GRAPH :h", "GRAPH :g { :a :p 2 }", nil},
		{"COPY replaces", ":a :p 1 . GRAPH :g { :a :p 2 } GRAPH :h { :a :p 3 }", "COPY DEFAULT TO :g ; COPY :h TO DEFAULT", ":a :p 3 . GRAPH :g { :a :p 1 } GRAPH :h { :a :p 3 }", nil},
		{"MOVE takes away", ":a :p 1 . GRAPH :g { :a :p 2 } GRAPH :h { :a :p 3 }", "MOVE GRAPH :g TO DEFAULT ; MOVE :h TO :i", ":a :p 2 . GRAPH :i { :a :p 3 }", nil},
		{"also from the default graph", ":a :p 1", "MOVE DEFAULT TO :g", "GRAPH :g { :a :p 1 }", nil},
		{"ADD adds", ":a :p 1 . GRAPH :g { :a :p 2 }", "ADD :g TO DEFAULT ; ADD DEFAULT TO :h", ":a :p 1, 2 . GRAPH :g { :a :p 2 } GRAPH :h { :a :p 1, 2 }", nil},
		{"onto itself nothing changes", ":a :p 1 . GRAPH :g { :a :p 2 }", "COPY :g TO :g ; MOVE :g TO :g ; ADD DEFAULT TO DEFAULT ; MOVE DEFAULT TO DEFAULT", ":a :p 1 . GRAPH :g { :a :p 2 }", nil},
		{"nothing is copied from nowhere", ":a :p 1", "COPY :g TO DEFAULT", ":a :p 1", ErrNoGraph},
		{"silently either", ":a :p 1", "MOVE SILENT :g TO DEFAULT ; COPY SILENT :g TO DEFAULT ; ADD SILENT :g TO DEFAULT", ":a :p 1", nil},
		{"an empty default graph can be copied", "GRAPH :g { :a :p 2 }", "COPY DEFAULT TO :g", "", nil},
		{"LOAD adds a document", "GRAPH :g { :a :p 2 }", "LOAD <doc> INTO GRAPH :g ; LOAD <doc>", ":x :y [] . GRAPH :g { :a :p 2 . :x :y [] }", nil},
		{"that is there", "", "INSERT DATA { :a :p 1 } ; LOAD <none>", "", ErrLoad},
		{"or is SILENT", "", "INSERT DATA { :a :p 1 } ; LOAD SILENT <none> INTO GRAPH :g", ":a :p 1", nil},
	} {
		s, want := store(t, c.before), store(t, c.after)
		s.Fetch = func(source string) ([]rdf.Quad, error) {
			if source != "doc" {
				return nil, errors.New("not found")
			}
			return []rdf.Quad{{Subject: rdf.NewIRI("http://e/x"), Predicate: rdf.NewIRI("http://e/y"), Object: rdf.NewBlank("z")}}, nil
		}
		if err := s.Update(prologue+c.update, ""); !errors.Is(err, c.err) {
			t.Errorf("%s: %v instead of %v", c.name, err, c.err)
		}
		if !isomorphism.Same(s.Quads(), want.Quads()) {
			t.Errorf("%s:\n%sinstead of\n%s", c.name, lines(s), lines(want))
		}
	}
}

// TestDocumentsAreApart: equal labels of two documents, or of a document and the store, are different nodes.
func TestDocumentsAreApart(t *testing.T) {
	s := &Store{}
	p := rdf.NewIRI("http://e/p")
	for range 2 {
		s.Load([]rdf.Quad{{Subject: rdf.NewBlank("n1"), Predicate: p, Object: rdf.NewBlank("n2")}, {Subject: rdf.NewBlank("n2"), Predicate: p, Object: p}})
	}
	if len(s.Quads()) != 4 {
		t.Errorf("%s", lines(s))
	}
}

// TestFailedRequestsSayWhere: the error has the place of the operation.
func TestFailedRequestsSayWhere(t *testing.T) {
	s := store(t, ":a :p 1")
	before := s.Quads()
	err := s.Update(prologue+"CLEAR ALL ;\n DROP GRAPH :g", "")
	if !errors.Is(err, ErrNoGraph) || !strings.HasPrefix(err.Error(), "line 2, column 2: ") || !slices.Equal(s.Quads(), before) {
		t.Errorf("%v\n%s", err, lines(s))
	}
	if err := s.Update("nonsense", ""); err == nil {
		t.Error("nonsense was accepted")
	}
}
