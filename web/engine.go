package web

import (
	"context"
	"io"
	"iter"

	"github.com/rdfgpu/rdfgpu"
)

// Engine is what a server needs of a store. Its methods are called concurrently.
type Engine interface {
	// Query starts a query; the Answer must be closed.
	Query(ctx context.Context, text string, options rdfgpu.QueryOptions) (Answer, error)
	// Explain returns the plan, ready for encoding/json.
	Explain(ctx context.Context, text string, options rdfgpu.QueryOptions) (any, error)
	Info() (rdfgpu.Info, error)
	Device() rdfgpu.DeviceInfo
	CacheStats() rdfgpu.CacheStats
	// Schema lists at most limit classes, predicates and links, largest first.
	Schema(limit int) (rdfgpu.Schema, error)
	Examples() []rdfgpu.Example
	// CheckAll compares the checksums of what no query has read yet, beside the queries.
	CheckAll(ctx context.Context) error
	// HasGraph reports whether a graph exists: the default graph, "", or a named one that has triples.
	HasGraph(graph string) (bool, error)
	// Dump writes a snapshot.
	Dump(ctx context.Context, w io.Writer, options rdfgpu.DumpOptions) (rdfgpu.DumpReport, error)
	// Mine looks for structures.
	Mine(ctx context.Context, options rdfgpu.MineOptions) (rdfgpu.MineReport, error)
	// Watch makes a query stand, and yields what it is told until ctx ends.
	Watch(ctx context.Context, text string, options rdfgpu.WatchOptions) iter.Seq2[rdfgpu.Change, error]
	// History names the log that sequences are of; "" where there never was one.
	History() string
	// Sequence is that of the last commit; WaitFor returns once queries read one.
	Sequence() uint64
	WaitFor(ctx context.Context, sequence uint64) error
	Updates
}

// Updates is what a server needs of a store that can be changed; others return rdfgpu.ErrReadOnly.
type Updates interface {
	Update(ctx context.Context, text string, options rdfgpu.UpdateOptions) (rdfgpu.UpdateReport, error)
	PutGraph(ctx context.Context, graph string, body io.Reader, options rdfgpu.GraphOptions) (report rdfgpu.UpdateReport, existed bool, err error)
	DropGraph(ctx context.Context, graph string, options rdfgpu.GraphOptions) (rdfgpu.UpdateReport, error)
	Patch(ctx context.Context, body io.Reader, options rdfgpu.UpdateOptions) (rdfgpu.UpdateReport, error)
	// Live is what updates have left; ok is false where the store is read-only.
	Live() (info rdfgpu.LiveInfo, ok bool)
}

// Answer is the outcome of one query, read once.
type Answer interface {
	Kind() rdfgpu.Kind
	Variables() []string
	Boolean() (bool, error)
	Batches() iter.Seq2[*rdfgpu.Batch, error]
	Term(id rdfgpu.ID) rdfgpu.Term
	// Err is the damage that Term met.
	Err() error
	// Write writes the whole answer and returns the number of solutions or triples.
	Write(w io.Writer, format rdfgpu.Format) (uint64, error)
	// WritePart writes the first send solutions or triples of it and returns the number of all.
	WritePart(w io.Writer, format rdfgpu.Format, send uint64) (uint64, error)
	Timings() rdfgpu.Timings
	// Sequence is that of the last commit that the answer is of.
	Sequence() uint64
	// Repeatable: the same query means the same as long as the store stays at the sequence.
	Repeatable() bool
	Close() error
}

// StoreEngine serves an open store, which the caller closes after the server, or once it rests (Server.Turn).
func StoreEngine(store *rdfgpu.Store) Engine { return storeEngine{store} }

type storeEngine struct{ *rdfgpu.Store }

// Query keeps a nil result from becoming an Answer that is not nil.
func (e storeEngine) Query(ctx context.Context, text string, options rdfgpu.QueryOptions) (Answer, error) {
	result, err := e.Store.Query(ctx, text, options)
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (e storeEngine) Explain(ctx context.Context, text string, options rdfgpu.QueryOptions) (any, error) {
	explanation, err := e.Store.Explain(ctx, text, options)
	if err != nil {
		return nil, err
	}
	return explanation, nil
}
