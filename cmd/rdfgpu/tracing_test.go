package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

func TestTheEnvironmentSaysWhetherThereIsTracing(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "no",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://h": "yes",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://h":                                                                 "yes",
		"OTEL_TRACES_EXPORTER=otlp":                                                                                   "yes",
		"OTEL_TRACES_EXPORTER=none OTEL_EXPORTER_OTLP_ENDPOINT=http://h":                                              "no",
		"OTEL_SDK_DISABLED=TRUE OTEL_EXPORTER_OTLP_ENDPOINT=http://h":                                                 "no",
		"OTEL_TRACES_EXPORTER=zipkin":                                                                                 "expected otlp or none",
		"OTEL_EXPORTER_OTLP_ENDPOINT=h OTEL_EXPORTER_OTLP_PROTOCOL=grpc":                                              "expected http/protobuf",
		"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=grpc OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf": "yes",
	} {
		variables := map[string]string{}
		for setting := range strings.FieldsSeq(text) {
			name, value, _ := strings.Cut(setting, "=")
			variables[name] = value
		}
		wanted, err := tracingWanted(func(name string) string { return variables[name] })
		got := map[bool]string{true: "yes", false: "no"}[wanted]
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestSpansReachACollector: what a provider is told goes to the address of the environment, under the name that it says.
func TestSpansReachACollector(t *testing.T) {
	got := make(chan *collector.ExportTraceServiceRequest, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		request := &collector.ExportTraceServiceRequest{}
		if err == nil {
			err = proto.Unmarshal(body, request)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Error(r.URL, err)
		}
		got <- request
	}))
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_SERVICE_NAME", "my-graph")
	traces, err := tracing(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_, span := traces.Tracer("test").Start(t.Context(), "GET /sparql")
	span.End()
	(&shared{traces: traces}).end()
	text := (<-got).String()
	if !strings.Contains(text, `"GET /sparql"`) || !strings.Contains(text, `"my-graph"`) {
		t.Error(text)
	}
}
