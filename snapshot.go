package rdfgpu

import (
	"context"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Snapshot is the store as it was right after one commit. It stays readable until Close, whatever is committed, flushed and compacted
// meanwhile, and keeps the memory and the files that it needs. Any number of goroutines may use it.
type Snapshot struct {
	store *Store
	state *live.Snapshot
}

// At is the store right after the commit of a sequence: that of the last one, Store.Sequence, or of an earlier one, which is made of the
// last state by taking back what the log has since. That takes time in proportion to these commits. The error wraps ErrLogGone where the log does
// not go back so far, because the commits after it are in the store's files by now, and ErrLogBeyond where there is no such commit yet.
func (s *Store) At(sequence uint64) (*Snapshot, error) {
	var state *live.Snapshot
	err := section.Guard(func() (err error) { // it reads mapped files
		state, err = s.live.At(sequence)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Snapshot{s, state}, nil
}

// Sequence is that of the snapshot's last commit.
func (s *Snapshot) Sequence() uint64 { return s.state.Sequence() }

// Query is Store.Query of what the snapshot has; QueryOptions.MinSequence is not looked at.
func (s *Snapshot) Query(ctx context.Context, text string, options QueryOptions) (*Result, error) {
	options.MinSequence = 0
	return s.store.query(ctx, text, options, s.state.Again)
}

// Close ends the reading; queries that were begun go on. It must be called before the store is closed, and may be called again.
func (s *Snapshot) Close() { s.state.Release() }
