// Package rdfgpu answers SPARQL over RDF by worst-case-optimal subgraph matching, on an NVIDIA GPU or on the CPU.
//
// Nouns: [Store] (a loaded data set, read-only, shared by any number of goroutines), [Result] (the solutions of one
// query, read once), [Term], [Semantics], [Format].
package rdfgpu

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/planner"
)

// Term is an RDF term: an IRI, a blank node or a literal.
type Term = rdf.Term

// ID is the number of a term in a store or, above the store's terms, of a term that one query computed.
type ID = dictionary.ID

// Batch is a set of solutions, column first.
type Batch = exec.Batch

// Semantics says which mappings are solutions of a basic graph pattern.
type Semantics = planner.Semantics

// The three semantics of a basic graph pattern.
const (
	Homomorphism    = planner.Homomorphism
	Isomorphism     = planner.Isomorphism
	EdgeIsomorphism = planner.EdgeIsomorphism
)

var errTodo = errors.New("rdfgpu: not wired up yet")

// Device says where basic graph patterns are matched.
type Device string

// The devices a query may ask for. Auto chooses by cost.
const (
	Auto Device = "auto"
	CPU  Device = "cpu"
	GPU  Device = "gpu"
)

// Options are the settings of an open store.
type Options struct {
	// Threads bounds the CPU matcher's parallelism; 0 means all cores.
	Threads int
	// GPUMemory bounds the device memory that queries and the resident graph may take, in bytes; 0 means most of it.
	GPUMemory int64
	// Device is the default device of queries.
	Device Device
}

// QueryOptions are the settings of one query.
type QueryOptions struct {
	Semantics Semantics
	Device    Device
	// Timeout ends the query with ErrTimeout; 0 means none.
	Timeout time.Duration
	// MaxRows ends the query with ErrRowLimit when it has more solutions; 0 means no limit.
	MaxRows uint64
	// MaxMemory ends the query with ErrMemoryLimit when its operators hold more bytes; 0 means a fraction of the machine's.
	MaxMemory int64
	// CountOnly asks for the number of solutions alone (Result.Count), which is cheaper than reading them.
	CountOnly bool
	// DefaultGraphs and NamedGraphs are the protocol's data set; when either is set they replace FROM and FROM NAMED.
	DefaultGraphs, NamedGraphs []string
	// Base resolves relative IRIs in a query without BASE.
	Base string
	// Analyze keeps what every step measured, for Result.Explain.
	Analyze bool
}

// Errors that a query or a load may end with; test with errors.Is.
var (
	ErrTimeout     = errors.New("the query ran longer than its time limit")
	ErrRowLimit    = errors.New("the query has more solutions than its row limit")
	ErrMemoryLimit = errors.New("the query needs more memory than its limit")
	ErrUnsupported = errors.New("not supported")
	ErrDamaged     = errors.New("the store is damaged")
	ErrVersion     = errors.New("the store has another format version")
	ErrNoDevice    = errors.New("no usable GPU")
)

// Format is a syntax for results.
type Format string

// Solutions and booleans can be written in the first five, graphs in the last two.
const (
	Table    Format = "table"
	JSON     Format = "json"
	XML      Format = "xml"
	CSV      Format = "csv"
	TSV      Format = "tsv"
	NTriples Format = "ntriples"
	Turtle   Format = "turtle"
)

// Kind is what a query returns.
type Kind uint8

const (
	// Solutions: SELECT.
	Solutions Kind = iota
	// Boolean: ASK.
	Boolean
	// Triples: CONSTRUCT and DESCRIBE.
	Triples
)

// Timings are the parts of a query's elapsed time.
type Timings struct {
	Parse, Plan, Match, Decode, Write time.Duration
	Upload, Kernels, Download         time.Duration
	Total                             time.Duration
}

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

// Result is the outcome of a query, read once, by one of Batches, Rows, Graph, Count or Write.
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

// Term decodes an ID of this result's batches.
func (r *Result) Term(id ID) Term { return Term{} }

// Write writes the result in a format, streaming, and returns the number of solutions or triples written.
func (r *Result) Write(w io.Writer, format Format) (uint64, error) { return 0, errTodo }

// Timings are complete once the result has been read.
func (r *Result) Timings() Timings { return Timings{} }

// Close ends the query, if it still runs, and frees what it holds.
func (r *Result) Close() error { return nil }
