package modifier

import (
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// sharedDistinct is rows of a run that several goroutines tell apart, in rounds of chunks. The rows of a chunk are split by parts of their
// hashes, then each part finds its rows of all chunks, in their order, and at last those that are new are picked. Where one goroutine finds the rows, it fills a round
// while workers are at the one before; where several do, each has rounds of its own (distinctaside.go).
type sharedDistinct struct {
	run              *distinctRun
	phases           *operator.Phases
	filling, working *distinctRound
	locks            [vector.Parts]operator.PartLock // of the rows that were seen
	// bytes is the memory of the rows that were seen and of the rounds.
	bytes   atomic.Int64
	holding sync.Mutex // guards the run's account
	beside  distinctBeside
}

const (
	// chunksEach is how many chunks of a round there are for each goroutine.
	chunksEach = 4
	// firstChunks is how many the first round has; each has twice as many as the one before.
	firstChunks = 2
)

// chunksHeld is how many chunks take an eighth of what the query may hold.
func (r *distinctRun) chunksHeld() int {
	return int(r.x.Memory.Limit() / 8 / int64(r.x.Tuning.ChunkRows*(4*r.width+20)))
}

// mostChunks is how many chunks a round has that workers are at: there are two of them.
func (r *distinctRun) mostChunks() int { return min(chunksEach*r.x.Copies(), r.chunksHeld()/2) }

func newSharedDistinct(r *distinctRun) *sharedDistinct {
	s := &sharedDistinct{run: r, phases: operator.NewPhases(r.x)}
	s.filling, s.working = newDistinctRound(r.mostChunks(), firstChunks), newDistinctRound(r.mostChunks(), firstChunks)
	s.beside.each = min(besideChunks, r.chunksHeld()/r.x.Workers.Limit())
	r.seen.split(r.width, r.x.Ended)
	s.bytes.Store(r.seen.bytes())
	return s
}

// add takes rows from the goroutine that finds them; where others do so too, as they do.
func (s *sharedDistinct) add(b *vector.Batch) error {
	defer s.beside.busy.Add(-1)
	others := s.beside.busy.Add(1) > 1
	if s.beside.full.Load() {
		if err := s.leave(); err != nil {
			return err
		}
		return s.run.add(b)
	}
	if others {
		if taken, err := s.take(b); taken || err != nil {
			return err
		}
	}
	for from := 0; from < b.N; {
		to := s.filling.fill(b, from, s.run.x.Tuning.ChunkRows)
		if to == from {
			if err := s.turn(); err != nil {
				return err
			}
			if s.run.shared == nil {
				return s.run.add(after(b, from))
			}
		}
		from = to
	}
	s.phases.Ask()
	return nil
}

// after views the rows of a batch from one on.
func after(b *vector.Batch, row int) *vector.Batch {
	v := &vector.Batch{N: b.N - row}
	for _, col := range b.Cols {
		v.Cols = append(v.Cols, col[row:])
	}
	if b.Weights != nil {
		v.Weights = b.Weights[row:]
	}
	return v
}

// turn waits for the round that is worked on, begins the one that was filled, and emits what is new of the first. Where there is
// no memory for that, the run goes on in its own goroutine.
func (s *sharedDistinct) turn() error {
	if err := s.phases.Finish(); err != nil {
		return err
	}
	s.count(s.filling)
	s.count(s.working)
	if !s.holds() {
		return s.leave()
	}
	s.filling, s.working = s.working, s.filling
	s.filling.grow(s.working)
	s.begin(s.working.filled())
	return s.filling.emit(s.run.emit)
}

// leave emits what is new of the round that is worked on, and gives the rest back to the run.
func (s *sharedDistinct) leave() error {
	s.run.x.Workers.Lock(&s.beside.gate) // who is at a batch ends it, and nobody begins another
	if err := s.phases.Finish(); err != nil {
		return err
	}
	s.run.shared, s.run.sharing = nil, false
	s.phases.Close()
	if err := s.working.emit(s.run.emit); err != nil {
		return err
	}
	for _, r := range append(s.beside.rounds, s.filling) {
		for _, c := range r.filled() {
			if err := s.run.add(&c.rows.Batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin begins a round.
func (s *sharedDistinct) begin(chunks []*distinctChunk) {
	divide := operator.Phase{Units: len(chunks), Do: func(i int) error { chunks[i].divide(s.run.key); return nil }}
	tell := operator.Phase{Units: vector.Parts, Do: func(p int) error { _, err := s.tell(p, chunks, true); return err }}
	pick := operator.Phase{Units: len(chunks), Do: func(i int) error { chunks[i].pick(); return nil }}
	if len(chunks) > 0 {
		s.phases.Start(divide, tell, pick)
	}
}

// tell finds the new rows of a part while nobody else is at it: it waits for that, or leaves them.
func (s *sharedDistinct) tell(part int, chunks []*distinctChunk, wait bool) (done bool, err error) {
	return s.locks[part].Do(s.run.x, wait, func() error {
		seen := s.run.seen.sets[part]
		before := seen.Bytes()
		for _, c := range chunks {
			seen.AddRows(c.rows.Cols, c.split.Part(part), c.hashes, c.fresh)
		}
		if grown := seen.Bytes() - before; grown > 0 {
			s.bytes.Add(grown)
		}
		return nil
	})
}

// count counts the memory of a round that nobody else is at.
func (s *sharedDistinct) count(r *distinctRound) {
	bytes := r.bytes()
	s.bytes.Add(bytes - r.counted)
	r.counted = bytes
}

// holds reports whether there is memory for all that is there.
func (s *sharedDistinct) holds() bool {
	s.holding.Lock()
	defer s.holding.Unlock()
	return s.run.held.Hold(s.bytes.Load())
}

// drain emits what is left.
func (s *sharedDistinct) drain() error {
	for s.run.shared != nil && s.filling.used+s.working.used > 0 {
		if err := s.turn(); err != nil {
			return err
		}
	}
	if s.run.shared == nil {
		return nil
	}
	return s.drainBeside()
}

func (s *sharedDistinct) close() { s.phases.Close() }
