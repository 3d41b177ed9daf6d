package rdfgpu

import (
	"context"
	"iter"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/wal"
	standing "github.com/rdfgpu/rdfgpu/internal/watch"
)

// WatchOptions are the settings of one standing query.
type WatchOptions struct {
	Semantics Semantics
	// Base resolves relative IRIs in a query without BASE.
	Base string
	// After, where it is not nil, goes on after the commit of this sequence: in place of a snapshot the first change is what has come
	// and gone since. The error wraps ErrLogGone where the log does not reach back so far.
	After *uint64
	// NoSnapshot leaves the solutions out of the first change, which then only tells the sequence from which on the query stands.
	NoSnapshot bool
	// MaxMemory is how many bytes may be held for it: changes that wait, and what it takes to find them. 0 is as in QueryOptions.
	MaxMemory int64
}

// Change is what one commit, or several together, did to the solutions of a standing query.
type Change = standing.Change

// ChangedRow is a solution of a standing query, and how many times it came or went.
type ChangedRow = standing.Row

// ChangeWay says how a change was found.
type ChangeWay = standing.Way

// The ways in which a change is found: it is the snapshot, it was found from the changed triples alone, or by evaluating the query again.
const (
	SnapshotChange    = standing.Snapshot
	IncrementalChange = standing.Incremental
	EvaluatedChange   = standing.Evaluated
)

// Errors that a standing query may end with; test with errors.Is.
var (
	// ErrCannotStand: only a SELECT whose solutions depend on the data alone can be watched.
	ErrCannotStand = standing.ErrCannotStand
	// ErrLogGone: the log does not reach back to where the query is to go on.
	ErrLogGone = wal.ErrGone
	// ErrStoreClosed: the store was closed while the query stood, or before an update had its turn.
	ErrStoreClosed = standing.ErrClosed
)

// Watch makes a SELECT stand: it yields all its solutions, as they are after some commit, and then what comes and what goes with the
// commits that follow, until ctx ends or the caller breaks off. Nothing is left out and nothing comes twice: all that was added, less all
// that was removed, are the solutions after the commit of Change.Sequence, as a multiset. Commits that change no solution yield nothing,
// and a caller that is slow gets several commits as one change, their difference.
//
// How a change is found says Change.Way; docs/WATCH.md says for which queries. An error ends the iteration: it is a *SyntaxError, wraps
// ErrCannotStand, ErrLogGone or ErrMemoryLimit, is ErrStoreClosed, or the cause of ctx's end. The query stands from the first step of the iteration on.
func (s *Store) Watch(ctx context.Context, query string, options WatchOptions) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		w, err := s.subscribe(ctx, query, options)
		if err != nil {
			yield(Change{}, err)
			return
		}
		defer w.Close()
		for {
			c, err := w.Next(ctx)
			if err != nil {
				yield(Change{}, err)
				return
			}
			if !yield(*c, nil) {
				return
			}
		}
	}
}

func (s *Store) subscribe(ctx context.Context, text string, options WatchOptions) (*standing.Subscription, error) {
	parsed, err := s.parsed.parse(ctx, text, options.Base)
	if err != nil {
		return nil, err
	}
	q := standing.Query{Text: text, Parsed: parsed, Semantics: options.Semantics, Base: options.Base}
	return s.watcher.Subscribe(ctx, q, standing.Options{After: options.After, NoSnapshot: options.NoSnapshot, MaxMemory: options.MaxMemory})
}

// standing are the settings of the store's standing queries.
func (s *Store) standing() standing.Settings {
	return standing.Settings{
		Query: func(ctx context.Context) (exec.Options, error) {
			device, err := s.backends.Choose("")
			if err != nil {
				return exec.Options{}, err
			}
			return exec.Options{
				Matcher: device.Matcher, Speed: device.Speed(), ShallowBranches: device.ShallowBranches(), TempDir: s.options.TempDir,
				Workers: s.pool.Open(ctx, s.options.Threads),
			}, nil
		},
		Budget: func(bytes int64) *limits.Budget { return s.budget.pool.Open(bytes) },
	}
}
