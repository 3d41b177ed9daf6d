package wal

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// Syncer syncs a log in a goroutine of its own, as long as there is something to sync, one sync at a time: what is
// appended during one sync shares the next.
type Syncer struct {
	log        *Log
	durability Durability
	work       chan struct{} // holds one value where there may be something to sync
	ctx        context.Context
	stop       context.CancelFunc
	ended      chan struct{}

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

// Start begins a sync of what was appended without waiting for it, as Wait does.
func (s *Syncer) Start() {
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
		s.Start()
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

// Close syncs what was appended and ends the goroutine. Those who wait for that are answered, others get ErrClosed. It
// does not close the log.
func (s *Syncer) Close() error {
	s.stop()
	<-s.ended
	_, err := s.log.Sync()
	return err
}

// quiet is how long nothing must have come until a mark says what is durable: while something comes, a commit is one write and one
// sync. Who loses power before would have lost the mark, too, which is not synced.
const quiet = 10 * time.Millisecond

func (s *Syncer) run() {
	defer close(s.ended)
	idle := time.NewTimer(quiet)
	defer idle.Stop()
	for {
		select {
		case <-s.work:
		case <-idle.C:
			s.log.tryMark()
			continue
		case <-s.ctx.Done():
			_, err := s.log.Sync()
			if err == nil {
				err = fmt.Errorf("wal: %w", ErrClosed)
			}
			s.tell(err)
			return
		}
		runtime.Gosched() // others that are ready to append do so before, and share this sync
		_, err := s.log.sync()
		s.tell(err)
		if err != nil {
			return
		}
		idle.Reset(quiet)
		s.rest()
	}
}

// tell wakes those who wait.
func (s *Syncer) tell(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
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
