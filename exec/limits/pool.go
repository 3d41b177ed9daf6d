package limits

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

// Pool is the memory and the temporary disk that all queries of a process share. It is safe for concurrent use.
//
// Queries take from it as they grow. What is counted lives; beside it the process needs room for garbage, buffers that are
// kept for the next query and the runtime, so queries may hold a part of the memory only (liveShare). Of this part a query may
// hold as much as is left free: one by itself up to its own limit, n of them an n+1st each, so that one that holds little
// finds room beside one that holds much. None waits for another: who may not grow goes on from disk, or ends.
type Pool struct {
	memory, spill int64
	used, spilled atomic.Int64
	// shared is what of used belongs to the store.
	shared atomic.Int64

	mu      sync.Mutex
	open    map[*Budget]struct{}
	queries atomic.Int64 // len(open)
}

// liveShare is the part of a process's memory that queries may hold, in eighths. With the garbage collector's aim at
// the whole, it has the rest to work with.
const liveShare = 5

// NewPool returns a pool for a process that may take so many bytes of memory, and write so many bytes of temporary files at
// once; 0 means no limit.
func NewPool(memory, spill int64) *Pool {
	p := &Pool{memory: memory, spill: spill, open: map[*Budget]struct{}{}}
	if p.memory <= 0 {
		p.memory = math.MaxInt64
	}
	if p.spill <= 0 {
		p.spill = math.MaxInt64
	}
	return p
}

// Usage is what the queries of a process have taken of what they may take, in bytes; a limit of 0 is none.
type Usage struct {
	// Memory is what the process may take, Live what its queries may hold of it, and Used what they hold.
	Memory, Live, Used int64
	// MaxSpill is how much queries may have on disk at once, Spilled what they have.
	MaxSpill, Spilled int64
	// Queries is how many there are.
	Queries int64
}

// Usage reads the counters.
func (p *Pool) Usage() Usage {
	limit := func(n int64) int64 {
		if n == math.MaxInt64 {
			return 0
		}
		return n
	}
	u := Usage{Memory: limit(p.memory), MaxSpill: limit(p.spill), Used: p.used.Load(), Spilled: p.spilled.Load(), Queries: p.queries.Load()}
	if u.Memory > 0 {
		u.Live = p.live()
	}
	return u
}

// live is how much queries may hold.
func (p *Pool) live() int64 { return p.memory / 8 * liveShare }

// free is how much they may still take.
func (p *Pool) free() int64 { return p.live() - p.used.Load() }

// smallTake is what Take never refuses: a small query gets its answer beside those that hold everything.
const smallTake = 64 << 10

// Take counts bytes that belong to no query, such as a request that is being read, until Give. Where there is no room and
// they are more than smallTake, the error wraps ErrMemoryLimit and nothing is counted.
func (p *Pool) Take(what string, bytes int64) error {
	if used := p.used.Add(bytes); used > p.live() && bytes > smallTake {
		p.used.Add(-bytes)
		return fmt.Errorf("exec: no room for %s of %s beside the %s that queries hold, of %s (--max-memory raises it): %w",
			what, Size(bytes), Size(used-bytes), Size(p.live()), ErrMemory)
	}
	return nil
}

// Give takes bytes off the count.
func (p *Pool) Give(bytes int64) { p.used.Add(-bytes) }

// Spill counts bytes of temporary files that are about to be written; a negative number gives them back. Where there are more than there
// may be, the error wraps ErrSpill, and they are counted all the same.
func (p *Pool) Spill(bytes int64) error {
	if all := p.spilled.Add(bytes); bytes > 0 && all > p.spill {
		return fmt.Errorf("exec: temporary files would hold %s of the %s that they may (--max-spill raises it): %w", Size(all), Size(p.spill), ErrSpill)
	}
	return nil
}

// Share counts bytes (negative: gives them back) that the store takes for all queries: partitions of its segments that were
// merged.
func (p *Pool) Share(bytes int64) {
	p.shared.Add(bytes)
	p.used.Add(bytes)
}

// taken is what is held of the pool, in words.
func (p *Pool) taken() string {
	text := Size(p.used.Load())
	if shared := p.shared.Load(); shared > 0 {
		text += fmt.Sprintf(" (%s of them merged segments of the store, which compacting it saves)", Size(shared))
	}
	return text
}

// Open returns the budget of a new query, which may hold so many bytes: 0 means half of what queries may hold. It must
// be closed.
func (p *Pool) Open(limit int64) *Budget {
	if limit <= 0 {
		limit = p.live() / 2
	}
	b := &Budget{pool: p, limit: limit}
	b.holders = make([]*Meter, 0, len(b.usual))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[b] = struct{}{}
	p.queries.Add(1)
	return b
}

func (p *Pool) forget(b *Budget) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, b)
	p.queries.Add(-1)
	p.used.Add(-b.used.Load())
}

// EndLargest ends the query that holds the most, because the process has taken more memory than it may; it reports
// whether there was one. Queries that hold no more than any may are left alone: what is taken is not theirs.
func (p *Pool) EndLargest(resident int64) bool {
	p.mu.Lock()
	var largest *Budget
	for b := range p.open {
		if b.Ending() == nil && b.used.Load() > leastBudget && (largest == nil || b.used.Load() > largest.used.Load()) {
			largest = b
		}
	}
	p.mu.Unlock()
	if largest == nil {
		return false
	}
	largest.end(fmt.Errorf("exec: the process has taken %s of the %s that it may (--max-memory raises it), and of its queries this one holds the most, %s: %w",
		Size(resident), Size(p.memory), largest.holding(), ErrMemory))
	return true
}

// Size is a number of bytes in words.
func Size(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	f, i := float64(n), 0
	for ; f >= 1024 && i < len(units)-1; i++ {
		f /= 1024
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}
