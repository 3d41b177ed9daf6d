// Package rdfgpu answers SPARQL over RDF by worst-case-optimal subgraph matching, on an NVIDIA GPU or on the CPU.
//
// Nouns: [Store] (a loaded data set, read-only, shared by any number of goroutines), [Result] (the solutions of one
// query, read once), [Term], [Semantics], [Format].
package rdfgpu

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/backend"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/readback"
	"github.com/rdfgpu/rdfgpu/internal/results"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/loader"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Term is an RDF term: an IRI, a blank node or a literal.
type Term = rdf.Term

// ID is the number of a term in a store or, above the store's terms, of a term that one query computed.
type ID = dictionary.ID

// Batch is a set of solutions, column first.
type Batch = vector.Batch

// SyntaxError says what is wrong with a query's text, and where; find it with errors.As in an error of Query.
type SyntaxError = parser.Error

// Semantics says which mappings are solutions of a basic graph pattern.
type Semantics = bgp.Semantics

// The four semantics of a basic graph pattern.
const (
	Homomorphism    = bgp.Homomorphism
	Isomorphism     = bgp.Isomorphism
	EdgeIsomorphism = bgp.EdgeIsomorphism
	Induced         = bgp.Induced
)

// Device says where basic graph patterns are matched.
type Device = backend.Device

// The devices a query may ask for. Auto chooses by cost.
const (
	Auto = backend.Auto
	CPU  = backend.CPU
	GPU  = backend.GPU
)

// Options are the settings of an open store.
type Options struct {
	// Threads is the most threads that a query uses, in matching, in operators and in writing its answer; 0 means all cores.
	// Queries that run at the same time share the cores of the process, whatever store they are of.
	Threads int
	// GPUMemory bounds the device memory that queries and the resident graph may take, in bytes; 0 means most of it.
	GPUMemory int64
	// Device is the default device of queries; "" is Auto.
	Device Device
	// TempDir is where operators spill to; "" means the system's folder.
	TempDir string
	// Budget is what the queries of this store share with those of others; nil means one for the whole process, of the default
	// limits.
	Budget *Budget
	// Services lists the SPARQL endpoints that SERVICE may ask; none: SERVICE is refused.
	Services []string
	// Writable lets the store be updated, by this process alone.
	Writable bool
	// Durability says when an update is acknowledged, GroupEvery how often Grouped ones are synced; 0 means 5 ms.
	Durability Durability
	GroupEvery time.Duration
	// MaxWriters is how many updates may wait for their turn; 0 means 1024.
	MaxWriters int
	// LargeDocument is from how many bytes of text on what is put into a graph is taken in as a load is, and committed as files of
	// the store; 0 means 16 MiB.
	LargeDocument int64
	// Loads lists what LOAD may read: prefixes of http(s) IRIs, and folders as file IRIs; none: LOAD is refused.
	Loads []string
}

// QueryOptions are the settings of one query.
type QueryOptions struct {
	Semantics Semantics
	Device    Device
	// Timeout ends the query with ErrTimeout so long after Query was called, whatever it is doing then; 0 means none.
	Timeout time.Duration
	// Overdue, where it is not nil, is called from another goroutine, once, when the query still goes on a tenth of a
	// second after it should have ended. Whoever waits for the answer may be told then; what the query uses, it uses
	// until Query or the reading of the Result returns.
	Overdue func(Overdue)
	// MaxRows ends the query with ErrRowLimit when it has more solutions; 0 means no limit.
	MaxRows uint64
	// MaxMemory is how many bytes the query may hold, of the store's Budget: past it sorts, groups and joins go on from disk,
	// and what cannot ends with ErrMemoryLimit; 0 means half of what the Budget has for all queries.
	MaxMemory int64
	// CountOnly asks for the number of solutions alone (Result.Count), which is cheaper than reading them.
	CountOnly bool
	// DefaultGraphs and NamedGraphs are the protocol's data set; when either is set they replace FROM and FROM NAMED.
	DefaultGraphs, NamedGraphs []string
	// Base resolves relative IRIs in a query without BASE.
	Base string
	// Analyze keeps what every step measured, for Result.Explain.
	Analyze bool
	// MinSequence lets the query wait, within its limits, until it can read the commit of this sequence.
	MinSequence uint64
}

// Errors that a query or a load may end with; test with errors.Is.
var (
	ErrTimeout     = errors.New("the query ran longer than its time limit")
	ErrRowLimit    = limits.ErrRows
	ErrMemoryLimit = limits.ErrMemory
	ErrSpillLimit  = limits.ErrSpill
	// ErrTooMany: there are more solutions than 64 bits can count.
	ErrTooMany     = exec.ErrTooMany
	ErrUnsupported = exec.ErrUnsupported
	ErrFunction    = exec.ErrFunction
	ErrPattern     = exec.ErrPattern
	ErrDamaged     = store.ErrDamaged
	ErrNotStore    = store.ErrNotStore
	ErrVersion     = store.ErrVersion
	ErrNoDevice    = gpu.ErrNoDevice
	ErrFormat      = results.ErrFormat
	ErrNoColumns   = results.ErrNoColumns
	// ErrNoFormat: the syntax of RDF to be read is unknown.
	ErrNoFormat = loader.ErrFormat
	ErrReadBack = readback.ErrDiffers
)

// Format is a syntax for results.
type Format = results.Format

// Solutions and booleans can be written in the first five, graphs in the next three, everything in the last two.
const (
	Table    = results.TableText
	JSON     = results.JSON
	XML      = results.XML
	CSV      = results.CSV
	TSV      = results.TSV
	NTriples = results.NTriples
	Turtle   = results.Turtle
	RDFXML   = results.RDFXML
	Arrow    = results.Arrow
	Parquet  = results.Parquet
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

// Timings are the parts of a query's elapsed time. OpenDevice is spent by the first query on the GPU alone.
type Timings struct {
	Parse, Plan, Match, Decode, Write time.Duration
	OpenDevice                        time.Duration
	Upload, Kernels, Download         time.Duration
	Total                             time.Duration
}

// ParseSemantics reads "homomorphism", "isomorphism", "edge-isomorphism" or "induced" ("" is homomorphism).
func ParseSemantics(name string) (Semantics, error) {
	switch name {
	case "", "homomorphism":
		return Homomorphism, nil
	case "isomorphism":
		return Isomorphism, nil
	case "edge-isomorphism":
		return EdgeIsomorphism, nil
	case "induced":
		return Induced, nil
	}
	return Homomorphism, fmt.Errorf("%q is no semantics: expected homomorphism, isomorphism, edge-isomorphism or induced", name)
}

// part is one named share of the elapsed time.
type part struct {
	name  string
	spent time.Duration
}

func (t Timings) parts() []part {
	return []part{
		{"parse", t.Parse}, {"open device", t.OpenDevice}, {"plan", t.Plan}, {"match", t.Match}, {"upload", t.Upload},
		{"kernels", t.Kernels}, {"copy back", t.Download}, {"decode", t.Decode}, {"write", t.Write}, {"total", t.Total},
	}
}

// String gives the parts in milliseconds; the GPU's parts, of which all but its opening lie inside match, only where there were any.
func (t Timings) String() string {
	var b strings.Builder
	for _, p := range t.parts() {
		gpu := p.name == "open device" || p.name == "upload" || p.name == "kernels" || p.name == "copy back"
		if p.spent == 0 && gpu {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %.3f ms", p.name, float64(p.spent.Nanoseconds())/1e6)
	}
	return b.String()
}
