package live

import (
	"context"
	"fmt"

	"github.com/rdfgpu/rdfgpu/internal/store"
)

// Snapshot is a state that is kept readable until Release.
type Snapshot struct {
	*State
	store    *Store
	released bool
}

// Snapshot is the newest state that readers may see.
func (s *Store) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hold(s.published)
}

// hold makes a snapshot; the caller holds mu.
func (s *Store) hold(state *State) *Snapshot {
	state.ground.holders++
	return &Snapshot{State: state, store: s}
}

// Release ends the reading: nothing that came from the snapshot may be used any more. It may be called again.
func (s *Snapshot) Release() {
	if s.released {
		return
	}
	s.released = true
	s.store.release(s.ground)
}

// release lets go of a ground, which is closed when nobody holds it.
func (s *Store) release(g *ground) {
	s.mu.Lock()
	g.holders--
	last := g.holders == 0
	s.mu.Unlock()
	if last {
		s.options.Retired(g.files)
		_ = g.close() // its files were only read
	}
}

// Sequence is that of the newest state that readers may see.
func (s *Store) Sequence() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.published.sequence
}

// History names the log of commits: its identity, "" where there never was one.
func (s *Store) History() string {
	if s.log != nil {
		return historyName(s.log.Identity())
	}
	snapshot := s.Snapshot()
	defer snapshot.Release()
	return snapshot.Files().Manifest().Log.ID
}

// historyName is the identity of a log as manifests have it.
func historyName(identity uint64) string { return fmt.Sprintf("%016x", identity) }

// WaitFor returns once readers may see a commit.
func (s *Store) WaitFor(ctx context.Context, sequence uint64) error {
	for {
		s.mu.Lock()
		seen, changed := s.published.sequence, s.changed
		s.mu.Unlock()
		if seen >= sequence {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// publish lets readers see a state, unless they see a later one.
func (s *Store) publish(state *State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state.sequence <= s.published.sequence || state.ground != s.published.ground {
		return
	}
	s.pass(state)
	s.published = state
	close(s.changed)
	s.changed = make(chan struct{})
}

// Files are the store's files that the snapshot rests on.
func (s *Snapshot) Files() *store.Store { return s.ground.files }

// Again is another snapshot of the same state.
func (s *Snapshot) Again() *Snapshot {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	return s.store.hold(s.State)
}
