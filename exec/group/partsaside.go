package group

import (
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

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
	c := s.idle.Take(t.newChunk)
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

// takeAll takes the rows of a chunk into all parts.
func (t *groupParts) takeAll(c *groupChunk, begin int) error {
	chunks := []*groupChunk{c}
	return operator.EachPart(begin, func(p int, wait bool) (bool, error) { return t.take(p, chunks, wait) })
}

// count counts the memory of the parts; where it is too much, no more rows are taken.
func (t *groupParts) count() {
	var bytes int64
	for p, r := range t.runs {
		_, _ = t.locks[p].Do(t.run.x, true, func() error { bytes += r.bytes(); return nil })
	}
	t.holding.Lock()
	defer t.holding.Unlock()
	if !t.run.held.Hold(max(bytes, t.run.held.Held)) {
		t.beside.full.Store(true)
	}
}
