package watch

import (
	"context"
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Settings are those of all standing queries of a store.
type Settings struct {
	// Query has the settings with which they are evaluated, but for semantics, base and budget.
	Query func(ctx context.Context) (exec.Options, error)
	// Budget is what one may hold, of so many bytes, 0 being the default. It is closed in the end.
	Budget func(bytes int64) *limits.Budget
	// Together picks who runs large match plans that stand side by side; nil: the Matcher of Query's options does, for each by itself.
	Together Together
	// Foresee is told of a graph of which large match plans may soon read some labels, so that what they read can be brought to where they run; nil: nobody is.
	Foresee func(graph *pcsr.Graph, labels ...pcsr.Label)

	tuning *tuning
}

// Together picks who runs match plans over one graph, one beside the other, which so many threads of the processor would share; nil: nobody in particular.
type Together func(plans []*bgp.MatchPlan, graph *pcsr.Graph, threads int) match.Matcher

// tuning has the sizes that decide between ways to do the same thing. Tests set them so low that small changes take every way.
type tuning struct {
	// leastPiece is how many hits of a seed are worth a piece of their own, and piecesEach into how many pieces all work is cut for each
	// goroutine that there may be. From threadCost candidates on a pass is worth a second one.
	leastPiece, piecesEach int
	threadCost             float64
	// heldAtOnce is how many searches a matcher with a memory of its own runs at a time.
	heldAtOnce int
	// From leastApart edges of a side on it pays to read unchanged edges apart, from manyEdges on to look for seeds label by label.
	// From leastCoalesced edges of a side on it pays to look for automorphisms of patterns.
	// From leastForeseen edges of a side on somebody is told beforehand of what will be read.
	leastApart, manyEdges, leastCoalesced, leastForeseen int
	// unsifted: edges are handed out whatever the classes of their ends. alone: no goroutine helps another within a piece.
	unsifted, alone bool
}

var tuned = tuning{leastPiece: 256, piecesEach: 8, threadCost: bgp.ThreadCost, leastApart: 256, manyEdges: 64, leastCoalesced: 256, leastForeseen: 1 << 12, heldAtOnce: 8}

// runner evaluates patterns, one after the other.
type runner struct {
	ctx     context.Context
	options exec.Options
	budget  *limits.Budget
	*tuning
	together Together
}

func (s *Settings) runner(ctx context.Context, budget *limits.Budget) (*runner, error) {
	options, err := s.Query(ctx)
	options.Budget = budget
	r := &runner{ctx, options, budget, s.tuning, s.Together}
	if r.tuning == nil {
		r.tuning = &tuned
	}
	return r, err
}

// dataset is a state as a query sees it.
type dataset struct {
	*live.State
	err error
}

func (d *dataset) Named(name dictionary.ID) (*pcsr.Graph, bool) {
	g, err := d.State.Named(name)
	if err != nil {
		d.err = err
	}
	return g, err == nil && g != nil
}

// evaluate adds the solutions of a pattern in a query's place over a state, as rows of some variables, to a tally, each so many times.
func (r *runner) evaluate(q *standing, state *live.State, pattern parser.Node, variables []string, times int64, into *tally) error {
	options := r.options
	options.Semantics, options.Base = q.semantics, q.base
	data, asked := &dataset{State: state}, *q.parsed
	asked.Where, asked.Variables = pattern, variables
	plan, err := exec.Prepare(r.ctx, &asked, data, state.Dictionary(), options)
	if data.err != nil {
		return data.err
	}
	if err != nil {
		return err
	}
	held, counted := r.budget.Meter("the solutions of a standing query"), int64(0)
	defer func() { _ = held.Charge(-counted) }()
	e := encoder{plan: plan, dictionary: state.Dictionary()}
	err = plan.Run(r.ctx, func(b *vector.Batch) error {
		before := into.bytes
		for row := range b.N {
			if err := e.encode(b, row); err != nil {
				return err
			}
			into.add(e.solution, times)
		}
		grown := max(0, into.bytes-before)
		counted += grown
		return held.Charge(grown)
	})
	if data.err != nil {
		return data.err
	}
	return err
}

// encoder writes rows of a plan as solutions of a tally.
type encoder struct {
	plan       *exec.Plan
	dictionary *dictionary.Dictionary
	solution   []byte
}

func (e *encoder) encode(b *vector.Batch, row int) error {
	e.solution = e.solution[:0]
	for _, column := range b.Cols {
		id, ok := column[row], true
		if id < e.plan.Terms().Base() {
			e.solution = appendStored(e.solution, e.dictionary, id)
			continue
		}
		t := e.plan.Terms().Term(id)
		if e.solution, ok = appendTerm(e.solution, t); !ok {
			return fmt.Errorf("watch: a solution has %q, which has a NUL in its datatype or language: %w", t, dictionary.ErrTerm)
		}
	}
	return nil
}
