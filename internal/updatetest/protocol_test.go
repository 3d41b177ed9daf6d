package updatetest

import (
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/naive"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
	"github.com/rdfgpu/rdfgpu/parser"
)

// naiveServer answers the Graph Store Protocol and updates and ASK queries of the SPARQL Protocol from a naive store, as
// far as the tests ask.
type naiveServer struct {
	naive.Store
	created int
	// graphs is the path of the graph store.
	graphs string
}

func (s *naiveServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, body := 0, ""
	if path, ok := strings.CutPrefix(r.URL.Path, s.graphs); ok {
		status, body = s.graph(w, r, path)
	} else {
		status, body = s.operation(r)
		w.Header().Set("Content-Type", "application/sparql-results+json")
	}
	if r.Method == http.MethodHead {
		body = ""
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func (s *naiveServer) in(graph rdf.Term) (quads []rdf.Quad) {
	for _, q := range s.Quads() {
		if q.Graph == graph {
			quads = append(quads, rdf.Quad{Subject: q.Subject, Predicate: q.Predicate, Object: q.Object})
		}
	}
	return quads
}

// graph is a request of the Graph Store Protocol.
func (s *naiveServer) graph(w http.ResponseWriter, r *http.Request, path string) (int, string) {
	name, isDefault := rdf.NewIRI(authority+r.URL.Path), r.URL.Query().Has("default")
	switch {
	case isDefault:
		name = rdf.Term{}
	case r.URL.Query().Has("graph"):
		name.Value = r.URL.Query().Get("graph")
	case path == "":
		s.created++
		name.Value = fmt.Sprint(authority, s.graphs, "/new", s.created)
		w.Header().Set("Location", name.Value)
	}
	before := s.in(name)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if len(before) == 0 && !isDefault {
			return http.StatusNotFound, ""
		}
		w.Header().Set("Content-Type", "text/turtle; charset=utf-8")
		return http.StatusOK, Format(before)
	case http.MethodDelete:
		if s.Update("CLEAR GRAPH "+name.String(), "") != nil {
			return http.StatusNotFound, ""
		}
		return http.StatusNoContent, ""
	}
	quads, err := readBody(r, name)
	if err != nil {
		return http.StatusBadRequest, err.Error()
	}
	if r.Method == http.MethodPut && len(before) > 0 && s.Update("DROP GRAPH "+name.String(), "") != nil {
		return http.StatusInternalServerError, ""
	}
	s.Load(quads)
	if len(before) == 0 && !isDefault {
		return http.StatusCreated, ""
	}
	return http.StatusNoContent, ""
}

// readBody reads Turtle, also in parts.
func readBody(r *http.Request, graph rdf.Term) (quads []rdf.Quad, err error) {
	emit := func(q rdf.Quad) error {
		q.Graph = graph
		quads = append(quads, q)
		return nil
	}
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind == "text/turtle" {
		return quads, loader.Read(r.Body, loader.Turtle, graph.Value, emit)
	}
	parts := multipart.NewReader(r.Body, parameters["boundary"])
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return quads, nil
		}
		if err == nil {
			err = loader.Read(part, loader.Turtle, graph.Value, emit)
		}
		if err != nil {
			return nil, err
		}
	}
}

// operation is a request of the SPARQL Protocol.
func (s *naiveServer) operation(r *http.Request) (int, string) {
	body, _ := io.ReadAll(r.Body)
	form, texts := url.Values{}, map[string][]string{}
	switch contentType := r.Header.Get("Content-Type"); contentType {
	case "application/x-www-form-urlencoded":
		form, _ = url.ParseQuery(string(body))
		texts["update"], texts["query"] = form["update"], form["query"]
	case "application/sparql-update", "application/sparql-query":
		texts[strings.TrimPrefix(contentType, "application/sparql-")] = []string{string(body)}
	}
	if r.Method != http.MethodPost || len(texts["update"])+len(texts["query"]) != 1 {
		return http.StatusBadRequest, ""
	}
	options := parser.Options{Base: authority + r.URL.Path}
	if len(texts["query"]) == 1 {
		q, err := parser.Parse(texts["query"][0], options)
		if err != nil || q.Form != parser.Ask {
			return http.StatusBadRequest, ""
		}
		return http.StatusOK, fmt.Sprintf(`{"head":{},"boolean":%v}`, len(s.Evaluator().Solutions(q.Where)) > 0)
	}
	u, err := parser.ParseUpdate(r.Context(), texts["update"][0], options)
	if err == nil {
		values := r.URL.Query()
		u, err = u.WithDataset(slices.Concat(values["using-graph-uri"], form["using-graph-uri"]), slices.Concat(values["using-named-graph-uri"], form["using-named-graph-uri"]))
	}
	if err == nil {
		err = s.Do(u)
	}
	if err != nil {
		return http.StatusBadRequest, err.Error()
	}
	return http.StatusOK, "{}"
}

// run runs tests against a naive server whose graph store is at a path.
func run(t *testing.T, count int, path string, tests []ProtocolTest, err error) {
	if err != nil {
		t.Fatal(err)
	}
	if len(tests) != count {
		t.Errorf("%d tests instead of %d", len(tests), count)
	}
	RunProtocol(t, tests, func(*testing.T) Server { return Server{Handler: &naiveServer{graphs: path}, Graphs: path} })
}

func TestW3CUpdateProtocol(t *testing.T) {
	tests, err := UpdateProtocolTests(Folder(t))
	run(t, 14, "/gsp", tests, err)
}

func TestW3CGraphStoreProtocol(t *testing.T) {
	for _, path := range []string{"/gsp", "/a/store"} {
		t.Run(path, func(t *testing.T) {
			tests, err := GraphStoreTests(Folder(t))
			run(t, 14, path, tests, err)
			prose, err := ProseTests(Folder(t))
			run(t, 1, path, []ProtocolTest{prose}, err)
			if len(prose.Exchanges) != 19 {
				t.Errorf("%d exchanges instead of 18 and one", len(prose.Exchanges))
			}
		})
	}
}

// TestW3CProtocolIsReadWhole: the naive server does not answer the queries, but what they ask for is known.
func TestW3CProtocolIsReadWhole(t *testing.T) {
	t.Parallel()
	tests, err := ProtocolTests(Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]int{}
	for _, test := range tests {
		for _, e := range test.Exchanges {
			answers[e.MediaType]++
		}
	}
	if len(tests) != 34 || answers[tableType] != 16 || answers[graphType] != 2 {
		t.Errorf("%d tests; %v", len(tests), answers)
	}
	data, err := ProtocolData(Folder(t))
	if err != nil || len(data) == 0 {
		t.Errorf("%d triples, %v", len(data), err)
	}
}

// TestTheProtocolTestsTellServersApart: each test fails where nothing is stored, or where all goes well.
func TestTheProtocolTestsTellServersApart(t *testing.T) {
	tests, err := GraphStoreTests(Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	more, err := ProtocolTests(Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		s := Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })}
		for _, test := range slices.Concat(tests, more) {
			failed := false
			for _, e := range test.Exchanges {
				failed = failed || s.exchange(e, map[string]string{}) != nil
			}
			if !failed {
				passed[test.Name] = true
			}
		}
	}
	for name := range passed { // these ask for a status alone
		if !strings.HasPrefix(name, "bad_") && !strings.HasPrefix(name, "update_post") {
			t.Errorf("%s passes without a store", name)
		}
	}
}
