package web

import (
	"context"
	"net/http"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// serveUpdate is the endpoint for updates alone: the update operation of the SPARQL 1.1 Protocol, or its description.
func (s *Server) serveUpdate(w http.ResponseWriter, r *http.Request) {
	began := arrival(r)
	hold := &hold{budget: s.options.Budget}
	defer hold.release()
	var request *request
	problem := s.mayWrite(r)
	if problem == nil {
		request, problem = s.readRequest(w, r, began, hold, queryExtras)
	}
	switch {
	case problem != nil:
		s.metrics.updates.refused()
		s.fail(w, r, "", problem)
	case request.update != nil:
		s.update(w, r, request, began)
	case request.text == "" && r.Method != http.MethodPost:
		s.serveDescription(w, r)
	default:
		s.metrics.updates.refused()
		s.fail(w, r, "", &Problem{Status: http.StatusBadRequest, Title: "bad request", Detail: "this address takes updates", Hint: "queries go to /sparql"})
	}
}

// update runs an update.
func (s *Server) update(w http.ResponseWriter, r *http.Request, request *request, began time.Time) {
	condition, problem := readCondition(r)
	if problem != nil {
		s.metrics.updates.refused()
		s.fail(w, r, "", problem)
		return
	}
	limit := request.update.Timeout
	request.update.Timeout = 0 // the context of the change has it
	c := &change{server: s, w: w, r: r, began: began, text: request.text, limit: limit, admit: s.updates, dryRun: request.update.DryRun}
	c.do = func(ctx context.Context, e *edition) (report rdfgpu.UpdateReport, created bool, err error) {
		always := func() (bool, error) { return true, nil }
		if request.update.IfSequence, err = condition.pin(e, always); err == nil {
			report, err = e.Update(ctx, request.text, *request.update)
		}
		return report, false, err
	}
	c.serve()
}

// isPath reports whether a request is for a path, with or without a slash at its end.
func isPath(r *http.Request, path string) bool { return r.URL.Path == path || r.URL.Path == path+"/" }
