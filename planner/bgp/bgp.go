package bgp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Plan plans the vertex join of a basic graph pattern over a graph. A pattern that stands there twice counts once.
//
// The plan has no steps where every variable is seeded, and is Empty where the data rule out any solution.
// It fails where the semantics give the pattern no meaning (Semantics.Check), and where Options name an output variable that neither the pattern nor the inputs bind. When ctx ends it does so too, with
// the cause.
func Plan(ctx context.Context, patterns []parser.TriplePattern, graph *pcsr.Graph, lookup Lookup, options Options) (*MatchPlan, error) {
	if err := options.Semantics.Check(patterns); err != nil {
		return nil, fmt.Errorf("bgp: %w", err)
	}
	if options.Lasting && options.Semantics == Induced {
		return nil, fmt.Errorf("bgp: %w: no such plan lasts", ErrNotInduced)
	}
	b := newBGP(ctx, graph, &options)
	b.resolve(patterns, lookup)
	if err := b.checkNames(patterns); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if b.reason != "" {
		return b.empty(patterns), nil
	}
	inputs := make([]int, len(options.Inputs))
	for i, name := range options.Inputs {
		inputs[i] = -1
		if v, ok := b.variables[name]; ok && !slices.Contains(options.Inputs[:i], name) {
			inputs[i] = v
		}
	}
	plan := b.plan(inputs)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if b.failed != nil {
		return nil, b.failed
	}
	if b.reason != "" {
		return b.empty(patterns), nil
	}
	return plan, nil
}

// over reports whether the query has ended. That is a reason why there is no plan, so that whatever is under way gives
// up.
func (b *bgp) over() bool {
	if b.ctx.Err() == nil {
		return false
	}
	b.reason = "the query has ended"
	return true
}

func newBGP(ctx context.Context, graph *pcsr.Graph, options *Options) *bgp {
	return &bgp{
		ctx: ctx, graph: graph, options: options, query: &QueryGraph{Semantics: options.Semantics},
		variables: make(map[string]int), constants: make(map[dictionary.ID]int),
	}
}

// plan orders the vertices and writes the steps, unless it finds a reason why there is no solution. A query that seems expensive is looked at more closely first.
func (b *bgp) plan(inputs []int) *MatchPlan {
	e := b.estimate(inputs, samples)
	if b.reason != "" {
		return nil
	}
	if plan := b.edgesInto(e, inputs); plan != nil {
		return plan
	}
	order := e.order(inputs, b.read())
	plan := b.complete(e, inputs, order)
	speed := max(b.options.Speed, 1)
	if len(b.query.Edges) <= 1 && !b.options.Thorough {
		return b.finish(e, b.ahead(e, plan)) // one list, read from the end that is known: nothing to compare
	}
	if cost := b.part(plan) * plan.Cost / speed; cost > deepCost || b.options.Thorough {
		b.affordable = cost
		e = b.estimate(inputs, whole(cost/samplePrice, samples, deepSamples))
		if b.reason != "" {
			return nil
		}
		order = e.order(inputs, b.read())
		plan = b.complete(e, inputs, order)
	}
	if (b.part(plan)*plan.Cost/speed > walkCost || b.options.Thorough) && len(inputs) == 0 && !b.isTree(e, plan) {
		plan = b.choose(plan, e, inputs)
	}
	return b.finish(e, b.ahead(e, plan))
}

// finish adds to a plan what does not depend on others: what is counted by weights, and signatures.
func (b *bgp) finish(e *estimates, plan *MatchPlan) *MatchPlan {
	if gain := b.options.WeightGain; gain > 0 && plan.Inputs == 0 && (plan.Cost >= weighFrom || math.IsInf(gain, 1)) {
		plan = b.weigh(e, plan)
	}
	e.signSteps(plan)
	return plan
}

// weigh has weights count what it can where that costs less, in the order of the plan or in one that leaves most to them.
func (b *bgp) weigh(e *estimates, plan *MatchPlan) *MatchPlan {
	gain := b.options.WeightGain
	cost := plan.Weigh(b.graph, gain, 1)
	always := math.IsInf(gain, 1)
	if b.over() || cost < treeCost && !always && b.options.Root == "" {
		return plan
	}
	order := e.treeOrder(b.read(), b.root())
	if order == nil || b.over() {
		return plan
	}
	other := b.complete(e, nil, order)
	if b.options.Root != "" {
		other.Weigh(b.graph, gain, 1)
		return other
	}
	if otherCost := other.Weigh(b.graph, gain, 1); otherCost < gain*cost || always {
		return other
	}
	return plan
}

// root is the vertex of Options.Root, -1 where there is none.
func (b *bgp) root() int {
	if v, ok := b.variables[b.options.Root]; ok {
		return v
	}
	return -1
}

// isTree reports whether weights count all of the pattern for a small share of what a plan costs: then no order is worth a closer look.
func (b *bgp) isTree(e *estimates, plan *MatchPlan) bool {
	if b.options.WeightGain <= 0 || slices.Contains(b.read(), true) {
		return false
	}
	order := e.treeOrder(b.read(), b.root())
	if order == nil || b.over() {
		return false
	}
	tree := b.complete(e, nil, order)
	cost := tree.Weigh(b.graph, b.options.WeightGain, 1)
	return cost < treeShare*plan.Cost && !slices.ContainsFunc(tree.Steps, func(s Step) bool { return !s.Weighed })
}

