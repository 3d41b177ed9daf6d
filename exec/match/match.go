package match

import (
	"context"
	"errors"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// BatchRows is how many rows matchers put into one batch, about.
const BatchRows = vector.BatchRows

// Batch is a set of solutions, column first.
type Batch = vector.Batch

// Folds are what the numbers of groups come to.
type Folds = vector.Folds

// Numbers are computed numbers.
type Numbers = vector.Numbers

// Input seeds a match: the first MatchPlan.Inputs slots of N partial matches.
type Input struct {
	Cols [][]dictionary.ID
	N    int
}

// Match is one run of a plan over a graph.
type Match struct {
	Graph *pcsr.Graph
	Plan  *bgp.MatchPlan
	// Input is nil when Plan.Inputs is 0.
	Input *Input
	// Limit stops the match after so many rows; 0 means no limit. ASK is a limit of one.
	Limit uint64
	// Weighted: the caller reads Batch.Weights, so that a row may stand for several equal ones; Limit is 0 then.
	// A matcher may ignore it.
	Weighted bool
	// Tables are those of Plan.Lookups.
	Tables []*Table
	// Bound tells a match whose plan is Ahead which rows are needed no more; nil: nobody does. A matcher may ignore it.
	Bound *Bound
	// Aside, where it is not nil, takes batches from several goroutines at once; what it does not take is offered again, or emitted, one batch after the other. The batch is the
	// matcher's again when it returns. An error ends the match. A matcher may ignore it.
	Aside func(*Batch) (taken bool, err error)
	// Dictionary is where numbers are looked up that a plan folds; nil: nowhere.
	Dictionary *dictionary.Dictionary
	// Workers is the query's share of the processor's threads, which the caller has entered; nil: the caller's thread alone.
	Workers *schedule.Share
	// Charge, when not nil, is told how many bytes the match takes (negative: gives back), from any goroutine; too many end the
	// match's context.
	Charge func(bytes int64) error
	// TryCharge is Charge for what a match can do without: where there are too many it counts none of them and reports false. It is nil where Charge is.
	TryCharge func(bytes int64) bool
	// Idle, where it is not nil, is called by threads that have found nothing more to do for a count, while others are still at work; it takes no time. A matcher may ignore it.
	Idle func()
	// Trace, when not nil, receives what each step did.
	Trace *Trace
}

// Table is rows that those of a match are looked up in (bgp.MatchPlan.Lookups).
type Table struct {
	// Cols are the columns that are looked up, of N rows, of which equal ones may come several times.
	Cols [][]dictionary.ID
	N    int
	// Weights is how many rows each stands for; nil: one each.
	Weights []uint64
	// Of, where it is not nil, is a match whose rows they are, to be run by who looks them up; Cols are those of its plan's output, N is 0.
	Of *Match
}

// Add adds columns of a batch.
func (t *Table) Add(b *Batch, columns []int) {
	if b.Weights != nil || t.Weights != nil {
		for len(t.Weights) < t.N {
			t.Weights = append(t.Weights, 1)
		}
		t.Weights = append(t.Weights, b.Weights...)
		for len(t.Weights) < t.N+b.N {
			t.Weights = append(t.Weights, 1)
		}
	}
	for i, c := range columns {
		t.Cols[i] = append(t.Cols[i], b.Cols[c]...)
	}
	t.N += b.N
}

// From is the rows from one on, or none.
func (t *Table) From(row int) *Table {
	row = min(row, t.N)
	out := &Table{N: t.N - row}
	for _, column := range t.Cols {
		out.Cols = append(out.Cols, column[row:])
	}
	if t.Weights != nil {
		out.Weights = t.Weights[row:]
	}
	return out
}

// ErrNotLookedUp: a match's rows were not looked up in its tables, and none was emitted.
var ErrNotLookedUp = errors.New("match: the rows are not looked up")

// ErrTooMany: a number of solutions has more than 64 bits.
var ErrTooMany = vector.ErrTooMany

// Matcher runs match plans. Implementations are safe for concurrent use.
type Matcher interface {
	// Match emits the solutions' Output columns in batches, in no particular order. emit is never called
	// concurrently; the batch is valid until emit returns. An error from emit ends the match and is returned.
	Match(ctx context.Context, m *Match, emit func(*Batch) error) error
	// Count returns the number of solutions without writing rows, or ErrTooMany. Limit is ignored.
	Count(ctx context.Context, m *Match) (uint64, error)
}

// Adapter is a Matcher that may run a plan otherwise than it is given. The others do not combine equal rows (bgp.MatchPlan.Combine).
type Adapter interface {
	Matcher
	// Runs returns the plan as the matcher runs it.
	Runs(plan *bgp.MatchPlan, graph *pcsr.Graph) *bgp.MatchPlan
}

// Prober is a Matcher that can look rows up in tables.
type Prober interface {
	Matcher
	// LooksUp reports whether it may look up those of a plan. Match may still return ErrNotLookedUp.
	LooksUp(plan *bgp.MatchPlan, graph *pcsr.Graph) bool
}

// Holder is a Matcher with a memory of its own, to which it brings what plans read. A few of its matches run at a time.
type Holder interface {
	Matcher
	// Hold keeps there what the plans read of the graph, until release is called: for many matches over states of a graph that would else take
	// each other's place.
	Hold(ctx context.Context, graph *pcsr.Graph, plans ...*bgp.MatchPlan) (release func(), err error)
}

// Trace is what a match measured, step by step (explain --analyze).
type Trace struct {
	// Backend is "cpu" or the GPU's name.
	Backend string
	Steps   []StepTrace
	// Upload, Kernels and Download are the GPU's parts of the elapsed time; zero on the CPU.
	Upload, Kernels, Download time.Duration
	// Combined is what became of rows of which equal ones were made one.
	Combined CombineTrace
	// Sifted is how many rows were tested, and how many of them, as groups, were kept.
	Sifted  CombineTrace
	Elapsed time.Duration
}

// Add adds what another run took.
func (t *Trace) Add(other *Trace) {
	t.Backend = other.Backend
	t.Upload, t.Kernels, t.Download = t.Upload+other.Upload, t.Kernels+other.Kernels, t.Download+other.Download
	t.Elapsed += other.Elapsed
}

// Name says what all steps did.
func (t *Trace) Name(variant string) {
	for i := range t.Steps {
		t.Steps[i].Variant = variant
	}
}

// CombineTrace is how many rows became how many groups, and how long that took.
type CombineTrace struct {
	Rows, Groups uint64
	Elapsed      time.Duration
}

// StepTrace is what one step measured.
type StepTrace struct {
	RowsIn, Candidates, RowsOut uint64
	// Bytes is the memory traffic counted, where the backend counts it.
	Bytes uint64
	// Elapsed is the time spent in the step: on the CPU the sum over threads, which may exceed the time of the match, and
	// with steps that are counted together at the end of a plan all told at the first of them; 0 where the backend does
	// not measure single steps.
	Elapsed time.Duration
	// Variant names the strategy chosen (which list was read, how membership was tested).
	Variant string
}
