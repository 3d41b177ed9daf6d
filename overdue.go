package rdfgpu

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Overdue tells of a query that goes on although it should have ended: a tenth of a second after its limit, or after its
// context ended. That is a defect, or a machine that does not get to run it.
type Overdue struct {
	// Query is its text.
	Query string
	// Stage is what it was doing: "parse", "plan", "run", or "write" where it waits for the reader of its solutions.
	Stage string
	// Cause is why it should have ended: ErrTimeout, or the cause of its context's end.
	Cause error
	// Stacks are what the goroutines of all queries were doing.
	Stacks string
}

// Overdue is how many queries of this store have been overdue since it was opened.
func (s *Store) Overdue() uint64 { return s.overdue.Load() }

// grace is how long a query may go on after it should have ended before it is overdue.
const grace = 100 * time.Millisecond

// stage is what a query is doing.
type stage int32

const (
	idle stage = iota // nothing runs: its result was not read yet, or has been
	parsing
	planning
	running
	writing
)

func (s stage) String() string { return [...]string{"", "parse", "plan", "run", "write"}[s] }

// watch looks from outside at whether a query ends in time. It costs nothing while the query does.
type watch struct {
	ctx    context.Context
	query  string
	store  *Store
	report func(Overdue)
	stage  atomic.Int32
	unlink func() bool

	mu     sync.Mutex
	timer  *time.Timer
	closed bool
}

// newWatch watches a query from now until close, once its context has ended.
func newWatch(ctx context.Context, store *Store, query string, report func(Overdue)) *watch {
	w := &watch{ctx: ctx, query: query, store: store, report: report}
	w.enter(parsing)
	w.unlink = context.AfterFunc(ctx, w.begin)
	return w
}

// enter says what the query does from now on.
func (w *watch) enter(s stage) { w.stage.Store(int32(s)) }

// begin starts the time that is left.
func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.timer = time.AfterFunc(grace, w.end)
	}
}

// end reports the query where it still runs.
func (w *watch) end() {
	at := stage(w.stage.Load())
	if at == idle {
		return
	}
	w.store.overdue.Add(1)
	if w.report != nil {
		w.report(Overdue{Query: w.query, Stage: at.String(), Cause: context.Cause(w.ctx), Stacks: queryStacks()})
	}
}

// close ends the watch.
func (w *watch) close() {
	w.enter(idle)
	if w.unlink() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// mostStacks bounds the text of the stacks that are told, in bytes.
const mostStacks = 48 << 10

// queryStacks are the stacks of the goroutines that work for queries.
func queryStacks() string {
	all := make([]byte, mostStacks)
	all = all[:runtime.Stack(all, true)]
	var out []byte
	for part := range bytes.SplitSeq(all, []byte("\n\n")) {
		if slices.ContainsFunc(queryRooms, func(room string) bool { return bytes.Contains(part, []byte(room)) }) {
			out = append(append(out, part...), "\n\n"...)
		}
	}
	return string(out)
}

// queryRooms are the packages whose functions work for queries.
var queryRooms = []string{"rdfgpu/exec.", "rdfgpu/exec/", "rdfgpu/planner.", "rdfgpu/parser.", "rdfgpu/internal/results."}
