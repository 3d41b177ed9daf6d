package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// change is one request that changes the store, from its admission to its answer. The engine gets it with its context, which
// ends when the client hangs up.
type change struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	began  time.Time
	// text is what the log and the list of what is under way show of it.
	text  string
	limit time.Duration
	// admit is who lets it run; not the admission of queries, so that it takes none of their slots while it waits for others.
	admit  *admission
	dryRun bool
	// do changes the store; created tells that there is a graph that was not there before.
	do func(ctx context.Context, engine *edition) (report rdfgpu.UpdateReport, created bool, err error)
	// location is the address of a graph that is created, where the client did not name it.
	location string
	// documents, where not nil, are what the client sends; missing is what it is told where the graph is not there.
	documents *documents
	missing   *Problem

	query  *query
	report rdfgpu.UpdateReport
}

// serve does it.
func (c *change) serve() {
	s := c.server
	ctx, cancel := context.WithCancelCause(c.r.Context())
	defer cancel(nil)
	ctx, done := limited(ctx, c.began, c.limit)
	defer done()
	c.query = s.queries.named(c.text, c.r.RemoteAddr, c.began)
	c.query.changes = true
	s.queries.add(c.query, cancel)
	defer s.queries.remove(c.query)
	c.w.Header().Set(headerQueryID, c.query.ID)
	turn, problem := c.admit.enter(ctx, s.client(c.r), cancel)
	defer turn.leave()
	if problem != nil {
		c.fail(problem)
		return
	}
	c.query.start(turn)
	engine, release := s.use()
	defer release()
	report, created, err := c.do(ctx, engine)
	turn.leave()
	if err != nil {
		c.w.Header().Set(headerSequence, strconv.FormatUint(engine.Sequence(), 10))
		c.fail(c.problem(ctx, err))
		return
	}
	c.report = report
	c.answer(created)
	c.log("ok", nil)
}

// outcomeReport is what a client is told of a change.
type outcomeReport struct {
	rdfgpu.UpdateReport
	DryRun bool `json:"dryRun,omitempty"`
}

// answer tells the client what was done: nothing but that it was, where it prefers so (RFC 7240).
func (c *change) answer(created bool) {
	h := c.w.Header()
	h.Set(headerSequence, strconv.FormatUint(c.report.Sequence, 10))
	h.Set("ETag", sequenceTag(c.report.Sequence))
	h.Set("Server-Timing", fmt.Sprintf("total;dur=%.3f", float64(c.report.Elapsed.Nanoseconds())/1e6))
	status := http.StatusOK
	if created {
		status = http.StatusCreated
		if c.location != "" {
			h.Set("Location", c.location)
		}
	}
	if prefersMinimal(c.r) {
		h.Set("Preference-Applied", "return=minimal")
		if !created {
			status = http.StatusNoContent
		}
		c.w.WriteHeader(status)
		return
	}
	body, _ := json.Marshal(outcomeReport{c.report, c.dryRun})
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	c.w.WriteHeader(status)
	c.w.Write(append(body, '\n'))
}

func prefersMinimal(r *http.Request) bool {
	return slices.ContainsFunc(r.Header["Prefer"], func(header string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(header, func(c rune) bool { return c == ',' || c == ';' }), func(part string) bool {
			return strings.EqualFold(strings.ReplaceAll(strings.TrimSpace(part), `"`, ""), "return=minimal")
		})
	})
}

// problem translates what the engine, or the body that it read, says.
func (c *change) problem(ctx context.Context, err error) *Problem {
	if c.documents != nil {
		if problem := c.documents.failure(c.w, c.r); problem != nil {
			return problem
		}
	}
	switch {
	case c.missing != nil && errors.Is(err, rdfgpu.ErrNoGraph):
		return c.missing
	case errors.Is(err, rdfgpu.ErrFailed):
		c.server.options.Log.Error("the store takes no updates any more", "error", err)
		p := noUpdates()
		p.Hint = "this update may be there, or not, once the server has been started again"
		return p
	}
	p := problemOf(ctx, err)
	p.Title = strings.Replace(p.Title, "malformed query", "malformed update", 1)
	return p
}

// noUpdates is the problem of a store that takes no updates any more; the log alone says why, because that names files.
func noUpdates() *Problem {
	return &Problem{Status: http.StatusServiceUnavailable, Title: "no updates",
		Detail: "the store takes no updates any more until the server is started again: its log says why", outcome: "error"}
}

// fail sends a problem.
func (c *change) fail(p *Problem) {
	if p.outcome == "busy" {
		p.Title = "too many updates"
	}
	if c.r.Context().Err() != nil {
		p.abandon()
	}
	outcome := p.outcome
	if outcome == "" {
		outcome = "refused"
	}
	c.log(outcome, p)
	id := ""
	if c.query != nil {
		id = c.query.ID
	}
	c.server.fail(c.w, c.r, id, p)
}

// log counts the change and writes it to the log where it is worth a line.
func (c *change) log(outcome string, p *Problem) {
	elapsed := time.Since(c.began)
	c.server.metrics.updates.finished(outcome, elapsed, c.report, c.dryRun)
	c.server.logChange(c, outcome, elapsed, p)
	c.server.tracer.update(c, outcome, p)
}
