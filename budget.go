package rdfgpu

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/machine"
)

// Budget is the memory and the temporary disk that all queries share whose stores were opened with it. It is safe for
// concurrent use.
//
// What queries hold is counted: tables, groups, sort runs, computed terms, plans, answers on their way. Together they hold at
// most five eighths of Memory, so that garbage and the runtime find room beside it; a query by itself may hold
// QueryOptions.MaxMemory, and beside others as much as they leave free. Sorts, groups and joins that would need more go on from
// disk, as far as Spill allows; what cannot ends with ErrMemoryLimit or ErrSpillLimit.
type Budget struct{ pool *limits.Pool }

// BudgetOptions are the limits of a Budget.
type BudgetOptions struct {
	// Memory is what the process may take, in bytes, mapped files aside; 0 means 60 % of what the machine, or the control
	// group of the process, has.
	Memory int64
	// Spill is what queries, and large documents on their way in, may have in temporary files at once, in bytes; 0 means a tenth of what is free where TempDir lies.
	Spill int64
	// TempDir is where queries spill to (Options.TempDir); "" means the system's folder.
	TempDir string
}

// BudgetUsage is what queries have taken of a Budget.
type BudgetUsage = limits.Usage

// NewBudget returns a budget.
func NewBudget(options BudgetOptions) *Budget {
	if options.Memory <= 0 {
		options.Memory = machine.Memory() / 10 * 6
	}
	if options.TempDir == "" {
		options.TempDir = os.TempDir()
	}
	if options.Spill <= 0 {
		options.Spill = machine.FreeDisk(options.TempDir) / 10
	}
	return &Budget{limits.NewPool(options.Memory, options.Spill)}
}

// processBudget is that of stores that are opened without one.
var processBudget = sync.OnceValue(func() *Budget { return NewBudget(BudgetOptions{}) })

// Usage reads the counters.
func (b *Budget) Usage() BudgetUsage { return b.pool.Usage() }

// Take counts bytes that belong to no query yet, such as a request that is being read, until Give; the error wraps
// ErrMemoryLimit, and nothing is counted then.
func (b *Budget) Take(what string, bytes int64) error { return b.pool.Take(what, bytes) }

// Give takes bytes off the count.
func (b *Budget) Give(bytes int64) { b.pool.Give(bytes) }

// The watch over the process's memory: how often it looks while queries run, and from what on it acts, in percent of the
// budget. Live is what the last collection of garbage left.
const (
	watchEvery  = 5 * time.Millisecond
	watchRests  = 50 * time.Millisecond
	mostLive    = 85
	mostTaken   = 100
	collectAt   = 95 // where the garbage collector aims
	watchIdle   = 100 * time.Millisecond
	metricTotal = "/memory/classes/total:bytes"
	metricGiven = "/memory/classes/heap/released:bytes"
	metricLive  = "/gc/heap/live:bytes"
)

// From a budget of roomy bytes on, garbage may grow to three times of what is in use before it is collected, unless the environment has
// GOGC: an edit takes 9 % less processor time than with as much garbage as is in use. Near the budget, its limit counts.
const (
	roomy        = 2 << 30
	roomyPercent = 300
)

// Govern makes the budget that of the whole process, for programs that do nothing else: the garbage collector aims at its
// memory (debug.SetMemoryLimit), a little below, lets garbage be where there is room (debug.SetGCPercent), and where the process takes more all the same, because something is not counted as it is, the
// query that holds the most ends with ErrMemoryLimit. stop ends that.
func (b *Budget) Govern() (stop func()) {
	limit := b.Usage().Memory
	if limit == 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(limit / 100 * collectAt)
	percent := collectLess(limit)
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { b.watch(limit, ended) })
	return func() {
		close(ended)
		watching.Wait()
		debug.SetMemoryLimit(before)
		debug.SetGCPercent(percent)
	}
}

// collectLess lets there be more garbage where a limit has room for it, and returns how much there was before.
func collectLess(limit int64) (before int) {
	before = debug.SetGCPercent(roomyPercent)
	if _, set := os.LookupEnv("GOGC"); set || limit < roomy {
		debug.SetGCPercent(before)
	}
	return before
}

// watch ends the largest query whenever the process takes more than its limit.
func (b *Budget) watch(limit int64, ended <-chan struct{}) {
	samples := []metrics.Sample{{Name: metricTotal}, {Name: metricGiven}, {Name: metricLive}}
	rest := watchIdle
	for {
		select {
		case <-ended:
			return
		case <-time.After(rest):
		}
		if rest = watchIdle; b.Usage().Queries == 0 {
			continue
		}
		rest = watchEvery
		metrics.Read(samples)
		taken := int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
		live := int64(samples[2].Value.Uint64())
		if (taken > limit/100*mostTaken || live > limit/100*mostLive) && b.pool.EndLargest(taken) {
			rest = watchRests
		}
	}
}
