package web

import (
	"net/http"

	"github.com/rdfgpu/rdfgpu"
)

// bodyCopies is how many times the memory of its body a request takes: as it is read, and as text or form.
const bodyCopies = 2

// holdBody counts the body of a request against the process's memory until release, which is never nil; the problem says that
// there is no room.
func (s *Server) holdBody(r *http.Request) (release func(), problem *Problem) {
	bytes := bodyCopies * s.options.MaxBody
	if r.ContentLength >= 0 {
		bytes = min(bytes, bodyCopies*r.ContentLength)
	}
	if s.options.Budget == nil || bytes == 0 || r.Method != http.MethodPost {
		return func() {}, nil
	}
	if err := s.options.Budget.Take("the body of a request", bytes); err != nil {
		return func() {}, problemOf(r.Context(), err)
	}
	return func() { s.options.Budget.Give(bytes) }, nil
}

// budgetGreeting is what the log says of the budget at the start.
func budgetGreeting(b *rdfgpu.Budget) []any {
	if b == nil {
		return nil
	}
	u := b.Usage()
	return []any{"memory", u.Memory, "query_memory", u.Live, "spill", u.MaxSpill}
}
