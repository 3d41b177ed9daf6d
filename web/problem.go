package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/mine"
)

// Problem is an error as the client sees it: problem details by RFC 9457, or the same as text.
type Problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail,omitempty"`
	// Line and Column, from 1, are set for a query, an update or a document that could not be parsed.
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Expected []string `json:"expected,omitempty"`
	Hint     string   `json:"hint,omitempty"`
	// Query is the id of the query or update, as in the log.
	Query string `json:"query,omitempty"`

	retryAfter time.Duration
	// outcome names the problem in metrics.
	outcome string
}

func badRequest(detail string) *Problem {
	return &Problem{Status: http.StatusBadRequest, Title: "bad request", Detail: detail}
}

func readOnly() *Problem {
	return &Problem{Status: http.StatusForbidden, Title: "read-only", Detail: "this server answers queries and takes no updates",
		Hint: "rdfgpu serve STORE --writable takes updates"}
}

func unsupportedMedia(detail string, expected []string) *Problem {
	return &Problem{Status: http.StatusUnsupportedMediaType, Title: "unsupported media type", Detail: detail, Expected: expected}
}

// errCancelled is the cause of a context that a person cancelled.
var errCancelled = errors.New("somebody cancelled it")

// problemError is a problem on its way through the engine.
type problemError struct{ problem *Problem }

// Error says what the problem is.
func (e problemError) Error() string { return e.problem.Title + ": " + e.problem.Detail }

// problemOf translates an error of the engine.
func problemOf(ctx context.Context, err error) *Problem {
	var known problemError
	if errors.As(err, &known) {
		return known.problem
	}
	var syntax *rdfgpu.SyntaxError
	if errors.As(err, &syntax) {
		return &Problem{Status: http.StatusBadRequest, Title: "malformed query", Detail: syntax.Message, Line: syntax.Line,
			Column: syntax.Column, Expected: syntax.Expected, Hint: syntax.Hint, outcome: "malformed"}
	}
	var data *rdfgpu.DataError
	if errors.As(err, &data) && !errors.Is(err, rdfgpu.ErrLoad) { // the request's own document
		return &Problem{Status: http.StatusBadRequest, Title: "malformed document", Detail: data.Message, Line: int(data.Line), Column: data.Column,
			outcome: "malformed"}
	}
	for _, known := range engineProblems {
		if errors.Is(err, known.err) || errors.Is(context.Cause(ctx), known.err) {
			problem := known.problem
			problem.Detail = err.Error()
			return &problem
		}
	}
	if machine.DiskFull(err) {
		return &Problem{Status: http.StatusInsufficientStorage, Title: "disk full", Detail: err.Error(), outcome: "spill"}
	}
	if errors.Is(err, context.Canceled) {
		return &Problem{Status: http.StatusServiceUnavailable, Title: "stopped", Detail: "the server is stopping", outcome: "cancelled"}
	}
	return &Problem{Status: http.StatusInternalServerError, Title: "internal error", Detail: err.Error(), outcome: "error"}
}

// abandon makes it the problem of a client that has hung up; where that is what ended the query, it says so.
func (p *Problem) abandon() {
	if p.Title == "stopped" { // and nobody stops the server
		p.Title, p.Detail = "client gone", "the client has hung up"
	}
	p.outcome = "gone"
}

// hintGoOn is for who was told until now.
const hintGoOn = "subscribe again after the id that came last: by the header Last-Event-ID, or by after"

// gone is the problem of who wants to go on from where the log does not reach.
var gone = Problem{Status: http.StatusGone, Title: "log gone", outcome: "refused",
	Hint: "begin again without an id; with gone=snapshot the answer begins with a snapshot instead of this"}

