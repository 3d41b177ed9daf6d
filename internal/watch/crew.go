package watch

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// crew is the goroutines that match the seeds of a pass, of some of its queries: the caller's, and, where there is much to do, others
// beside it. They take pieces, which are stretches of the hits of a seed, from a common list; within a piece the matcher shares its
// work further, so that a hub is not the work of one.
type crew struct {
	matcher *matcher
	jobs    []*job
	pieces  []piece
	// held are whole searches by a matcher with a memory of its own, which the caller's goroutine runs, with some others beside it.
	held    []piece
	budget  *limits.Budget
	next    atomic.Int64
	helpers schedule.Group
}

// job is one query's part of the work.
type job struct {
	query    *standing
	searches []*search

	mu    sync.Mutex
	found []*finding
	err   error
}

// piece is hits low … high-1 of a search.
type piece struct {
	job       *job
	search    *search
	low, high int
}

// newCrew makes the tasks of queries ready. Plans are made here, one after the other: seeds keep them.
func newCrew(m *matcher, budget *limits.Budget, work map[*standing][]*task) *crew {
	c := &crew{matcher: m, budget: budget, helpers: schedule.Group{Share: m.workers}}
	var all []*search
	for q, tasks := range work {
		j := &job{query: q}
		c.jobs = append(c.jobs, j)
		for _, t := range tasks {
			f, err := m.prepare(t)
			if err != nil {
				j.err = err
				break
			}
			if f != nil {
				j.searches, all = append(j.searches, f), append(all, f)
			}
		}
	}
	m.choose(all)
	return c
}

// work matches everything. The error is a fault; those of queries are their jobs'. Where the matches take more memory than the budget has, all
// end that are not done.
func (c *crew) work() error {
	ctx, cancel := context.WithCancelCause(c.matcher.ctx)
	defer cancel(nil)
	c.budget.OnEnd(cancel)
	defer c.budget.OnEnd(nil)
	c.matcher.ctx = ctx
	share := c.helpers.Share
	share.Enter()
	defer share.Leave()
	cost := c.cutAll()
	n, threads, apart, begun := len(c.pieces), 1, len(c.held) > 0, time.Now()
	if apart {
		n++ // the caller's goroutine has them to run first
	}
	for ; n > 1 && cost >= c.matcher.tuning.threadCost; n-- {
		if !c.helpers.Go(func(w *schedule.Worker) error {
			c.take(w.Keep)
			return nil
		}) {
			break
		}
		threads++
	}
	c.helpers.Do(func() error {
		if err := c.runHeld(); err != nil {
			return err
		}
		c.take(func() bool {
			share.Yield()
			return true
		})
		return nil
	})
	err := c.helpers.Wait()
	all := time.Duration(threads) * time.Since(begun)
	if apart {
		all = 0 // for the most part others matched
	}
	c.learn(all)
	return err
}

// learn keeps what large searches took the processor, of all the time of the goroutines that were there for pieces: in what was counted by piece those are not that helped,
// or waited because a piece could not be shared.
func (c *crew) learn(all time.Duration) {
	counted := int64(0)
	for _, j := range c.jobs {
		for _, f := range j.searches {
			counted += f.spent.Load()
		}
	}
	for _, j := range c.jobs {
		for _, f := range j.searches {
			if spent := f.spent.Load(); j.err == nil && f.large && spent > 0 {
				f.took(time.Duration(float64(spent)*max(1, float64(all)/float64(counted))), f.n)
			}
		}
	}
}

// cutAll makes pieces of all searches, and returns what these cost together.
func (c *crew) cutAll() (cost float64) {
	for _, j := range c.jobs {
		for _, f := range j.searches {
			cost += f.cost
		}
	}
	for _, j := range c.jobs {
		for _, f := range j.searches {
			c.cut(j, f, cost/float64(c.matcher.tuning.piecesEach*c.helpers.Share.Limit()))
		}
	}
	return cost
}

