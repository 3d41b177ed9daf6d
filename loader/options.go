package loader

import (
	"runtime"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/internal/store"
)

// Options are the settings of a load.
type Options struct {
	// Memory is the budget in bytes beyond which terms and triples are spilled to disk; 0 means half the machine's.
	// The load keeps to it roughly: fixed buffers of some 100 MiB, and the predicates, come on top.
	Memory int64
	// Append keeps what is in the store and adds a segment to it, at a cost in proportion to the inputs; without it a
	// load replaces what is there. Blank nodes of the new inputs are kept apart from those in the store.
	Append bool
	// TempDir holds temporary files; "" means the store's folder. They have no names and vanish with the process.
	TempDir string
	// Spill, when not nil, is told how many bytes temporary files are about to take, and, as a negative number, how many they have given back.
	// Its error ends the load, unless it is one of a negative number. It may be called by several goroutines.
	Spill func(bytes int64) error
	// SkipBad is how many bad lines of N-Triples and N-Quads are skipped before the load fails.
	SkipBad uint64
	// Lock is that of the store, where the caller holds it; nil takes it for the load.
	Lock *store.Lock
	// Threads bounds parallelism; 0 means all cores.
	Threads int
	// Progress, when not nil, is called several times a second, by one goroutine at a time.
	Progress func(Progress)
	// listFrom is of how many named graphs on small ones share a file; 0 stands for the default.
	listFrom int
}

const (
	leastMemory   = 64 << 20
	defaultMemory = 4 << 30 // where the machine does not tell
)

func (o Options) withDefaults() Options {
	if o.Memory == 0 {
		if o.Memory = machine.Memory() / 2; o.Memory == 0 {
			o.Memory = defaultMemory
		}
	}
	o.Memory = max(o.Memory, leastMemory)
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.listFrom == 0 {
		o.listFrom = listFrom
	}
	return o
}

// Phase is a part of a load.
type Phase string

// The phases of a load, in order.
const (
	Reading        Phase = "reading"
	Comparing      Phase = "comparing with the store" // Options.Append
	TakingOver     Phase = "taking over segments"     // Options.Append, Compact
	SortingTerms   Phase = "sorting terms"
	OrderingTerms  Phase = "ordering terms"
	WritingTriples Phase = "writing triples"
	Committing     Phase = "committing"
)

// Progress is how far a load is.
type Progress struct {
	Phase Phase
	// Triples is how many have been read.
	Triples uint64
	// Bytes is how much of TotalBytes, the size of the inputs as they lie (packed), has been read; TotalBytes is 0 when
	// it is not known.
	Bytes, TotalBytes int64
	Elapsed           time.Duration
	// Remaining is an estimate of the time until the end; 0 when unknown.
	Remaining time.Duration
}

// PhaseTime is how long a phase took.
type PhaseTime struct {
	Phase   Phase
	Elapsed time.Duration
}

// Report is what a load did.
type Report struct {
	// Read counts the statements of the inputs and, of these, Known those that were in the store before (Options.Append).
	// Kept are the triples that were in the store and stay, Triples those in it now (in all graphs), each once.
	Read, Known, Kept, Triples uint64
	// Terms and Predicates are those of the store's dictionary.
	Terms, Predicates int
	NamedGraphs       int
	// Segments is how many segments the store has now, Merged how many earlier ones this load made one with its own.
	Segments, Merged int
	// InputBytes is what was read, packed; StoreBytes the size of the store, WrittenBytes that of the files which are new
	// in it; SpilledBytes what was written to temporary files.
	InputBytes, StoreBytes, WrittenBytes, SpilledBytes int64
	// TermRuns is how many times the term table was full; 0 when everything fitted.
	TermRuns int
	// Unchanged says that an intake had nothing that was not there.
	Unchanged bool
	Elapsed   time.Duration
	Phases    []PhaseTime
	// BadLines is how many lines were skipped, Skipped the first of them.
	BadLines uint64
	Skipped  []SyntaxError
	// Removed are the leftovers of killed loads that were removed.
	Removed []string
}

// maxSkipped bounds Report.Skipped.
const maxSkipped = 1000

// begin begins a load of the store in dir, under the lock that the caller holds, if it does.
func (o *Options) begin(dir string) (*store.Load, error) {
	if o.Lock == nil {
		return store.Begin(dir)
	}
	return o.Lock.Begin()
}
