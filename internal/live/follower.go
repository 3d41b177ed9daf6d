package live

import (
	"context"
	"slices"
)

// Follower is led from state to state, in their order, with what changed between them. What it has not taken yet is kept as the
// difference alone, so that who follows slowly is led over many commits in one step. Next is for one goroutine.
type Follower struct {
	store *Store
	wake  chan struct{}
	// steps wait to be taken; dropped are snapshots of steps that nobody will take. Both under Store.mu.
	steps   []*Step
	dropped []*Snapshot
}

// Step leads from the state of the step before, or from the one where following began, to a later one.
type Step struct {
	// Snapshot is of the later state; who took the step releases it.
	*Snapshot
	// Changes are the quads that differ, by the IDs of the later state: true for those that came, false for those that went.
	Changes map[Quad]bool
	// Turned: the later state rests on other files, and its IDs are others. There are no Changes.
	Turned bool
	// Unknown: the quads are not the same as before, and what differs is not known. The step is Turned.
	Unknown bool
}

// unseen is a commit that readers do not see yet.
type unseen struct {
	sequence uint64
	changes  []change
}

// mostSteps is how many steps wait for a follower that does not take them; more become one Unknown.
const mostSteps = 4

// Follow begins to follow the store from the state of the snapshot, which the caller releases. The follower must be closed.
func (s *Store) Follow() (*Follower, *Snapshot) {
	f := &Follower{store: s, wake: make(chan struct{}, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followers = append(s.followers, f)
	return f, s.hold(s.published)
}

// Close ends the following.
func (f *Follower) Close() {
	s := f.store
	s.mu.Lock()
	s.followers = slices.DeleteFunc(s.followers, func(other *Follower) bool { return other == f })
	f.drop()
	dropped := f.dropped
	s.mu.Unlock()
	releaseAll(dropped)
}

// Next waits for the next step. The error is the context's.
func (f *Follower) Next(ctx context.Context) (*Step, error) {
	for {
		if step := f.take(); step != nil {
			return step, nil
		}
		select {
		case <-f.wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (f *Follower) take() (step *Step) {
	f.store.mu.Lock()
	if len(f.steps) > 0 {
		step = f.steps[0]
		f.steps = slices.Delete(f.steps, 0, 1)
	}
	dropped := f.dropped
	f.dropped = nil
	f.store.mu.Unlock()
	releaseAll(dropped)
	return step
}

// drop gives up the steps that wait; the caller holds mu.
func (f *Follower) drop() {
	for _, step := range f.steps {
		f.dropped = append(f.dropped, step.Snapshot)
	}
	f.steps = nil
}

func releaseAll(list []*Snapshot) {
	for _, s := range list {
		s.Release()
	}
}

// pass leads the followers to a state over the present files, which readers may see; the caller holds mu.
func (s *Store) pass(state *State) {
	n := 0
	for n < len(s.unseen) && s.unseen[n].sequence <= state.sequence {
		n++
	}
	if n == 0 {
		return
	}
	for _, f := range s.followers {
		f.lead(state, s.unseen[:n])
	}
	s.unseen = slices.Delete(s.unseen, 0, n)
}

// lead goes on by some commits.
func (f *Follower) lead(state *State, commits []unseen) {
	n := len(f.steps)
	if n == 0 || f.steps[n-1].Turned {
		f.add(&Step{Snapshot: f.store.hold(state), Changes: map[Quad]bool{}})
		n = len(f.steps)
	}
	step := f.steps[n-1]
	step.State = state
	if step.Unknown {
		return
	}
	for _, commit := range commits {
		for _, c := range commit.changes {
			step.include(c)
		}
	}
}

// include adds a later change of a graph. A quad that comes and goes, or goes and comes, has not changed.
func (step *Step) include(c change) {
	for _, e := range c.added {
		step.note(Quad{c.name, e.From, e.Label, e.To}, true)
	}
	for _, e := range c.removed {
		step.note(Quad{c.name, e.From, e.Label, e.To}, false)
	}
}

func (step *Step) note(q Quad, came bool) {
	if _, back := step.Changes[q]; back {
		delete(step.Changes, q)
		return
	}
	step.Changes[q] = came
}

// turnFollowers leads the followers to a state over other files; the caller holds mu. The newest state over the files before is head.
func (s *Store) turnFollowers(head, state *State) {
	s.pass(head)
	s.unseen = nil
	for _, f := range s.followers {
		f.add(&Step{Snapshot: s.hold(state), Turned: true, Unknown: head.sequence != state.sequence})
	}
}

// add lets a step wait. Too many become one: the files between are not kept for who follows slowly.
func (f *Follower) add(step *Step) {
	if len(f.steps) >= mostSteps {
		f.drop()
		step.Turned, step.Unknown, step.Changes = true, true, nil
	}
	f.steps = append(f.steps, step)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}
