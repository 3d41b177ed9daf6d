package web

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
)

// edition is one engine that the server answers from, and what it keeps of it. A query uses one edition from its
// beginning to its end; when the server turns to another, the old one is at rest once its last query has ended.
type edition struct {
	Engine
	// name tells the editions apart in entity tags, also those of servers before this one.
	name    string
	schema  schemaCache
	checked integrity
	// ctx ends when the server turns to another edition.
	ctx    context.Context
	retire context.CancelFunc
	users  sync.WaitGroup
}

func newEdition(engine Engine) *edition {
	e := &edition{Engine: engine, name: strings.ToLower(rand.Text()[:8])}
	e.ctx, e.retire = context.WithCancel(context.Background())
	return e
}

// use returns the engine that answers now; done must be called once, when nothing of it is used any more.
func (s *Server) use() (e *edition, done func()) {
	s.turning.RLock()
	defer s.turning.RUnlock()
	e = s.edition
	e.users.Add(1)
	return e, e.users.Done
}

// Turn makes the server answer what it is asked from now on from another engine: the same store after it was changed.
// Queries that run end on the old one; rested is closed when that is not used any more, so that it can be closed.
func (s *Server) Turn(engine Engine) (rested <-chan struct{}) {
	next := newEdition(engine)
	s.turning.Lock()
	old := s.edition
	s.edition = next
	if s.startCheck != nil {
		s.startCheck(next)
	}
	s.turning.Unlock()
	old.retire()
	done := make(chan struct{})
	go func() {
		old.users.Wait()
		close(done)
	}()
	return done
}
