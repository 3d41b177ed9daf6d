package path

import (
	"context"
	"sync"

	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/planner"
)

// searchers are runs of a path that search from different vertices at the same time, each with a search and rows of its own. Whoever
// begins to search takes one that nobody uses.
type searchers struct {
	first  *run
	out    *operator.Outlet
	ctx    context.Context
	cancel context.CancelCauseFunc

	// idle are those of all that nobody uses.
	idle schedule.Spares[*run]
	mu   sync.Mutex // guards all, while they search
	all  []*run
}

// unitSearches is how many searches are a unit of work.
const unitSearches = 16

// many does jobs 0 … n-1, several at a time where there are many and the query may use several threads.
func (r *run) many(n int, do func(r *run, job int) error) error {
	if r.Search.list != nil || n < r.x.Tuning.Searches || r.Kind == planner.Once && nested(r.Step, mostInRow) {
		return r.inOrder(n, do)
	}
	return r.each(n, unitSearches, do)
}

// inOrder does jobs 0 … n-1 one after the other.
func (r *run) inOrder(n int, do func(r *run, job int) error) error {
	for job := range n {
		if err := do(r, job); err != nil {
			return err
		}
	}
	return nil
}

// each does jobs 0 … n-1, so many a unit of work, several units at a time where the query may use several threads.
func (r *run) each(n, size int, do func(r *run, job int) error) error {
	if r.x.Alone() {
		return r.inOrder(n, do)
	}
	if r.searchers == nil {
		r.searchers = newSearchers(r)
	}
	return r.x.Each((n+size-1)/size, func(unit int) error {
		w := r.searchers.take()
		defer r.searchers.idle.Give(w)
		for job := unit * size; job < min(n, (unit+1)*size); job++ {
			if err := do(w, job); err != nil {
				r.searchers.cancel(err)
				return err
			}
		}
		return nil
	})
}

// newSearchers are searchers of which the first is a run that has begun. What is emitted takes turns from here on.
func newSearchers(r *run) *searchers {
	s := &searchers{first: r, out: operator.NewOutlet(r.x, r.emit, nil), all: []*run{r}}
	s.idle.Give(r)
	s.ctx, s.cancel = context.WithCancelCause(r.x.Ctx)
	r.emit = s.out.Emit
	r.Search.Serve(s.ctx, r.held)
	r.Search.Share(alone, r.x.Tuning)
	return s
}

// take is a run that nobody uses.
func (s *searchers) take() *run { return s.idle.Take(s.another) }

// another is one more run.
func (s *searchers) another() *run {
	p, first := *s.first.Path, s.first
	p.Search = NewSearch(p.Graph)
	r := &run{Path: &p, x: first.x, emit: s.out.Emit, seeded: first.seeded, same: first.same, held: first.x.Memory.Open("path")}
	p.Search.Serve(s.ctx, r.held)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, r)
	return r
}

// flushAll emits the rows that are left.
func (r *run) flushAll() error {
	if r.searchers == nil {
		return r.flush()
	}
	for _, w := range r.searchers.all {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return nil
}

// close gives back what the run and those beside it hold.
func (r *run) close() {
	r.held.Close()
	if r.searchers == nil {
		return
	}
	r.searchers.cancel(nil)
	for _, w := range r.searchers.all[1:] {
		w.held.Close()
	}
}
