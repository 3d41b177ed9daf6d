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

func (i *integrity) is(state int32) func() float64 {
	return func() float64 {
		if i.state.Load() == state {
			return 1
		}
		return 0
	}
}

// check starts to compare all checksums of the store; wait waits until that has ended, or ctx has.
func (s *Server) check(ctx context.Context) (wait func()) {
	var running sync.WaitGroup
	running.Go(func() {
		began := time.Now()
		switch err := s.engine.CheckAll(ctx); {
		case err == nil:
			s.checked.state.Store(whole)
			s.options.Log.Info("the store is whole: every checksum is right", "elapsed", time.Since(began).Round(time.Millisecond))
		case errors.Is(err, rdfgpu.ErrDamaged):
			s.checked.state.Store(damaged)
			s.options.Log.Error("the store is damaged: queries that meet the damage fail", "error", err)
		}
	})
	return running.Wait
}
