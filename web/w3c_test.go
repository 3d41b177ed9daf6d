package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
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

func openSuite(t *testing.T, name string) *suite { return openManifest(t, name, "manifest.ttl") }

func openManifest(t *testing.T, name, file string) *suite {
	t.Helper()
	root := os.Getenv("RDFGPU_W3C")
	if root == "" {
		t.Skip("RDFGPU_W3C names no folder with the W3C tests")
	}
	folder := filepath.Join(root, "sparql", "sparql11", name)
	manifest, err := updatetest.ReadDocument(filepath.Join(folder, file))
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

// TestW3CProtocol runs the suite over a store that takes updates, each test over one of its own. Until the engine takes updates,
// a store that does not is asked the queries, and a store in memory does the updates that it understands.
func TestW3CProtocol(t *testing.T) {
	t.Parallel()
	s := openSuite(t, "protocol")
	data := s.protocolData(t)
	if _, ok := newRealServer(t, data, Options{}); ok {
		testProtocol(t, s, func(t *testing.T, name string) http.Handler {
			server, _ := newRealServer(t, data, Options{})
			return server
		})
		return
	}
	testProtocol(t, s, func(t *testing.T, name string) http.Handler {
		switch {
		case strings.HasPrefix(name, "update_dataset"), name == "update_base_uri":
			t.Skip("the engine takes no updates yet, and the store in memory does not understand these")
		case strings.Contains(name, "update"):
			server, _ := newMemoryServer(t, Options{})
			return server
		}
		return serveFile(t, data)
	})
}

// newRealServer serves a store of a file that may be changed; ok is false where the engine takes no updates.
func newRealServer(t *testing.T, path string, options Options) (s *Server, ok bool) {
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
	if _, ok = store.Live(); !ok {
		return nil, false
	}
	options.Writable, options.Log = true, quiet
	if s, err = New(StoreEngine(store), options); err != nil {
		t.Fatal(err)
	}
	return s, true
}

// protocolData writes the graphs that the protocol tests name into one file.
func (s *suite) protocolData(t *testing.T) string {
	t.Helper()
	var quads bytes.Buffer
	for i := 1; i <= 3; i++ {
		text := s.read(t, rdf.NewIRI(fmt.Sprintf("data%d.nt", i)))
		for line := range strings.Lines(string(text)) {
			fmt.Fprintf(&quads, "%s <http://kasei.us/2009/09/sparql/data/data%d.rdf> .\n", strings.TrimSuffix(strings.TrimSpace(line), "."), i)
		}
	}
	path := filepath.Join(t.TempDir(), "data.nq")
	if err := os.WriteFile(path, quads.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func testProtocol(t *testing.T, s *suite, handler func(t *testing.T, name string) http.Handler) {
	for _, test := range s.entries() {
		name := updatetest.LocalName(test)
		t.Run(name, func(t *testing.T) {
			h := handler(t, name)
			for _, request := range s.List(s.One(s.One(test, "action"), "requests")) {
				s.exchange(t, h, request)
			}
		})
	}
}

// exchange sends one request of the manifest and checks the response.
func (s *suite) exchange(t *testing.T, handler http.Handler, request rdf.Term) {
	body := s.One(s.One(request, "body"), "chars").Value
	r := httptest.NewRequest(s.One(request, "methodName").Value, s.One(request, "absolutePath").Value, strings.NewReader(body))
	if encoding := s.One(s.One(request, "body"), "characterEncoding").Value; strings.EqualFold(encoding, "utf-16") {
		r.Body = http.NoBody
		r = httptest.NewRequest(r.Method, r.URL.String(), strings.NewReader(utf16(body)))
	}
	for _, header := range s.List(s.One(request, "headers")) {
		r.Header.Add(s.One(header, "fieldName").Value, s.One(header, "fieldValue").Value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	response := s.One(request, "resp")
	classes := s.Objects[response]["expectedStatus"]
	class := fmt.Sprintf("StatusCode%dxx", w.Code/100)
	if !slices.ContainsFunc(classes, func(c rdf.Term) bool { return updatetest.LocalName(c) == class }) {
		t.Fatalf("%s %s: %d %s, want %v", r.Method, r.URL, w.Code, w.Body, classes)
	}
	if w.Code != http.StatusOK {
		return
	}
	if s.One(response, "expectedFormat").IsZero() { // an update
		return
	}
	contentType, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	switch s.One(response, "expectedFormat").Value {
	case "boolean", "tabular":
		table, err := results.Read(w.Body, results.JSON)
		if err != nil || contentType != "application/sparql-results+json" {
			t.Fatalf("%s: %v", contentType, err)
		}
		if want := s.One(response, "expectedBoolean"); !want.IsZero() && (want.Value == "true") != table.Boolean {
			t.Errorf("the answer is %t", table.Boolean)
		}
	case "RDF":
		if contentType != "text/turtle" {
			t.Errorf("a graph comes as %s", contentType)
		}
	}
}

func utf16(text string) string {
	var b strings.Builder
	b.WriteString("\xfe\xff")
	for _, r := range text {
		b.WriteByte(byte(r >> 8))
		b.WriteByte(byte(r))
	}
	return b.String()
}

func TestW3CResultFormats(t *testing.T) { testResultFormats(t, serveFile) }

func testResultFormats(t *testing.T, serve func(t *testing.T, path string) http.Handler) {
	for _, folder := range []string{"csv-tsv-res", "json-res"} {
		s := openSuite(t, folder)
		for _, test := range s.entries() {
			t.Run(updatetest.LocalName(test), func(t *testing.T) {
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
