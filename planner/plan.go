package planner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/rules"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// ErrUnsupported: the query asks for something that is not done, or not allowed.
var ErrUnsupported = errors.New("not supported")

// Catalog is the graphs that a query is planned over.
type Catalog interface {
	// Default is the default graph.
	Default() *pcsr.Graph
	// Named returns the graph with a name.
	Named(name dictionary.ID) (*pcsr.Graph, bool)
	// NamedGraphs lists the names of the named graphs, sorted.
	NamedGraphs() []dictionary.ID
}

// Tester decides a condition on one variable, whose values are the only column: it appends the rows for which it is true.
type Tester interface {
	Filter(cols [][]dictionary.ID, n int, keep []uint32) []uint32
}

// Options say what a plan is for.
type Options struct {
	Semantics bgp.Semantics
	// Workers is the query's share of the processor's threads, entered by whoever plans; nil: the caller's thread alone.
	Workers *schedule.Share
	// Speed is how many times as fast as a processor the matcher is that expensive patterns go to (bgp.Options).
	Speed float64
	// ShallowBranches: a bgp.Branch is of conditions and of what few lists have in common, alone (bgp.MatchPlan.IsShallow).
	ShallowBranches bool
	// LooksUp: a matcher may test rows by their numbers (bgp.MatchPlan.Where) and look them up in tables (bgp.TableLookup).
	LooksUp bool
	// Shown: whoever gets the solutions of a SELECT asks what their terms are, and compares no IDs.
	Shown bool
	// CountOnly: only the number of solutions is wanted.
	CountOnly bool
	// Lasting: the plan is wanted for more runs than one, and may take longer to be made Complete.
	Lasting bool
	// Services allows SERVICE. Table, where it is not nil, reports whether one is a table of the engine's own: no endpoint, and always allowed.
	Services bool
	Table    func(iri string) bool
	// Lookup finds the IDs of the data's terms; Dictionary is their dictionary where its segments' IDs lie in value order, or
	// nil.
	Lookup     bgp.Lookup
	Dictionary *dictionary.Dictionary
	// Tester compiles a condition on one variable.
	Tester func(condition parser.Expr, variable string) (Tester, error)
	// Ended says why the query must end besides its context; nil while it may go on. It may be nil itself.
	Ended func() error
	// Charge is told how many bytes parts of the plan take; it may be nil.
	Charge func(bytes int64)
	// Known reports whether a function exists: explain says where one does not.
	Known func(*parser.FunctionCall) bool
	// Unoptimised leaves the algebra as the query has it and passes nothing sideways; tests compare the two.
	Unoptimised bool
	Tuning      Tuning
}

// Tuning has the numbers that tests change; 0 stands for the default of each (cost.go).
type Tuning struct {
	// TestTime is how long conditions may be tested while a query is planned; negative means not at all.
	TestTime time.Duration
	// ProductCost is from which cost on a pattern of several parts is taken apart, and one with a variable of scattered IDs
	// matched for the parts of these.
	ProductCost float64
	// PartsGain is the share of the cost of such a pattern below which matching it for the parts is worth it.
	PartsGain float64
	// MaxListed bounds the IDs of several ranges that are listed one by one.
	MaxListed int
	// FewSearches is how many searches for texts are made for a condition whatever its pattern costs.
	FewSearches int
	// SharedGain is the share of the cost of a union's branches below which matching what they have in common once is
	// worth it; negative means never.
	SharedGain float64
	// DifferenceCost is from which cost on a count is tried as a difference, or a join distributed, and DifferenceGain the share of its cost below
	// which that is worth it.
	DifferenceCost, DifferenceGain float64
	// DistributedGain is the share of the cost of a join above which matching, or counting, what it is distributed into by itself is
	// not worth it (distribution.go); negative means never.
	DistributedGain float64
	// WeightGain is bgp.Options.WeightGain of what is counted; negative means never.
	WeightGain float64
	// FirstGain is bgp.First.Gain of rows in the order of a variable; negative means never.
	FirstGain float64
	// FactoredRows is how many rows an answer is expected to have for them to come factorised, FactorGain how many of them each then stands for (factorised.go).
	FactoredRows, FactorGain float64
	// ManyLeft is from how many left rows on the table of a join is made before them.
	ManyLeft float64
	// Without names rules that are left out where a query can do without them (planner/rules).
	Without []string
}

