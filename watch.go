package rdfgpu

import (
	"context"
	"iter"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/wal"
	standing "github.com/rdfgpu/rdfgpu/internal/watch"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
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
	// MaxMemory is how many bytes may be held for it: changes that wait, the rows of the last one, and solutions where they are kept; and as
	// many again while it is evaluated. 0 is as in QueryOptions.
	MaxMemory int64
	// DefaultGraphs and NamedGraphs are the protocol's data set, as in QueryOptions.
	DefaultGraphs, NamedGraphs []string
	// Progress, where it is not 0, is how long nothing is told at the most: then there is a ProgressChange, without rows, whose Sequence is
	// the last commit that was looked at, to go on after. With After there is one at once where nothing else is to be told.
	Progress time.Duration
	// Admit, where it is not nil, is asked each time before the query is evaluated as a whole, and may wait; it returns the context for
	// that, and leave is called once it is done. Changes that are found from the changed triples alone ask nobody.
	Admit func(context.Context) (admitted context.Context, leave func(), err error)
}

// Change is what one commit, or several together, did to the solutions of a standing query.
type Change = standing.Change

// ChangedRow is a solution of a standing query, and how many times it came or went.
type ChangedRow = standing.Row

// ChangeWay says how a change was found.
type ChangeWay = standing.Way

// The ways in which a change is found: it is the snapshot, it was found from the changed triples alone, or by evaluating the query again; or
// there is none, and it tells how far the commits were looked at.
const (
	SnapshotChange    = standing.Snapshot
	IncrementalChange = standing.Incremental
	EvaluatedChange   = standing.Evaluated
	ProgressChange    = standing.Progress
)

// Errors that a standing query may end with; test with errors.Is.
var (
	// ErrCannotStand: only a SELECT whose solutions depend on the data alone can be watched.
	ErrCannotStand = standing.ErrCannotStand
	// ErrLogGone: the log does not reach back to where the query is to go on.
	ErrLogGone = wal.ErrGone
	// ErrLogBeyond: there is no commit yet after which the query is to go on. It may be one of another store, or of this one as it was
	// before it was loaded anew; see Store.History.
	ErrLogBeyond = wal.ErrBeyond
	// ErrStoreClosed: the store was closed while the query stood, or before an update had its turn.
	ErrStoreClosed = standing.ErrClosed
)

// Watch makes a SELECT stand: it yields all its solutions, as they are after some commit, and then what comes and what goes with the
// commits that follow, until ctx ends or the caller breaks off. Nothing is left out and nothing comes twice: all that was added, less all
// that was removed, are the solutions after the commit of Change.Sequence, as a multiset. Commits that change no solution yield nothing,
// and a caller that is slow gets several commits as one change, their difference.
//
// How a change is found says Change.Way; docs/WATCH.md says for which queries. An error ends the iteration: it is a *SyntaxError, wraps
// ErrCannotStand, ErrLogGone, ErrLogBeyond or ErrMemoryLimit, is ErrStoreClosed, or the cause of ctx's end. The query stands from the first step of the iteration on.
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
	parsed, _, err := s.parse(ctx, text, QueryOptions{Base: options.Base, DefaultGraphs: options.DefaultGraphs, NamedGraphs: options.NamedGraphs})
	if err != nil {
		return nil, err
	}
	q := standing.Query{Text: text, Parsed: parsed, Semantics: options.Semantics, Base: options.Base}
	return s.watcher.Subscribe(ctx, q, standing.Options{
		After: options.After, NoSnapshot: options.NoSnapshot, MaxMemory: options.MaxMemory, Progress: options.Progress, Admit: options.Admit,
	})
}

// WatchExplanation says how the changes of a standing query are found.
type WatchExplanation = standing.Explanation

// ExplainWatch says how the changes of a query would be found, and what keeps it from being IncrementalChange where it is not. The error is as
// that of Watch.
func (s *Store) ExplainWatch(ctx context.Context, query string, options WatchOptions) (WatchExplanation, error) {
	parsed, _, err := s.parse(ctx, query, QueryOptions{Base: options.Base, DefaultGraphs: options.DefaultGraphs, NamedGraphs: options.NamedGraphs})
	if err != nil {
		return WatchExplanation{}, err
	}
	return standing.Explain(standing.Query{Text: query, Parsed: parsed, Semantics: options.Semantics, Base: options.Base})
}

// History names the log of commits that sequences number: 16 hexadecimal digits, which are the same as long as the store keeps its commits,
// and others where it was loaded anew or restored. It is "" for a store that was never open for writing, all of whose states have the
// sequence 0.
func (s *Store) History() string { return s.live.History() }

// standing are the settings of the store's standing queries.
func (s *Store) standing() standing.Settings {
	return standing.Settings{
		Query: func(ctx context.Context) (exec.Options, error) {
			device, err := s.backends.Choose("")
			if err != nil {
				return exec.Options{}, err
			}
			return exec.Options{
				Matcher: device.Matcher, Searchers: device.Searcher, Speed: device.Speed(), ShallowBranches: device.ShallowBranches(), TempDir: s.options.TempDir,
				Workers: s.pool.Open(ctx, s.options.Threads),
			}, nil
		},
		Together: func(plans []*bgp.MatchPlan, graph *pcsr.Graph, threads int) match.Matcher {
			device, err := s.backends.Choose("")
			if err != nil {
				return nil
			}
			return device.Together(plans, graph, threads)
		},
		Foresee: s.backends.PrepareLabels,
		Budget:  func(bytes int64) *limits.Budget { return s.budget.pool.Open(bytes) },
	}
}
