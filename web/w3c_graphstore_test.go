package web

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/updatetest"
	"github.com/rdfgpu/rdfgpu/loader"
)

// The two suites of the Graph Store Protocol: graph-store-protocol by its manifests, and http-rdf-update, which came before it and
// tells its requests in prose.

// eachGraphStore runs a test over a store in memory and, where the engine takes updates, over a real one.
func eachGraphStore(t *testing.T, test func(t *testing.T, serve func(t *testing.T) http.Handler)) {
	empty := filepath.Join(t.TempDir(), "empty.nt")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	options := Options{DirectGraphs: true}
	t.Run("memory", func(t *testing.T) {
		test(t, func(t *testing.T) http.Handler {
			s, _ := newMemoryServer(t, options)
			return s
		})
	})
	t.Run("store", func(t *testing.T) {
		if _, ok := newRealServer(t, empty, options); !ok {
			t.Skip("the engine takes no updates yet")
		}
		test(t, func(t *testing.T) http.Handler {
			s, _ := newRealServer(t, empty, options)
			return s
		})
	})
}

// statuses are the names of status codes in the manifests.
var statuses = map[string]int{"OK": 200, "Created": 201, "NoContent": 204, "NotFound": 404}

func TestW3CGraphStoreProtocol(t *testing.T) {
	t.Parallel()
	for _, manifest := range []string{"manifest-indirect.ttl", "manifest-direct.ttl"} {
		s := openManifest(t, "graph-store-protocol", manifest)
		eachGraphStore(t, func(t *testing.T, serve func(t *testing.T) http.Handler) {
			tests := s.entries()
			if unlisted := rdf.NewIRI(strings.TrimSuffix(tests[0].Value, updatetest.LocalName(tests[0])) + "head_non_existing_direct"); s.Objects[unlisted] != nil {
				tests = append(tests, unlisted)
			}
			for _, test := range tests {
				t.Run(updatetest.LocalName(test), func(t *testing.T) {
					handler, location := serve(t), ""
					for _, request := range s.List(s.One(s.One(test, "action"), "requests")) {
						location = s.graphExchange(t, handler, request, location)
					}
				})
			}
		})
	}
}

