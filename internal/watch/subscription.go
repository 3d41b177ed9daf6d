package watch

import (
	"context"
	"errors"
	"sync"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

var (
	// ErrCannotStand: the query is none that can stand.
	ErrCannotStand = errors.New("the query cannot be watched")
	// ErrClosed: the store was closed.
	ErrClosed = live.ErrClosed
)

// Options are the settings of one subscription.
type Options struct {
	// After goes on after the commit of a sequence, in place of a snapshot.
	After *uint64
	// NoSnapshot leaves the solutions of the snapshot out.
	NoSnapshot bool
	// MaxMemory is how many bytes the subscription may hold; 0 is the default.
	MaxMemory int64
}

// Way says how a change was found.
type Way uint8

const (
	// Snapshot: it is all solutions.
	Snapshot Way = iota
	// Incremental: from what was changed in the data alone.
	Incremental
	// Evaluated: by evaluating the query again, and comparing.
	Evaluated
)

// String is "snapshot", "incremental" or "evaluated".
func (w Way) String() string { return [...]string{"snapshot", "incremental", "evaluated"}[w] }

// Change is what one commit did to the solutions of a query, or several commits together.
type Change struct {
	// Sequence is that of the commit after which the solutions are what they are with this change.
	Sequence uint64
	Way      Way
	// Variables name the terms of the rows; not to be changed.
	Variables      []string
	Added, Removed []Row
}

// Row is a solution, and how many times it came or went. Unbound variables have the zero Term.
type Row struct {
	Terms []rdf.Term
	Count uint64
}

// Subscription is one who is told of the changes of a query's solutions. Next is for one goroutine at a time.
type Subscription struct {
	watcher   *Watcher
	following *following
	query     *standing
	budget    *limits.Budget
	held      *limits.Meter
	wake      chan struct{}
	// first is the snapshot, until it is taken.
	first *Change
	// kept are the solutions as the subscriber knows them, where the query is evaluated again; where solutions count once, how
	// many times each is there. It may be behind.
	kept *tally

	mu sync.Mutex
	// pending is what the subscriber has not been told yet, sequence the last commit of that.
	pending  *tally
	way      Way
	sequence uint64
	// stale: the query is to be evaluated again.
	stale bool
	err   error
}

func newSubscription(f *following, q *standing, budget *limits.Budget) *Subscription {
	return &Subscription{
		following: f, query: q, budget: budget, held: budget.Meter("changes that wait"), wake: make(chan struct{}, 1),
		pending: newTally(), way: Incremental,
	}
}

// goOn finds the state after a commit, and what has changed since for the query.
func (s *Subscription) goOn(r *runner, now *live.Snapshot, sequence uint64) (state *live.State, err error) {
	err = schedule.Guard(func() error {
		before, changes, err := now.Before(sequence)
		if err != nil {
			return err
		}
		state = before
		if s.query.again() {
			s.stale = true
			return nil
		}
		p, err := newPass(before, now.State, changes)
		if err != nil {
			return err
		}
		p.distributeTo(s.query)
		if s.pending, err = p.difference(r, s.query); err != nil {
			return err
		}
		return s.held.Charge(s.pending.bytes)
	})
	return state, err
}

// begin evaluates the query where the subscription begins, if anybody wants to know.
func (s *Subscription) begin(ctx context.Context, b beginning, o Options) error {
	tells := o.After == nil && !o.NoSnapshot
	if o.After == nil {
		s.first = &Change{Sequence: b.state.Sequence(), Way: Snapshot, Variables: s.query.variables}
	}
	if !tells && !s.query.again() && !s.query.distinct {
		s.look()
		return nil
	}
	solutions, err := s.evaluate(ctx, b.state)
	if err != nil {
		return err
	}
	if s.query.again() || s.query.distinct {
		s.kept = solutions
		if err := s.held.Charge(solutions.bytes); err != nil {
			return err
		}
	}
	if tells {
		err = s.snapshot(solutions)
	}
	s.look()
	return err
}

// look lets the subscriber look at what waits from the beginning.
func (s *Subscription) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awake()
}

// snapshot makes all solutions the first change.
func (s *Subscription) snapshot(solutions *tally) (err error) {
	if s.query.distinct {
		solutions = newTally().appear(solutions)
	}
	s.first.Added, _, err = solutions.split()
	return err
}

