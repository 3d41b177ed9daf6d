package wal

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Syncer syncs a log as long as there is something to sync, one sync at a time: what is appended during one sync shares the next. A
// goroutine of its own does it; only who waits alone, without an interval between two syncs, does it for himself, and is woken by nobody.
type Syncer struct {
	log        *Log
	durability Durability
	work       chan struct{} // holds one value where there may be something for the goroutine to sync
	ctx        context.Context
	stop       context.CancelFunc
	ended      chan struct{}

	syncing sync.Mutex
	alone   atomic.Bool // the last sync was of one record, and the next may be, too

	mu      sync.Mutex
	changed chan struct{} // closed after a sync, and replaced
	err     error         // why there will be no more syncs
}

// NewSyncer starts the goroutine, which Close ends.
func NewSyncer(l *Log, d Durability) *Syncer {
	s := &Syncer{log: l, durability: d, work: make(chan struct{}, 1), ended: make(chan struct{}), changed: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(context.Background())
	go s.run()
	return s
}

// Start begins a sync of what was appended without waiting for it, unless Wait is about to do so.
func (s *Syncer) Start() {
	if !s.alone.Load() {
		s.start()
	}
}

// start has the goroutine sync what was appended.
func (s *Syncer) start() {
	select {
	case s.work <- struct{}{}:
	default:
	}
}

// Wait returns when a record is committed (Durability), at once where it is. The error is ErrBroken, ErrClosed or the
// context's; then the record may or may not be there after a crash. Any number of goroutines may wait.
func (s *Syncer) Wait(ctx context.Context, sequence uint64) error {
	for {
		s.mu.Lock()
		changed, err := s.changed, s.err
		s.mu.Unlock()
		if s.log.Synced() >= sequence {
			return nil
		}
		if err != nil {
			return err
		}
		if s.alone.Load() && s.syncing.TryLock() {
			s.sync()
			continue
		}
		s.start()
		if s.durability.Unsynced && s.log.Last() >= sequence {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// sync syncs for all who wait, under the lock that it gives back.
func (s *Syncer) sync() error {
	before := s.log.Synced()
	synced, err := s.log.Sync()
	s.alone.Store(synced == before+1 && s.durability.pause() == 0)
	s.syncing.Unlock()
	s.tell(err)
	return err
}

// Close syncs what was appended and ends the goroutine. Those who wait for that are answered, others get ErrClosed. It
// does not close the log.
func (s *Syncer) Close() error {
	s.stop()
	<-s.ended
	_, err := s.log.Sync()
	return err
}

func (s *Syncer) run() {
	defer close(s.ended)
	for {
		select {
		case <-s.work:
		case <-s.ctx.Done():
			_, err := s.log.Sync()
			if err == nil {
				err = fmt.Errorf("wal: %w", ErrClosed)
			}
			s.tell(err)
			return
		}
		runtime.Gosched() // others that are ready to append do so before, and share this sync
		s.syncing.Lock()
		if s.sync() != nil {
			return
		}
		s.rest()
	}
}

// tell wakes those who wait; an error stays.
func (s *Syncer) tell(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// rest lets the time between two syncs pass, or less where the end comes.
func (s *Syncer) rest() {
	pause := s.durability.pause()
	if pause == 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.ctx.Done():
	}
}
