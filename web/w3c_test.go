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
	"github.com/rdfgpu/rdfgpu/loader"
)

// suite is a folder of the W3C tests with its manifest read.
type suite struct {
	folder  string
	triples map[rdf.Term]map[string][]rdf.Term
}

func openSuite(t *testing.T, name string) *suite { return openManifest(t, name, "manifest.ttl") }

func openManifest(t *testing.T, name, file string) *suite {
	t.Helper()
	root := os.Getenv("RDFGPU_W3C")
	if root == "" {
		t.Skip("RDFGPU_W3C names no folder with the W3C tests")
	}
	s := &suite{filepath.Join(root, "sparql", "sparql11", name), map[rdf.Term]map[string][]rdf.Term{}}
	manifest, err := os.Open(filepath.Join(s.folder, file))
	if err != nil {
		t.Fatal(err)
	}
	defer manifest.Close()
	err = loader.Read(manifest, "turtle", "file:///", func(q loader.Quad) error {
		if s.triples[q.Subject] == nil {
			s.triples[q.Subject] = map[string][]rdf.Term{}
		}
		p := localName(q.Predicate.Value)
		s.triples[q.Subject][p] = append(s.triples[q.Subject][p], q.Object)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func localName(iri string) string { return iri[strings.LastIndexAny(iri, "#/")+1:] }

// one is a property's only value; the zero Term when there is none.
func (s *suite) one(of rdf.Term, property string) rdf.Term {
	if values := s.triples[of][property]; len(values) > 0 {
		return values[0]
	}
	return rdf.Term{}
}

// list is an RDF list.
func (s *suite) list(head rdf.Term) (items []rdf.Term) {
	for head.Value != rdf.RDFNil && !head.IsZero() {
		items = append(items, s.one(head, "first"))
		head = s.one(head, "rest")
	}
	return items
}

// entries are the manifest's tests.
func (s *suite) entries() []rdf.Term {
	for subject, properties := range s.triples {
		if len(properties["entries"]) > 0 {
			return s.list(s.one(subject, "entries"))
		}
	}
	return nil
}

func (s *suite) read(t *testing.T, name rdf.Term) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.folder, localName(name.Value)))
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
		name := localName(test.Value)
		t.Run(name, func(t *testing.T) {
			h := handler(t, name)
			for _, request := range s.list(s.one(s.one(test, "action"), "requests")) {
				s.exchange(t, h, request)
			}
		})
	}
}

// exchange sends one request of the manifest and checks the response.
func (s *suite) exchange(t *testing.T, handler http.Handler, request rdf.Term) {
	body := s.one(s.one(request, "body"), "chars").Value
	r := httptest.NewRequest(s.one(request, "methodName").Value, s.one(request, "absolutePath").Value, strings.NewReader(body))
	if encoding := s.one(s.one(request, "body"), "characterEncoding").Value; strings.EqualFold(encoding, "utf-16") {
		r.Body = http.NoBody
		r = httptest.NewRequest(r.Method, r.URL.String(), strings.NewReader(utf16(body)))
	}
	for _, header := range s.list(s.one(request, "headers")) {
		r.Header.Add(s.one(header, "fieldName").Value, s.one(header, "fieldValue").Value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	response := s.one(request, "resp")
	classes := s.triples[response]["expectedStatus"]
	class := fmt.Sprintf("StatusCode%dxx", w.Code/100)
	if !slices.ContainsFunc(classes, func(c rdf.Term) bool { return localName(c.Value) == class }) {
		t.Fatalf("%s %s: %d %s, want %v", r.Method, r.URL, w.Code, w.Body, classes)
	}
	if w.Code != http.StatusOK {
		return
	}
	if s.one(response, "expectedFormat").IsZero() { // an update
		return
	}
	contentType, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	switch s.one(response, "expectedFormat").Value {
	case "boolean", "tabular":
		table, err := results.Read(w.Body, results.JSON)
		if err != nil || contentType != "application/sparql-results+json" {
			t.Fatalf("%s: %v", contentType, err)
		}
		if want := s.one(response, "expectedBoolean"); !want.IsZero() && (want.Value == "true") != table.Boolean {
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
			t.Run(localName(test.Value), func(t *testing.T) {
				action := s.one(test, "action")
				handler := serve(t, filepath.Join(s.folder, localName(s.one(action, "data").Value)))
				expected := s.one(test, "result")
				format, _ := results.ParseFormat(filepath.Ext(expected.Value))
				w := do(handler, "POST", "/sparql?format="+string(format), string(s.read(t, s.one(action, "query"))), "Content-Type: application/sparql-query")
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
