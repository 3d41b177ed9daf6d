package rdfgpu

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/backend"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/internal/store"
	standing "github.com/rdfgpu/rdfgpu/internal/watch"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Store is an open data set, safe for any number of goroutines. Several processes may have one open for reading, one of
// them for writing too.
type Store struct {
	dir      string
	live     *live.Store
	options  Options
	backends *backend.Backends
	parsed   *parseCache
	plans    planCounts
	budget   *Budget
	// pool is what the queries of the process share.
	pool *schedule.Pool
	// merged is what of the store's merged partitions is counted.
	merged atomic.Int64
	// overdue counts the queries that did not end in time.
	overdue atomic.Uint64
	kinds   kindCounts
	// watcher has the standing queries.
	watcher *standing.Watcher
}

// processPool is the processor's threads.
var processPool = sync.OnceValue(func() *schedule.Pool { return schedule.New(0) })

// Open maps the store in dir, and replays the updates that are not in its files yet. The error wraps ErrDamaged or ErrVersion
// where the store is not one that this version can read, ErrBusy where another process writes it and options ask for that.
func Open(dir string, options Options) (*Store, error) {
	s := &Store{
		dir: dir, options: options, budget: options.Budget,
		pool:     processPool(),
		backends: backend.New(cpu.New(), backend.Options{Device: options.Device, GPUMemory: options.GPUMemory}),
	}
	if s.budget == nil {
		s.budget = processBudget()
	}
	settings := options.live()
	settings.IntakeMemory, settings.Spill = s.intakeMemory(), s.budget.pool.Spill
	settings.Retired = func(files *store.Store) { s.backends.Forget(files.Opened()...) }
	var err error
	if s.live, err = live.Open(context.Background(), dir, settings); err != nil {
		return nil, err
	}
	s.parsed = newParseCache(s.budget)
	s.watcher = standing.New(s.live, s.standing())
	return s, nil
}

// countMerged counts what the store's segments took when they were merged since the last time.
func (s *Store) countMerged(bytes int64) { s.budget.pool.Share(bytes - s.merged.Swap(bytes)) }

// Close unmaps the store and frees the device; no Result of it may be used any more. Standing queries end with ErrStoreClosed, and so do updates that
// wait for their turn; the one whose turn it is goes on, and Close waits for it. Flushing and compacting are broken off. Updates that were
// acknowledged are safe without it.
func (s *Store) Close() error {
	s.watcher.Close()
	s.backends.Close()
	s.countMerged(0)
	return s.live.Close()
}

// Replaced reports whether the folder holds another store by now, because of a Load or Compact, of this process or another.
// This Store goes on answering from the one that it opened; Open opens the other. It costs no more than a look at one file.
// A store that is open for writing is never replaced.
func (s *Store) Replaced() bool {
	if s.live.Writable() {
		return false
	}
	snapshot := s.live.Snapshot()
	defer snapshot.Release()
	return snapshot.Files().Replaced()
}

// Present is nil while the folder holds a store, be it this one or one that took its place. The error wraps fs.ErrNotExist where
// it was deleted, or ErrDamaged where a file is not as long as it was. This Store goes on answering. It costs a look at each file.
func (s *Store) Present() error {
	snapshot := s.live.Snapshot()
	defer snapshot.Release()
	return snapshot.Files().Present()
}

// CheckAll compares the checksums of what no query has read yet, a tenth of the time of one core, so that queries go
// first. Queries compare what they read for the first time themselves; once everything has been read, that costs them nothing
// any more. The error wraps ErrDamaged and names the file, or is the context's. It must have returned before Close.
func (s *Store) CheckAll(ctx context.Context) error {
	snapshot := s.live.Snapshot()
	defer snapshot.Release()
	return snapshot.Files().CheckAll(ctx)
}

// Verify checks every checksum and invariant of the store in dir, and replays its log.
func Verify(dir string) error {
	opened, err := live.Open(context.Background(), dir, live.Options{})
	if err != nil {
		return err
	}
	defer opened.Close()
	snapshot := opened.Snapshot()
	defer snapshot.Release()
	return snapshot.Files().Verify()
}

// dataset is the store as one query's operators see it. They know no damaged graphs: err remembers one for the
// Result.
type dataset struct {
	*live.Snapshot
	err error
}

func (d *dataset) Named(name dictionary.ID) (*pcsr.Graph, bool) {
	g, err := d.Snapshot.Named(name)
	if err != nil {
		d.err = err
	}
	return g, err == nil && g != nil
}

// Examples are the queries (.rq files) in the store's queries folder, by name; none when they cannot be read.
func (s *Store) Examples() []Example {
	snapshot := s.live.Snapshot()
	defer snapshot.Release()
	queries, err := snapshot.Files().Queries()
	if err != nil {
		return nil
	}
	examples := make([]Example, 0, len(queries))
	for _, q := range queries {
		examples = append(examples, Example(q))
	}
	return examples
}
