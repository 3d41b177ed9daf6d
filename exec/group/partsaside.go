package group

import (
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// partLock is held by who takes rows into a part; it shares no line of the cache with another one's.
type partLock struct {
	mu sync.Mutex
	_  [128 - 8]byte
}

// partsBeside are goroutines that take the rows they find into parts themselves.
type partsBeside struct {
	// gate is closed while rows of new groups begin to be put aside.
	gate sync.RWMutex
	// took: there were rows.
	took atomic.Bool
	// full: there is no memory for more, and who puts rows aside has the rest.
	full    atomic.Bool
	batches atomic.Uint64
	idle    schedule.Spares[*groupChunk]
}

// countEvery is after how many batches the memory of all parts is counted.
const countEvery = 32

// aside takes a batch, whose first row is row at of the source, into the groups of all parts; not so where there is no memory for that.
func (t *groupParts) aside(b *vector.Batch, at uint64) (taken bool, err error) {
	s := &t.beside
	if s.full.Load() || !s.gate.TryRLock() {
		return false, nil
	}
	defer s.gate.RUnlock()
	if t.run.parts != nil {
		return false, nil
	}
	if err := t.run.x.Ended(); err != nil {
		return false, err
	}
	n := s.batches.Add(1)
	s.took.Store(true)
	c := s.idle.Take(func() *groupChunk {
		return &groupChunk{stages: newGroupRows(t.run.Group, t.filling.chunks[0].stages.stages.Stages)}
	})
	c.at = at
	if c.rows, err = c.stages.of(t.run.x, b); err == nil && c.rows != nil {
		t.split(c)
		err = t.takeAll(c, int(n))
	}
	s.idle.Give(c)
	if n%countEvery == 0 && err == nil {
		t.count()
	}
	return true, err
}

// takeAll takes the rows of a chunk into all parts: those first that nobody is at, begun where others are not.
func (t *groupParts) takeAll(c *groupChunk, begin int) error {
	chunks := []*groupChunk{c}
	var later []int
	for i := range vector.Parts {
		p := (i + begin*(vector.Parts/4+1)) % vector.Parts
		taken, err := t.tryTake(p, chunks)
		if err != nil {
			return err
		}
		if !taken {
			later = append(later, p)
		}
	}
	for _, p := range later {
		if err := t.take(p, chunks); err != nil {
			return err
		}
	}
	return nil
}

// tryTake is take, unless somebody else is at the part. What panics leaves no lock behind.
func (t *groupParts) tryTake(part int, chunks []*groupChunk) (taken bool, err error) {
	if !t.locks[part].mu.TryLock() {
		return false, nil
	}
	defer t.locks[part].mu.Unlock()
	return true, t.takeLocked(part, chunks)
}

// count counts the memory of the parts; where it is too much, no more rows are taken.
func (t *groupParts) count() {
	var bytes int64
	for p, r := range t.runs {
		t.locks[p].mu.Lock()
		bytes += r.bytes()
		t.locks[p].mu.Unlock()
	}
	t.holding.Lock()
	defer t.holding.Unlock()
	if !t.run.held.Hold(max(bytes, t.run.held.Held)) {
		t.beside.full.Store(true)
	}
}
