package live

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/loader"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// maintenance is what is done beside reads and writes: flushing the delta into a segment, compacting the segments.
type maintenance struct {
	life   context.Context // the store's
	ctx    context.Context
	cancel context.CancelFunc
	wake   chan struct{}
	done   sync.WaitGroup
	// one has a token while something writes files.
	one chan struct{}
	// written says that files are in place which no state is over yet: what wrote them was broken off.
	written              bool
	flushes, compactions atomic.Uint64
}

// When the store compacts itself: more segments than mostSegments, or more than a tenth of the triples removed.
const (
	mostSegments = 24
	mostRemoved  = 10
)

// begin starts the goroutine.
func (m *maintenance) begin(s *Store) {
	m.life = s.life
	m.ctx, m.cancel = context.WithCancel(s.life)
	m.wake, m.one = make(chan struct{}, 1), make(chan struct{}, 1)
	m.done.Go(func() {
		for {
			select {
			case <-m.ctx.Done():
				return
			case <-m.wake:
			}
			if err := s.maintain(m.ctx); err != nil {
				m.rest()
			}
		}
	})
}

// afterFailure is how long nothing is tried in the background after something failed: a full disk stays full for a while.
const afterFailure = 10 * time.Second

// rest waits.
func (m *maintenance) rest() {
	timer := time.NewTimer(afterFailure)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-m.ctx.Done():
	}
}

