package live_test

import (
	"context"
	"errors"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/wal"
)

// followed is a follower, and the quads that it should be at.
type followed struct {
	*live.Follower
	quads    quads
	sequence uint64
}

// take applies a step.
func (f *followed) take(r *rapid.T, step *live.Step) {
	defer step.Release()
	if len(step.Changes) > 0 && step.Turned {
		r.Fatal("a step that turns to other files has changes")
	}
	if step.Unknown {
		f.quads = contents(r, step.State)
	}
	d := step.Dictionary()
	for q, came := range step.Changes {
		quad := rdf.Quad{Subject: d.Term(q.Subject), Predicate: d.Term(q.Predicate), Object: d.Term(q.Object)}
		if q.Graph != dictionary.None {
			quad.Graph = d.Term(q.Graph)
		}
		if f.quads[quad] == came {
			r.Fatalf("%v changes to what it was", quad)
		}
		if came {
			f.quads[quad] = true
		} else {
			delete(f.quads, quad)
		}
	}
	if got := contents(r, step.State); !maps.Equal(got, f.quads) {
		r.Fatalf("a step to commit %d from %d: %v", step.Sequence(), f.sequence, difference(f.quads, got))
	}
	f.sequence = step.Sequence()
}

// TestFollowers: whatever is committed, flushed and compacted, and however late a follower looks, its steps lead from state to state; and
// earlier states come back from the log.
func TestFollowers(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		model := quads{}
		for range rapid.IntRange(0, 10).Draw(r, "initial") {
			model[drawQuad(r)] = true
		}
		folder, remove := newFolderToRemove(t, model)
		defer remove()
		s, err := live.Open(context.Background(), folder, live.Options{Writable: true, FlushTriples: 1 << 30, LargeClear: 4})
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		follower, began := s.Follow()
		defer follower.Close()
		began.Release()
		f := &followed{follower, maps.Clone(model), 0}
		past := map[uint64]quads{0: maps.Clone(model)}
		for range rapid.IntRange(1, 12).Draw(r, "actions") {
			switch rapid.IntRange(0, 7).Draw(r, "action") {
			case 0:
				err = s.Flush(context.Background())
			case 1:
				err = s.Compact(context.Background())
			case 2:
				model = takeIn(r, s, func() quads { return model }, func() {})
			case 3, 4:
				f.catchUp(r, s)
			default:
				model = transact(r, s, model, rapid.Bool().Draw(r, "files"))
			}
			if err != nil {
				r.Fatal(err)
			}
			past[s.Sequence()] = maps.Clone(model)
		}
		f.catchUp(r, s)
		if !maps.Equal(f.quads, model) {
			r.Fatal(difference(f.quads, model))
		}
		lookBack(r, s, past)
	})
}

// catchUp takes all steps.
func (f *followed) catchUp(r *rapid.T, s *live.Store) {
	for f.sequence < s.Sequence() {
		step, err := f.Next(context.Background())
		if err != nil {
			r.Fatal(err)
		}
		f.take(r, step)
	}
}

// lookBack compares the states of before, as far as the log reaches back.
func lookBack(r *rapid.T, s *live.Store, past map[uint64]quads) {
	now := s.Snapshot()
	defer now.Release()
	for sequence, want := range past {
		state, changes, err := now.Before(sequence)
		if errors.Is(err, wal.ErrGone) && sequence < now.Sequence() {
			continue
		}
		if err != nil {
			r.Fatal(err)
		}
		if got := contents(r, state); !maps.Equal(got, want) || state.Sequence() != sequence {
			r.Fatalf("commit %d: %v", sequence, difference(got, want))
		}
		if most := len(without(want, past[now.Sequence()])) + len(without(past[now.Sequence()], want)); len(changes) != most {
			r.Fatalf("%d changes since commit %d, where %d are", len(changes), sequence, most)
		}
	}
	if _, _, err := now.Before(now.Sequence() + 1); !errors.Is(err, wal.ErrBeyond) {
		r.Fatal(err)
	}
}
