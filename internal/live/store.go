package live

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/internal/wal"
)

var (
	// ErrReadOnly: the store was opened for reading.
	ErrReadOnly = errors.New("the store was opened read-only")
	// ErrBackup: the store is a backup, which only the next backup changes.
	ErrBackup = errors.New("it is a backup: restore it, and change what that makes")
	// ErrWaiting: more writers wait for their turn than Options.MaxWaiting.
	ErrWaiting = errors.New("too many updates are waiting")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("the store was closed")
	// ErrFailed: the log could not be written; the store takes no more updates until it is opened anew.
	ErrFailed = errors.New("the store takes no more updates: its log failed")
)

// Options are the settings of an open store.
type Options struct {
	// Writable takes the store's lock and opens its log for writing.
	Writable bool
	// Durability says when Commit returns.
	Durability wal.Durability
	// MaxWaiting is how many writers may wait for their turn; 0 means 1024.
	MaxWaiting int
	// FlushTriples and FlushTerms are from how many changed triples, or new terms, on the delta is written as a segment; 0
	// means a million.
	FlushTriples, FlushTerms int
	// Threads is how many threads flushing and compacting take; 0 means one.
	Threads int
	// LargeClear is from how many triples on a graph that is cleared is committed with files, and not by logging each; 0 means a
	// quarter of a million.
	LargeClear int
	// IntakeMemory bounds what an intake holds, in bytes; 0 means 512 MiB. TempDir is where it goes on from there; "" means the
	// system's folder. Spill counts what it has there, as loader.Options.Spill does.
	IntakeMemory int64
	TempDir      string
	Spill        func(bytes int64) error
	// LogFolder is where the log lies, nil for the store's own folder of that purpose; Disk is where the other files are written, nil for
	// the system's. Tests break them.
	LogFolder wal.Folder
	Disk      *section.Disk
	// Retired, where it is not nil, is called with files that nobody reads any more, before they are closed.
	Retired func(files *store.Store)
	// Background, where it is not nil, is told of what is done in the background, and of its error.
	Background func(what string, err error)
}

const (
	defaultWaiting = 1024
	defaultFlush   = 1 << 20
	defaultIntake  = 512 << 20
	defaultClear   = 1 << 18
)

func (o Options) withDefaults() Options {
	if o.MaxWaiting <= 0 {
		o.MaxWaiting = defaultWaiting
	}
	if o.FlushTriples <= 0 {
		o.FlushTriples = defaultFlush
	}
	if o.FlushTerms <= 0 {
		o.FlushTerms = defaultFlush
	}
	if o.Threads <= 0 {
		o.Threads = 1
	}
	if o.LargeClear <= 0 {
		o.LargeClear = defaultClear
	}
	if o.IntakeMemory <= 0 {
		o.IntakeMemory = defaultIntake
	}
	if o.Retired == nil {
		o.Retired = func(*store.Store) {}
	}
	if o.Background == nil {
		o.Background = func(string, error) {}
	}
	return o
}

// Store is a store's folder that is open. All methods are safe for concurrent use.
type Store struct {
	dir     string
	options Options

	lock   *store.Lock
	log    *wal.Log
	syncer *wal.Syncer
	// turn holds one token while somebody writes; nil where the store is read-only.
	turn    chan struct{}
	waiting atomic.Int64
	failed  atomic.Pointer[error]

	// mu guards which states are the newest, and who holds what.
	mu sync.Mutex
	// head is the newest state that was written to the log, published the newest that readers may see.
	head, published *State
	changed         chan struct{} // closed when published is another
	// unseen are the commits that are in head and not in published.
	unseen    []unseen
	followers []*Follower

	// edits wait for their turn together; the first of them is to take it.
	edits edits

	// builder, numbered, key and payloads belong to whoever has the turn.
	builder  wal.Builder
	numbered map[dictionary.ID]wal.Term // of the builder
	key      []byte
	payloads [][]byte

	maintenance maintenance
	// life ends when the store is closed. acknowledging are the transactions that have given the turn back and are not durable yet.
	life          context.Context
	end           context.CancelFunc
	closing       sync.Once
	acknowledging sync.WaitGroup
}

