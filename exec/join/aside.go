package join

import (
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// probesAside are left rows with which those who find them probe the table of a run themselves, several goroutines at once. What comes of them is in no
// order, as such rows are in none.
type probesAside struct {
	run   *run
	out   *operator.Outlet
	table atomic.Pointer[vector.Table]
	// each is how many bytes a merger may hold.
	each int64
	idle schedule.Spares[*merger]
	mu   sync.Mutex // guards held
	held *limits.Account
}

// Aside implements operator.Aside.
func (j *Join) Aside(take operator.Take) { j.take = take }

func newProbesAside(r *run) *probesAside {
	a := &probesAside{run: r, out: operator.NewOutlet(r.x, r.emit, r.Join.take), held: r.x.Memory.Open("rows on their way through joins")}
	a.each = int64(4 * r.x.Tuning.ChunkRows * (r.Merged + len(r.Join.Left.Columns()) + 4))
	return a
}

// ready has goroutines probe a table from now on, if a join of its kind lets them: a row with an unbound variable may need another index, and to make one is
// for one goroutine.
func (a *probesAside) ready(t *vector.Table) {
	r := a.run
	if r.Condition != nil && !r.Condition.Shared() || !t.OneIndex() {
		return
	}
	a.table.Store(t)
}

// probe takes a batch of left rows.
func (a *probesAside) probe(b *vector.Batch) (taken bool, err error) {
	t := a.table.Load()
	if t == nil || !a.bound(b) {
		return false, nil
	}
	if err := a.run.x.Ended(); err != nil {
		return false, err
	}
	m := a.idle.Take(a.another)
	if m == nil {
		return false, nil
	}
	err = m.probeTable(b, t)
	a.idle.Give(m)
	return true, err
}

// bound reports whether all rows of a batch bind the shared variables.
func (a *probesAside) bound(b *vector.Batch) bool {
	for _, c := range a.run.Hashed.LeftShared {
		for _, id := range b.Cols[c] {
			if id == dictionary.None {
				return false
			}
		}
	}
	return true
}

// another is a merger for one goroutine more; nil where there is no memory for that.
func (a *probesAside) another() *merger {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held.Held+a.each > a.run.x.JoinBytes() || !a.held.Hold(a.held.Held+a.each) {
		return nil
	}
	r := a.run
	return &merger{Join: r.Join, x: r.x, emit: a.out.HandOn, most: min(r.most, r.x.Tuning.ChunkRows), prober: vector.Prober{Fixed: true}}
}

func (a *probesAside) close() { a.held.Close() }
