package limits

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

// Errors that end a query at a limit; test with errors.Is.
var (
	// ErrMemory: the query needs more memory than it may take and cannot go on from disk.
	ErrMemory = errors.New("the query needs more memory than its limit")
	// ErrSpill: what does not fit into memory does not fit on the disk either.
	ErrSpill = errors.New("the query needs more temporary disk than its limit")
	// ErrRows: the query has more solutions than its row limit.
	ErrRows = errors.New("the query has more solutions than its row limit")
)

// Budget counts the bytes that one query holds, of a Pool. It is safe for concurrent use.
//
// What can go on from disk, or has to end in an orderly way, asks an Account (Hold, Need). Everything else counts what it
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
	holders []*Meter // one of each name: a handful
	// usual is room for the holders of most queries.
	usual  [8]Meter
	cancel func(error)
	failed atomic.Pointer[error]
	closed atomic.Bool
}

// Meter counts what one part of a query takes, where it cannot be refused. It is safe for concurrent use.
type Meter struct {
	budget *Budget
	name   string
	bytes  atomic.Int64 // what all accounts and meters of the name hold
}

// Account is one operator's share of the budget; it is not safe for concurrent use.
type Account struct {
	Budget   *Budget
	holder   *Meter
	operator string
	Held     int64
	closed   bool
}

// Reserve is the part of every limit that is kept for accounts that hold little, as one over it. Accounts hold at most
// the rest together, but for what each has of an equal share of the reserve: so the sum of all stays below the limit, and
// none goes to disk row by row because others hold everything.
const Reserve = 8

// leastBudget is what a query may always hold of what cannot go on from disk.
const leastBudget = 256 << 10

// Standalone is the budget of a query that shares with no other.
func Standalone(limit int64) *Budget { return NewPool(math.MaxInt64, 0).Open(limit) }

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

// Open returns the account of an operator, named as errors should; it must be closed.
func (b *Budget) Open(operator string) *Account {
	b.accounts.Add(1)
	return &Account{Budget: b, operator: operator, holder: b.Meter(operator)}
}

// add counts.
func (b *Budget) add(h *Meter, bytes int64) {
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
	return min(b.limit, b.pool.live()/max(1, b.pool.queries.Load())) / Reserve
}

// share is what any account may hold, whatever the others do.
func (b *Budget) share() int64 { return b.least() / max(1, b.accounts.Load()) }

// fits reports whether the query may hold what it holds.
func (b *Budget) fits() bool {
	used := b.used.Load()
	return used <= b.limit-b.limit/Reserve && b.fitsPool(used, 0)
}

// fitsPool reports whether the pool bears that the query holds so many bytes, some of which are not counted yet.
func (b *Budget) fitsPool(used, uncounted int64) bool {
	free := b.pool.free() - uncounted - b.pool.live()/Reserve
	return free >= 0 && (used <= free || b.pool.queries.Load() <= 1)
}

// Meter returns the meter of a part of the query, named as errors should.
func (b *Budget) Meter(what string) *Meter {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.holders {
		if m.name == what {
			return m
		}
	}
	if n := len(b.holders); n < len(b.usual) {
		b.holders = append(b.holders, &b.usual[n])
	} else {
		b.holders = append(b.holders, &Meter{})
	}
	m := b.holders[len(b.holders)-1]
	m.budget, m.name = b, what
	return m
}

// Charge counts bytes; a negative number gives them back. Too many end the query: the context in which it runs is cancelled
// with an error that wraps ErrMemoryLimit, which Charge returns.
func (m *Meter) Charge(bytes int64) error {
	m.budget.add(m, bytes)
	m.budget.metered.Add(bytes)
	return m.budget.check()
}

// TryCharge is Charge for what the query can do without: too many bytes do not end it, but are not counted, and it reports false. (Of several at once
// all may find room that is there for one of them; the next Charge ends the query then.)
func (m *Meter) TryCharge(bytes int64) bool { return m.Bears(bytes) && m.Charge(bytes) == nil }

// Bears reports whether there is room for so many bytes more, as things are. It counts nothing.
func (m *Meter) Bears(bytes int64) bool { return m.budget.Ending() == nil && m.budget.bears(bytes) }

// check ends the query where its meters count too much, and says why it has to end. What accounts hold too much of, they
// give back by themselves.
func (b *Budget) check() error {
	if err := b.Ending(); err != nil {
		return err
	}
	if b.bears(0) {
		return nil
	}
	err := b.refusal()
	b.end(err)
	return err
}

// bears reports whether meters may count so many bytes more.
func (b *Budget) bears(more int64) bool {
	metered := b.metered.Load() + more
	return metered <= leastBudget || metered <= b.limit-b.limit/Reserve && (b.fitsPool(metered, more) || metered <= b.least())
}

// Ending says why the query has to end, nil where it has not.
func (b *Budget) Ending() error {
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

// OnEnd says what cancels the query's run.
func (b *Budget) OnEnd(cancel func(error)) {
	b.mu.Lock()
	b.cancel = cancel
	b.mu.Unlock()
	if err := b.Ending(); err != nil && cancel != nil {
		cancel(err)
	}
}

// refusal says who holds how much of which limit.
func (b *Budget) refusal() error {
	used := b.used.Load()
	if used > b.limit-b.limit/Reserve {
		return fmt.Errorf("exec: the query holds %s of the %s that one query may (--query-memory, or QueryOptions.MaxMemory, raises it): %w",
			b.holding(), Size(b.limit), ErrMemory)
	}
	return fmt.Errorf("exec: the query holds %s, and all queries %s of the %s that they may together (--max-memory raises it): %w",
		b.holding(), b.pool.taken(), Size(b.pool.live()), ErrMemory)
}

// holding is what the query holds, and what holds the most of it.
func (b *Budget) holding() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	name, most := "", int64(0)
	for _, m := range b.holders {
		if bytes := m.bytes.Load(); bytes > most {
			name, most = m.name, bytes
		}
	}
	if name == "" {
		return Size(b.used.Load())
	}
	return fmt.Sprintf("%s (most of it in %s, %s)", Size(b.used.Load()), name, Size(most))
}

// Hold sets the bytes that the operator holds and reports whether the budget allows it.
// The bytes are counted either way: an operator that is refused writes to disk and holds less.
func (a *Account) Hold(bytes int64) bool {
	a.Budget.add(a.holder, bytes-a.Held)
	a.Held = bytes
	return a.Budget.fits() || bytes <= a.Budget.share()
}

// Need is hold for an operator that cannot go on from disk.
func (a *Account) Need(bytes int64) error {
	if a.Hold(bytes) || a.Budget.used.Load() <= leastBudget {
		return nil
	}
	return a.Budget.refusal()
}

// Close gives back what the account holds.
func (a *Account) Close() {
	a.Hold(0)
	if !a.closed {
		a.closed = true
		a.Budget.accounts.Add(-1)
	}
}

// Spill is Pool.Spill of the query's.
func (b *Budget) Spill(bytes int64) error { return b.pool.Spill(bytes) }

// Erase takes bytes off what is on disk.
func (b *Budget) Erase(bytes int64) { _ = b.pool.Spill(-bytes) }
