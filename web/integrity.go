package web

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// integrity is what is known of the store's checksums. Queries compare those of what they read for the first time;
// the server compares the rest beside them.
type integrity struct{ state atomic.Int32 }

const (
	unchecked = iota // not all have been compared yet
	whole
	damaged
)

// describe is the state for /api/info; the log alone names the file.
func (i *integrity) describe() string {
	return [...]string{"unchecked", "whole", "damaged"}[i.state.Load()]
}

// is tells the metrics whether the store that is served now is in a state.
func (s *Server) is(state int32) func() float64 {
	return func() float64 {
		engine, done := s.use()
		defer done()
		if engine.checked.state.Load() == state {
			return 1
		}
		return 0
	}
}

// checkEditions compares the checksums of what the server answers from, now and after each Turn; stop ends that and
// waits until it has ended. ctx ends it too.
func (s *Server) checkEditions(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	start := func(e *edition) {
		e.users.Add(1)
		running.Go(func() {
			defer e.users.Done()
			s.check(ctx, e)
		})
	}
	s.turning.Lock()
	s.startCheck = start
	start(s.edition)
	s.turning.Unlock()
	return func() {
		s.turning.Lock()
		s.startCheck = nil
		s.turning.Unlock()
		cancel()
		running.Wait()
	}
}

// check compares the checksums of an edition until ctx ends or the server turns to another.
func (s *Server) check(ctx context.Context, e *edition) {
	defer context.AfterFunc(ctx, e.retire)()
	began := time.Now()
	switch err := e.CheckAll(e.ctx); {
	case err == nil:
		e.checked.state.Store(whole)
		s.options.Log.Info("the store is whole: every checksum is right", "elapsed", time.Since(began).Round(time.Millisecond))
	case errors.Is(err, rdfgpu.ErrDamaged):
		e.checked.state.Store(damaged)
		s.options.Log.Error("the store is damaged: queries that meet the damage fail", "error", err)
	}
}