// take waits until nothing else writes files.
func (m *maintenance) take(ctx context.Context) error {
	select {
	case m.one <- struct{}{}:
		return nil
	case <-m.life.Done():
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tryTake is take that does not wait; it fails too where files are in place which no state is over.
func (m *maintenance) tryTake() bool {
	select {
	case m.one <- struct{}{}:
	default:
		return false
	}
	if m.written {
		m.give()
		return false
	}
	return true
}

// give ends take.
func (m *maintenance) give() { <-m.one }

// end waits for the goroutine, which gives up what it is at.
func (m *maintenance) end() {
	m.cancel()
	m.done.Wait()
}

// afterCommit looks whether a delta has become large. It looks at what readers see, which is held meanwhile: the state that was
// committed may have been flushed by now, and its files closed.
func (s *Store) afterCommit() {
	snapshot := s.Snapshot()
	defer snapshot.Release()
	if s.full(snapshot.State) || snapshot.unsettled() {
		s.wake()
	}
}

// wake lets maintenance look what is due.
func (s *Store) wake() {
	select {
	case s.maintenance.wake <- struct{}{}:
	default:
	}
}

// full reports whether a delta is large enough to be flushed.
func (s *Store) full(state *State) bool {
	d := state.Delta()
	return d.Added+d.Removed >= uint64(s.options.FlushTriples) || d.Terms >= s.options.FlushTerms
}

// maintain does what is due.
func (s *Store) maintain(ctx context.Context) error {
	err := section.Guard(func() error { // it reads mapped files
		s.settleGraphs()
		return nil
	})
	if err != nil {
		_ = s.tell(ctx, "settle", err)
	}
	if s.isFull() {
		if err := s.Flush(ctx); err != nil {
			return s.tell(ctx, "flush", err)
		}
	}
	if s.scattered() {
		if err := s.Compact(ctx); err != nil {
			return s.tell(ctx, "compact", err)
		}
	}
	return nil
}

// isFull is full for the newest state.
func (s *Store) isFull() bool {
	snapshot := s.Snapshot()
	defer snapshot.Release()
	return s.full(snapshot.State)
}

// tell tells of an error in the background, unless that is to end.
func (s *Store) tell(ctx context.Context, what string, err error) error {
	if ctx.Err() == nil {
		s.options.Background(what, err)
	}
	return err
}

// unsettled reports whether so much of a graph was changed that laying it anew is worth its time.
func (s *State) unsettled() bool {
	is := s.graph.Unsettled()
	if !is && s.named.Len() <= mostLookedAt {
		s.named.Scan(func(_ dictionary.ID, g *pcsr.Graph) bool {
			is = is || g.Unsettled()
			return !is
		})
	}
	return is
}

// mostLookedAt is how many changed named graphs are looked at after a commit.
const mostLookedAt = 64

// settleGraphs lays partitions anew of which much was changed, so that they are read as fast as those of files. Reads and writes
// go on meanwhile, but for the moment in which the newest state takes the partitions over.
func (s *Store) settleGraphs() {
	snapshot := s.Snapshot()
	defer snapshot.Release()
	if !snapshot.unsettled() {
		return
	}
	settled := map[dictionary.ID]*pcsr.Settled{}
	if snapshot.graph.Unsettled() {
		settled[dictionary.None] = snapshot.graph.Settle()
	}
	snapshot.named.Scan(func(name dictionary.ID, g *pcsr.Graph) bool {
		if g.Unsettled() {
			settled[name] = g.Settle()
		}
		return true
	})
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.head.ground != snapshot.ground {
		return
	}
	next := s.head.next()
	for name, laid := range settled {
		if g, ok := next.named.Get(name); ok || name == dictionary.None {
			if name == dictionary.None {
				g = next.graph
			}
			next.put(name, g.Adopt(laid))
		}
	}
	next.ready()
	if s.published.sequence == s.head.sequence {
		s.published = next
	}
	s.head = next
}

// scattered reports whether the files should be compacted.
func (s *Store) scattered() bool {
	snapshot := s.Snapshot()
	defer snapshot.Release()
	m := snapshot.Files().Manifest()
	return len(m.Segments) > mostSegments || m.Gone()*mostRemoved > m.Triples
}

// Maintained is how many flushes and compactions have ended since the store was opened.
func (s *Store) Maintained() (flushes, compactions uint64) {
	return s.maintenance.flushes.Load(), s.maintenance.compactions.Load()
}

// Flush writes what the files do not have as a segment. Reads and writes go on meanwhile, but for the moment in which the
// newest state is made one over the new files.
func (s *Store) Flush(ctx context.Context) error {
	err := s.rewrite(ctx, func(ctx context.Context, from loader.Snapshot, options loader.Options) error {
		_, err := loader.Flush(ctx, s.lock, from, options)
		return err
	})
	if err == nil {
		s.maintenance.flushes.Add(1)
	}
	return err
}

// Compact writes one base of everything, without terms that nothing uses any more.
func (s *Store) Compact(ctx context.Context) error {
	err := s.rewrite(ctx, func(ctx context.Context, from loader.Snapshot, options loader.Options) error {
		_, err := loader.Rebuild(ctx, s.lock, from, options)
		return err
	})
	if err == nil {
		s.maintenance.compactions.Add(1)
	}
	return err
}

// rewrite has files written from the newest state, and turns to them.
func (s *Store) rewrite(ctx context.Context, write func(context.Context, loader.Snapshot, loader.Options) error) error {
	if s.turn == nil {
		return ErrReadOnly
	}
	if err := s.maintenance.take(ctx); err != nil {
		return err
	}
	defer s.maintenance.give()
	if err := s.Failed(); err != nil {
		return err
	}
	if err := s.turnToWritten(ctx); err != nil {
		return err
	}
	from := s.Snapshot()
	defer from.Release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)() // Close does not wait for it
	err := section.Guard(func() error {
		return write(ctx, from.State, loader.Options{Threads: s.options.Threads})
	})
	s.maintenance.written = err == nil || errors.Is(err, store.ErrUnsafe)
	if err == nil {
		err = s.turnToFiles(ctx)
	}
	if err != nil && s.life.Err() != nil {
		err = ErrClosed
	}
	return err
}

// turnToWritten turns to the files that are in place already, if there are such.
func (s *Store) turnToWritten(ctx context.Context) error {
	if !s.maintenance.written {
		return nil
	}
	if err := s.lock.Sync(); err != nil {
		return err
	}
	return s.turnToFiles(ctx)
}

// turnToFiles makes the files that were written those of the newest state, and drops the log's before them.
func (s *Store) turnToFiles(ctx context.Context) error {
	if err := s.turnTo(ctx); err != nil {
		return err
	}
	s.maintenance.written = false
	s.mu.Lock()
	files := s.published.ground.files.Manifest().Log.Sequence
	s.mu.Unlock()
	return s.log.Drop(files + 1)
}

// turnTo opens the files that were written, and makes states over them of what was committed since.
func (s *Store) turnTo(ctx context.Context) error {
	files, err := store.Open(s.dir)
	if err != nil {
		return err
	}
	g := s.groundOf(files)
	state := g.first()
	// Most of what was committed meanwhile is replayed while writers go on, the rest while they wait.
	if state, err = s.catchUp(ctx, state); err == nil {
		s.turn <- struct{}{}
		defer func() { <-s.turn }()
		state, err = s.catchUp(context.WithoutCancel(ctx), state)
	}
	if err != nil {
		return errors.Join(err, g.close())
	}
	if _, err := s.log.Sync(); err != nil {
		return errors.Join(s.fail(err), g.close())
	}
	s.turnToState(state)
	return nil
}

// turnToState makes a state over new files, of all that is in the log, the newest and the one that readers see.
func (s *Store) turnToState(state *State) {
	s.mu.Lock()
	old := s.published.ground
	s.turnFollowers(s.head, state)
	s.head, s.published = state, state
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	s.release(old)
}

// catchUp replays what was committed since a state.
func (s *Store) catchUp(ctx context.Context, state *State) (*State, error) {
	return replayed(ctx, state, s.log.Read(state.sequence+1))
}

// Records are the commits from a sequence on that the log has.
func (s *Store) Records(from uint64) iter.Seq2[wal.Record, error] {
	if s.log != nil {
		return oldest(from, func() (uint64, error) { return s.log.First(), nil }, s.log.Read)
	}
	return func(yield func(wal.Record, error) bool) {
		r, err := wal.OpenReader(s.logFolder(), wal.Options{Folder: s.options.LogFolder})
		if err != nil {
			yield(wal.Record{}, err)
			return
		}
		oldest(from, r.First, r.Read)(yield)
	}
}

// oldest reads from a sequence on, or from the first that there is when the reading begins: that may be dropped before it is read.
func oldest(from uint64, first func() (uint64, error), read func(uint64) iter.Seq2[wal.Record, error]) iter.Seq2[wal.Record, error] {
	return func(yield func(wal.Record, error) bool) {
		for dropped := true; dropped; {
			low, err := first()
			if err != nil {
				yield(wal.Record{}, err)
				return
			}
			dropped = false
			begun := false
			for record, err := range read(max(from, low)) {
				if dropped = !begun && errors.Is(err, wal.ErrGone); dropped {
					break
				}
				begun = true
				if !yield(record, err) {
					return
				}
			}
		}
	}
}

// LogBytes is what the log takes on the disk.
func (s *Store) LogBytes() int64 {
	if s.log == nil {
		return 0
	}
	return s.log.Bytes()
}
