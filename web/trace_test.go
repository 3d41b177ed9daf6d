package web

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// follow makes options whose spans are kept.
func follow(options Options) (Options, *tracetest.InMemoryExporter) {
	kept := tracetest.NewInMemoryExporter()
	options.Traces = sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept))
	return options, kept
}

// attributesOf are a span's, as text.
func attributesOf(s tracetest.SpanStub) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

const parentTrace = "0af7651916cd43dd8448eb211c80319c"

func TestAQueryIsASpanOfItsClientsTrace(t *testing.T) {
	t.Parallel()
	options, kept := follow(Options{})
	s := smallServer(t, options)
	w := get(s, "SELECT * { ?a ?p ?b }", "Traceparent: 00-"+parentTrace+"-b7ad6b7169203331-01", "Host: localhost", "X-Request-Id: mine")
	if w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	spans := kept.GetSpans()
	root := spans[len(spans)-1]
	for name, want := range map[string]string{
		"http.request.method": "GET", "http.route": "/sparql", "http.response.status_code": "200", "rdfgpu.outcome": "ok", "rdfgpu.rows": "2",
		"db.query.text": "SELECT * { ?a ?p ?b }", "rdfgpu.request.id": "mine", "rdfgpu.query.id": w.Header().Get(headerQueryID), "rdfgpu.kept": "false",
	} {
		if got := attributesOf(root)[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if root.Name != "GET /sparql" || root.SpanKind != trace.SpanKindServer || root.Parent.SpanID().String() != "b7ad6b7169203331" {
		t.Errorf("%+v", root)
	}
	var names []string
	for _, phase := range spans[:len(spans)-1] {
		names = append(names, phase.Name)
		if phase.Parent.SpanID() != root.SpanContext.SpanID() || phase.SpanContext.TraceID().String() != parentTrace || phase.StartTime.Before(root.StartTime.Add(-time.Second)) ||
			phase.EndTime.Before(phase.StartTime) {
			t.Errorf("%+v", phase)
		}
	}
	if !slices.Equal(names, []string{"wait", "parse", "plan", "run"}) {
		t.Error(names)
	}
}

func TestTheLogNamesTheTrace(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	options, _ := follow(Options{SlowQuery: 1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	s, _ := newTestServer(t, options)
	get(s, "ASK", "Traceparent: 00-"+parentTrace+"-b7ad6b7169203331-01")
	if !strings.Contains(log.String(), "trace="+parentTrace) {
		t.Error(log.String())
	}
}

func TestWhatFailsIsASpanToo(t *testing.T) {
	t.Parallel()
	options, kept := follow(Options{})
	s, _ := newTestServer(t, options)
	for query, want := range map[string]string{"BAD": "400 malformed Unset", "FAIL timeout": "504 timeout Error", "FAIL other": "500 error Error", "PANIC": "500  Error"} {
		kept.Reset()
		get(s, query)
		root := kept.GetSpans()[len(kept.GetSpans())-1]
		a := attributesOf(root)
		if got := fmt.Sprint(a["http.response.status_code"], " ", a["rdfgpu.outcome"], " ", root.Status.Code); got != want || query != "PANIC" && root.Events == nil {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	kept.Reset()
	do(s, "GET", "/healthz", "")
	do(s, "GET", "/metrics", "")
	if n := len(kept.GetSpans()); n != 0 {
		t.Errorf("%d spans of requests that are not followed", n)
	}
}

func TestAnUpdateIsASpan(t *testing.T) {
	t.Parallel()
	options, kept := follow(Options{})
	s := smallServer(t, options)
	updateOf(t, s, "INSERT DATA { :a :b :c }")
	spans := kept.GetSpans()
	root := spans[len(spans)-1]
	if a := attributesOf(root); root.Name != "POST /update" || a["rdfgpu.added"] != "1" || a["rdfgpu.sequence"] != "1" || a["rdfgpu.outcome"] != "ok" || root.Status.Code != codes.Unset {
		t.Errorf("%s %v", root.Name, a)
	}
	if len(spans) != 3 {
		t.Errorf("%d spans", len(spans))
	}
}