var engineProblems = []struct {
	err     error
	problem Problem
}{
	{errCancelled, Problem{Status: http.StatusConflict, Title: "cancelled", outcome: "cancelled"}},
	{errTooSlow, Problem{Status: http.StatusServiceUnavailable, Title: "client too slow", outcome: "slow"}},
	{rdfgpu.ErrTimeout, Problem{Status: http.StatusGatewayTimeout, Title: "timeout", outcome: "timeout",
		Hint: "ask for less, or for more time by the parameter timeout, up to the server's limit"}},
	{context.DeadlineExceeded, Problem{Status: http.StatusGatewayTimeout, Title: "timeout", outcome: "timeout"}},
	{rdfgpu.ErrRowLimit, Problem{Status: http.StatusUnprocessableEntity, Title: "too many solutions", outcome: "rows",
		Hint: "add a LIMIT, or count with COUNT(*)"}},
	{rdfgpu.ErrTooMany, Problem{Status: http.StatusUnprocessableEntity, Title: "too many solutions", outcome: "rows"}},
	{rdfgpu.ErrMemoryLimit, Problem{Status: http.StatusInsufficientStorage, Title: "not enough memory", outcome: "memory"}},
	{rdfgpu.ErrSpillLimit, Problem{Status: http.StatusInsufficientStorage, Title: "not enough temporary disk", outcome: "spill"}},
	{rdfgpu.ErrUnsupported, Problem{Status: http.StatusNotImplemented, Title: "not supported", outcome: "unsupported"}},
	{rdfgpu.ErrCannotStand, Problem{Status: http.StatusBadRequest, Title: "no query that can stand", outcome: "unsupported",
		Hint: "send it to /sparql, which answers once"}},
	{rdfgpu.ErrLogGone, gone}, {rdfgpu.ErrLogBeyond, gone},
	{rdfgpu.ErrStoreClosed, Problem{Status: http.StatusServiceUnavailable, Title: "stopped", outcome: "ended"}},
	{errStopping, Problem{Status: http.StatusServiceUnavailable, Title: "stopped", outcome: "ended", Hint: hintGoOn}},
	{errUnsubscribed, Problem{Title: "unsubscribed", outcome: "ended"}},
	{errPushedOut, Problem{Status: http.StatusServiceUnavailable, Title: "too many subscriptions", outcome: "busy", Hint: hintGoOn}},
	{errTurned, Problem{Status: http.StatusServiceUnavailable, Title: "another store", outcome: "ended", Hint: hintGoOn}},
	{rdfgpu.ErrNoClass, Problem{Status: http.StatusBadRequest, Title: "bad request", outcome: "refused"}},
	{rdfgpu.ErrNoPredicate, Problem{Status: http.StatusBadRequest, Title: "bad request", outcome: "refused"}},
	{rdfgpu.ErrMineOptions, Problem{Status: http.StatusBadRequest, Title: "bad request", outcome: "refused"}},
	{rdfgpu.ErrMineTable, Problem{Status: http.StatusBadRequest, Title: "malformed query", outcome: "malformed"}},
	{mine.ErrSize, Problem{Status: http.StatusBadRequest, Title: "bad request", outcome: "refused"}},
	{mine.ErrMeasure, Problem{Status: http.StatusBadRequest, Title: "bad request", outcome: "refused"}},
	{mine.ErrMemory, Problem{Status: http.StatusInsufficientStorage, Title: "not enough memory", outcome: "memory"}},
	{mine.ErrCount, Problem{Status: http.StatusUnprocessableEntity, Title: "too many", outcome: "rows"}},
	{rdfgpu.ErrFunction, Problem{Status: http.StatusBadRequest, Title: "malformed query", outcome: "malformed"}},
	{rdfgpu.ErrPattern, Problem{Status: http.StatusBadRequest, Title: "malformed query", outcome: "malformed"}},
	{rdfgpu.ErrNoColumns, Problem{Status: http.StatusNotAcceptable, Title: "no such syntax for this answer", outcome: "refused",
		Hint: "ask for application/sparql-results+json, or select a variable"}},
	{rdfgpu.ErrFormat, Problem{Status: http.StatusNotAcceptable, Title: "no such syntax for this answer", outcome: "refused",
		Hint: "ask for text/turtle or application/n-triples"}},
	{rdfgpu.ErrDamaged, Problem{Status: http.StatusInternalServerError, Title: "damaged store", outcome: "error",
		Hint: "the store must be loaded again"}},
	{rdfgpu.ErrReadOnly, Problem{Status: http.StatusForbidden, Title: "read-only", outcome: "refused",
		Hint: "rdfgpu serve STORE --writable takes updates"}},
	{rdfgpu.ErrConflict, Problem{Status: http.StatusPreconditionFailed, Title: "precondition failed", outcome: "conflict",
		Hint: "read again, and repeat the request with the tag of that answer"}},
	{rdfgpu.ErrWriters, Problem{Status: http.StatusServiceUnavailable, Title: "too many updates", outcome: "busy",
		Hint: "try again in a moment", retryAfter: time.Second}},
	{rdfgpu.ErrGraphExists, Problem{Status: http.StatusConflict, Title: "conflict", outcome: "refused", Hint: "CREATE SILENT takes a graph that exists"}},
	{rdfgpu.ErrNoGraph, Problem{Status: http.StatusConflict, Title: "conflict", outcome: "refused", Hint: "with SILENT, a graph that is not there is no error"}},
	{rdfgpu.ErrUsing, Problem{Status: http.StatusBadRequest, Title: "malformed query", outcome: "malformed"}},
	{rdfgpu.ErrLoad, Problem{Status: http.StatusUnprocessableEntity, Title: "nothing loaded", outcome: "refused",
		Hint: "rdfgpu serve --allow-load PREFIX says what LOAD may read; LOAD SILENT goes on without"}},
	{rdfgpu.ErrNoDevice, Problem{Status: http.StatusUnprocessableEntity, Title: "no usable GPU", outcome: "unsupported",
		Hint: "leave the parameter device at auto"}},
}

// fail sends a problem: as JSON to those who accept JSON, as text to the others.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, id string, p *Problem) {
	h := w.Header()
	for _, name := range []string{"Content-Length", "Content-Encoding", "Content-Type", "ETag", "Cache-Control"} {
		h.Del(name)
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="rdfgpu"`)
	}
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(max(1, int(p.retryAfter.Seconds()))))
	}
	p.Query = id
	var body []byte
	if accept := strings.Join(r.Header["Accept"], ","); strings.Contains(accept, "json") {
		h.Set("Content-Type", "application/problem+json")
		body, _ = json.Marshal(p)
		body = append(body, '\n')
	} else {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		body = p.text()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// text is the problem for people.
func (p *Problem) text() []byte {
	var b strings.Builder
	b.WriteString(p.Title)
	if p.Line > 0 {
		fmt.Fprintf(&b, " at line %d, column %d", p.Line, p.Column)
	}
	if p.Detail != "" {
		b.WriteString(": " + p.Detail)
	}
	b.WriteByte('\n')
	if len(p.Expected) > 0 {
		b.WriteString("expected: " + strings.Join(p.Expected, ", ") + "\n")
	}
	if p.Hint != "" {
		b.WriteString("hint: " + p.Hint + "\n")
	}
	return []byte(b.String())
}
