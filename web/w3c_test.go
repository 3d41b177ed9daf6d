package web

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/results"
	"github.com/rdfgpu/rdfgpu/internal/updatetest"
)

// suite is a folder of the W3C tests with its manifest.
type suite struct {
	updatetest.Document
	folder string
}

func openSuite(t *testing.T, name string) *suite {
	t.Helper()
	folder := filepath.Join(updatetest.Folder(t), name)
	manifest, err := updatetest.ReadDocument(filepath.Join(folder, "manifest.ttl"))
	if err != nil {
		t.Fatal(err)
	}
	return &suite{manifest, folder}
}

// entries are the manifest's tests.
func (s *suite) entries() []rdf.Term {
	for subject, properties := range s.Objects {
		if len(properties["entries"]) > 0 {
			return s.List(s.One(subject, "entries"))
		}
	}
	return nil
}

func (s *suite) read(t *testing.T, name rdf.Term) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.folder, updatetest.LocalName(name)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// serve loads a file and serves it.
func serveFile(t *testing.T, path string) http.Handler {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if _, err := rdfgpu.Load(t.Context(), dir, []string{path}, rdfgpu.LoadOptions{Base: "http://example.org/"}); err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s, err := New(StoreEngine(store), Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestW3CProtocol runs the suite over a store that takes updates, each test over one of its own.
func TestW3CProtocol(t *testing.T) {
	t.Parallel()
	tests, data := protocolTests(t)
	updatetest.RunProtocol(t, tests, func(t *testing.T) updatetest.Server {
		return updatetest.Server{Handler: newRealServer(t, data, Options{})}
	})
}

// protocolTests are the tests of the SPARQL Protocol, and a file of the graphs that they name.
func protocolTests(t *testing.T) (tests []updatetest.ProtocolTest, path string) {
	t.Helper()
	tests, err := updatetest.ProtocolTests(updatetest.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	quads, err := updatetest.ProtocolData(updatetest.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "data.nq")
	if err := os.WriteFile(path, []byte(updatetest.Format(quads)), 0o600); err != nil {
		t.Fatal(err)
	}
	return tests, path
}

// newRealServer serves a store of a file that may be changed.
func newRealServer(t *testing.T, path string, options Options) *Server {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if _, err := rdfgpu.Load(t.Context(), dir, []string{path}, rdfgpu.LoadOptions{Base: "http://example.org/"}); err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{Writable: true, Durability: rdfgpu.Unsynced})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	options.Writable, options.Log = true, quiet
	s, err := New(StoreEngine(store), options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestW3CResultFormats(t *testing.T) {
	t.Parallel()
	testResultFormats(t, serveFile)
}

func testResultFormats(t *testing.T, serve func(t *testing.T, path string) http.Handler) {
	for _, folder := range []string{"csv-tsv-res", "json-res"} {
		s := openSuite(t, folder)
		for _, test := range s.entries() {
			t.Run(updatetest.LocalName(test), func(t *testing.T) {
				t.Parallel()
				action := s.One(test, "action")
				handler := serve(t, filepath.Join(s.folder, updatetest.LocalName(s.One(action, "data"))))
				expected := s.One(test, "result")
				format, _ := results.ParseFormat(filepath.Ext(expected.Value))
				w := do(handler, "POST", "/sparql?format="+string(format), string(s.read(t, s.One(action, "query"))), "Content-Type: application/sparql-query")
				if w.Code != http.StatusOK {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
				compareAnswers(t, format, s.read(t, expected), w.Body.Bytes())
			})
		}
	}
}

func compareAnswers(t *testing.T, format results.Format, expected, got []byte) {
	t.Helper()
	want, err := results.Read(bytes.NewReader(expected), format)
	if err != nil {
		t.Fatal(err)
	}
	have, err := results.Read(bytes.NewReader(got), format)
	if err != nil {
		t.Fatal(err)
	}
	if want.IsBoolean != have.IsBoolean || want.Boolean != have.Boolean || !slices.Equal(want.Variables, have.Variables) {
		t.Fatalf("got %v %v, want %v %v", have.Variables, have.Boolean, want.Variables, want.Boolean)
	}
	if a, b := flat(want), flat(have); !slices.Equal(a, b) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(b, "\n"), strings.Join(a, "\n"))
	}
}

// flat is the rows, sorted, blank nodes without their labels and doubles by value (the suite's TSV writes the 1.0E6 of
// its data as 1.0e6).
func flat(table *results.Table) []string {
	var rows []string
	for _, row := range table.Rows {
		var cells []string
		for _, term := range row {
			if term.Kind == rdf.BlankNode {
				term.Value = "b"
			}
			if term.Datatype == rdf.XSDDouble {
				term.Value = strings.ToUpper(term.Value)
			}
			cells = append(cells, term.String())
		}
		rows = append(rows, strings.Join(cells, "\t"))
	}
	slices.Sort(rows)
	return rows
}
