package join

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// probesAside are left rows with which those who find them probe the table of a run themselves, or that they match the right pattern for, several goroutines at once. What
// comes of them is in no order, as such rows are in none.
type probesAside struct {
	run   *run
	out   *operator.Outlet
	table atomic.Pointer[vector.Table]
	// seeds: the right pattern is matched, for left rows more before it is time to ask what a table would cost; taken is for how many it was since.
	seeds atomic.Bool
	left  atomic.Int64
	taken atomic.Int64
	// busy is how many goroutines are at a batch: of one alone rows come in their order.
	busy atomic.Int32
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

// seed has goroutines match the right pattern from now on, for as many rows as it was matched for before.
func (a *probesAside) seed(rows int) {
	a.left.Store(int64(rows))
	if a.run.Hashed == nil {
		a.left.Store(math.MaxInt64)
	}
	a.seeds.Store(true)
}

// due reports whether it is time to ask what a table would cost.
func (a *probesAside) due() bool { return a.seeds.Load() && a.left.Load() <= 0 }

// fed is for how many rows the right pattern was matched since it was last asked.
func (a *probesAside) fed() int { return int(a.taken.Swap(0)) }

// matches reports whether the right pattern is to be matched for the rows of a batch.
func (a *probesAside) matches(b *vector.Batch) bool {
	if a.busy.Load() < 2 || !a.seeds.Load() || a.left.Add(-int64(b.N)) < 0 {
		return false
	}
	a.taken.Add(int64(b.N))
	return true
}

// probe takes a batch of left rows.
func (a *probesAside) probe(b *vector.Batch) (taken bool, err error) {
	defer a.busy.Add(-1)
	a.busy.Add(1)
	t := a.table.Load()
	if t != nil && !a.bound(b) || t == nil && !a.matches(b) {
		return false, nil
	}
	if err := a.run.x.Ended(); err != nil {
		return false, err
	}
	m := a.idle.Take(a.another)
	if m == nil {
		return false, nil
	}
	if t != nil {
		err = m.probeTable(b, t)
	} else if m.own, err = a.run.own(); err == nil {
		err = m.seed(b)
		a.run.owns.Give(m.own)
	}
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
