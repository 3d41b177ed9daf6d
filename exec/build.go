package exec

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/eval"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/group"
	"github.com/rdfgpu/rdfgpu/exec/join"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/modifier"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/path"
	"github.com/rdfgpu/rdfgpu/exec/sideways"
	"github.com/rdfgpu/rdfgpu/exec/source"
	"github.com/rdfgpu/rdfgpu/exec/triples"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// builder makes the operators of a physical plan, one of each node. It decides nothing: what is to be done stands in the
// nodes.
type builder struct {
	*Plan
	// measures are kept by node, for explain.
	measures map[planner.Node]*operator.Measures
	// devices is how many matches have a device so far.
	devices int
}

// build returns the operator of a node, made of those of its inputs.
func (b *builder) build(n planner.Node) (operator.Operator, error) {
	if err := b.ended(); err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *planner.Match:
		return b.match(n), nil
	case *planner.Looked:
		return b.looked(n)
	case *planner.Product:
		return b.product(n)
	case *planner.Path:
		return b.path(n), nil
	case *planner.Join:
		return b.join(n)
	case *planner.EachGraph:
		return b.eachGraph(n), nil
	case *planner.Union:
		return b.union(n)
	case *planner.Count:
		return b.count(n), nil
	case *planner.Unit:
		return &source.Unit{Base: b.base(n)}, nil
	case *planner.Empty:
		return &source.Empty{Base: b.base(n)}, nil
	case *planner.Seed:
		return &source.Seed{Base: b.base(n)}, nil
	case *planner.Values:
		return b.values(n), nil
	case *planner.Service:
		s := &source.Service{Base: b.base(n), Pattern: n.Pattern, Vars: n.Asked, Inputs: n.Seeds, Name: n.Name, Endpoint: b.options.Service}
		if n.Table {
			s.Table = b.options.Table
		}
		return s, nil
	case *planner.Degrees:
		return &source.Degrees{Base: b.base(n), Graph: n.Graph, Partition: n.Partition, Counted: n.Counted}, nil
	}
	if list := n.Inputs(); len(list) > 0 {
		in, err := b.build(list[0])
		if err != nil {
			return nil, err
		}
		return b.above(n, in)
	}
	return nil, fmt.Errorf("exec: a plan has a node %T", n)
}

// above returns the operator of a node with one input.
func (b *builder) above(n planner.Node, in operator.Operator) (operator.Operator, error) {
	if err := b.ended(); err != nil {
		return nil, err
	}
	base := b.base(n)
	switch n := n.(type) {
	case *planner.Filter:
		return b.filter(n, in)
	case *planner.Bind:
		return b.bind(n, in)
	case *planner.Group:
		return b.group(n, in)
	case *planner.Sort:
		return b.sort(n, in)
	case *planner.Ends:
		return b.ends(n, in), nil
	case *planner.Number:
		return &modifier.Number{Base: base, Input: in}, nil
	case *planner.Project:
		return &modifier.Project{Base: base, Input: in}, nil
	case *planner.Slice:
		return &modifier.Slice{Base: base, Input: in, Offset: n.Offset, Limit: n.Most}, nil
	case *planner.Distinct:
		return b.distinct(n, in)
	case *planner.Construct:
		return b.construct(n, in), nil
	case *planner.Describe:
		return b.describe(n, in), nil
	case *planner.Given:
		return &sideways.Given{Base: base, Input: in, Parameters: n.Parameters}, nil
	case *planner.Recall:
		return &sideways.Recall{Base: base, Input: in, Parameters: n.Parameters}, nil
	case *planner.Apply:
		return &sideways.Apply{Base: base, Input: in, Parameters: n.Parameters}, nil
	}
	return nil, fmt.Errorf("exec: a plan has a node %T", n)
}

// base is what every operator has: the columns of its node, and what it measures.
func (b *builder) base(n planner.Node) operator.Base {
	m := b.measures[n]
	if m == nil {
		m = &operator.Measures{}
		b.measures[n] = m
	}
	return operator.Base{Out: n.Props().Columns, Measured: m}
}

func (b *builder) match(n *planner.Match) *source.Match {
	m := &source.Match{
		Base: b.base(n), Plan: n.Plan, Graph: n.Graph, Matcher: b.options.Matcher(n.Plan, n.Graph), Limit: n.Limit,
		Weighted: n.Weighted, Tests: n.Tests,
	}
	if _, ok := m.Matcher.(match.Prober); ok {
		b.devices++
	}
	if a, ok := m.Matcher.(match.Adapter); ok {
		m.Plan = a.Runs(n.Plan, n.Graph)
	} else {
		m.Plan = n.Plan.Separate()
	}
	m.Measured.Match = m.Plan
	m.Weighted = m.Weighted || m.Plan.Combine && !m.Plan.Once
	return m
}

