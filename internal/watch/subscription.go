package watch

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/live"
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
	// Progress, where it is not 0, is how long Next waits at the most: then it tells of a change without rows. One that goes on tells at once.
	Progress time.Duration
	// Admit, where it is not nil, is asked before the query is evaluated, also again, and returns the context for that; leave is called
	// after it.
	Admit func(context.Context) (admitted context.Context, leave func(), err error)
}

// Subscription is one who is told of the changes of a query's solutions. Next is for one goroutine at a time.
type Subscription struct {
	watcher   *Watcher
	following *following
	query     *standing
	// variables are the columns of its changes, as the subscriber calls them.
	variables []string
	budget    *limits.Budget
	held      *limits.Meter
	wake      chan struct{}
	options   Options
	// first is the snapshot, until it is taken.
	first *Change
	// goesOn: nothing has been told yet of what goes on from before.
	goesOn bool
	// known is up to which commit the subscriber knows all; telling is what the rows of the change take that it was told last.
	known   uint64
	telling int64
	// kept are the solutions as the subscriber knows them, where the query is evaluated again; where solutions count once, how
	// many times each is there. It may be behind.
	kept *tally
	// groups are those of a query that aggregates, as the subscriber knows them.
	groups *groups

	mu sync.Mutex
	// pending is what the subscriber has not been told yet, sequence the last commit of that.
	pending  *tally
	way      Way
	sequence uint64
	// stale: the query is to be evaluated again.
	stale bool
	err   error
}

func newSubscription(f *following, q *standing, variables []string, budget *limits.Budget, options Options) *Subscription {
	return &Subscription{
		following: f, query: q, variables: variables, budget: budget, held: budget.Meter("changes that wait"), wake: make(chan struct{}, 1),
		options: options, goesOn: options.After != nil, pending: newTally(), way: Incremental,
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
		p, err := newPass(r, before, now.State, changes)
		if err != nil {
			return err
		}
		x := newIndex(now.Dictionary().Lookup)
		x.add(s.query)
		p.distribute(x, func(*standing) {})
		if s.pending, err = p.alone(r, r.options.Workers, s.query); err != nil {
			return err
		}
		return s.held.Charge(s.pending.bytes)
	})
	return state, err
}

// begin evaluates the query where the subscription begins, if anybody wants to know.
func (s *Subscription) begin(ctx context.Context, b beginning) error {
	s.known = b.state.Sequence()
	tells := !s.goesOn && !s.options.NoSnapshot
	if !s.goesOn {
		s.first = &Change{Sequence: b.state.Sequence(), Way: Snapshot, Variables: s.variables}
	}
	if !tells && !s.query.keeps() {
		s.look()
		return nil
	}
	solutions, err := s.evaluatePattern(ctx, b.state)
	if err != nil {
		return err
	}
	switch {
	case !s.query.keeps():
	case s.query.grouped != nil:
		solutions, err = s.group(ctx, b.state, solutions)
	default:
		s.kept = solutions
		err = s.held.Charge(solutions.bytes)
	}
	if err == nil && tells {
		err = s.snapshot(solutions)
	}
	s.look()
	return err
}

// keeps reports whether something is kept for each subscriber beside what waits.
func (q *standing) keeps() bool { return q.again() || q.distinct || q.grouped != nil }

// group keeps solutions of the pattern by their groups, and makes those of the query of them. Where a group has too many rows, the query is
// evaluated again by this subscriber.
func (s *Subscription) group(ctx context.Context, state *live.State, solutions *tally) (out *tally, err error) {
	g := newGroups(s.query.grouped)
	g.take(g.byGroup(solutions))
	if g.anyLarge() {
		if s.kept, err = s.evaluate(ctx, state); err != nil {
			return nil, err
		}
		return s.kept, s.held.Charge(s.kept.bytes)
	}
	s.groups, out = g, newTally()
	if err := s.held.Charge(g.bytes); err != nil {
		return nil, err
	}
	return out, s.work(ctx, func(r *runner) error { return g.add(r, s.query, state, sortedKeys(g.rows), 1, out) })
}

// regroup finds what a difference of the pattern's solutions does to those of the query, at the commit of c or a later one.
func (s *Subscription) regroup(ctx context.Context, c *Change, difference *tally) (out *tally, err error) {
	if len(difference.counts) == 0 {
		return difference, nil
	}
	g := s.groups
	if g == nil {
		return s.compare(ctx, c)
	}
	now, before, differences := s.watcher.store.Snapshot(), g.bytes, g.byGroup(difference)
	defer now.Release()
	if g.large(sortedKeys(differences)) {
		return s.ungroup(ctx, c, now.State)
	}
	if err := s.work(ctx, func(r *runner) error {
		out, err = g.change(r, s.query, now.State, differences)
		return err
	}); err != nil {
		return nil, err
	}
	return out, s.held.Charge(g.bytes - before)
}

// ungroup evaluates the query again from here on: its groups have become too large.
func (s *Subscription) ungroup(ctx context.Context, c *Change, state *live.State) (*tally, error) {
	s.kept = newTally()
	if err := s.work(ctx, func(r *runner) error {
		return s.groups.add(r, s.query, state, sortedKeys(s.groups.rows), 1, s.kept)
	}); err != nil {
		return nil, err
	}
	err := s.held.Charge(s.kept.bytes - s.groups.bytes)
	if s.groups = nil; err != nil {
		return nil, err
	}
	return s.compare(ctx, c)
}

