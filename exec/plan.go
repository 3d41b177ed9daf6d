package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/path"
	"github.com/rdfgpu/rdfgpu/exec/terms"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Service asks another SPARQL endpoint for the solutions of a query (SPARQL 1.1 Federated Query). The query is a
// SELECT of variables, and a row has one term for each, the zero Term where it is unbound. It refuses endpoints that
// are not allowed with an error.
type Service func(ctx context.Context, endpoint, query string, variables []string, row func([]rdf.Term) error) error

// Table makes the solutions of a pattern that stands for a table of the engine's own, as Service gives them.
type Table func(ctx context.Context, pattern parser.Node, variables []string, row func([]rdf.Term) error) error

// Options are the settings of one query. The zero value asks for SPARQL's semantics and a memory limit of 1 GiB.
type Options struct {
	Semantics bgp.Semantics
	// Matcher picks who runs a match plan. It is asked once for each basic graph pattern, and again for each goroutine that matches that of an EXISTS beside others; it must not be nil.
	Matcher func(plan *bgp.MatchPlan, graph *pcsr.Graph) match.Matcher
	// Searchers may find who searches closures of paths; nil: the processor does.
	Searchers path.Searchers
	// Speed is how many times as fast as a processor the matcher is that expensive patterns go to (bgp.Options).
	Speed float64
	// ShallowBranches: what hangs on a basic graph pattern (OPTIONAL, EXISTS, MINUS) is matched with it only where its solutions are
	// counted by lists or what a few lists have in common, because the matcher can do no more.
	ShallowBranches bool
	// LooksUp: a matcher may test rows by their numbers, and look them up in tables (match.Prober).
	LooksUp bool
	// Budget counts what the query holds: past its limits operators go on from disk, or end with ErrMemoryLimit. The caller
	// closes it once the query has ended. Where it is nil, the query shares with no other and may hold Memory bytes.
	Budget *limits.Budget
	Memory int64
	// MaxRows ends the query with ErrRowLimit when it has more solutions (or triples); 0 means no limit.
	MaxRows uint64
	// TempDir is where operators spill to; "" is the system's folder.
	TempDir string
	// DefaultGraphs and NamedGraphs are the dataset that the protocol asks for, by graph names; when either is set they
	// replace FROM and FROM NAMED.
	DefaultGraphs, NamedGraphs []string
	// Base resolves relative IRIs that the query computes, unless the query says BASE.
	Base string
	// Now is the query's NOW(); the zero value is the time of Prepare.
	Now time.Time
	// Service answers SERVICE; nil refuses it. Table answers those that IsTable knows.
	Service Service
	Table   Table
	IsTable func(iri string) bool
	// Shown: of the solutions of a SELECT no IDs are compared: a term that the query computes may have several, and another one than in the data.
	Shown bool
	// CountOnly: only Plan.Count will be asked for, so no solution need be written.
	CountOnly bool
	// Unoptimised switches the rewriting of the algebra and sideways passing off; tests compare the two.
	Unoptimised bool
	// Lasting: the Physical plan is wanted for more runs than this one, and may take longer to be made complete.
	Lasting bool
	// Planned, where it is not nil, is the Physical plan of an earlier Prepare of the same query with the same options over the same
	// graphs, and complete: nothing is planned again.
	Planned *planner.Plan
	// Workers is the query's share of the processor's threads, which planning and running enter; nil: the caller's thread
	// alone.
	Workers *schedule.Share
	// Tuning has the planner's numbers that tests change.
	Tuning planner.Tuning
	// Operators has the operators' numbers that tests change.
	Operators operator.Tuning
}

const defaultMemory = 1 << 30

// Plan is a query that is ready to run, once, by one of Run, Ask and Count. It is not safe for concurrent use.
type Plan struct {
	// ctx is what Prepare was called with and, while the plan runs, the run's: patterns may be planned then too.
	ctx      context.Context
	physical *planner.Plan
	options  Options
	terms    *terms.Terms
	dict     TermSource
	env      *expr.Env
	root     operator.Operator
	measures map[planner.Node]*operator.Measures
	// making guards what is planned and built while the plan runs; besides are the measures of operators that were made to run beside those of the same nodes.
	making  sync.Mutex
	besides []map[planner.Node]*operator.Measures
	output  operator.Projection
	analyze bool
	// joins is how many joins have been built; they share the memory of rows on their way.
	joins atomic.Int64
	// plans counts what the plan takes, planned what of that planning has said so far.
	plans   *limits.Meter
	planned int64
}

// TermSource is the dictionary that all graphs of a dataset share.
type TermSource = terms.Dictionary

