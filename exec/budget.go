package exec

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

// Errors that end a query at a limit; test with errors.Is.
var (
	// ErrMemoryLimit: the query needs more memory than it may take and cannot go on from disk.
	ErrMemoryLimit = errors.New("the query needs more memory than its limit")
	// ErrSpillLimit: what does not fit into memory does not fit on the disk either.
	ErrSpillLimit = errors.New("the query needs more temporary disk than its limit")
	// ErrRowLimit: the query has more solutions than its row limit.
	ErrRowLimit = errors.New("the query has more solutions than its row limit")
)

// Budget counts the bytes that one query holds, of a Pool. It is safe for concurrent use.
//
// What can go on from disk, or has to end in an orderly way, asks an account (hold, need). Everything else counts what it
// takes (Meter), which ends the query from outside where it is too much.
type Budget struct {
	pool  *Pool
	limit int64
	used  atomic.Int64
	peak  atomic.Int64
	// metered is what meters count of used.
	metered atomic.Int64
	// accounts is how many are open.
	accounts atomic.Int64

	mu      sync.Mutex
	holders map[string]*holder
	cancel  func(error)
	failed  atomic.Pointer[error]
	closed  atomic.Bool
}

// holder is what all accounts and meters of one name hold.
type holder struct{ bytes atomic.Int64 }

// Meter counts what one part of a query takes, where it cannot be refused. It is safe for concurrent use.
type Meter struct {
	budget *Budget
	holder *holder
}

// account is one operator's share of the budget; it is not safe for concurrent use.
type account struct {
	budget   *Budget
	holder   *holder
	operator string
	held     int64
	closed   bool
}

// reserve is the part of every limit that is kept for accounts that hold little, as one over it. Accounts hold at most
// the rest together, but for what each has of an equal share of the reserve: so the sum of all stays below the limit, and
// none goes to disk row by row because others hold everything.
const reserve = 8

// leastBudget is what a query may always hold of what cannot go on from disk.
const leastBudget = 256 << 10

// standalone is the budget of a query that shares with no other.
func standalone(limit int64) *Budget { return NewPool(math.MaxInt64, 0).Open(limit) }

// Close gives back what the query holds. It may be called several times, once the query has ended.
func (b *Budget) Close() {
	if b.closed.CompareAndSwap(false, true) {
		b.pool.forget(b)
	}
}

// Limit is how many bytes it may hold.
func (b *Budget) Limit() int64 { return b.limit }

// Peak is the most bytes that it has held at once.
func (b *Budget) Peak() int64 { return b.peak.Load() }

// Used is how many bytes the query holds.
func (b *Budget) Used() int64 { return b.used.Load() }

func (b *Budget) open(operator string) *account {
	b.accounts.Add(1)
	return &account{budget: b, operator: operator, holder: b.holder(operator)}
}

func (b *Budget) holder(name string) *holder {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.holders[name]
	if h == nil {
		h = &holder{}
		b.holders[name] = h
	}
	return h
}

// add counts.
func (b *Budget) add(h *holder, bytes int64) {
	if bytes == 0 {
		return
	}
	h.bytes.Add(bytes)
	if !b.closed.Load() {
		b.pool.used.Add(bytes)
	}
	if used := b.used.Add(bytes); used > b.peak.Load() {
		b.peak.Store(used)
	}
}

// least is what the query may hold, whatever others do.
func (b *Budget) least() int64 {
	return min(b.limit, b.pool.live()/max(1, b.pool.queries.Load())) / reserve
}

// share is what any account may hold, whatever the others do.
func (b *Budget) share() int64 { return b.least() / max(1, b.accounts.Load()) }

// fits reports whether the query may hold what it holds.
func (b *Budget) fits() bool {
	used := b.used.Load()
	return used <= b.limit-b.limit/reserve && b.fitsPool(used)
}

// fitsPool reports whether the pool bears it.
func (b *Budget) fitsPool(used int64) bool {
	free := b.pool.free() - b.pool.live()/reserve
	return free >= 0 && (used <= free || b.pool.queries.Load() <= 1)
}