// looked returns the operator that has a matcher look rows up, where it does, or that of the join.
func (b *builder) looked(n *planner.Looked) (operator.Operator, error) {
	otherwise, err := b.build(n.Otherwise)
	if err != nil || !n.Runs() {
		return otherwise, err
	}
	m := b.match(n.Probe)
	if on, ok := m.Matcher.(match.Prober); !ok || !on.LooksUp(m.Plan, m.Graph) {
		return otherwise, nil
	}
	m.Weighted = m.Weighted || n.Weighted
	l := &source.Looked{Base: b.base(n), Match: m, Otherwise: otherwise, From: operator.Indexes(m.Out, n.Columns), Counts: n.Counts}
	if l.Table, err = b.build(n.Table); err != nil {
		return nil, err
	}
	l.Key = operator.Indexes(l.Table.Columns(), n.Key)
	if l.TableMatch = tableMatch(l.Table); l.TableMatch == nil && n.Counts {
		return otherwise, nil
	}
	return l, nil
}

// tableMatch is the match whose different rows, or rows with their number, an operator has, where a matcher that looks rows up makes them one; else nil.
func tableMatch(table operator.Operator) *source.Match {
	if d, ok := table.(*modifier.Distinct); ok {
		table = d.Input
	}
	m, ok := table.(*source.Match)
	if !ok || !m.Plan.Combine || m.Plan.Fold != nil {
		return nil
	}
	if _, ok = m.Matcher.(match.Prober); !ok {
		return nil
	}
	return m
}

// matched is the match whose rows a source has; nil where they are others.
func matched(op operator.Operator) *source.Match {
	switch op := op.(type) {
	case *source.Match:
		return op
	case *source.Looked:
		return op.Match
	}
	return nil
}

// weighted reports whether an operator's rows may have weights because the matcher below its stages combines equal rows.
func weighted(op operator.Operator) bool {
	for {
		s, ok := op.(operator.Stage)
		if !ok {
			m := matched(op)
			return m != nil && m.Weighted
		}
		op = s.Below()
	}
}

func (b *builder) count(n *planner.Count) operator.Operator {
	c := &source.Count{Base: b.base(n)}
	for _, t := range n.Terms {
		c.Terms = append(c.Terms, source.CountTerm{Times: t.Times, Match: b.match(t.Match)})
	}
	// The dearest one first: threads that are woken for it are there for the phases of the others, each of which may be short.
	slices.SortStableFunc(c.Terms, func(a, b source.CountTerm) int {
		return cmp.Compare(b.Match.Plan.Cost, a.Match.Plan.Cost)
	})
	return c
}

func (b *builder) product(n *planner.Product) (operator.Operator, error) {
	o := &source.Product{Base: b.base(n), Whole: b.match(n.Whole), From: make([]source.ProductColumn, len(n.Columns))}
	for i, part := range n.Parts {
		op, err := b.build(part)
		if err != nil {
			return nil, err
		}
		o.Parts = append(o.Parts, op)
		for k, v := range op.Columns() {
			o.From[operator.IndexOf(o.Out, v)] = source.ProductColumn{Part: i, Column: k}
		}
	}
	return o, nil
}

func (b *builder) path(n *planner.Path) *path.Path {
	p := &path.Path{Base: b.base(n), Graph: n.Graph, Kind: n.Kind, Search: path.NewSearch(n.Graph)}
	p.Subject, p.Object = b.pathEnd(n.Subject), b.pathEnd(n.Object)
	p.Weighted, p.Limit, p.Searchers = n.Weighted, n.Limit, b.options.Searchers
	p.Step = path.NewStep(n.Step, func(iri string) (pcsr.Label, bool) { return b.labelOf(n.Graph, iri) })
	return p
}

func (b *builder) pathEnd(e planner.PathEnd) path.End {
	end := path.End{Variable: e.Variable, Input: e.Seed, Term: e.Given || e.Variable == ""}
	if e.Variable == "" {
		end.Constant = b.find(e.Term)
	}
	return end
}

// listWalker is the operator of a path in graphs that are lists, made of the plan of one of them.
type listWalker struct{ *path.Path }

func (w listWalker) Over(triples []pcsr.Edge) { w.Search.Over(triples) }

