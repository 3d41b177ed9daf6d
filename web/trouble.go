package web

import (
	"errors"
	"io/fs"
	"net/http"

	"github.com/rdfgpu/rdfgpu"
)

// Trouble tells the server why the store that it answers from could not be opened again, as when it was deleted; nil that it
// could. Meanwhile the server goes on answering, but is not ready. It is for who watches the store's folder.
func (s *Server) Trouble(err error) {
	before := s.trouble.Swap(&err)
	was := before != nil && *before != nil
	switch {
	case err != nil && (!was || (*before).Error() != err.Error()):
		s.options.Log.Error("the store is not what can be served: not ready, still answering from it as it was", "error", err)
	case err == nil && was:
		s.options.Log.Info("the store can be served again: ready")
	}
}

// troubled is the store's trouble; nil where there is none.
func (s *Server) troubled() error {
	if err := s.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// notReady is why the server takes no queries, or should get none; nil where it should. The log alone names files.
func (s *Server) notReady() *Problem {
	err := s.troubled()
	p := &Problem{Status: http.StatusServiceUnavailable, Title: "store not available"}
	switch {
	case s.draining.Load():
		p.Title = "draining"
	case err == nil && s.takesUpdates():
		return nil
	case err == nil:
		return noUpdates()
	case errors.Is(err, fs.ErrNotExist):
		p.Detail = "the store, or a file of it, was deleted"
	case errors.Is(err, fs.ErrPermission):
		p.Detail = "the store may not be read any more"
	case errors.Is(err, rdfgpu.ErrDamaged):
		p.Detail = "the store was replaced by something damaged"
	case errors.Is(err, rdfgpu.ErrVersion):
		p.Detail = "the store was replaced by one of another version of the format"
	default:
		p.Detail = "the store cannot be opened any more"
	}
	return p
}

// takesUpdates is false for a store that was writable and takes no updates any more.
func (s *Server) takesUpdates() bool {
	engine, done := s.use()
	defer done()
	live, ok := engine.Live()
	return !ok || live.Failed == ""
}
