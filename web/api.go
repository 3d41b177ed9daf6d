package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/rdfgpu/rdfgpu"
)

// writeJSON sends a value as JSON, with its length, compressed when asked.
func (s *Server) writeJSON(w http.ResponseWriter, r *http.Request, v any) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		s.fail(w, r, "", &Problem{Status: http.StatusInternalServerError, Title: "internal error", Detail: err.Error(), outcome: "error"})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	body := newResponse(r.Context(), w, r)
	body.held.Write(buffer.Bytes())
	body.finish()
}

// serveHealth says that the process answers.
func (s *Server) serveHealth(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte("ok\n"))
}

// serveReady says whether the server takes queries: not while it drains or its store is in trouble.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	if problem := s.notReady(); problem != nil {
		s.fail(w, r, "", problem)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte("ready\n"))
}

// serveInfo describes the store, the device and the limits; the store's path stays here.
func (s *Server) serveInfo(w http.ResponseWriter, r *http.Request) {
	engine, done := s.use()
	defer done()
	info, err := engine.Info()
	if err != nil {
		s.fail(w, r, "", problemOf(r.Context(), err))
		return
	}
	info.Path = ""
	described := map[string]any{
		"version": rdfgpu.Version(), "store": info, "device": engine.Device(), "integrity": engine.checked.describe(),
		"writable": s.options.Writable, "sequence": engine.Sequence(),
		"limits": map[string]any{
			"timeoutSeconds": s.options.Timeout.Seconds(), "maxRows": s.options.MaxRows, "maxConcurrent": s.options.MaxConcurrent,
			"updateTimeoutSeconds": s.options.UpdateTimeout.Seconds(), "maxUpdateBytes": s.options.MaxUpdate, "maxSubscriptions": max(0, s.options.MaxSubscriptions),
		},
	}
	if live, ok := engine.Live(); ok {
		if live.Failed != "" {
			live.Failed = noUpdates().Detail // the log alone names files
		}
		described["live"] = live
	}
	s.writeJSON(w, r, described)
}

// schemaCache keeps the data set of an edition at a glance: as much of it as was asked for at once.
type schemaCache struct {
	mu       sync.Mutex
	limit    int
	sequence uint64
	value    *rdfgpu.Schema
}

// defaultSchemaLimit is how many classes, predicates and links the workbench completes from.
const (
	defaultSchemaLimit = 500
	maxSchemaLimit     = 100_000
)

func (s *Server) serveSchema(w http.ResponseWriter, r *http.Request) {
	limit := defaultSchemaLimit
	if text := r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			s.fail(w, r, "", badRequest("limit is no positive number"))
			return
		}
		limit = min(n, maxSchemaLimit)
	}
	engine, done := s.use()
	defer done()
	value, err := engine.schema.of(engine, limit)
	if err != nil {
		s.fail(w, r, "", problemOf(r.Context(), err))
		return
	}
	s.writeJSON(w, r, value)
}

func (c *schemaCache) of(engine Engine, limit int) (rdfgpu.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := engine.Sequence(); c.value == nil || c.limit < limit || c.sequence != now {
		value, err := engine.Schema(limit)
		if err != nil {
			return value, err
		}
		c.value, c.limit, c.sequence = &value, limit, now
	}
	v := *c.value
	v.Classes, v.Predicates, v.Links = v.Classes[:min(limit, len(v.Classes))], v.Predicates[:min(limit, len(v.Predicates))], v.Links[:min(limit, len(v.Links))]
	return v, nil
}

// serveGraph answers a query that is being typed with its plan, which holds the query graph, or with the problem that
// the query has: both with status 200, because a query that is not finished is no failure.
func (s *Server) serveGraph(w http.ResponseWriter, r *http.Request) {
	began := arrival(r)
	hold := &hold{budget: s.options.Budget}
	defer hold.release()
	request, problem := s.readRequest(w, r, began, hold, queryExtras)
	if problem == nil && (request.text == "" || request.update != nil) {
		problem = badRequest("expected a parameter \"query\"")
	}
	if problem != nil {
		s.fail(w, r, "", problem)
		return
	}
	ctx, done := limited(r.Context(), began, request.options.Timeout)
	defer done()
	turn, problem := s.admit.enter(ctx, s.client(r), nil)
	defer turn.leave()
	if problem != nil {
		s.fail(w, r, "", problem)
		return
	}
	plan, err := s.plan(ctx, request)
	turn.leave()
	if err != nil {
		s.writeJSON(w, r, map[string]any{"problem": problemOf(ctx, err)})
		return
	}
	s.writeJSON(w, r, map[string]any{"explanation": plan})
}

// plan is the plan of a query that is not run.
func (s *Server) plan(ctx context.Context, request *request) (any, error) {
	request.options.Analyze = false
	engine, done := s.use()
	defer done()
	return engine.Explain(ctx, request.text, request.options)
}

func (s *Server) serveExamples(w http.ResponseWriter, r *http.Request) {
	engine, done := s.use()
	defer done()
	examples := engine.Examples()
	if examples == nil {
		examples = []rdfgpu.Example{}
	}
	s.writeJSON(w, r, map[string]any{"examples": examples})
}
