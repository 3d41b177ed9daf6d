package watch

import (
	"context"
	"flag"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// Crowded is the settings with pieces of one hit each, which all goroutines match that there may be.
func (s Settings) Crowded() Settings {
	return s.tuned(func(t *tuning) { t.leastPiece, t.piecesEach, t.threadCost = 1, 1<<20, 0 })
}

// Coalesced is the settings with automorphisms of patterns looked for, however few edges change.
func (s Settings) Coalesced() Settings { return s.tuned(func(t *tuning) { t.leastCoalesced = 0 }) }

// Apart is the settings with unchanged edges read apart, seeds found label by label, and what will be read told beforehand, however few edges change.
func (s Settings) Apart() Settings {
	return s.tuned(func(t *tuning) { t.leastApart, t.manyEdges, t.leastForeseen = 0, 0, 0 })
}

func (s Settings) tuned(change func(*tuning)) Settings {
	t := tuned
	if s.tuning != nil {
		t = *s.tuning
	}
	change(&t)
	s.tuning = &t
	return s
}

// onGPU asks the tests to use a GPU, and the reports to measure it too.
var onGPU = flag.String("gpu", "", `use a GPU: a number; or "emulated"`)

// OpenDevice opens the GPU that -gpu names, else an emulated one.
func OpenDevice() (*gpu.Device, error) {
	if *onGPU == "" || *onGPU == "emulated" {
		return gpu.Open(gpu.Options{Driver: kernels.Emulate(1 << 30)})
	}
	driver, err := driver()
	if err != nil {
		return nil, err
	}
	return gpu.Open(gpu.Options{Driver: driver})
}

// driver is that of the GPU that -gpu names.
var driver = sync.OnceValues(func() (kernels.Driver, error) {
	n, err := strconv.Atoi(*onGPU)
	if err != nil {
		return nil, err
	}
	return kernels.Open(n)
})

// Drain returns all changes up to the newest commit.
func (s *Subscription) Drain(ctx context.Context) (all []*Change, err error) {
	if s.first != nil {
		all, s.first = append(all, s.first), nil
	}
	s.Await()
	for {
		s.handBack()
		c, err := s.change(ctx)
		if c == nil || err != nil {
			return all, err
		}
		all = append(all, c)
	}
}

// Now is how far the subscriber knows all, and how many bytes are held beside the solutions that are kept. While a step is being taken,
// what is known may be older.
func (s *Subscription) Now() (known *Change, waiting int64) {
	for began := time.Now(); ; runtime.Gosched() {
		known = s.progress()
		if known == nil || known.Sequence == s.watcher.store.Sequence() || time.Since(began) > 10*time.Second {
			break
		}
	}
	waiting = s.budget.Used()
	if s.kept != nil {
		waiting -= s.kept.bytes
	}
	if s.groups != nil {
		waiting -= s.groups.bytes
	}
	return known, waiting
}

// Await returns when the queries are at the newest commit.
func (s *Subscription) Await() {
	for !s.caughtUp() {
		runtime.Gosched()
	}
}

func (s *Subscription) caughtUp() bool {
	f := s.following
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state.Sequence() >= s.watcher.store.Sequence()
}

// IsIncremental reports whether the query is kept up to date from changed triples alone.
func (s *Subscription) IsIncremental() bool { return !s.query.again() }

// Standing is how many queries stand, and how many seeds of theirs the index has.
func (w *Watcher) Standing() (queries, seeds int) {
	w.mu.Lock()
	f := w.following
	w.mu.Unlock()
	if f == nil {
		return 0, 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.index.forms {
		seeds += n
	}
	return len(f.queries), seeds
}
