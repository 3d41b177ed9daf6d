package web

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeEngine answers by the first word of the query:
//
//	SELECT n [delay]  n rows of two columns, a batch of 1000 every delay
//	ASK, CONSTRUCT    a boolean; one triple
//	FOREVER           nothing until the context is done
//	BAD, PANIC, BREAK a syntax error; a panic; an error after some rows
//	FAIL x            the engine's error of that name
type fakeEngine struct {
	unchangeable
	running atomic.Int64
	last    atomic.Pointer[rdfgpu.QueryOptions]
	until   atomic.Pointer[time.Time] // the deadline of the last query
	damage  error                     // that CheckAll finds
}

// deadline is that of the last query.
func (e *fakeEngine) deadline() (time.Time, bool) {
	until := e.until.Load()
	if until == nil {
		return time.Time{}, false
	}
	return *until, true
}

var fakeErrors = map[string]error{
	"timeout": rdfgpu.ErrTimeout, "rows": rdfgpu.ErrRowLimit, "memory": rdfgpu.ErrMemoryLimit, "many": rdfgpu.ErrTooMany,
	"unsupported": rdfgpu.ErrUnsupported, "device": rdfgpu.ErrNoDevice, "other": fmt.Errorf("something broke"),
	"exists": rdfgpu.ErrGraphExists, "writers": rdfgpu.ErrWriters, "readonly": rdfgpu.ErrReadOnly, "full": syscall.ENOSPC, "quota": syscall.EDQUOT,
	"using": rdfgpu.ErrUsing, "load": rdfgpu.ErrLoad,
}

func (e *fakeEngine) Query(ctx context.Context, text string, options rdfgpu.QueryOptions) (Answer, error) {
	e.last.Store(&options)
	if until, ok := ctx.Deadline(); ok {
		e.until.Store(&until)
	}
	a := &fakeAnswer{engine: e, ctx: ctx, kind: rdfgpu.Solutions, text: text}
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "SELECT":
		var delay string
		fmt.Sscan(rest, &a.rows, &delay)
		a.delay, _ = time.ParseDuration(delay)
	case "ASK":
		a.kind = rdfgpu.Boolean
	case "CONSTRUCT":
		a.kind, a.rows = rdfgpu.Triples, 1
	case "FOREVER":
		e.running.Add(1)
		defer e.running.Add(-1)
		<-ctx.Done()
		return nil, ctx.Err()
	case "PANIC":
		panic("as asked")
	case "BREAK":
		a.rows, a.broken = 100_000, true
	case "FAIL":
		return nil, fmt.Errorf("engine: %w", fakeErrors[rest])
	default:
		return nil, &rdfgpu.SyntaxError{Line: 1, Column: 3, Message: "unexpected " + word, Expected: []string{"SELECT", "ASK"}, Hint: "try SELECT"}
	}
	e.running.Add(1)
	return a, nil
}

func (e *fakeEngine) Explain(ctx context.Context, text string, options rdfgpu.QueryOptions) (any, error) {
	if strings.HasPrefix(text, "BAD") {
		return nil, &rdfgpu.SyntaxError{Line: 1, Column: 1, Message: "unexpected BAD"}
	}
	return map[string]any{"plan": text, "analyze": options.Analyze}, nil
}

func (e *fakeEngine) Mine(ctx context.Context, options rdfgpu.MineOptions) (rdfgpu.MineReport, error) {
	return rdfgpu.MineReport{}, rdfgpu.ErrNoPredicate
}

func (e *fakeEngine) Info() (rdfgpu.Info, error) {
	return rdfgpu.Info{Path: "/secret/path", Triples: 42, Predicates: 3, Classes: 2}, nil
}
func (e *fakeEngine) Device() rdfgpu.DeviceInfo { return rdfgpu.DeviceInfo{Reason: "none here"} }
func (e *fakeEngine) CacheStats() rdfgpu.CacheStats {
	return rdfgpu.CacheStats{Hits: 7, Misses: 3, Entries: 2, Planned: 6, Unplanned: 4}
}
func (e *fakeEngine) Schema(limit int) (rdfgpu.Schema, error) {
	return rdfgpu.Schema{Classes: []rdfgpu.ClassInfo{{IRI: "http://e/C", Members: 7}}}, nil
}
func (e *fakeEngine) CheckAll(ctx context.Context) error { return e.damage }
func (e *fakeEngine) Examples() []rdfgpu.Example         { return nil }

// unchangeable is the part of an engine that cannot be changed.
type unchangeable struct{}

