package watch

import (
	"context"
	"slices"
	"sync"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// following brings the commits of a store to its standing queries, in a goroutine of its own, from the first subscription to the last.
type following struct {
	settings *Settings
	follower *live.Follower
	ctx      context.Context
	cancel   context.CancelFunc
	done     sync.WaitGroup
	// users counts subscriptions, under Watcher.mu.
	users int

	// mu is held while a step is taken; it guards what follows.
	mu      sync.Mutex
	state   *live.Snapshot
	index   *index
	queries map[identity]*standing
	ended   error
}

func follow(store *live.Store, settings *Settings) *following {
	f := &following{settings: settings, queries: map[identity]*standing{}}
	f.follower, f.state = store.Follow()
	f.index = newIndex(f.state.Dictionary().Lookup)
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.done.Go(f.run)
	return f
}

// run takes steps until the following ends.
func (f *following) run() {
	for {
		step, err := f.follower.Next(f.ctx)
		if err != nil {
			return
		}
		f.take(step)
	}
}

// end ends the following, and what is still subscribed, with an error.
func (f *following) end(cause error) {
	f.cancel()
	f.done.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended != nil {
		return
	}
	f.ended = cause
	f.failAll(cause)
	f.follower.Close()
	f.state.Release()
}

// take brings one step to the queries.
func (f *following) take(step *live.Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := schedule.Guard(func() error { return f.bring(step) })
	if err != nil && f.ctx.Err() == nil {
		f.failAll(err)
	}
	f.state.Release()
	f.state = step.Snapshot
}

func (f *following) failAll(err error) {
	for _, q := range f.queries {
		q.fail(err)
	}
}

func (f *following) bring(step *live.Step) error {
	r, err := f.settings.runner(f.ctx, f.settings.Budget(0))
	defer func() { r.budget.Close() }()
	if err != nil {
		return err
	}
	switch {
	case step.Unknown:
		f.turn(step)
		return f.compareAll(r, step)
	case step.Turned:
		f.turn(step)
		return nil
	}
	f.meet(step)
	p, err := newPass(r, f.state.State, step.State, step.Changes)
	if err != nil {
		return err
	}
	p.foresee(f.settings.Foresee)
	p.distribute(f.index, (*standing).grewStale)
	return p.differences(r, func() { r.renew(f.settings) }, func(q *standing, found *tally, err error) {
		if err == nil || f.ctx.Err() == nil { // who ends the following says why
			q.deliver(found, step.Sequence(), err)
		}
	})
}

// renew goes on with a new budget, after a query has used up the old one.
func (r *runner) renew(s *Settings) {
	r.budget.Close()
	r.budget = s.Budget(0)
	r.options.Budget = r.budget
}

// turn looks all constants up again: the files are others.
func (f *following) turn(step *live.Step) {
	f.index = newIndex(step.Dictionary().Lookup)
	for _, q := range f.queries {
		q.forget()
		q.resolve(step.Dictionary().Lookup)
		f.index.add(q)
	}
}

// compareAll evaluates all queries, because nobody knows what has changed.
func (f *following) compareAll(r *runner, step *live.Step) error {
	for _, q := range f.queries {
		if q.again() {
			q.grewStale()
			continue
		}
		found, err := q.compare(r, f.state.State, step.State)
		q.deliverAgain(found, step.Sequence(), err)
		if err != nil {
			r.renew(f.settings)
		}
	}
	return nil
}

// meet looks whether queries have waited for terms that are new.
func (f *following) meet(step *live.Step) {
	if len(f.index.missing) == 0 {
		return
	}
	var key []byte
	d := step.Dictionary()
	for id := f.state.Dictionary().Len(); id < d.Len(); id++ {
		key = d.AppendKey(key[:0], uint32(id))
		for _, q := range slices.Clone(f.index.missing[string(key)]) {
			f.index.remove(q)
			q.resolve(d.Lookup)
			f.index.add(q)
		}
	}
}

// subscribe makes a subscription from the state that the queries are at, or from after a commit that is given.
func (f *following) subscribe(ctx context.Context, asked Query, options Options, budget *limits.Budget) (*Subscription, error) {
	s, began, err := f.register(ctx, asked, options, budget)
	if err != nil {
		return nil, err
	}
	defer began.snapshot.Release()
	if err := s.begin(ctx, began); err != nil {
		f.unsubscribe(s)
		return nil, err
	}
	return s, nil
}

// beginning is where a subscription begins.
type beginning struct {
	snapshot *live.Snapshot
	// state is the snapshot's, or an earlier one.
	state *live.State
}

// register makes the query stand, and finds what has changed for it since the commit that it goes on from.
func (f *following) register(ctx context.Context, asked Query, options Options, budget *limits.Budget) (*Subscription, beginning, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended != nil { // the state was released
		return nil, beginning{}, f.ended
	}
	b := beginning{snapshot: f.state.Again()}
	b.state = b.snapshot.State
	working := f.settings.Budget(options.MaxMemory)
	defer working.Close()
	r, err := f.settings.runner(ctx, working)
	var q *standing
	if err == nil {
		q, err = f.stand(r, asked)
	}
	s := newSubscription(f, q, asked.Parsed.Variables, budget, options)
	if err == nil && options.After != nil {
		b.state, err = s.goOn(r, b.snapshot, *options.After)
	}
	if err != nil {
		f.drop(q)
		b.snapshot.Release()
		return nil, b, err
	}
	s.sequence = b.snapshot.Sequence()
	q.subscriptions = append(q.subscriptions, s)
	return s, b, nil
}

// stand is the query, made to stand if it does not yet.
func (f *following) stand(r *runner, asked Query) (*standing, error) {
	if q := f.queries[asked.identity()]; q != nil {
		return q, nil
	}
	q, err := newStanding(asked)
	if err != nil {
		return nil, err
	}
	q.identity = asked.identity()
	q.resolve(f.state.Dictionary().Lookup)
	if err := q.plan(r, f.state.State); err != nil {
		return nil, err
	}
	f.queries[q.identity] = q
	f.index.add(q)
	return q, nil
}

// drop lets a query go that nobody is subscribed to; the caller holds mu.
func (f *following) drop(q *standing) {
	if q != nil && len(q.subscriptions) == 0 {
		f.index.remove(q)
		delete(f.queries, q.identity)
	}
}

// unsubscribe ends a subscription.
func (f *following) unsubscribe(s *Subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := s.query
	q.subscriptions = slices.DeleteFunc(q.subscriptions, func(other *Subscription) bool { return other == s })
	f.drop(q)
}
