package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// The names of events.
const (
	eventSnapshot = "snapshot"
	eventChange   = "change"
	eventProgress = "progress"
	eventEnd      = "end"
)

var (
	// errStopping: the server stops. errTurned: it answers from another store by now.
	errStopping = errors.New("the server is stopping")
	errTurned   = errors.New("the store was loaded anew, or changed by another process")
	// errPushedOut: another client, which has fewer, takes its place.
	errPushedOut = errors.New("as many queries stand as may, and other clients have fewer of them")
)

// subscription is one query that stands, from its request to the end of its events. Who reads slowly is told the net change of several
// commits as one: nothing but that waits.
type subscription struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	request *request
	began   time.Time

	query  *query
	ctx    context.Context
	engine *edition
	// history is the log that ids are of.
	history string
	stream  *eventStream // nil until the first event
	// last is the sequence that the client was told last.
	last uint64
}

// serve tells the client until it leaves, or something else ends that.
func (x *subscription) serve() {
	s := x.server
	ctx, cancel := context.WithCancelCause(x.r.Context())
	defer cancel(nil)
	x.ctx = ctx
	x.query = s.queries.named(x.request.text, x.r.RemoteAddr, x.began, cancel)
	x.query.owner = s.client(x.r)
	setField(x.w, headerQueryID, x.query.ID)
	if !s.queries.stand(x.query, s.options.MaxSubscriptions) {
		x.conclude(problemError{&Problem{Status: http.StatusServiceUnavailable, Title: "too many subscriptions",
			Detail: fmt.Sprintf("%d queries stand, which is as many as may", max(0, s.options.MaxSubscriptions)), Hint: "try again in a moment",
			retryAfter: 10 * time.Second, outcome: "busy"}})
		return
	}
	defer s.queries.remove(x.query)
	engine, done := s.use()
	defer done()
	defer context.AfterFunc(engine.ctx, func() { cancel(errTurned) })()
	defer context.AfterFunc(s.stopping, func() { cancel(errStopping) })()
	x.engine, x.history = engine, engine.History()
	x.conclude(x.stand())
}

// stand makes the query stand where the client wants to go on, or anew.
func (x *subscription) stand() error {
	options := x.request.watchOptions(x.server)
	options.Admit = x.admit
	err := x.otherLog()
	if err == nil {
		err = x.follow(options)
	}
	if x.request.stands.anew && x.stream == nil && (errors.Is(err, rdfgpu.ErrLogGone) || errors.Is(err, rdfgpu.ErrLogBeyond)) {
		options.After = nil
		err = x.follow(options)
	}
	return err
}

// otherLog says that the client had an event of another log.
func (x *subscription) otherLog() error {
	if after := x.request.stands.after; after != nil && after.history != "" && after.history != x.history {
		return fmt.Errorf("%w: event %s is of another store, or of this one before it was loaded anew", rdfgpu.ErrLogGone, after)
	}
	return nil
}

// admit waits for a turn to evaluate the query in, which may take as long as any query.
func (x *subscription) admit(ctx context.Context) (context.Context, func(), error) {
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, done := limited(ctx, time.Now(), x.request.options.Timeout)
	turn, problem := x.server.admit.enter(ctx, x.server.client(x.r), cancel)
	leave := func() {
		turn.leave()
		done()
		cancel(nil)
	}
	if problem != nil {
		leave()
		return nil, nil, problemError{problem}
	}
	return ctx, leave, nil
}