func (unchangeable) HasGraph(graph string) (bool, error) { return graph == "http://e/g", nil }
func (unchangeable) Sequence() uint64                    { return 0 }
func (unchangeable) History() string                     { return "" }
func (unchangeable) Watch(context.Context, string, rdfgpu.WatchOptions) iter.Seq2[rdfgpu.Change, error] {
	return func(yield func(rdfgpu.Change, error) bool) { yield(rdfgpu.Change{}, rdfgpu.ErrCannotStand) }
}
func (unchangeable) WaitFor(ctx context.Context, sequence uint64) error { return nil }
func (unchangeable) Live() (rdfgpu.LiveInfo, bool)                      { return rdfgpu.LiveInfo{}, false }
func (unchangeable) Dump(ctx context.Context, w io.Writer, options rdfgpu.DumpOptions) (rdfgpu.DumpReport, error) {
	_, err := io.WriteString(w, "<http://e/s> <http://e/p> \"o\" .\n")
	return rdfgpu.DumpReport{Quads: 1}, err
}
func (unchangeable) Update(context.Context, string, rdfgpu.UpdateOptions) (rdfgpu.UpdateReport, error) {
	return rdfgpu.UpdateReport{}, rdfgpu.ErrReadOnly
}
func (unchangeable) PutGraph(context.Context, string, io.Reader, rdfgpu.GraphOptions) (rdfgpu.UpdateReport, bool, error) {
	return rdfgpu.UpdateReport{}, false, rdfgpu.ErrReadOnly
}
func (unchangeable) DropGraph(context.Context, string, rdfgpu.GraphOptions) (rdfgpu.UpdateReport, error) {
	return rdfgpu.UpdateReport{}, rdfgpu.ErrReadOnly
}
func (unchangeable) Patch(context.Context, io.Reader, rdfgpu.UpdateOptions) (rdfgpu.UpdateReport, error) {
	return rdfgpu.UpdateReport{}, rdfgpu.ErrReadOnly
}

type fakeAnswer struct {
	engine *fakeEngine
	ctx    context.Context
	kind   rdfgpu.Kind
	rows   int
	delay  time.Duration
	broken bool
	closed bool
	text   string
}

func (a *fakeAnswer) Kind() rdfgpu.Kind      { return a.kind }
func (a *fakeAnswer) Boolean() (bool, error) { return true, nil }
func (a *fakeAnswer) Err() error             { return nil }
func (a *fakeAnswer) Term(id rdfgpu.ID) rdfgpu.Term {
	return rdf.NewIRI(fmt.Sprintf("http://example.org/t%d", id))
}
func (a *fakeAnswer) Sequence() uint64 { return 0 }
func (a *fakeAnswer) Repeatable() bool { return !strings.Contains(a.text, "NOW") }
func (a *fakeAnswer) Timings() rdfgpu.Timings {
	return rdfgpu.Timings{Parse: 12345, Total: 1234567}
}

func (a *fakeAnswer) Close() error {
	if !a.closed {
		a.engine.running.Add(-1)
	}
	a.closed = true
	return nil
}

func (a *fakeAnswer) Variables() []string {
	if a.kind == rdfgpu.Triples {
		return []string{"s", "p", "o"}
	}
	return []string{"x", "y"}
}

func (a *fakeAnswer) Batches() iter.Seq2[*rdfgpu.Batch, error] {
	return func(yield func(*rdfgpu.Batch, error) bool) {
		width := len(a.Variables())
		for from := 0; from < a.rows; from += 1000 {
			if a.broken && from >= 50_000 {
				yield(nil, fakeErrors["other"])
				return
			}
			select {
			case <-a.ctx.Done():
				yield(nil, a.ctx.Err())
				return
			case <-time.After(a.delay):
			}
			n := min(1000, a.rows-from)
			b := &rdfgpu.Batch{N: n}
			for range width {
				col := make([]rdfgpu.ID, n)
				for i := range col {
					col[i] = rdfgpu.ID(from + i)
				}
				b.Cols = append(b.Cols, col)
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

func (a *fakeAnswer) AppendNTriples(dst []byte, id rdfgpu.ID) []byte {
	return fmt.Appendf(dst, "<http://example.org/t%d>", id)
}

func (a *fakeAnswer) AppendText(dst []byte, id rdfgpu.ID) ([]byte, string) {
	return fmt.Appendf(dst, "http://example.org/t%d", id), rdf.SortIRI
}

func (a *fakeAnswer) Write(w io.Writer, format rdfgpu.Format) (uint64, error) {
	return a.WritePart(w, format, math.MaxUint64)
}

func (a *fakeAnswer) WritePart(w io.Writer, format rdfgpu.Format, send uint64) (uint64, error) {
	if a.kind == rdfgpu.Boolean {
		return 0, results.WriteBoolean(w, format, true)
	}
	return writeFake(w, format, a, send)
}

// fakeRows is an answer that a test makes up.
type fakeRows interface {
	results.Decoder
	Variables() []string
	Batches() iter.Seq2[*rdfgpu.Batch, error]
}

// writeFake writes the first send rows of an answer and returns how many there are.
func writeFake(w io.Writer, format rdfgpu.Format, a fakeRows, send uint64) (rows uint64, err error) {
	out, err := results.NewWriter(w, format, a.Variables(), a, results.Options{})
	if err != nil {
		return 0, err
	}
	for b, err := range a.Batches() {
		if err == nil {
			err = out.Write(b.Cols, int(min(uint64(b.N), send-min(rows, send))))
			rows += uint64(b.N)
		}
		if err != nil {
			out.Abort()
			return rows, err
		}
	}
	if send < math.MaxUint64 {
		out.Total(rows)
	}
	return rows, out.Close()
}

// quiet is a log that nobody reads.
var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// newTestServer serves a fake engine.
func newTestServer(t testing.TB, options Options) (*Server, *fakeEngine) {
	t.Helper()
	engine := &fakeEngine{}
	if options.Log == nil {
		options.Log = quiet
	}
	s, err := New(engine, options)
	if err != nil {
		t.Fatal(err)
	}
	return s, engine
}

// listen serves on a real connection.
func listen(t testing.TB, s *Server) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(func() { server.Close(); http.DefaultClient.CloseIdleConnections() })
	return server
}
