package watch

import (
	"context"
	"sync"

	"github.com/rdfgpu/rdfgpu/internal/live"
)

// Watcher has the standing queries of a store. Safe for concurrent use.
type Watcher struct {
	store    *live.Store
	settings Settings

	mu sync.Mutex
	// following is nil while nobody is subscribed.
	following *following
	closed    bool
}

// New returns the watcher of a store, which must be closed before the store.
func New(store *live.Store, settings Settings) *Watcher {
	return &Watcher{store: store, settings: settings}
}

// Subscribe makes a query stand. The error wraps ErrCannotStand where it is none that can, wal.ErrGone where the log does not reach back to
// Options.After, limits.ErrMemory where it would hold too much, or is ErrClosed, the context's, or that of the query's evaluation.
func (w *Watcher) Subscribe(ctx context.Context, q Query, options Options) (*Subscription, error) {
	f, err := w.enter()
	if err != nil {
		return nil, err
	}
	budget := w.settings.Budget(options.MaxMemory)
	s, err := f.subscribe(ctx, q, options, budget)
	if err != nil {
		budget.Close()
		w.leave(f)
		return nil, err
	}
	s.watcher = w
	return s, nil
}

// enter is the following, with one user more.
func (w *Watcher) enter() (*following, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, ErrClosed
	}
	if w.following == nil {
		w.following = follow(w.store, &w.settings)
	}
	w.following.users++
	return w.following, nil
}

// leave ends the following with its last user.
func (w *Watcher) leave(f *following) {
	w.mu.Lock()
	f.users--
	last := f.users == 0
	if last && w.following == f {
		w.following = nil
	}
	w.mu.Unlock()
	if last {
		f.end(ErrClosed)
	}
}

// Close ends all subscriptions with ErrClosed.
func (w *Watcher) Close() {
	w.mu.Lock()
	f := w.following
	w.closed, w.following = true, nil
	w.mu.Unlock()
	if f != nil {
		f.end(ErrClosed)
	}
}