// cut makes pieces of a search, each of about a cost. What a goroutine has made of the lists that it reads ends with a piece, so that more pieces
// than balance the work cost more than they gain.
func (c *crew) cut(j *job, f *search, cost float64) {
	if _, ok := f.by.(match.Holder); ok {
		c.held = append(c.held, piece{j, f, 0, f.n})
		return
	}
	size := max(c.matcher.tuning.leastPiece, int(float64(f.n)*cost/f.cost)+1)
	if c.helpers.Share.Limit() == 1 || len(f.seed.inputs) == 0 {
		size = f.n
	}
	for low := 0; low < f.n; low += size {
		c.pieces = append(c.pieces, piece{j, f, low, min(low+size, f.n)})
	}
}

// take takes pieces, as long as there are some and the goroutine may go on. Pieces of one query follow each other, and what a goroutine
// finds in them it keeps together.
func (c *crew) take(keep func() bool) {
	var of *job
	var found *finding
	for keep() {
		n := c.next.Add(1) - 1
		if n >= int64(len(c.pieces)) {
			return
		}
		p := c.pieces[n]
		if p.job != of {
			of, found = p.job, p.job.begin()
		}
		c.run(p, found)
	}
}

// run adds the matches of a piece to a finding, unless its query has failed.
func (c *crew) run(p piece, into *finding) {
	if p.job.failed() {
		return
	}
	begun := time.Now()
	p.job.fail(c.search(into, p))
	if _, apart := p.search.by.(match.Holder); !apart {
		p.search.spent.Add(int64(time.Since(begun)))
	}
}

// runHeld runs what matchers with memories of their own do, graph by graph: the states before a change first, of which the others
// are made there.
func (c *crew) runHeld() error {
	slices.SortStableFunc(c.held, func(a, b piece) int { return cmp.Compare(b.search.at, a.search.at) })
	for len(c.held) > 0 {
		var some, others []piece
		for _, p := range c.held {
			if p.search.graph == c.held[0].search.graph {
				some = append(some, p)
			} else {
				others = append(others, p)
			}
		}
		if err := c.runOver(some); err != nil {
			return err
		}
		c.held = others
	}
	return nil
}

// runOver runs pieces over one graph, what they read of it being held: a few at a time, so that while one is prepared, brought or told of the
// others are matched. Where there is no room to hold that, each brings what it reads. The error is a fault.
func (c *crew) runOver(pieces []piece) error {
	var plans []*bgp.MatchPlan
	for _, p := range pieces {
		plans = append(plans, p.search.plan)
	}
	f := pieces[0].search
	if release, err := f.by.(match.Holder).Hold(c.matcher.ctx, f.graph, plans...); err == nil {
		defer release()
	}
	var next atomic.Int64
	run := func(keep func() bool) {
		for keep() {
			n := next.Add(1) - 1
			if n >= int64(len(pieces)) {
				return
			}
			c.run(pieces[n], pieces[n].job.begin())
		}
	}
	beside := schedule.Group{Share: c.helpers.Share}
	for range min(c.matcher.tuning.heldAtOnce, len(pieces)) - 1 {
		if !beside.Go(func(w *schedule.Worker) error {
			run(w.Keep)
			return nil
		}) {
			break
		}
	}
	beside.Do(func() error {
		run(func() bool { return true })
		return nil
	})
	return beside.Wait()
}

// search adds the matches of a piece to a finding.
func (c *crew) search(into *finding, p piece) error {
	err := into.search(c.matcher, p)
	if ctx := c.matcher.ctx; err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// begin is where a goroutine puts what it finds.
func (j *job) begin() *finding {
	j.mu.Lock()
	defer j.mu.Unlock()
	f := newFinding()
	j.found = append(j.found, f)
	return f
}

func (j *job) failed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err != nil
}

func (j *job) fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = err
	}
}

// gather puts together what was found.
func (j *job) gather() (*finding, error) {
	if j.err != nil {
		return nil, j.err
	}
	all := newFinding()
	for i, f := range j.found {
		if i == 0 {
			all = f
			continue
		}
		all.add(f)
	}
	return all, nil
}