// follow tells the client of all changes.
func (x *subscription) follow(options rdfgpu.WatchOptions) error {
	for change, err := range x.engine.Watch(x.ctx, x.request.text, options) {
		if err == nil {
			err = x.tell(&change)
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(x.ctx)
}

// tell sends one event, or a comment where there is nothing new.
func (x *subscription) tell(c *rdfgpu.Change) error {
	x.query.held.Store(c.Held)
	if most := x.server.options.MaxRows; most > 0 && max(countRows(c.Added), countRows(c.Removed)) > most {
		return rdfgpu.ErrRowLimit
	}
	name := eventChange
	switch {
	case c.Way == rdfgpu.SnapshotChange:
		name = eventSnapshot
	case c.Way == rdfgpu.ProgressChange && x.stream != nil && c.Sequence == x.last:
		return x.stream.comment("nothing new")
	case c.Way == rdfgpu.ProgressChange:
		name = eventProgress
	}
	if x.stream == nil {
		x.stream = openEvents(x.ctx, x.w)
	}
	x.last = c.Sequence
	x.server.metrics.standing.events[name].Inc()
	x.stream.begin(name, x.id())
	fmt.Fprintf(x.stream, `{"sequence":%d,"way":%q,"memoryBytes":%d`, c.Sequence, c.Way, c.Held)
	if name != eventProgress {
		x.rows("added", c.Variables, c.Added)
		x.rows("removed", c.Variables, c.Removed)
	}
	fmt.Fprint(x.stream, "}")
	return x.stream.end()
}

// id is that of an event; "" where nobody could go on after it.
func (x *subscription) id() string {
	if x.history == "" {
		return ""
	}
	return eventID{x.last, x.history}.String()
}

// rows writes a member with solutions; an error stays with the stream.
func (x *subscription) rows(name string, variables []string, rows []rdfgpu.ChangedRow) {
	fmt.Fprintf(x.stream, `,%q:`, name)
	_ = results.WriteBindings(x.stream, variables, repeated(rows))
}

// repeated are the solutions, each as often as it counts.
func repeated(rows []rdfgpu.ChangedRow) iter.Seq[[]rdfgpu.Term] {
	return func(yield func([]rdfgpu.Term) bool) {
		for _, r := range rows {
			for range r.Count {
				if !yield(r.Terms) {
					return
				}
			}
		}
	}
}

func countRows(rows []rdfgpu.ChangedRow) (n uint64) {
	for _, r := range rows {
		n += r.Count
	}
	return n
}

// conclude says why there are no more events: as an event where some have been sent. An event that has begun is broken off.
func (x *subscription) conclude(err error) {
	p := x.problem(err)
	x.server.metrics.standing.finished(p.outcome)
	x.log(p)
	if x.stream == nil {
		x.server.fail(x.w, x.r, x.query.ID, p)
		return
	}
	defer x.stream.close()
	if x.stream.open {
		panic(http.ErrAbortHandler)
	}
	p.Query = x.query.ID
	text, _ := json.Marshal(p)
	x.stream.farewell(eventEnd, text)
	x.server.metrics.standing.events[eventEnd].Inc()
}

// problem is why the subscription ends: what ended it before what the connection made of that.
func (x *subscription) problem(err error) *Problem {
	sending := error(nil)
	if x.stream != nil {
		sending = x.stream.err
	}
	switch cause := context.Cause(x.ctx); {
	case cause != nil && cause != context.Canceled:
		return problemOf(x.ctx, err)
	case errors.Is(sending, os.ErrDeadlineExceeded):
		return &Problem{Title: "client stalled", Detail: "the client took nothing for too long", outcome: "stalled"}
	case x.r.Context().Err() != nil || sending != nil:
		return &Problem{Title: "client gone", Detail: err.Error(), outcome: "gone"}
	}
	return problemOf(x.ctx, err)
}

// log writes a line where the end is worth one.
func (x *subscription) log(p *Problem) {
	level := x.server.levelOf(p.outcome, 0)
	var bytes int64
	if x.stream != nil {
		bytes = x.stream.sent
	}
	x.server.metrics.bytes.Add(float64(bytes))
	x.server.options.Log.LogAttrs(context.Background(), level, "subscription", slog.String("query", x.query.ID), slog.String("request", requestOf(x.r)),
		slog.String("outcome", p.outcome), slog.Duration("elapsed", time.Since(x.began)), slog.Int64("bytes", bytes), slog.String("client", x.r.RemoteAddr),
		slog.String("text", cutQuery(x.request.text, 1000)), slog.String("problem", p.Title+": "+p.Detail))
}