// compare evaluates the query again, and tells so.
func (s *Subscription) compare(ctx context.Context, c *Change) (difference *tally, err error) {
	difference, c.Sequence, err = s.again(ctx)
	c.Way = Evaluated
	return difference, err
}

// look lets the subscriber look at what waits from the beginning.
func (s *Subscription) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awake()
}

// snapshot makes all solutions the first change.
func (s *Subscription) snapshot(solutions *tally) error {
	if s.query.distinct {
		solutions = newTally().appear(solutions)
	}
	return s.spell(s.first, solutions)
}

// spell makes rows of a difference.
func (s *Subscription) spell(c *Change, difference *tally) (err error) {
	s.telling = difference.rowBytes(len(c.Variables))
	if err := s.held.Charge(s.telling); err != nil {
		return err
	}
	c.Added, c.Removed, err = difference.split()
	c.Held = s.budget.Used()
	return err
}

// evaluatePattern finds the solutions of what is kept up to date, and evaluate those of the query; they differ where it groups.
func (s *Subscription) evaluatePattern(ctx context.Context, state *live.State) (*tally, error) {
	return s.admitted(ctx, func(r *runner, out *tally) error {
		return r.evaluate(s.query, state, s.query.whole, s.query.variables, 1, out)
	})
}

func (s *Subscription) evaluate(ctx context.Context, state *live.State) (*tally, error) {
	return s.admitted(ctx, func(r *runner, out *tally) error {
		return r.evaluate(s.query, state, s.query.parsed.Where, s.query.parsed.Variables, 1, out)
	})
}

// admitted does what evaluates a query as a whole.
func (s *Subscription) admitted(ctx context.Context, do func(*runner, *tally) error) (*tally, error) {
	if s.options.Admit != nil {
		admitted, leave, err := s.options.Admit(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		ctx = admitted
	}
	out := newTally()
	return out, s.work(ctx, func(r *runner) error { return do(r, out) })
}

// work does something with a runner, whose budget ends with it: what a query holds ends with its budget alone.
func (s *Subscription) work(ctx context.Context, do func(*runner) error) error {
	budget := s.following.settings.Budget(s.options.MaxMemory)
	defer budget.Close()
	r, err := s.following.settings.runner(ctx, budget)
	if err != nil {
		return err
	}
	return schedule.Guard(func() error { return do(r) })
}

// Next waits for the next change, whose rows the subscription holds until the next call. The error is the context's or ErrClosed, wraps
// limits.ErrMemory where the subscription holds more than it may, or is why the query could not be evaluated. After an error there are no
// more changes.
func (s *Subscription) Next(ctx context.Context) (c *Change, err error) {
	if c = s.first; c != nil {
		s.first = nil
		return c, nil
	}
	s.handBack()
	idle, stop := s.patience()
	defer stop()
	for {
		if c, err = s.change(ctx); c != nil || err != nil {
			return c, err
		}
		select {
		case <-s.wake:
		case <-idle:
			if c = s.progress(); c != nil {
				return c, nil
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// handBack lets the rows go of the change that was told last.
func (s *Subscription) handBack() {
	_ = s.held.Charge(-s.telling)
	s.telling = 0
}

// patience ticks when it is time to tell of progress: to who goes on from before, at once.
func (s *Subscription) patience() (idle <-chan time.Time, stop func()) {
	every := s.options.Progress
	if every == 0 {
		return nil, func() {}
	}
	if s.goesOn {
		every, s.goesOn = min(every, time.Millisecond), false
	}
	ticker := time.NewTicker(every)
	return ticker.C, ticker.Stop
}

// progress tells up to which commit the subscriber knows all; nil where something waits. It waits for no step that is being taken.
func (s *Subscription) progress() *Change {
	f := s.following
	taken := f.mu.TryLock()
	if taken {
		defer f.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.stale || len(s.pending.counts) > 0 {
		return nil
	}
	if taken {
		s.known = max(s.known, f.state.Sequence())
	}
	return &Change{Sequence: s.known, Way: Progress, Variables: s.variables, Held: s.budget.Used()}
}

// change is what waits; nil where that is nothing.
func (s *Subscription) change(ctx context.Context) (*Change, error) {
	pending, c, stale, err := s.takeWaiting()
	if err != nil {
		return nil, err
	}
	switch {
	case stale:
		if pending, err = s.compare(ctx, c); err != nil {
			return nil, s.fail(err)
		}
	case s.query.distinct:
		before := s.kept.bytes
		pending = s.kept.appear(pending)
		if err := s.held.Charge(s.kept.bytes - before); err != nil {
			return nil, s.fail(err)
		}
	case s.query.grouped != nil:
		if pending, err = s.regroup(ctx, c, pending); err != nil {
			return nil, s.fail(err)
		}
	}
	s.known = max(s.known, c.Sequence)
	if len(pending.counts) == 0 {
		return nil, nil
	}
	if err := s.spell(c, pending); err != nil {
		return nil, s.fail(err)
	}
	return c, nil
}

// takeWaiting takes what waits.
func (s *Subscription) takeWaiting() (*tally, *Change, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pending, stale := s.pending, s.stale
	c := &Change{Sequence: s.sequence, Way: s.way, Variables: s.variables}
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