// Meter returns the meter of a part of the query, named as errors should.
func (b *Budget) Meter(what string) *Meter { return &Meter{b, b.holder(what)} }

// Charge counts bytes; a negative number gives them back. Too many end the query: the context in which it runs is cancelled
// with an error that wraps ErrMemoryLimit, which Charge returns.
func (m *Meter) Charge(bytes int64) error {
	m.budget.add(m.holder, bytes)
	m.budget.metered.Add(bytes)
	return m.budget.check()
}

// check ends the query where its meters count too much, and says why it has to end. What accounts hold too much of, they
// give back by themselves.
func (b *Budget) check() error {
	if err := b.ending(); err != nil {
		return err
	}
	metered := b.metered.Load()
	if metered <= leastBudget || metered <= b.limit-b.limit/reserve && (b.fitsPool(metered) || metered <= b.least()) {
		return nil
	}
	err := b.refusal()
	b.end(err)
	return err
}

// ending says why the query has to end, nil where it has not.
func (b *Budget) ending() error {
	if err := b.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// end ends the query.
func (b *Budget) end(err error) {
	b.failed.CompareAndSwap(nil, &err)
	b.mu.Lock()
	cancel := b.cancel
	b.mu.Unlock()
	if cancel != nil {
		cancel(*b.failed.Load())
	}
}

// onEnd says what cancels the query's run.
func (b *Budget) onEnd(cancel func(error)) {
	b.mu.Lock()
	b.cancel = cancel
	b.mu.Unlock()
	if err := b.ending(); err != nil && cancel != nil {
		cancel(err)
	}
}

// refusal says who holds how much of which limit.
func (b *Budget) refusal() error {
	used := b.used.Load()
	if used > b.limit-b.limit/reserve {
		return fmt.Errorf("exec: the query holds %s of the %s that one query may (--query-memory, or QueryOptions.MaxMemory, raises it): %w",
			b.holding(), Size(b.limit), ErrMemoryLimit)
	}
	return fmt.Errorf("exec: the query holds %s, and all queries %s of the %s that they may together (--max-memory raises it): %w",
		b.holding(), b.pool.taken(), Size(b.pool.live()), ErrMemoryLimit)
}

// holding is what the query holds, and what holds the most of it.
func (b *Budget) holding() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	name, most := "", int64(0)
	for n, h := range b.holders {
		if bytes := h.bytes.Load(); bytes > most {
			name, most = n, bytes
		}
	}
	if name == "" {
		return Size(b.used.Load())
	}
	return fmt.Sprintf("%s (most of it in %s, %s)", Size(b.used.Load()), name, Size(most))
}

// hold sets the bytes that the operator holds and reports whether the budget allows it.
// The bytes are counted either way: an operator that is refused writes to disk and holds less.
func (a *account) hold(bytes int64) bool {
	a.budget.add(a.holder, bytes-a.held)
	a.held = bytes
	return a.budget.fits() || bytes <= a.budget.share()
}

// need is hold for an operator that cannot go on from disk.
func (a *account) need(bytes int64) error {
	if a.hold(bytes) || a.budget.used.Load() <= leastBudget {
		return nil
	}
	return a.budget.refusal()
}

// close gives back what the account holds.
func (a *account) close() {
	a.hold(0)
	if !a.closed {
		a.closed = true
		a.budget.accounts.Add(-1)
	}
}

// spill counts bytes that the query has put on disk, of those of all queries; erase takes them off.
func (b *Budget) spill(bytes int64) error {
	p := b.pool
	if all := p.spilled.Add(bytes); all > p.spill {
		return fmt.Errorf("exec: temporary files would hold %s of the %s that they may (--max-spill raises it): %w", Size(all), Size(p.spill), ErrSpillLimit)
	}
	return nil
}

func (b *Budget) erase(bytes int64) { b.pool.spilled.Add(-bytes) }