// Prepare plans a query over a dataset. When ctx ends it does so too, with the cause.
func Prepare(ctx context.Context, query *parser.Query, dataset Dataset, dict TermSource, options Options) (p *Plan, err error) {
	defer schedule.Recover(&err, debug.SetPanicOnFault(true))
	options.Workers.Enter()
	defer options.Workers.Leave()
	options.rouse(options.Planned)
	options.Operators = options.Operators.Complete()
	if options.Memory <= 0 {
		options.Memory = defaultMemory
	}
	if options.Budget == nil {
		options.Budget = limits.Standalone(options.Memory)
	}
	if options.Now.IsZero() {
		options.Now = time.Now()
	}
	if options.TempDir == "" {
		options.TempDir = os.TempDir()
	}
	if query.Base != "" {
		options.Base = query.Base
	}
	if dataset, err = clause(dataset, query, &options, dict); err != nil {
		return nil, err
	}
	p = &Plan{ctx: ctx, options: options, terms: terms.New(dict), dict: dict, measures: map[planner.Node]*operator.Measures{}}
	p.plans = options.Budget.Meter("the plan")
	p.terms.Charge = p.charge("computed terms")
	p.env = newEnv(p)
	if p.physical = options.Planned; p.physical == nil {
		if p.physical, err = planner.Make(ctx, query, dataset, p.planning()); err != nil {
			return nil, err
		}
		options.rouse(p.physical)
	}
	b := &builder{Plan: p, measures: p.measures}
	if p.root, err = b.build(p.physical.Root); err != nil {
		return nil, err
	}
	p.output.From = operator.Indexes(p.root.Columns(), p.physical.Variables)
	return p, p.ended()
}

// rouse has threads woken that a plan will have work for, while it gets ready, where no device will match it.
func (o *Options) rouse(plan *planner.Plan) {
	if plan != nil && o.Speed <= 1 {
		o.Workers.Rouse(plan.Helpers())
	}
}

// ended says why the query must end, nil while it may go on: its context, or a value that an expression computed.
func (p *Plan) ended() error {
	if err := p.contextEnded(); err != nil {
		return err
	}
	err := p.env.Err()
	if errors.Is(err, expr.ErrLong) {
		return fmt.Errorf("exec: %w: %w", err, limits.ErrMemory)
	}
	return err
}

// contextEnded says why the context of planning or running has ended, or that the query takes too much memory; nil while
// neither is so.
func (p *Plan) contextEnded() error {
	if err := p.options.Budget.Ending(); err != nil {
		return err
	}
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	return nil
}

// charge returns a function that counts what a part of the query takes; too much ends the query.
func (p *Plan) charge(what string) func(bytes int64) {
	meter := p.options.Budget.Meter(what)
	return func(bytes int64) { _ = meter.Charge(bytes) }
}

// chargePlan counts what the plan takes.
func (p *Plan) chargePlan(bytes int64) {
	p.planned += bytes
	_ = p.plans.Charge(bytes)
}

// planning says what the plan is for.
func (p *Plan) planning() planner.Options {
	o := &p.options
	return planner.Options{
		Semantics: o.Semantics, Speed: o.Speed, Workers: o.Workers, ShallowBranches: o.ShallowBranches, LooksUp: o.LooksUp, Shown: o.Shown, CountOnly: o.CountOnly, Lasting: o.Lasting, Services: o.Service != nil, Table: o.IsTable, Lookup: p.dict.Lookup,
		Dictionary: p.env.Dictionary, Unoptimised: o.Unoptimised, Tuning: o.Tuning, Ended: p.ended, Known: expr.Known,
		Charge: p.chargePlan,
		Tester: func(condition parser.Expr, variable string) (planner.Tester, error) {
			return expr.Compile(condition, map[string]int{variable: 0}, p.env)
		},
	}
}

// Variables names the columns of the batches that Run emits: those a SELECT exposes, or subject, predicate, object.
func (p *Plan) Variables() []string { return p.physical.Variables }

// Physical is the plan as data, which other runs of the query may have too where it is complete. It is not to be changed.
func (p *Plan) Physical() *planner.Plan { return p.physical }

// Terms decodes the IDs of the batches that Run emits.
func (p *Plan) Terms() *terms.Terms { return p.terms }

// Analyze makes the plan measure its operators when it runs, for Explain.
func (p *Plan) Analyze() { p.analyze = true }

// Explain describes the plan; once it has run with Analyze, with what was measured.
func (p *Plan) Explain() *Explain {
	e := p.explain(p.physical.Root)
	e.describeSteps(func(id dictionary.ID) string { return p.terms.Term(id).String() })
	return e
}

