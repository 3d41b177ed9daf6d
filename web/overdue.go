package web

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/rdfgpu/rdfgpu"
)

// errWithheld ends the writing of an answer whose client was told of the query's end already.
var errWithheld = errors.New("web: the client was told that the query has ended")

// overdue is called by the engine, from a goroutine of its own, when the query goes on although it should have ended. It
// says where in the log and tells the client, who need not wait. The query's turn is not over before it really ends.
func (x *exchange) overdue(o rdfgpu.Overdue) {
	x.server.reportOverdue(x.query, o)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.answered || x.body != nil && !x.body.withhold() {
		return
	}
	x.answered, x.told = true, problemOf(x.ctx, o.Cause)
	x.w.Header().Set("Connection", "close")
	x.server.fail(x.w, x.r, x.query.ID, x.told)
	_ = http.NewResponseController(x.w).Flush() // a client that is gone needs no answer
}

// reportOverdue counts a query that goes on, and says where in the log.
func (s *Server) reportOverdue(q *query, o rdfgpu.Overdue) {
	s.metrics.overdue.Inc()
	s.options.Log.Warn("a query goes on after its end", slog.String("query", q.ID), slog.String("stage", o.Stage),
		slog.String("cause", o.Cause.Error()), slog.String("text", cutQuery(o.Query, 1000)), slog.String("stacks", o.Stacks))
}

// claim reports whether the client is still to be answered, by the caller alone.
func (x *exchange) claim() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	claimed := !x.answered
	x.answered = true
	return claimed
}

// withhold keeps an answer of which nothing has been sent from being sent; false where something has, or where it is
// whole.
func (p *response) withhold() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.committed || p.finished {
		return false
	}
	p.finished, p.err = true, errWithheld
	return true
}