// graphExchange sends one request of the manifest and checks the response. location is what an earlier one was told, or this one.
func (s *suite) graphExchange(t *testing.T, handler http.Handler, request rdf.Term, location string) string {
	fill := func(text string) string { return strings.ReplaceAll(text, "$LOCATION$", location) }
	path := storePath + strings.TrimPrefix(fill(s.One(request, "absolutePath").Value), "/gsp")
	r := httptest.NewRequest(s.One(request, "methodName").Value, path, strings.NewReader(fill(s.One(s.One(request, "body"), "chars").Value)))
	r.Host = "www.example"
	for _, header := range s.List(s.One(request, "headers")) {
		r.Header.Add(s.One(header, "fieldName").Value, s.One(header, "fieldValue").Value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	response := s.One(request, "resp")
	if !slices.ContainsFunc(s.Objects[response]["expectedStatus"], func(c rdf.Term) bool { return statuses[updatetest.LocalName(c)] == w.Code }) {
		t.Fatalf("%s %s: %d %s, want %v", r.Method, path, w.Code, w.Body, s.Objects[response]["expectedStatus"])
	}
	for _, header := range s.List(s.One(response, "headers")) {
		if name, want := s.One(header, "fieldName").Value, s.One(header, "fieldValue").Value; w.Header().Get(name) != want {
			t.Errorf("%s %s: %s is %q, want %q", r.Method, path, name, w.Header().Get(name), want)
		}
	}
	if body := s.One(s.One(response, "body"), "chars"); !body.IsZero() {
		compareGraphs(t, body.Value, w.Body.String())
	}
	if s.One(response, "expectedLocation").IsZero() {
		return location
	}
	return w.Header().Get("Location")
}

// compareGraphs compares two graphs in Turtle.
func compareGraphs(t *testing.T, want, got string) {
	t.Helper()
	a, err := readGraph(want)
	if err != nil {
		t.Fatal(err)
	}
	b, err := readGraph(got)
	if err != nil {
		t.Fatalf("%v in\n%s", err, got)
	}
	if !sameGraph(a, b) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func readGraph(text string) (graph, error) {
	g := graph{}
	err := loader.Read(strings.NewReader(text), loader.Turtle, "http://base/", func(q loader.Quad) error {
		g[[3]rdf.Term{q.Subject, q.Predicate, q.Object}] = true
		return nil
	})
	return g, err
}

// sameGraph reports whether two small graphs are the same but for the labels of blank nodes: it tries all ways to match them.
func sameGraph(a, b graph) bool {
	return len(a) == len(b) && match(a, b, blanks(a), blanks(b), map[rdf.Term]rdf.Term{})
}

func blanks(g graph) (list []rdf.Term) {
	seen := map[rdf.Term]bool{}
	for t := range g {
		for _, term := range t {
			if term.Kind == rdf.BlankNode && !seen[term] {
				seen[term] = true
				list = append(list, term)
			}
		}
	}
	return list
}

func match(a, b graph, left, right []rdf.Term, as map[rdf.Term]rdf.Term) bool {
	if len(left) != len(right) {
		return false
	}
	if len(left) == 0 {
		renamed := graph{}
		for t := range a {
			for i, term := range t {
				if other, blank := as[term]; blank {
					t[i] = other
				}
			}
			renamed[t] = true
		}
		return maps.Equal(renamed, b)
	}
	for i, other := range right {
		as[left[0]] = other
		if match(a, b, left[1:], slices.Delete(slices.Clone(right), i, i+1), as) {
			return true
		}
	}
	return false
}

// earlierErrata mends what is wrong in the texts of http-rdf-update, which the W3C has deprecated because of such faults.
var earlierErrata = map[string]struct {
	// before is done first: the graph that the test calls existing was never made.
	before func(t *testing.T, handler http.Handler)
	// text is replaced by mended in the request's body or in the expected one, where not "".
	text, mended string
}{
	"delete__existing_graph": {before: func(t *testing.T, handler http.Handler) {
		if w := do(handler, "PUT", "http://www.example/store/person/2.ttl", "<http://e/s> <http://e/p> 1 .", "Content-Type: text/turtle"); w.Code != 201 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}},
	"put__default_graph":          {text: "201 Created", mended: "200 OK"}, // the default graph is always there
	"post__existing_graph":        {text: `"Jane Doe"`, mended: `"Jane Doe" .`},
	"get_of_post__existing_graph": {text: `fn "John Doe"` + "\n       ]", mended: `fn "Jane Doe" ] ; <http://xmlns.com/foaf/0.1/name> "Jane Doe"`},
	"post__multipart_formdata":    {text: `Doe"` + "\n", mended: `Doe" .` + "\n"},
}

func TestW3CEarlierGraphStoreProtocol(t *testing.T) {
	t.Parallel()
	s := openSuite(t, "http-rdf-update")
	eachGraphStore(t, func(t *testing.T, serve func(t *testing.T) http.Handler) {
		handler, created := serve(t), ""
		for _, test := range s.entries() {
			name := updatetest.LocalName(test)
			t.Run(name, func(t *testing.T) {
				errata := earlierErrata[name]
				if errata.before != nil {
					errata.before(t, handler)
				}
				comments := s.Objects[test]["comment"]
				i := slices.IndexFunc(comments, func(c rdf.Term) bool { return strings.Contains(c.Value, "#### Request") })
				text := strings.NewReplacer("$HOST$", "www.example", "$GRAPHSTORE$", "store", "$NEWPATH$", created).Replace(comments[i].Value)
				if errata.text != "" && !strings.Contains(text, errata.text) {
					t.Fatalf("there is no %q to mend in\n%s", errata.text, text)
				}
				text = strings.ReplaceAll(text, errata.text, errata.mended)
				if name == "post__multipart_formdata" {
					text = strings.ReplaceAll(text, `"Jane"`, `"Jane" .`)
				}
				if location := proseExchange(t, handler, text); location != "" {
					created = strings.TrimPrefix(location, "http://www.example/")
				}
			})
		}
	})
}

// proseMessage is a request or a response as the suite writes it: its first line, headers and body.
type proseMessage struct {
	first, body string
	header      http.Header
}

func readProse(text string) (m proseMessage) {
	m.header = http.Header{}
	var lines []string
	for line := range strings.Lines(strings.Trim(text, "\n ")) {
		lines = append(lines, strings.TrimPrefix(strings.TrimRight(line, "\n "), "    "))
	}
	m.first = lines[0]
	rest := lines[1:]
	for len(rest) > 0 && rest[0] != "" {
		name, value, _ := strings.Cut(rest[0], ": ")
		m.header.Add(name, value)
		rest = rest[1:]
	}
	m.body = strings.Join(rest, "\n")
	return m
}

// proseExchange sends a request and checks the response; location is what that tells.
func proseExchange(t *testing.T, handler http.Handler, text string) (location string) {
	asked, answered, _ := strings.Cut(text, "#### Response")
	_, asked, _ = strings.Cut(asked, "#### Request")
	request, want := readProse(asked), readProse(answered)
	words := strings.Fields(request.first)
	body := strings.TrimLeft(request.body, "\n")
	r := httptest.NewRequest(words[0], "/"+words[1], strings.NewReader(body))
	r.Host = request.header.Get("Host")
	request.header.Del("Host")
	r.Header = request.header
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	status, _, _ := strings.Cut(want.first, " ")
	if got := w.Result().StatusCode; status != "204" && http.StatusText(got) != strings.SplitN(want.first, " ", 2)[1] || status == "204" && got != 200 && got != 204 {
		t.Fatalf("%s: %d %s, want %s", request.first, w.Code, w.Body, want.first)
	}
	if media := want.header.Get("Content-Type"); media != "" && w.Header().Get("Content-Type") != media {
		t.Errorf("it comes as %s", w.Header().Get("Content-Type"))
	}
	if strings.TrimSpace(want.body) != "" {
		all, _ := io.ReadAll(w.Body)
		compareGraphs(t, want.body, string(bytes.TrimSpace(all)))
	}
	return w.Header().Get("Location")
}
