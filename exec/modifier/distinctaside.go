package modifier

import (
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// distinctBeside are goroutines that find rows and tell them apart themselves, in rounds of their own.
type distinctBeside struct {
	// each is how many chunks a round of theirs has; 0: there is no memory for them.
	each int
	// busy is how many goroutines are at a batch.
	busy atomic.Int32
	// gate is closed where the run goes on in one goroutine.
	gate sync.RWMutex
	// full: there is no memory for more rows.
	full atomic.Bool
	// begun counts the rounds that somebody has begun to work on.
	begun atomic.Uint64
	idle  schedule.Spares[*distinctRound]

	mu     sync.Mutex       // guards rounds, while rows are taken
	rounds []*distinctRound // all of them
}

// besideChunks is how many chunks a round of one goroutine has at most: enough rows of each part to be worth a visit.
const besideChunks = 8

// aside takes a batch from one of several goroutines that find rows, if there is memory for it. Where nobody else finds rows, or they are few, workers share them, in
// their order.
func (s *sharedDistinct) aside(b *vector.Batch) (taken bool, err error) {
	by := &s.beside
	defer by.busy.Add(-1)
	if by.busy.Add(1) == 1 || !by.gate.TryRLock() {
		return false, nil
	}
	defer by.gate.RUnlock()
	if by.full.Load() {
		return false, nil
	}
	if err := s.run.x.Ended(); err != nil {
		return false, err
	}
	return s.take(b)
}

// take takes a batch into a round that nobody else uses, if there is one, and works on that when it is full.
func (s *sharedDistinct) take(b *vector.Batch) (taken bool, err error) {
	r := s.beside.idle.Take(s.another)
	if r == nil {
		return false, nil
	}
	for from := 0; from < b.N; {
		to := r.fill(b, from, s.run.x.Tuning.ChunkRows)
		if to == from {
			if err := s.work(r); err != nil {
				return false, err
			}
			r.grow(r)
		}
		from = to
	}
	s.beside.idle.Give(r)
	return true, nil
}

// another is a round for one goroutine more; nil where there are as many as threads: those that wait to emit hold theirs.
func (s *sharedDistinct) another() *distinctRound {
	s.beside.mu.Lock()
	defer s.beside.mu.Unlock()
	if s.beside.each == 0 || len(s.beside.rounds) == s.run.x.Workers.Limit() {
		return nil
	}
	r := newDistinctRound(s.beside.each, 1)
	s.beside.rounds = append(s.beside.rounds, r)
	return r
}

// work tells the rows of a round apart and hands on those that are new.
func (s *sharedDistinct) work(r *distinctRound) error {
	x, chunks := s.run.x, r.filled()
	for _, c := range chunks {
		c.divide(s.run.key)
	}
	x.Workers.Yield()
	begin := int(s.beside.begun.Add(1))
	err := operator.EachPart(begin, func(p int, wait bool) (bool, error) { return s.tell(p, chunks, wait) })
	if err == nil {
		err = x.Ended()
	}
	if err != nil {
		return err
	}
	for _, c := range chunks {
		c.pick()
	}
	if s.count(r); !s.holds() {
		s.beside.full.Store(true)
	}
	return r.emit(s.run.outlet.HandOn)
}

// drainBeside tells apart what was not when the rows ended. All goroutines share that: some rounds were nearly full then, others nearly empty.
func (s *sharedDistinct) drainBeside() error {
	if s.beside.full.Load() {
		return s.leave()
	}
	var chunks []*distinctChunk
	for _, r := range s.beside.rounds {
		chunks = append(chunks, r.filled()...)
	}
	s.begin(chunks)
	if err := s.phases.Finish(); err != nil {
		return err
	}
	for _, r := range s.beside.rounds {
		s.count(r)
	}
	s.holds()
	return s.run.x.Each(len(s.beside.rounds), func(i int) error { return s.beside.rounds[i].emit(s.run.outlet.HandOn) })
}