// Run emits the solutions of a SELECT, or the triples of a CONSTRUCT or DESCRIBE, in batches whose columns are
// Variables. A batch is valid until emit returns. An error of emit ends the run and is returned. When the context
// ends, its cause is returned.
func (p *Plan) Run(ctx context.Context, emit func(*vector.Batch) error) error {
	var one vector.Batch
	return p.RunFactorised(ctx, func(b *vector.Batch) error {
		if !b.Factorised() {
			return emit(b)
		}
		for part := range b.Runs(vector.BatchRows) {
			if err := p.ended(); err != nil {
				return err
			}
			if err := emit(part.Enumerate(&one)); err != nil {
				return err
			}
		}
		return nil
	})
}

// RunFactorised is Run for who takes batches as the plan has them, with weights and lists (vector.Batch.Factorised).
func (p *Plan) RunFactorised(ctx context.Context, emit func(*vector.Batch) error) (err error) {
	defer schedule.Recover(&err, debug.SetPanicOnFault(true))
	var rows uint64
	return p.run(ctx, func(b *vector.Batch) error {
		if rows, err = b.AddTo(rows); err != nil {
			return err
		}
		if p.options.MaxRows > 0 && rows > p.options.MaxRows {
			return limits.ErrRows
		}
		out := *p.output.Of(b)
		out.Origin = nil
		return emit(&out)
	})
}

// Ask reports whether the query's pattern has a solution.
func (p *Plan) Ask(ctx context.Context) (found bool, err error) {
	defer schedule.Recover(&err, debug.SetPanicOnFault(true))
	err = limits.Stopping(func(enough error) error {
		return p.run(ctx, func(b *vector.Batch) error {
			found = true
			return enough
		})
	})
	return found, err
}

// counter is an operator that counts its solutions without writing them.
type counter interface {
	Count(x *operator.Execution) (uint64, error)
}

// Count is the number of solutions (or triples).
func (p *Plan) Count(ctx context.Context) (n uint64, err error) {
	defer schedule.Recover(&err, debug.SetPanicOnFault(true))
	count := func(b *vector.Batch) (err error) {
		if n, err = b.AddTo(n); err != nil {
			return err
		}
		if p.options.MaxRows > 0 && n > p.options.MaxRows {
			return limits.ErrRows
		}
		return nil
	}
	if m, ok := p.root.(counter); ok {
		x, end := p.execution(ctx)
		defer end()
		if n, err = m.Count(x); err == nil && p.options.MaxRows > 0 && n > p.options.MaxRows {
			err = limits.ErrRows
		}
		return n, p.outcome(err)
	}
	err = p.run(ctx, count)
	return n, err
}

func (p *Plan) run(ctx context.Context, emit func(*vector.Batch) error) error {
	x, end := p.execution(ctx)
	defer end()
	err := operator.Run(p.root, x, nil, func(b *vector.Batch) error {
		if b.N == 0 {
			return nil
		}
		return emit(b)
	})
	if err == nil && p.env.Stopped() { // rows may be missing
		err = p.ended()
	}
	return p.outcome(err)
}

// outcome is the error that a run ended with: the limit that cancelled it rather than the cancellation.
func (p *Plan) outcome(err error) error {
	if errors.Is(err, context.Canceled) {
		if limit := p.options.Budget.Ending(); limit != nil {
			return limit
		}
	}
	return err
}

// execution starts a run; end frees what is left of it.
func (p *Plan) execution(ctx context.Context) (x *operator.Execution, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p.options.Budget.OnEnd(cancel)
	p.ctx = ctx
	p.options.Workers.Enter()
	x = &operator.Execution{
		Common:  &operator.Common{},
		Endings: &operator.Endings{},
		Matches: p.options.Budget.Meter("partial matches"),
		Ctx:     ctx, Ended: p.ended, Memory: p.options.Budget, Terms: p.terms, Env: p.env,
		Analyze: p.analyze, Joins: &p.joins, Single: p.options.Unoptimised, Workers: p.options.Workers, Tuning: p.options.Operators,
		Disk: &vector.Disk{Folder: p.options.TempDir, Budget: p.options.Budget, Buffers: p.options.Budget.Meter("buffers of temporary files"), Ended: p.ended},
	}
	return x, func() {
		p.options.Budget.OnEnd(nil)
		cancel(nil)
		p.options.Workers.Leave()
		x.End()
	}
}

// find returns the ID of a constant of the query, giving it one where the data do not have it.
func (p *Plan) find(t rdf.Term) dictionary.ID { return p.terms.ID(t) }