// complete fills in the defaults.
func (t *Tuning) complete() {
	t.TestTime = cmp.Or(t.TestTime, testTime)
	t.ProductCost = cmp.Or(t.ProductCost, productCost)
	t.PartsGain = cmp.Or(t.PartsGain, partsGain)
	t.MaxListed = cmp.Or(t.MaxListed, maxListed)
	t.FewSearches = cmp.Or(t.FewSearches, fewSearches)
	t.SharedGain = cmp.Or(t.SharedGain, sharedGain)
	t.DifferenceCost = cmp.Or(t.DifferenceCost, differenceCost)
	t.DifferenceGain = cmp.Or(t.DifferenceGain, differenceGain)
	t.FirstGain = cmp.Or(t.FirstGain, firstGain)
	t.FactoredRows = cmp.Or(t.FactoredRows, factoredRows)
	t.FactorGain = cmp.Or(t.FactorGain, factorGain)
	t.ManyLeft = cmp.Or(t.ManyLeft, manyLeft)
	t.DistributedGain = cmp.Or(t.DistributedGain, distributedGain)
}

// Plan is how a query is answered.
type Plan struct {
	Root Node
	// Variables are the columns that the query exposes, of those of Root: a SELECT's, or subject, predicate and object.
	Variables []string
	// Complete: running the query plans and tests nothing more, so that any number of runs over the same graphs can have the plan, also
	// at the same time.
	Complete bool
}

// Helpers is how many threads beside the first the plan's first match is expected to have as soon as it begins (bgp.MatchPlan.Helpers), where it is sure to run, before anything
// else: 0 where that is not known.
func (p *Plan) Helpers() (threads int) {
	for n := p.Root; n.Props().Limit == 0; {
		switch n := n.(type) {
		case *Match:
			return n.Plan.Helpers()
		case *Count:
			for i := range n.Terms {
				threads = max(threads, n.Terms[i].Match.Plan.Helpers())
			}
			return threads
		}
		inputs := n.Inputs()
		if len(inputs) != 1 {
			return 0
		}
		n = inputs[0]
	}
	return 0
}

// Triple are the columns of triples.
var tripleColumns = []string{"subject", "predicate", "object"}

// Make plans a query. It fails where the query asks for what is not done (ErrUnsupported), and where the context ends.
func Make(ctx context.Context, query *parser.Query, catalog Catalog, options Options) (*Plan, error) {
	size := sizeOf(query)
	if err := size.check(); err != nil {
		return nil, err
	}
	if err := options.Semantics.CheckAll(query.Where); err != nil {
		return nil, notDone(err)
	}
	p := newPlanner(ctx, catalog, options)
	p.scopes.Set(size.variables...) // numbers that sort as the names do
	where := query.Where
	if where == nil {
		where = &parser.BGP{}
	}
	r := request{need: p.needed(query), distinct: repeatsAreNothing(query)}
	if options.Shown && query.Form == parser.Select {
		r.compared = compared{r.need, r.need}
	}
	root, err := p.lower(p.rules.Rewrite(where), r)
	if err != nil {
		return nil, err
	}
	defer p.forget()
	out := &Plan{Root: root, Variables: tripleColumns}
	switch query.Form {
	case parser.Select:
		if out.Variables = query.Variables; !options.Unoptimised && !options.CountOnly {
			p.factorise(root)
		}
	case parser.Ask:
		out.Root, out.Variables = limited(root, 1), nil
	case parser.Construct:
		out.Root = p.construct(root, query.Template)
	case parser.Describe:
		out.Root = p.describe(root, query.Describe)
	}
	if out.Complete = p.complete(); out.Complete && options.Lasting {
		keep(out.Root)
	}
	return out, nil
}

// notDone says that what a basic graph pattern asks for is not done, where that is what the error says.
func notDone(err error) error {
	if errors.Is(err, bgp.ErrNotInduced) {
		return fmt.Errorf("planner: %w: %w", err, ErrUnsupported)
	}
	return err
}

// complete reports whether nothing of the plan is left to be made or tested; it then needs its planner no more.
func (p *planner) complete() bool {
	if p.later || len(p.tested) > 0 {
		return false
	}
	for _, s := range p.patterns {
		s.plan, s.planner = nil, nil
	}
	return true
}

// planner plans the patterns of one query over one active graph.
type planner struct {
	*shared
	graph   *pcsr.Graph
	planned plannedIn
}

