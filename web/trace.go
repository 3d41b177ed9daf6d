package web

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// tracer makes OpenTelemetry spans of requests: one for each, by the semantic conventions of HTTP servers, part of the client's trace where
// the request names one (W3C Trace Context), and below that of a query or an update what its time was spent on. nil makes none.
type tracer struct{ trace.Tracer }

// tracedPaths are the first parts of paths whose requests have spans. One for a subscription would end when that does, after days.
var tracedPaths = []string{"sparql", "update", "store", "mcp", "api"}

// tracedText is how much of a query's text a span has.
const tracedText = 4096

func newTracer(provider trace.TracerProvider) *tracer {
	if provider == nil {
		return nil
	}
	return &tracer{provider.Tracer("github.com/rdfgpu/rdfgpu/web")}
}

// request begins the span of a request, which the one that is returned carries; end ends it once the response has.
func (t *tracer) request(w *tracked, r *http.Request) (traced *http.Request, end func()) {
	route, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !slices.Contains(tracedPaths, route) {
		return r, func() {}
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.Start(ctx, r.Method+" /"+route, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", r.Method), attribute.String("http.route", "/"+route), attribute.String("url.path", mountOf(r)+r.URL.Path),
		attribute.String("client.address", r.RemoteAddr), attribute.String("rdfgpu.request.id", requestOf(r))))
	return r.WithContext(ctx), func() {
		span.SetAttributes(attribute.Int("http.response.status_code", w.status))
		if w.status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// query says in the span of a request what became of its query.
func (t *tracer) query(x *exchange, outcome string, bytes int64, p *Problem) {
	span := trace.SpanFromContext(x.r.Context())
	if t == nil || !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.Int64("rdfgpu.rows", int64(x.rows)), attribute.Int64("rdfgpu.bytes", bytes), attribute.Bool("rdfgpu.kept", x.found != nil))
	t.operation(span, x.r.Context(), x.query, x.request.text, outcome, p)
	if x.timings.Total == 0 {
		return
	}
	at := x.query.Started.Add(time.Duration(x.query.began.Load()))
	at = t.phase(x.r.Context(), "parse", at, x.timings.Parse)
	at = t.phase(x.r.Context(), "plan", at, x.timings.Plan)
	var spent []attribute.KeyValue
	for _, phase := range phasesOf(x.timings) {
		if phase.spent > 0 && phase.name != "parse" && phase.name != "plan" {
			spent = append(spent, attribute.Float64("rdfgpu."+phase.name+".seconds", phase.spent.Seconds()))
		}
	}
	t.phase(x.r.Context(), "run", at, time.Since(at), spent...)
}

// update says in the span of a request what became of its update.
func (t *tracer) update(c *change, outcome string, p *Problem) {
	span := trace.SpanFromContext(c.r.Context())
	if t == nil || !span.IsRecording() || c.query == nil {
		return
	}
	span.SetAttributes(attribute.Int64("rdfgpu.sequence", int64(c.report.Sequence)), attribute.Int64("rdfgpu.added", int64(c.report.Added)),
		attribute.Int64("rdfgpu.removed", int64(c.report.Removed)), attribute.Bool("rdfgpu.dry_run", c.dryRun))
	t.operation(span, c.r.Context(), c.query, c.text, outcome, p)
	at := c.query.Started.Add(time.Duration(c.query.began.Load()))
	t.phase(c.r.Context(), "run", at, time.Since(at))
}

// operation says what a query and an update have in common, the time that it waited for its turn included.
func (t *tracer) operation(span trace.Span, ctx context.Context, q *query, text, outcome string, p *Problem) {
	span.SetAttributes(attribute.String("db.system.name", "rdfgpu"), attribute.String("db.query.text", cutQuery(text, tracedText)),
		attribute.String("rdfgpu.query.id", q.ID), attribute.String("rdfgpu.outcome", outcome))
	if p != nil {
		span.SetAttributes(attribute.String("error.type", outcome))
		span.AddEvent(p.Title, trace.WithAttributes(attribute.String("detail", p.Detail)))
	}
	if waited := time.Duration(q.began.Load()); waited > 0 {
		t.phase(ctx, "wait", q.Started, waited)
	}
}

// phase makes a span of a time that is over, and returns its end.
func (t *tracer) phase(ctx context.Context, name string, from time.Time, spent time.Duration, attributes ...attribute.KeyValue) (to time.Time) {
	to = from.Add(spent)
	_, span := t.Start(ctx, name, trace.WithTimestamp(from), trace.WithAttributes(attributes...))
	span.End(trace.WithTimestamp(to))
	return to
}

// traceOf is the log's attribute for the trace that a request is part of; none where it is part of none.
func traceOf(r *http.Request) []slog.Attr {
	if s := trace.SpanContextFromContext(r.Context()); s.IsValid() {
		return []slog.Attr{slog.String("trace", s.TraceID().String())}
	}
	return nil
}