func (s *Subscription) evaluate(ctx context.Context, state *live.State) (solutions *tally, err error) {
	r, err := s.following.settings.runner(ctx, s.budget)
	if err != nil {
		return nil, err
	}
	err = schedule.Guard(func() error {
		solutions, err = s.query.solutions(r, state)
		return err
	})
	return solutions, err
}

// Next waits for the next change. The error is the context's or ErrClosed, wraps limits.ErrMemory where the subscription holds more than
// it may, or is why the query could not be evaluated. After an error there are no more changes.
func (s *Subscription) Next(ctx context.Context) (*Change, error) {
	if c := s.first; c != nil {
		s.first = nil
		return c, nil
	}
	for {
		c, err := s.change(ctx)
		if c != nil || err != nil {
			return c, err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// change is what waits; nil where that is nothing.
func (s *Subscription) change(ctx context.Context) (*Change, error) {
	pending, c, stale, err := s.takeWaiting()
	if err != nil {
		return nil, err
	}
	switch {
	case stale:
		if pending, c.Sequence, err = s.again(ctx); err != nil {
			return nil, s.fail(err)
		}
		c.Way = Evaluated
	case s.query.distinct:
		before := s.kept.bytes
		pending = s.kept.appear(pending)
		if err := s.held.Charge(s.kept.bytes - before); err != nil {
			return nil, s.fail(err)
		}
	}
	if len(pending.counts) == 0 {
		return nil, nil
	}
	c.Added, c.Removed, err = pending.split()
	return c, err
}

// takeWaiting takes what waits.
func (s *Subscription) takeWaiting() (*tally, *Change, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pending, stale := s.pending, s.stale
	c := &Change{Sequence: s.sequence, Way: s.way, Variables: s.query.variables}
	_ = s.held.Charge(-pending.bytes)
	s.pending, s.stale, s.way = newTally(), false, Incremental
	return pending, c, stale, s.err
}

// again evaluates the query over the newest state, and compares.
func (s *Subscription) again(ctx context.Context) (*tally, uint64, error) {
	now := s.watcher.store.Snapshot()
	defer now.Release()
	solutions, err := s.evaluate(ctx, now.State)
	if err != nil {
		return nil, 0, err
	}
	difference := newTally()
	difference.addAll(solutions, 1)
	difference.addAll(s.kept, -1)
	err = s.held.Charge(solutions.bytes - s.kept.bytes)
	s.kept = solutions
	return difference, now.Sequence(), err
}

// awake lets the subscriber look; the caller holds mu.
func (s *Subscription) awake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// fail ends the subscription.
func (s *Subscription) fail(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	s.pending = newTally()
	s.awake()
	return s.err
}

// tell adds a difference to what waits.
func (s *Subscription) tell(difference *tally, sequence uint64, way Way) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	before := s.pending.bytes
	s.pending.addAll(difference, 1)
	s.sequence, s.way = sequence, max(s.way, way)
	if err := s.held.Charge(s.pending.bytes - before); err != nil {
		s.err, s.pending = err, newTally()
	}
	s.awake()
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.following.unsubscribe(s)
	s.watcher.leave(s.following)
	s.budget.Close()
}

// deliver tells all who asked for a query of a difference, or why there is none.
func (q *standing) deliver(difference *tally, sequence uint64, err error) {
	q.deliverAs(difference, sequence, Incremental, err)
}

// deliverAgain is deliver of what was found by evaluating the query.
func (q *standing) deliverAgain(difference *tally, sequence uint64, err error) {
	q.deliverAs(difference, sequence, Evaluated, err)
}

func (q *standing) deliverAs(difference *tally, sequence uint64, way Way, err error) {
	if err != nil {
		q.fail(err)
		return
	}
	if len(difference.counts) == 0 {
		return
	}
	for _, s := range q.subscriptions {
		s.tell(difference, sequence, way)
	}
}

func (q *standing) fail(err error) {
	for _, s := range q.subscriptions {
		_ = s.fail(err)
	}
}

// grewStale tells all who asked for a query that it is to be evaluated again.
func (q *standing) grewStale() {
	for _, s := range q.subscriptions {
		s.mu.Lock()
		s.stale = true
		s.awake()
		s.mu.Unlock()
	}
}
