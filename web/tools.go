package web

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/mcp"
)

// serveTools answers one message of the Model Context Protocol. What its tools ask counts as a query of the client that sent it.
func (s *Server) serveTools(w http.ResponseWriter, r *http.Request) {
	hold := &hold{budget: s.options.Budget}
	defer hold.release()
	if r.Method == http.MethodPost {
		body, problem := s.receive(w, r, s.options.MaxBody, arrival(r).Add(s.options.Timeout), hold)
		if problem != nil {
			s.fail(w, r, "", problem)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(body))
	}
	s.tools.ServeHTTP(w, r)
}

// caller is a client whose queries are asked by tools. They wait for their turns, are listed, bounded, counted and logged as
// those of the endpoint.
type caller struct {
	server *Server
	r      *http.Request
}

// enter waits for the turn of a query.
func (c caller) enter(ctx context.Context, text string, options rdfgpu.QueryOptions) (*exchange, error) {
	s := c.server
	limits := rdfgpu.QueryOptions{
		Device: s.options.Device, Timeout: s.options.Timeout, MaxRows: s.options.MaxRows, MaxMemory: s.options.MaxMemory, Base: endpointOf(c.r),
		Semantics: options.Semantics, Analyze: options.Analyze,
	}
	if options.Timeout > 0 {
		limits.Timeout = min(limits.Timeout, options.Timeout)
	}
	began := arrival(c.r)
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, done := limited(ctx, began, limits.Timeout)
	x := &exchange{server: s, r: c.r, request: &request{text: text, options: limits}, ctx: ctx}
	x.query = s.queries.named(text, c.r.RemoteAddr, began)
	s.queries.add(x.query, func(cause error) { cancel(cause); done() })
	x.request.options.Overdue = func(o rdfgpu.Overdue) { s.reportOverdue(x.query, o) }
	var problem *Problem
	if x.turn, problem = s.admit.enter(ctx, s.client(c.r), cancel); problem != nil {
		defer x.end()
		return nil, x.refuse(problem)
	}
	x.query.start(x.turn)
	return x, nil
}

// refuse says why a tool gets no answer.
func (x *exchange) refuse(p *Problem) error {
	x.log(p)
	return errors.New(strings.TrimSpace(string(p.text())))
}

// failed is refuse for an error of the engine; what is wrong with the text stays as it is, for the tool to show the place.
func (x *exchange) failed(err error) error {
	problem := problemOf(x.ctx, err)
	refused := x.refuse(problem)
	if problem.Line > 0 {
		return err
	}
	return refused
}

// Query implements mcp.Source.
func (c caller) Query(ctx context.Context, text string, options rdfgpu.QueryOptions) (mcp.Answer, error) {
	x, err := c.enter(ctx, text, options)
	if err != nil {
		return nil, err
	}
	engine, done := c.server.use()
	var answer Answer
	defer func() {
		if answer == nil { // also after a panic
			done()
			x.end()
		}
	}()
	if answer, err = engine.Query(x.ctx, text, x.request.options); err != nil {
		return nil, x.failed(err)
	}
	return &calledAnswer{Answer: answer, exchange: x, done: done}, nil
}

// Explain implements mcp.Source.
func (c caller) Explain(ctx context.Context, text string, options rdfgpu.QueryOptions) (*rdfgpu.Explanation, error) {
	x, err := c.enter(ctx, text, options)
	if err != nil {
		return nil, err
	}
	defer x.end()
	engine, done := c.server.use()
	defer done()
	plan, err := engine.Explain(x.ctx, text, x.request.options)
	if err != nil {
		return nil, x.failed(err)
	}
	x.log(nil)
	explanation, ok := plan.(*rdfgpu.Explanation)
	if !ok {
		return nil, errors.New("this store explains no queries")
	}
	return explanation, nil
}

// Schema implements mcp.Source.
func (c caller) Schema(limit int) (rdfgpu.Schema, error) {
	engine, done := c.server.use()
	defer done()
	return engine.schema.of(engine, limit)
}

// Examples implements mcp.Source.
func (c caller) Examples() []rdfgpu.Example {
	engine, done := c.server.use()
	defer done()
	return engine.Examples()
}

// calledAnswer is the answer that a tool reads; its query is over once it is closed.
type calledAnswer struct {
	Answer
	exchange *exchange
	done     func()
	once     sync.Once
	problem  *Problem
}

// Boolean keeps the error for the log.
func (a *calledAnswer) Boolean() (bool, error) {
	value, err := a.Answer.Boolean()
	return value, a.keep(err)
}

// Batches counts the rows and keeps the error for the log.
func (a *calledAnswer) Batches() iter.Seq2[*rdfgpu.Batch, error] {
	return func(yield func(*rdfgpu.Batch, error) bool) {
		for batch, err := range a.Answer.Batches() {
			if batch != nil {
				a.exchange.rows += uint64(batch.N)
			}
			if !yield(batch, a.keep(err)) {
				return
			}
		}
	}
}

// keep notes an error, and says it as a client is told.
func (a *calledAnswer) keep(err error) error {
	if err == nil {
		return nil
	}
	a.problem = problemOf(a.exchange.ctx, err)
	return errors.New(strings.TrimSpace(string(a.problem.text())))
}

// Close ends the query.
func (a *calledAnswer) Close() error {
	err := a.Answer.Close()
	a.once.Do(func() {
		a.done()
		a.exchange.timings = a.Answer.Timings()
		a.exchange.turn.leave()
		a.exchange.log(a.problem)
		a.exchange.end()
	})
	return err
}