// shared is what the planners of one query have in common.
type shared struct {
	ctx     context.Context
	catalog Catalog
	options Options
	scopes  *scope.Scopes
	rules   *rules.Rewriter
	// graphs are the nodes made so far, of each graph; tested the conditions tested, and compared those that were compared with
	// the order of IDs.
	graphs   map[*pcsr.Graph]plannedIn
	tested   map[testKey]*TestedValues
	compared map[parser.Expr]orderedIDs
	// testTime is how long conditions may still be tested.
	testTime time.Duration
	// applied: the query has patterns with parameters.
	applied bool
	// patterns are those that are matched for given rows; later: a part of the plan may be made when the query runs.
	patterns []*Seeded
	later    bool
	// running: the query has its plan; what is made from now on, it makes as it runs.
	running bool
}

func newPlanner(ctx context.Context, catalog Catalog, options Options) *planner {
	t := &options.Tuning
	t.complete()
	off := slices.Clone(t.Without)
	if options.Unoptimised {
		off = append(off, "all")
	}
	if t.WeightGain == 0 {
		t.WeightGain = 1
	}
	s := scope.New()
	p := planner{shared: &shared{
		ctx: ctx, catalog: catalog, options: options, scopes: s, graphs: map[*pcsr.Graph]plannedIn{},
		rules: rules.New(ctx, s, options.Semantics == bgp.Homomorphism, off...), testTime: t.TestTime,
	}}
	return p.over(catalog.Default())
}

// ended says why planning must end; nil while it may go on.
func (p *planner) ended() error {
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	if p.options.Ended != nil {
		return p.options.Ended()
	}
	return nil
}

// forget drops what planning has found out about patterns and is not likely to be asked again. What is planned while the
// query runs finds out anew what it needs.
func (p *planner) forget() {
	p.scopes.Forget()
	for _, known := range p.graphs {
		clear(known)
	}
	p.running = true
}

// over returns a planner with another active graph.
func (p *planner) over(g *pcsr.Graph) *planner {
	if p.graphs[g] == nil {
		p.graphs[g] = plannedIn{}
	}
	return &planner{p.shared, g, p.graphs[g]}
}

// repeatsAreNothing reports whether a repeated solution of the pattern adds nothing to the answer.
func repeatsAreNothing(q *parser.Query) bool {
	switch q.Form {
	case parser.Select:
		return false
	case parser.Construct:
		return !slices.ContainsFunc(q.Template, func(t parser.TriplePattern) bool {
			return t.Subject.Term.Kind == rdf.BlankNode || t.Object.Term.Kind == rdf.BlankNode
		})
	}
	return true
}

// needed are the variables that the query form reads from its pattern's solutions.
func (p *planner) needed(q *parser.Query) scope.Set {
	switch q.Form {
	case parser.Select:
		if p.options.CountOnly {
			return nil
		}
		return p.scopes.Set(q.Variables...)
	case parser.Construct:
		return p.scopes.Of(&parser.BGP{Patterns: q.Template}).May
	case parser.Describe:
		var names []string
		for _, t := range q.Describe {
			if t.IsVariable() {
				names = append(names, t.Variable)
			}
		}
		return p.scopes.Set(names...)
	}
	return nil
}

// construct makes triples of solutions, each triple once.
func (p *planner) construct(in Node, template []parser.TriplePattern) Node {
	c := &Construct{unary: unary{p.above(in, nil), in}, Template: template}
	c.Columns, c.Rows = tripleColumns, c.Rows*float64(len(template))
	d := &Distinct{unary: unary{p.above(c, nil), c}}
	d.Columns = tripleColumns
	return d
}

func (p *planner) describe(in Node, what []parser.PatternTerm) Node {
	d := &Describe{unary: unary{p.above(in, nil), in}, What: what, Graph: p.graph}
	d.Columns = tripleColumns
	return d
}

// made are the properties of a node with the given columns.
func (p *planner) made(columns scope.Set, seeds []string) Properties {
	return Properties{Columns: p.scopes.Names(columns), Seeds: seeds, set: columns}
}

// above are the properties of a node with the given columns that has as many rows as its input, for as much.
func (p *planner) above(in Node, columns scope.Set) Properties {
	e := in.Props()
	out := p.made(columns, e.Seeds)
	out.Rows, out.Cost = e.Rows, e.Cost
	return out
}

// endless is the price of what nobody knows.
const endless = math.MaxFloat64
