package federation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// endpoint answers "json" and "xml" with one solution of x, "moved" with a redirect, and others with a fault.
func endpoint(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.FormValue("query") {
		case "json":
			fmt.Fprint(w, `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"http://e/x"}}]}}`)
		case "xml":
			w.Header().Set("Content-Type", "application/sparql-results+xml")
			fmt.Fprint(w, `<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="x"/></head><results><result>`+
				`<binding name="x"><uri>http://e/x</uri></binding></result></results></sparql>`)
		case "moved":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		default:
			http.Error(w, "no", http.StatusTeapot)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestSolutionsComeInTheOrderOfTheVariables(t *testing.T) {
	url := endpoint(t)
	for _, format := range []string{"json", "xml"} {
		var rows [][]rdf.Term
		err := New([]string{url}).Ask(t.Context(), url, format, []string{"y", "x"}, func(row []rdf.Term) error {
			rows = append(rows, slices.Clone(row))
			return nil
		})
		if err != nil || len(rows) != 1 || !rows[0][0].IsZero() || rows[0][1] != rdf.NewIRI("http://e/x") {
			t.Errorf("%s: rows %v, error %v", format, rows, err)
		}
	}
}

// TestTheTraceIsHandedOn: the endpoint is told which trace (W3C Trace Context) its query is part of, where it is part of one.
func TestTheTraceIsHandedOn(t *testing.T) {
	var header string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { header = r.Header.Get("Traceparent") }))
	defer server.Close()
	ask := func(ctx context.Context) { _ = New([]string{server.URL}).Ask(ctx, server.URL, "", nil, nil) }
	if ask(t.Context()); header != "" {
		t.Errorf("%q without a trace", header)
	}
	part := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	if ask(trace.ContextWithSpanContext(t.Context(), part)); header != "00-01000000000000000000000000000000-0200000000000000-01" {
		t.Errorf("%q", header)
	}
}

func TestEndpointsThatDoNotAnswerAreNamed(t *testing.T) {
	url := endpoint(t)
	none := func([]rdf.Term) error { return errors.New("a row") }
	for query, want := range map[string]string{"moved": "302 Found", "other": "418", "json": "a row"} {
		if err := New([]string{url}).Ask(t.Context(), url, query, nil, none); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", query, err, want)
		}
	}
	if err := New([]string{url + "/x"}).Ask(t.Context(), url, "json", nil, none); !errors.Is(err, exec.ErrUnsupported) {
		t.Errorf("error %v, want ErrUnsupported", err)
	}
}
