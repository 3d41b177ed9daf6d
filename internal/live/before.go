package live

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Before is what the snapshot's state was right after an earlier commit, and what has changed since, both by the IDs of the snapshot and
// valid as long as it is. The error wraps wal.ErrGone where the log does not have all commits since, and wal.ErrBeyond where there is no
// such commit yet.
func (s *Snapshot) Before(sequence uint64) (*State, map[Quad]bool, error) {
	if sequence > s.sequence {
		return nil, nil, fmt.Errorf("live: commit %d: %w, which ends at %d", sequence, wal.ErrBeyond, s.sequence)
	}
	since := &Step{Changes: map[Quad]bool{}}
	if sequence < s.sequence {
		if err := s.since(sequence, since); err != nil {
			return nil, nil, err
		}
	}
	state, err := s.undone(since.Changes)
	if err == nil {
		state.sequence = sequence
	}
	return state, since.Changes, err
}

// At is the state right after a commit, as Before tells it.
func (s *Store) At(sequence uint64) (*Snapshot, error) {
	now := s.Snapshot()
	if sequence == now.sequence {
		return now, nil
	}
	defer now.Release()
	state, _, err := now.Before(sequence)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hold(state), nil
}

// since adds up what was committed after a sequence.
func (s *Snapshot) since(sequence uint64, step *Step) error {
	next := sequence + 1
	for record, err := range s.store.Records(next) {
		if err != nil {
			return err
		}
		if record.Sequence != next {
			break
		}
		if err := s.include(step, record); err != nil {
			return err
		}
		if next++; record.Sequence == s.sequence {
			return nil
		}
	}
	return fmt.Errorf("live: commit %d: %w", next, wal.ErrGone)
}

// include adds a commit of the log.
func (s *Snapshot) include(step *Step, record wal.Record) error {
	t, err := wal.ReadTransaction(record.Payload)
	if err != nil {
		return fmt.Errorf("live: commit %d: %w", record.Sequence, err)
	}
	if t.InFiles() {
		return fmt.Errorf("live: commit %d has its quads in the files alone: %w", record.Sequence, wal.ErrGone)
	}
	ids := make([]dictionary.ID, t.Terms()+1)
	ids[0] = dictionary.None
	for n := 1; n < len(ids); n++ {
		var ok bool
		if ids[n], ok = s.dictionary.LookupKey(t.Key(wal.Term(n))); !ok {
			return fmt.Errorf("live: commit %d has terms that were dropped since: %w", record.Sequence, wal.ErrGone)
		}
	}
	for c := range t.Changes() {
		step.note(Quad{ids[c.Graph], ids[c.Subject], ids[c.Predicate], ids[c.Object]}, !c.Delete)
	}
	return nil
}

// undone is the state without some changes.
func (s *State) undone(changes map[Quad]bool) (*State, error) {
	byName := map[dictionary.ID]*change{}
	for q, came := range changes {
		c := byName[q.Graph]
		if c == nil {
			c = &change{name: q.Graph}
			byName[q.Graph] = c
		}
		e := pcsr.Edge{From: q.Subject, Label: q.Predicate, To: q.Object}
		if came {
			c.removed = append(c.removed, e)
		} else {
			c.added = append(c.added, e)
		}
	}
	next := s.next()
	for name, c := range byName {
		g, err := s.Graph(name)
		if err != nil {
			return nil, err
		}
		next.put(name, g.Change(next.dictionary.Len(), c.added, c.removed))
	}
	return next.ready(), nil
}