// Open opens the store in dir, and replays what its log has beyond its files.
func Open(ctx context.Context, dir string, options Options) (*Store, error) {
	s := &Store{dir: dir, options: options.withDefaults(), changed: make(chan struct{})}
	s.life, s.end = context.WithCancel(context.Background())
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if s.options.Writable {
		if s.lock, err = store.TakeLock(s.dir); err != nil {
			return err
		}
		s.lock.Disk = s.options.Disk
	}
	if err := s.openFiles(); err != nil {
		return err
	}
	if !s.options.Writable {
		return s.read(ctx)
	}
	if s.head.ground.files.Manifest().Backup {
		return fmt.Errorf("live: %s: %w", s.dir, ErrBackup)
	}
	return s.openLog(ctx)
}

// openFiles makes the files that are there the ground of all that comes.
func (s *Store) openFiles() error {
	files, err := store.Open(s.dir)
	if err != nil {
		return err
	}
	s.head = s.groundOf(files).first()
	s.published = s.head
	return nil
}

// attempts bounds how often a reader opens files that another process replaces meanwhile.
const attempts = 100

// read replays the log over the files. Where another process has flushed since they were opened, the log may begin behind them: then the
// new ones are opened.
func (s *Store) read(ctx context.Context) error {
	for range attempts {
		files := s.head.ground.files
		err := s.readLog(ctx)
		if err == nil || ctx.Err() != nil || !files.Replaced() {
			return err
		}
		if err := s.openFiles(); err != nil {
			return err
		}
		if err := files.Close(); err != nil {
			return err
		}
	}
	return fmt.Errorf("live: %s: the store was replaced %d times while it was opened: try again", s.dir, attempts)
}

func (s *Store) logFolder() string { return filepath.Join(s.dir, store.LogFolder) }

// Close ends the store: it breaks off flushing and compacting, waits for the writer whose turn it is, syncs the log and closes the files.
// Snapshots that are held keep theirs; who waits for a turn, or asks for one later, gets ErrClosed. It may be called again.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() { err = s.close() })
	return err
}

func (s *Store) close() error {
	var err error
	s.end()
	if s.turn != nil {
		s.maintenance.end()
		s.maintenance.one <- struct{}{} // for good, both
		s.turn <- struct{}{}
	}
	if s.syncer != nil {
		err = s.syncer.Close()
	}
	s.acknowledging.Wait()
	if s.log != nil {
		err = errors.Join(err, s.log.Close())
	}
	if s.published != nil {
		s.release(s.published.ground)
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Release())
	}
	return err
}

// Failed is why the store takes no more updates; nil while it does.
func (s *Store) Failed() error {
	if failed := s.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}

// fail ends updates.
func (s *Store) fail(cause error) error {
	err := fmt.Errorf("live: %w: %w", ErrFailed, cause)
	s.failed.CompareAndSwap(nil, &err)
	return *s.failed.Load()
}

func isBroken(err error) bool { return errors.Is(err, wal.ErrBroken) || errors.Is(err, wal.ErrClosed) }

// Behind reports whether the log has commits that the files do not have.
func (s *Store) Behind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head.sequence > s.head.ground.files.Manifest().Log.Sequence
}

// Writable reports whether the store was opened for writing.
func (s *Store) Writable() bool { return s.turn != nil }

// Waiting is how many writers wait for their turn.
func (s *Store) Waiting() int { return int(max(0, s.waiting.Load())) }

// Log is the log, which is nil where the store is read-only or has none.
func (s *Store) Log() *wal.Log { return s.log }

// Delta is how much of the newest state is not in the files.
type Delta struct {
	Added, Removed uint64
	Terms          int
	Bytes          int64
}

// Delta of a state.
func (s *State) Delta() (d Delta) {
	d.Added, d.Removed = s.added, s.removed
	d.Terms = s.dictionary.Len() - int(s.dictionary.Ordered())
	d.Bytes = s.ground.tail.Bytes() + int64(d.Added+d.Removed)*bytesOfChange
	return d
}

// bytesOfChange is about what an edge that was added or removed takes in memory.
const bytesOfChange = 120
