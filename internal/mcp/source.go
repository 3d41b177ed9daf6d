package mcp

import (
	"context"
	"iter"

	"github.com/rdfgpu/rdfgpu"
)

// Source is whom the tools ask. Its methods are called concurrently.
type Source interface {
	// Query starts a query, within the options' limits or narrower ones; the Answer must be closed.
	Query(ctx context.Context, text string, options rdfgpu.QueryOptions) (Answer, error)
	// Explain plans a query and, with options.Analyze, runs it.
	Explain(ctx context.Context, text string, options rdfgpu.QueryOptions) (*rdfgpu.Explanation, error)
	// Schema lists at most limit classes, predicates and links, largest first.
	Schema(limit int) (rdfgpu.Schema, error)
	// Examples are the queries that come with the store.
	Examples() []rdfgpu.Example
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
	Close() error
}

// StoreSource asks an open store, which the caller closes when the tools are not used any more. Limits that a tool does not set
// are those given here; a tool's time limit can only be shorter.
func StoreSource(store *rdfgpu.Store, limits rdfgpu.QueryOptions) Source {
	return storeSource{store, limits}
}

type storeSource struct {
	*rdfgpu.Store
	limits rdfgpu.QueryOptions
}

// within are the options of one query, inside the source's limits.
func (s storeSource) within(options rdfgpu.QueryOptions) rdfgpu.QueryOptions {
	limited := s.limits
	limited.Semantics, limited.Analyze = options.Semantics, options.Analyze
	if options.Timeout > 0 && (limited.Timeout == 0 || options.Timeout < limited.Timeout) {
		limited.Timeout = options.Timeout
	}
	return limited
}

// Query keeps a nil result from becoming an Answer that is not nil.
func (s storeSource) Query(ctx context.Context, text string, options rdfgpu.QueryOptions) (Answer, error) {
	result, err := s.Store.Query(ctx, text, s.within(options))
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (s storeSource) Explain(ctx context.Context, text string, options rdfgpu.QueryOptions) (*rdfgpu.Explanation, error) {
	return s.Store.Explain(ctx, text, s.within(options))
}
