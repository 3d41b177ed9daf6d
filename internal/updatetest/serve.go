package updatetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/results"
	"github.com/rdfgpu/rdfgpu/loader"
)

// Server says where a handler answers what.
type Server struct {
	http.Handler
	// Graphs is the path of the Graph Store Protocol, in place of "/gsp"; Query that of queries and updates, in place of
	// "/sparql/".
	Graphs, Query string
	// Lacks are features of ProtocolTest.Requires that the handler does not have: their tests are skipped.
	Lacks []string
}

// RunProtocol runs tests beside each other, each with a server of its own.
func RunProtocol(t *testing.T, tests []ProtocolTest, open func(t *testing.T) Server) {
	for _, test := range tests {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			for _, feature := range test.Requires {
				if slices.Contains(s.Lacks, feature) {
					t.Skip("the server lacks", feature)
				}
			}
			locations := map[string]string{}
			for _, e := range test.Exchanges {
				if err := s.exchange(e, locations); err != nil {
					t.Errorf("%s: %v", e.Name, err)
				}
			}
		})
	}
}

// authority is the host of all tests.
const authority = "http://www.example"

// exchange sends a request and checks the answer.
func (s Server) exchange(e Exchange, locations map[string]string) error {
	target, body := e.Path, e.Body
	for word, location := range locations {
		target, body = strings.ReplaceAll(target, word, location), strings.ReplaceAll(body, word, location)
	}
	request := httptest.NewRequest(e.Method, s.resolve(target), strings.NewReader(body))
	for name, values := range e.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, request)
	if !slices.ContainsFunc(e.Status, func(status string) bool { return hasStatus(answer.Code, status) }) {
		return fmt.Errorf("%d instead of %v: %s", answer.Code, e.Status, answer.Body)
	}
	if e.Location != "" {
		location, err := request.URL.Parse(answer.Header().Get("Location"))
		if err != nil || answer.Header().Get("Location") == "" {
			return fmt.Errorf("the location is %q: %v", answer.Header().Get("Location"), err)
		}
		locations[e.Location] = location.String()
	}
	return e.check(answer)
}

// resolve puts the server's own paths in the place of the tests', in the names of graphs too.
func (s Server) resolve(target string) string {
	target = strings.TrimPrefix(target, authority)
	if rest, ok := strings.CutPrefix(target, "/sparql/"); ok && s.Query != "" {
		target = s.Query + rest
	}
	if rest, ok := strings.CutPrefix(target, "/gsp"); ok && s.Graphs != "" {
		for _, spelt := range []func(string) string{url.QueryEscape, url.PathEscape, func(s string) string { return s }} {
			rest = strings.ReplaceAll(rest, spelt(authority+"/gsp"), spelt(authority+s.Graphs))
		}
		target = s.Graphs + rest
	}
	return authority + target
}

func hasStatus(code int, status string) bool {
	text := fmt.Sprint(code)
	return status == text || status == text[:1]+"xx"
}

// check compares the body of an answer.
func (e Exchange) check(answer *httptest.ResponseRecorder) error {
	contentType := answer.Header().Get("Content-Type")
	if e.ContentType != "" && contentType != e.ContentType {
		return fmt.Errorf("the answer is %q instead of %q", contentType, e.ContentType)
	}
	if media, _, _ := strings.Cut(contentType, ";"); e.MediaType != "" && media != e.MediaType {
		return fmt.Errorf("the answer is %q instead of %q", contentType, e.MediaType)
	}
	if e.Method == http.MethodHead && answer.Body.Len() > 0 {
		return fmt.Errorf("the answer to HEAD has a body: %s", answer.Body)
	}
	if e.MediaType == tableType {
		return e.checkTable(answer)
	}
	if !e.HasGraph {
		return nil
	}
	graph, err := readTurtle(answer.Body.String())
	if err != nil {
		return fmt.Errorf("%w: %s", err, answer.Body)
	}
	if !isomorphism.Same(graph, e.Graph) {
		return fmt.Errorf("the graph is\n%sinstead of\n%s", Format(graph), Format(e.Graph))
	}
	return nil
}

// checkTable compares solutions or a boolean.
func (e Exchange) checkTable(answer *httptest.ResponseRecorder) error {
	table, err := results.Read(answer.Body, results.JSON)
	if err != nil {
		return fmt.Errorf("%w: %s", err, answer.Body)
	}
	if e.Boolean != nil && (!table.IsBoolean || table.Boolean != *e.Boolean) {
		return fmt.Errorf("the answer is not %v: %+v", *e.Boolean, table)
	}
	return nil
}

// readTurtle reads a graph.
func readTurtle(text string) (quads []rdf.Quad, err error) {
	err = loader.Read(strings.NewReader(text), loader.Turtle, authority+"/", func(q rdf.Quad) error {
		quads = append(quads, q)
		return nil
	})
	return quads, err
}
