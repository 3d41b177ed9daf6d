package rdfgpu

import (
	"context"
	"io"
	"iter"
)

// Store is an open data set.
type Store struct{}

// Open maps the store in dir.
func Open(dir string, options Options) (*Store, error) { return nil, errTodo }

// Close unmaps the store; no Result of it may be used any more.
func (s *Store) Close() error { return errTodo }

// Query runs a query. The Result must be closed.
func (s *Store) Query(ctx context.Context, text string, options QueryOptions) (*Result, error) {
	return nil, errTodo
}

// Explain plans a query and, with options.Analyze, runs it.
func (s *Store) Explain(ctx context.Context, text string, options QueryOptions) (*Explanation, error) {
	return nil, errTodo
}

// Info describes the store.
func (s *Store) Info() Info { return Info{} }

// Device describes the GPU and what of the store is resident there.
func (s *Store) Device() DeviceInfo { return DeviceInfo{} }

// Schema describes the classes and predicates of the default graph, largest first, at most limit of each (0: all).
func (s *Store) Schema(limit int) Schema { return Schema{} }

// Examples are the queries that lie in the store's queries folder.
func (s *Store) Examples() []Example { return nil }

// Verify checks every checksum and invariant of the store in dir.
func Verify(dir string) error { return errTodo }

// DescribeDevice describes the GPU.
func DescribeDevice() DeviceInfo { return DeviceInfo{} }

// Result is the outcome of a query, read once, by one of Batches, Rows, Triples, Count or Write.
type Result struct{}

// Kind says what the result is.
func (r *Result) Kind() Kind { return Solutions }

// Variables are the names of the columns.
func (r *Result) Variables() []string { return nil }

// Boolean is the answer of ASK.
func (r *Result) Boolean() (bool, error) { return false, errTodo }

// Count is the number of solutions (or triples).
func (r *Result) Count() (uint64, error) { return 0, errTodo }

// Batches yields the solutions as columns of IDs; a batch is valid until the next step of the iteration.
func (r *Result) Batches() iter.Seq2[*Batch, error] { return nil }

// Rows yields the solutions as terms, one Term per variable (the zero Term where unbound); the slice is reused.
func (r *Result) Rows() iter.Seq2[[]Term, error] { return nil }

// Triples yields the triples of CONSTRUCT and DESCRIBE.
func (r *Result) Triples() iter.Seq2[[3]Term, error] { return nil }

// Term decodes an ID of this result's batches.
func (r *Result) Term(id ID) Term { return Term{} }

// Write writes the result in a format, streaming, and returns the number of solutions or triples written.
func (r *Result) Write(w io.Writer, format Format) (uint64, error) { return 0, errTodo }

// Timings are complete once the result has been read.
func (r *Result) Timings() Timings { return Timings{} }

// Close ends the query, if it still runs, and frees what it holds.
func (r *Result) Close() error { return nil }