// complete assembles a plan and says what of it is read.
func (b *bgp) complete(e *estimates, inputs, order []int) *MatchPlan {
	plan := b.assemble(e, inputs, order)
	if b.over() {
		return plan
	}
	plan.Once = b.options.Distinct && !b.options.CountOnly
	if !b.options.CountOnly {
		for _, name := range b.options.Output {
			plan.Output = append(plan.Output, slices.IndexFunc(plan.Slots, func(s Slot) bool { return s.Variable == name }))
		}
	}
	markCounted(plan)
	e.price(plan, inputs, order)
	return plan
}

// choose compares the plan with some for other promising orders, by sampled walks, as many as the query's cost allows.
func (b *bgp) choose(best *MatchPlan, e *estimates, inputs []int) *MatchPlan {
	known := b.measure(best, fewWalks)
	first := known.cost
	budget := b.part(best) * first * planningShare / max(b.options.Speed, 1)
	if b.options.Speed <= 1 {
		budget *= best.recall(b.graph)
	}
	if b.options.Thorough {
		budget = max(budget, 4*fewWalks*walkPrice)
	}
	orders := e.alternatives(inputs, b.read(), budget)
	orders = orders[:whole(budget/(fewWalks*walkPrice), 0, len(orders))]
	if len(orders) == 0 {
		return best
	}
	// More orders tell more than more walks do.
	walks := whole(budget/(2*walkPrice)/float64(len(orders)+1), fewWalks, manyWalks)
	plans := make([]*MatchPlan, 0, len(orders))
	for _, order := range orders {
		if b.over() {
			return best
		}
		plans = append(plans, b.complete(e, inputs, order))
	}
	few := min(walks, someWalks)
	if few > fewWalks {
		known = b.measure(best, few)
	}
	all := b.measureAll(plans, few)
	if walks > few {
		// What walks may take is a share of what the best plan costs, not of the one that they began with.
		least := known.cost
		for _, m := range all {
			least = min(least, m.cost+m.deviation)
		}
		if walks = whole(float64(walks)*least/first, few, walks); walks > few {
			known = b.measure(best, walks)
			all = b.measureAll(plans, walks)
		}
	}
	for i, m := range all {
		if m.beats(known) {
			best, known = plans[i], m
		}
	}
	return best
}

// measured is what walks say that a plan costs, and how far that may be off.
type measured struct{ cost, deviation float64 }

// beats reports whether a plan is to be taken in place of another. Few walks miss what a few of them would meet: where they tell different things, a plan looks cheaper than it
// is, or the other one dearer.
func (m measured) beats(other measured) bool {
	return m.cost+m.deviation < clearlyLess*other.cost && m.cost+math.Hypot(m.deviation, other.deviation) < other.cost
}

// measureAll measures plans, on the threads that there are where that takes long. When the query ends or a file is damaged, it measures none.
func (b *bgp) measureAll(plans []*MatchPlan, walks int) []measured {
	out := make([]measured, len(plans))
	var next atomic.Int64
	turn := func(keep func() bool) error {
		for keep() && b.ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(plans) {
				break
			}
			out[i] = b.measure(plans[i], walks)
		}
		return nil
	}
	helpers := schedule.Group{Share: b.options.Workers}
	cost := float64(len(plans)) * float64(walks) * walkPrice
	for range min(len(plans)-1, helpers.Share.Limit()-1, int(cost/ThreadCost)) {
		helpers.Go(func(w *schedule.Worker) error { return turn(w.Keep) })
	}
	helpers.Do(func() error { return turn(func() bool { return true }) })
	if b.failed = helpers.Wait(); b.failed != nil || b.over() {
		return nil
	}
	return out
}

// whole is an estimate as an integer from low to high. Costs of large patterns are beyond all integers, and may be no number.
func whole(x float64, low, high int) int {
	switch {
	case !(x > float64(low)):
		return low
	case x >= float64(high):
		return high
	}
	return int(x)
}

// read marks the query vertices that somebody above reads.
func (b *bgp) read() []bool {
	out := make([]bool, len(b.query.Vertices))
	if !b.options.CountOnly {
		for _, name := range b.options.Output {
			if v, ok := b.variables[name]; ok {
				out[v] = true
			}
		}
	}
	return out
}

// checkNames refuses output variables that nothing binds.
func (b *bgp) checkNames(patterns []parser.TriplePattern) error {
	if b.options.CountOnly {
		return nil
	}
	for _, name := range b.options.Output {
		if b.over() {
			return nil
		}
		if _, ok := b.variables[name]; !ok && !slices.Contains(b.options.Inputs, name) && !mentions(patterns, name) {
			return fmt.Errorf("bgp: no pattern binds the output variable ?%s", name)
		}
	}
	return nil
}

func mentions(patterns []parser.TriplePattern, name string) bool {
	return slices.ContainsFunc(patterns, func(p parser.TriplePattern) bool {
		return p.Subject.Variable == name || p.Predicate.Variable == name || p.Object.Variable == name
	})
}

// empty returns the plan of a pattern without solutions. Its slots are the inputs and the output variables.
func (b *bgp) empty(patterns []parser.TriplePattern) *MatchPlan {
	plan := &MatchPlan{Query: b.query, Inputs: len(b.options.Inputs), Empty: true, Reason: b.reason}
	for _, name := range b.options.Inputs {
		plan.Slots = append(plan.Slots, Slot{Variable: name, Vertex: -1})
	}
	if b.options.CountOnly {
		return plan
	}
	for _, name := range b.options.Output {
		slot := slices.IndexFunc(plan.Slots, func(s Slot) bool { return s.Variable == name })
		if slot < 0 {
			slot = len(plan.Slots)
			plan.Slots = append(plan.Slots, Slot{Variable: name, Vertex: -1})
		}
		plan.Output = append(plan.Output, slot)
	}
	return plan
}