// listWalker makes one; nil where the plan of a graph is not that of a path alone.
func (b *builder) listWalker(ctx context.Context, n *planner.EachGraph) (source.Walker, error) {
	b.making.Lock()
	defer b.making.Unlock()
	node, err := n.Plan(ctx, n.Graphs[0], true)
	walk, ok := node.(*planner.Path)
	if err != nil || !ok {
		return nil, err
	}
	p := b.path(walk)
	p.Searchers, p.Weighted, p.Limit = nil, false, 0
	p.Step = path.NewStep(walk.Step, func(iri string) (pcsr.Label, bool) { return b.dict.Lookup(rdf.NewIRI(iri)) })
	return listWalker{p}, nil
}

func (b *builder) eachGraph(n *planner.EachGraph) operator.Operator {
	g := &source.EachGraph{Base: b.base(n), Variable: n.Variable, NameInput: n.Name, InnerFrom: n.Seeded, Names: n.Graphs}
	g.Search, g.Lists, g.Weighted = n.Search, n.Lists, n.Weighted
	var walker source.Walker
	asked := false
	g.Walker = func(ctx context.Context) (w source.Walker, err error) {
		if !asked {
			walker, err = b.listWalker(ctx, n)
			asked = true
		}
		return walker, err
	}
	operators := map[dictionary.ID]operator.Operator{}
	g.Make = func(ctx context.Context, name dictionary.ID) (op operator.Operator, done func(), err error) {
		b.making.Lock()
		defer b.making.Unlock()
		if op, ok := operators[name]; ok {
			return op, nil, nil
		}
		most := min(int64(b.options.Operators.KeptGraphs), b.options.Budget.Limit()/(8*keptGraph))
		keeps := int64(len(operators)) < most && b.plans.TryCharge(keptGraph)
		joins, planned := b.joins.Load(), b.planned
		node, err := n.Plan(ctx, name, keeps)
		if err != nil {
			return nil, nil, err
		}
		if keeps {
			if op, err = b.build(node); err == nil {
				operators[name] = op
			}
			return op, nil, err
		}
		op, err = (&builder{Plan: b.Plan, measures: map[planner.Node]*operator.Measures{}}).build(node)
		joins, planned = joins-b.joins.Load(), planned-b.planned
		return op, func() {
			b.making.Lock()
			defer b.making.Unlock()
			b.joins.Add(joins)
			b.chargePlan(planned)
		}, err
	}
	return g
}

// keptGraph is about what the plan of a pattern in a graph takes that is kept, its operators, and the graph where it was made for it.
const keptGraph = 12 << 10

func (b *builder) union(n *planner.Union) (operator.Operator, error) {
	u := &join.Union{Base: b.base(n)}
	for _, branch := range n.Branches {
		op, err := b.build(branch)
		if err != nil {
			return nil, err
		}
		u.Branches = append(u.Branches, op)
	}
	return u, nil
}

func (b *builder) values(n *planner.Values) operator.Operator {
	v := &source.Values{Base: b.base(n), Rows: vector.NewRows(len(n.Columns))}
	for i, k := range operator.Indexes(n.Table.Variables, n.Columns) {
		for r, row := range n.Table.Rows {
			if r%vector.WatchEvery == 0 && b.ended() != nil {
				break // nobody reads them
			}
			id := dictionary.None
			if !row[k].IsZero() {
				id = b.find(row[k])
			}
			v.Rows.Cols[i] = append(v.Rows.Cols[i], id)
		}
	}
	v.Rows.N = len(n.Table.Rows)
	return v
}

func (b *builder) filter(n *planner.Filter, in operator.Operator) (operator.Operator, error) {
	f := &eval.Filter{Base: b.base(n), Input: in, Sifted: n.Sifted}
	for _, c := range n.Conditions {
		p, err := b.predicate(c)
		if err != nil {
			return nil, err
		}
		f.Conditions = append(f.Conditions, p)
	}
	return f, nil
}

func (b *builder) bind(n *planner.Bind, in operator.Operator) (operator.Operator, error) {
	e := &eval.Bind{Base: b.base(n), Input: in, From: operator.Indexes(in.Columns(), n.Columns)}
	e.From[operator.IndexOf(n.Columns, n.Variable)] = eval.Computed
	var err error
	e.Value, err = b.evaluator(n.Value)
	return e, err
}

