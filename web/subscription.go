package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/rdfgpu/rdfgpu"
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

// subscription is one query that stands, from its request to the end of what is told of it. Who takes it slowly is told the net change of
// several commits as one: nothing but that waits.
type subscription struct {
	server *Server
	// r is the request that it came with; its context ends where nobody can be told any more.
	r       *http.Request
	request *request
	to      receiver

	query   *query
	ctx     context.Context
	cancel  context.CancelCauseFunc
	began   time.Time
	engine  *edition
	history string // the log that ids are of
	// told: there was a change, the last of which was of the commit last.
	told bool
	last uint64
}

// subscription prepares a query that is to stand; serve ends it.
func (s *Server) subscription(r *http.Request, request *request, began time.Time) *subscription {
	x := &subscription{server: s, r: r, request: request, began: began}
	x.ctx, x.cancel = context.WithCancelCause(r.Context())
	x.query = s.queries.named(request.text, r.RemoteAddr, began)
	x.query.cancel = x.cancel
	x.query.owner = s.client(r)
	return x
}

// serve tells the receiver until it leaves, or something else ends that, and returns why.
func (x *subscription) serve() *Problem {
	s := x.server
	defer x.cancel(nil)
	if !s.queries.stand(x.query, s.options.MaxSubscriptions) {
		return x.conclude(problemError{&Problem{Status: http.StatusServiceUnavailable, Title: "too many subscriptions",
			Detail: fmt.Sprintf("%d may stand at once, and as many do", max(0, s.options.MaxSubscriptions)), Hint: "try again in a moment",
			retryAfter: 10 * time.Second, outcome: "busy"}})
	}
	defer s.queries.remove(x.query)
	engine, done := s.use()
	defer done()
	defer context.AfterFunc(engine.ctx, func() { x.cancel(errTurned) })()
	defer context.AfterFunc(s.stopping, func() { x.cancel(errStopping) })()
	x.engine, x.history = engine, engine.History()
	return x.conclude(x.stand())
}

// stand makes the query stand where the receiver wants to go on, or anew.
func (x *subscription) stand() error {
	options := x.request.watchOptions(x.server)
	options.Admit = x.admit
	err := x.otherLog()
	if err == nil {
		err = x.follow(options)
	}
	if x.request.stands.anew && !x.told && (errors.Is(err, rdfgpu.ErrLogGone) || errors.Is(err, rdfgpu.ErrLogBeyond)) {
		options.After = nil
		err = x.follow(options)
	}
	return err
}

// otherLog says that the receiver had an event of another log.
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
	turn, problem := x.server.admit.enter(ctx, x.query.owner, cancel)
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

// follow tells the receiver of all changes.
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

// tell passes one change on, or that there is nothing new.
func (x *subscription) tell(c *rdfgpu.Change) error {
	x.query.held.Store(c.Held)
	if most := x.server.options.MaxRows; most > 0 && max(countRows(c.Added), countRows(c.Removed)) > most {
		return rdfgpu.ErrRowLimit
	}
	event := eventOf(c)
	if event == eventProgress && x.told && (x.request.stands.quiet || c.Sequence == x.last) {
		return x.to.rest()
	}
	x.told, x.last = true, c.Sequence
	x.server.metrics.standing.events[event].Inc()
	return x.to.tell(c, event, x.id())
}

// eventOf is the name of the event that tells of a change.
func eventOf(c *rdfgpu.Change) string {
	switch c.Way {
	case rdfgpu.SnapshotChange:
		return eventSnapshot
	case rdfgpu.ProgressChange:
		return eventProgress
	}
	return eventChange
}

// id is that of an event; "" where nobody could go on after it.
func (x *subscription) id() string {
	if x.history == "" {
		return ""
	}
	return eventID{x.last, x.history}.String()
}

// conclude says why there is no more.
func (x *subscription) conclude(err error) *Problem {
	p := x.problem(err)
	x.server.metrics.standing.finished(p.outcome)
	x.log(p)
	x.to.conclude(p)
	return p
}

// problem is why the subscription ends: what ended it before what the connection made of that.
func (x *subscription) problem(err error) *Problem {
	cause, connection, sending := context.Cause(x.ctx), context.Cause(x.r.Context()), x.to.failed()
	switch {
	case cause != nil && cause != connection:
		return problemOf(x.ctx, err)
	case errors.Is(sending, os.ErrDeadlineExceeded) || errors.Is(connection, os.ErrDeadlineExceeded):
		return &Problem{Title: "client stalled", Detail: "the client took nothing for too long", outcome: "stalled"}
	case connection != nil || sending != nil:
		return &Problem{Title: "client gone", Detail: err.Error(), outcome: "gone"}
	}
	return problemOf(x.ctx, err)
}

// log writes a line where the end is worth one.
func (x *subscription) log(p *Problem) {
	bytes := x.to.sent()
	x.server.metrics.bytes.Add(float64(bytes))
	x.server.options.Log.LogAttrs(context.Background(), x.server.levelOf(p.outcome, 0), "subscription", slog.String("query", x.query.ID),
		slog.String("request", requestOf(x.r)), slog.String("outcome", p.outcome), slog.Duration("elapsed", time.Since(x.began)), slog.Int64("bytes", bytes),
		slog.String("client", x.query.Client), slog.String("text", cutQuery(x.request.text, 1000)), slog.String("problem", p.Title+": "+p.Detail))
}