func (b *builder) group(n *planner.Group, in operator.Operator) (operator.Operator, error) {
	g := &group.Group{Base: b.base(n), Input: in, Weighted: n.Weighted || weighted(in), Pick: operator.Indexes(n.Exposed, n.Columns)}
	for _, k := range n.Keys {
		e, err := b.evaluator(k)
		if err != nil {
			return nil, err
		}
		g.Keys = append(g.Keys, e)
	}
	arguments := map[string]int{}
	for i, a := range n.Aggregates {
		agg := group.Aggregate{Aggregation: a.Aggregation, Argument: -1, Identity: a.Identity}
		if a.Argument != nil {
			e, err := b.evaluator(a.Argument)
			if err != nil {
				return nil, err
			}
			if e.Plain() && !parser.IsVolatile(a.Argument.Expr) {
				text := parser.FormatExpr(a.Argument.Expr)
				if agg.Like = arguments[text]; agg.Like == 0 {
					arguments[text] = i + 1
				}
			}
			if e.Plain() && a.Aggregation.OfNumbers() {
				agg.Aggregation.Argument, agg.Columns = a.Argument.Expr, a.Argument.Reads()
			} else {
				agg.Argument, g.Arguments = len(g.Arguments), append(g.Arguments, e)
			}
		} else if a.Distinct {
			agg.Rows = vector.AllColumns(len(in.Columns()))
		}
		g.Aggregates = append(g.Aggregates, agg)
	}
	g.KeyColumns, g.FoldKeys = keyColumns(n, in), foldKeys(n.Keys, in)
	return g, nil
}

// distinct returns the operator that tells rows apart: as groups, where the match below may hand on groups.
func (b *builder) distinct(n *planner.Distinct, in operator.Operator) (operator.Operator, error) {
	folds := foldKeys(n.Keys, in)
	if folds == nil {
		return &modifier.Distinct{Base: b.base(n), Input: in, Sorted: n.Sorted, Matched: isFilteredMatch(in)}, nil
	}
	g := &group.Group{Base: b.base(n), Input: in, Pick: vector.AllColumns(len(n.Keys)), FoldKeys: folds}
	for _, k := range n.Keys {
		e, err := b.evaluator(k)
		if err != nil {
			return nil, err
		}
		g.Keys = append(g.Keys, e)
	}
	return g, nil
}

// isFilteredMatch reports whether an operator's rows are those of a match, or those of them that pass filters.
func isFilteredMatch(op operator.Operator) bool {
	for {
		f, ok := op.(*eval.Filter)
		if !ok {
			_, ok = op.(*source.Match)
			return ok
		}
		op = f.Input
	}
}

// foldKeys are what a group's keys are for the match below, where it may hand on groups; else nil.
func foldKeys(of []*planner.Expression, in operator.Operator) (keys []group.FoldKey) {
	_, below := operator.StagesOf(in)
	m := matched(below)
	if m == nil || m.Plan.Fold == nil {
		return nil
	}
	for i, k := range m.Plan.Fold.Keys {
		key := group.FoldKey{Column: k.Column, Identity: of[i].Identity}
		if k.Of != nil {
			key.Column = -1
		}
		keys = append(keys, key)
	}
	return keys
}

// keyColumns are the columns that a group's keys are, where they are all columns of a match; else nil.
func keyColumns(n *planner.Group, in operator.Operator) []int {
	if _, ok := in.(*source.Match); !ok {
		return nil
	}
	columns := in.Columns()
	out, is := make([]int, 0, len(columns)), make([]bool, len(columns))
	for _, k := range n.Keys {
		v, ok := k.Expr.(*parser.Var)
		if !ok || !slices.Contains(columns, v.Name) {
			return nil
		}
		c := operator.IndexOf(columns, v.Name)
		out, is[c] = append(out, c), true
	}
	if slices.Contains(is, false) {
		return nil
	}
	return out
}

func (b *builder) sort(n *planner.Sort, in operator.Operator) (operator.Operator, error) {
	s := &modifier.Sort{Base: b.base(n), Input: in, Limit: n.Limit, Comparer: expr.NewComparer(b.terms, b.env.Dictionary)}
	for _, k := range n.Keys {
		e, err := b.evaluator(k.Expression)
		if err != nil {
			return nil, err
		}
		s.Keys, s.Descending = append(s.Keys, e), append(s.Descending, k.Descending)
	}
	if n.Limit > 0 && len(n.Keys) > 0 {
		if v, ok := n.Keys[0].Expr.(*parser.Var); ok {
			s.Ahead = aheadOf(in, v.Name, func(a *bgp.Ahead) bool { return !a.Both && a.Descending == n.Keys[0].Descending })
		}
	}
	return s, nil
}

func (b *builder) ends(n *planner.Ends, in operator.Operator) operator.Operator {
	return &modifier.Ends{
		Base: b.base(n), Input: in, Column: operator.IndexOf(in.Columns(), n.Variable), Least: n.Least, Greatest: n.Greatest, Comparer: expr.NewComparer(b.terms, b.env.Dictionary),
		Ahead: aheadOf(in, n.Variable, func(*bgp.Ahead) bool { return true }),
	}
}

// aheadOf hands a bound to the match that an operator's rows have a variable's values from, if it begins with these, from the right end on; nil where it does not.
func aheadOf(in operator.Operator, variable string, right func(*bgp.Ahead) bool) func(*match.Bound) {
	var m *source.Match
	for m == nil {
		switch op := in.(type) {
		case *source.Match:
			m = op
		case operator.Stage:
			in = op.Below()
		case *modifier.Distinct:
			in = op.Input
		case *join.Join: // its left rows come through as they are, or not at all
			in = op.Left
		default:
			return nil
		}
	}
	if m.Plan.Ahead == nil || m.Plan.Slots[0].Variable != variable || !right(m.Plan.Ahead) {
		return nil
	}
	return func(b *match.Bound) { m.Bound = b }
}

func (b *builder) construct(n *planner.Construct, in operator.Operator) operator.Operator {
	o := &triples.Construct{Base: b.base(n), Input: in}
	blanks := map[string]int{}
	for _, t := range n.Template {
		var row [3]triples.TemplateTerm
		for i, p := range [3]parser.PatternTerm{t.Subject, t.Predicate, t.Object} {
			row[i] = b.templateTerm(p, in.Columns(), blanks)
		}
		o.Template = append(o.Template, row)
	}
	o.Blanks = len(blanks)
	return o
}

func (b *builder) templateTerm(p parser.PatternTerm, columns []string, blanks map[string]int) triples.TemplateTerm {
	switch {
	case p.IsVariable():
		return triples.TemplateTerm{Column: operator.IndexOf(columns, p.Variable), Blank: -1, Constant: dictionary.None}
	case p.Term.Kind == rdf.BlankNode:
		k, ok := blanks[p.Term.Value]
		if !ok {
			k = len(blanks)
			blanks[p.Term.Value] = k
		}
		return triples.TemplateTerm{Column: -1, Blank: k}
	}
	return triples.TemplateTerm{Column: -1, Blank: -1, Constant: b.find(p.Term)}
}

func (b *builder) describe(n *planner.Describe, in operator.Operator) operator.Operator {
	d := &triples.Describe{Base: b.base(n), Input: in, Graph: n.Graph}
	for _, t := range n.What {
		if !t.IsVariable() {
			d.Constants = append(d.Constants, b.find(t.Term))
		} else if i := operator.IndexOf(in.Columns(), t.Variable); i >= 0 {
			d.From = append(d.From, i)
		}
	}
	return d
}

// evaluator compiles an expression.
func (b *builder) evaluator(e *planner.Expression) (eval.Evaluator, error) {
	ev := eval.Evaluator{Width: len(e.Columns)}
	for _, x := range e.Exists {
		side, err := b.seeded(x.Pattern, vector.AllColumns(len(x.From)), func(_, _ []string) sideways.Merge { return sideways.Merge{} })
		if err != nil {
			return ev, err
		}
		ev.Exists = append(ev.Exists, &sideways.Existence{Not: x.Not, From: x.From, Varies: x.Varies, Side: side})
	}
	for _, l := range e.Blanks {
		label, err := b.evaluator(l.Label)
		if err != nil {
			return ev, err
		}
		ev.Blanks = append(ev.Blanks, &eval.Blank{Label: label, Solution: l.Solution})
	}
	var err error
	if ev.Program, err = expr.Compile(e.Expr, e.Reads(), b.env); err == nil {
		ev.Program.Identity = e.Identity
	}
	return ev, err
}

// another makes operators that run beside those of the same nodes; what they measure is added to what those do when the plan is explained.
func (b *builder) another() *builder {
	out := &builder{Plan: b.Plan, measures: map[planner.Node]*operator.Measures{}}
	b.besides = append(b.besides, out.measures)
	return out
}

func (b *builder) predicate(e *planner.Expression) (*eval.Predicate, error) {
	ev, err := b.evaluator(e)
	return &eval.Predicate{Evaluator: ev}, err
}

// labelOf is the edge label of a predicate; false when the graph has none such.
func (b *builder) labelOf(g *pcsr.Graph, iri string) (pcsr.Label, bool) {
	id, ok := b.dict.Lookup(rdf.NewIRI(iri))
	return id, ok && g.HasLabel(id)
}
