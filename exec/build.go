package exec

import (
	"context"
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/path"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
)

// builder makes the operators of a physical plan, one of each node. It decides nothing: what is to be done stands in the
// nodes.
type builder struct {
	*Plan
	// measures are kept by node, for explain.
	measures map[planner.Node]*measures
}

// build returns the operator of a node, made of those of its inputs.
func (b *builder) build(n planner.Node) (operator, error) {
	switch n := n.(type) {
	case *planner.Match:
		return b.match(n), nil
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
		return &countOp{base: b.base(n), match: b.match(n.Match)}, nil
	case *planner.Unit:
		return &unitOp{b.base(n)}, nil
	case *planner.Empty:
		return &emptyOp{b.base(n)}, nil
	case *planner.Seed:
		return &seedOp{base: b.base(n)}, nil
	case *planner.Values:
		return b.values(n), nil
	case *planner.Service:
		return &serviceOp{base: b.base(n), pattern: n.Pattern, vars: n.Asked, inputs: n.Seeds, name: n.Name, endpoint: b.options.Service}, nil
	case *planner.Degrees:
		return &degreeOp{base: b.base(n), graph: n.Graph, partition: n.Partition, counted: n.Counted}, nil
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
func (b *builder) above(n planner.Node, in operator) (operator, error) {
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
	case *planner.Number:
		return &numberOp{base: base, input: in}, nil
	case *planner.Project:
		return &projectOp{base: base, input: in}, nil
	case *planner.Slice:
		return &sliceOp{base: base, input: in, offset: n.Offset, limit: n.Most}, nil
	case *planner.Distinct:
		return &distinctOp{base: base, input: in, sorted: n.Sorted}, nil
	case *planner.Construct:
		return b.construct(n, in), nil
	case *planner.Describe:
		return b.describe(n, in), nil
	case *planner.Given:
		return &givenOp{base: base, input: in, parameters: n.Parameters}, nil
	case *planner.Recall:
		return &recallOp{base: base, input: in, parameters: n.Parameters}, nil
	case *planner.Apply:
		return &applyOp{base: base, input: in, parameters: n.Parameters}, nil
	}
	return nil, fmt.Errorf("exec: a plan has a node %T", n)
}

// base is what every operator has: the columns of its node, and what it measures.
func (b *builder) base(n planner.Node) base {
	m := b.measures[n]
	if m == nil {
		m = &measures{}
		b.measures[n] = m
	}
	return base{out: n.Props().Columns, measured: m}
}

func (b *builder) match(n *planner.Match) *matchOp {
	return &matchOp{
		base: b.base(n), plan: n.Plan, graph: n.Graph, matcher: b.options.Matcher(n.Plan, n.Graph), limit: n.Limit,
		weighted: n.Weighted, tests: n.Tests,
	}
}

func (b *builder) product(n *planner.Product) (operator, error) {
	o := &productOp{base: b.base(n), whole: b.match(n.Whole), from: make([]productColumn, len(n.Columns))}
	for i, part := range n.Parts {
		op, err := b.build(part)
		if err != nil {
			return nil, err
		}
		o.parts = append(o.parts, op)
		for k, v := range op.columns() {
			o.from[indexOf(o.out, v)] = productColumn{i, k}
		}
	}
	return o, nil
}

func (b *builder) path(n *planner.Path) operator {
	p := &pathOp{base: b.base(n), graph: n.Graph, kind: n.Kind, search: path.NewSearch(n.Graph)}
	p.subject, p.object = b.pathEnd(n.Subject), b.pathEnd(n.Object)
	p.step = path.NewStep(n.Step, func(iri string) (pcsr.Label, bool) { return b.labelOf(n.Graph, iri) })
	return p
}

func (b *builder) pathEnd(e planner.PathEnd) pathEnd {
	end := pathEnd{variable: e.Variable, input: e.Seed, term: e.Given || e.Variable == ""}
	if e.Variable == "" {
		end.constant = b.find(e.Term)
	}
	return end
}

func (b *builder) join(n *planner.Join) (operator, error) {
	left, err := b.build(n.Left)
	if err != nil {
		return nil, err
	}
	b.joins.Add(1)
	j := &joinOp{base: b.base(n), merged: len(n.Merged), kind: n.Kind, left: left, seeded: len(n.Seeds) > 0}
	if n.Condition != nil {
		if j.condition, err = b.predicate(n.Condition); err != nil {
			return nil, err
		}
	}
	merge := func(right []string, agreed []string) mergeSpec {
		return newMergeSpec(left.columns(), right, n.Merged, agreed)
	}
	if n.Seeded != nil {
		if j.seeds, err = b.seeded(n.Seeded, indexes(left.columns(), n.Seeded.Variables), merge); err != nil {
			return nil, err
		}
	}
	if n.Hashed != nil {
		j.hashed, err = b.hashed(n.Hashed, left, merge)
	}
	return j, err
}

// seeded makes the operators of the variants that are planned; from are the columns of the variables.
func (b *builder) seeded(s *planner.Seeded, from []int, merge func(right, agreed []string) mergeSpec) (*seededSide, error) {
	side := &seededSide{vars: s.Variables, from: from, fixed: s.Fixed, variants: map[uint64]*seedVariant{}}
	side.make = func(ctx context.Context, mask uint64) (*seedVariant, error) {
		node, err := s.Variant(mask).Node(ctx)
		if err != nil {
			return nil, err
		}
		op, err := b.build(node)
		if err != nil {
			return nil, err
		}
		v := &seedVariant{op: op}
		var bound []string
		for i, name := range s.Variables {
			if mask>>i&1 == 1 {
				bound, v.cols = append(bound, name), append(v.cols, from[i])
			}
		}
		v.spec = merge(op.columns(), bound)
		return v, nil
	}
	for _, mask := range s.Planned() {
		var err error
		if side.variants[mask], err = side.make(context.Background(), mask); err != nil {
			return nil, err
		}
	}
	return side, nil
}

func (b *builder) hashed(n *planner.Hashed, left operator, merge func(right, agreed []string) mergeSpec) (*hashedSide, error) {
	h := &hashedSide{shared: n.Shared, leftShared: indexes(left.columns(), n.Shared), key: n.Key, varies: n.Varies}
	h.make = func(ctx context.Context) error {
		node, err := n.Plan.Node(ctx)
		if err == nil {
			h.node = node
			h.op, err = b.build(node)
		}
		if err == nil {
			h.spec = merge(h.op.columns(), n.Shared)
		}
		return err
	}
	if n.Plan.Made() == nil {
		return h, nil
	}
	return h, h.make(context.Background())
}

// eachGraph makes the operator of a graph's plan when it is first reached.
func (b *builder) eachGraph(n *planner.EachGraph) operator {
	g := &graphOp{base: b.base(n), variable: n.Variable, nameInput: n.Name, innerFrom: n.Seeded, names: n.Graphs}
	operators := map[dictionary.ID]operator{}
	g.make = func(ctx context.Context, name dictionary.ID) (operator, error) {
		op, ok := operators[name]
		if ok {
			return op, nil
		}
		node, err := n.Plan(name).Node(ctx)
		if err == nil {
			op, err = b.build(node)
		}
		if err == nil {
			operators[name] = op
		}
		return op, err
	}
	return g
}

func (b *builder) union(n *planner.Union) (operator, error) {
	u := &unionOp{base: b.base(n)}
	for _, branch := range n.Branches {
		op, err := b.build(branch)
		if err != nil {
			return nil, err
		}
		u.branches = append(u.branches, op)
	}
	return u, nil
}

func (b *builder) values(n *planner.Values) operator {
	v := &valuesOp{base: b.base(n), rows: vector.NewRows(len(n.Columns))}
	for i, k := range indexes(n.Table.Variables, n.Columns) {
		for r, row := range n.Table.Rows {
			if r%vector.WatchEvery == 0 && b.ended() != nil {
				break // nobody reads them
			}
			id := dictionary.None
			if !row[k].IsZero() {
				id = b.find(row[k])
			}
			v.rows.Cols[i] = append(v.rows.Cols[i], id)
		}
	}
	v.rows.N = len(n.Table.Rows)
	return v
}

func (b *builder) filter(n *planner.Filter, in operator) (operator, error) {
	f := &filterOp{base: b.base(n), input: in}
	for _, c := range n.Conditions {
		p, err := b.predicate(c)
		if err != nil {
			return nil, err
		}
		f.conditions = append(f.conditions, p)
	}
	return f, nil
}

func (b *builder) bind(n *planner.Bind, in operator) (operator, error) {
	e := &extendOp{base: b.base(n), input: in, from: indexes(in.columns(), n.Columns)}
	e.from[indexOf(n.Columns, n.Variable)] = computed
	var err error
	e.value, err = b.evaluator(n.Value)
	return e, err
}

func (b *builder) group(n *planner.Group, in operator) (operator, error) {
	g := &groupOp{base: b.base(n), input: in, weighted: n.Weighted, pick: indexes(n.Exposed, n.Columns)}
	for _, k := range n.Keys {
		e, err := b.evaluator(k)
		if err != nil {
			return nil, err
		}
		g.keys = append(g.keys, e)
	}
	for _, a := range n.Aggregates {
		agg := aggregate{Aggregation: a.Aggregation, argument: -1}
		if a.Argument != nil {
			e, err := b.evaluator(a.Argument)
			if err != nil {
				return nil, err
			}
			agg.argument, g.arguments = len(g.arguments), append(g.arguments, e)
		} else if a.Distinct {
			agg.rows = vector.AllColumns(len(in.columns()))
		}
		g.aggregates = append(g.aggregates, agg)
	}
	return g, nil
}

func (b *builder) sort(n *planner.Sort, in operator) (operator, error) {
	s := &sortOp{base: b.base(n), input: in, limit: n.Limit, comparer: expr.NewComparer(b.terms, b.env.Dictionary)}
	for _, k := range n.Keys {
		e, err := b.evaluator(k.Expression)
		if err != nil {
			return nil, err
		}
		s.keys, s.descending = append(s.keys, e), append(s.descending, k.Descending)
	}
	return s, nil
}

func (b *builder) construct(n *planner.Construct, in operator) operator {
	o := &constructOp{base: b.base(n), input: in}
	blanks := map[string]int{}
	for _, t := range n.Template {
		var row [3]templateTerm
		for i, p := range [3]parser.PatternTerm{t.Subject, t.Predicate, t.Object} {
			row[i] = b.templateTerm(p, in.columns(), blanks)
		}
		o.template = append(o.template, row)
	}
	o.blanks = len(blanks)
	return o
}

func (b *builder) templateTerm(p parser.PatternTerm, columns []string, blanks map[string]int) templateTerm {
	switch {
	case p.IsVariable():
		return templateTerm{column: indexOf(columns, p.Variable), blank: -1, constant: dictionary.None}
	case p.Term.Kind == rdf.BlankNode:
		k, ok := blanks[p.Term.Value]
		if !ok {
			k = len(blanks)
			blanks[p.Term.Value] = k
		}
		return templateTerm{column: -1, blank: k}
	}
	return templateTerm{column: -1, blank: -1, constant: b.find(p.Term)}
}

func (b *builder) describe(n *planner.Describe, in operator) operator {
	d := &describeOp{base: b.base(n), input: in, graph: n.Graph}
	for _, t := range n.What {
		if !t.IsVariable() {
			d.constants = append(d.constants, b.find(t.Term))
		} else if i := indexOf(in.columns(), t.Variable); i >= 0 {
			d.from = append(d.from, i)
		}
	}
	return d
}

// evaluator compiles an expression.
func (b *builder) evaluator(e *planner.Expression) (evaluator, error) {
	ev := evaluator{width: len(e.Columns)}
	for _, x := range e.Exists {
		side, err := b.seeded(x.Pattern, vector.AllColumns(len(x.From)), func(_, _ []string) mergeSpec { return mergeSpec{} })
		if err != nil {
			return ev, err
		}
		ev.exists = append(ev.exists, &existence{not: x.Not, from: x.From, varies: x.Varies, side: side})
	}
	for _, l := range e.Blanks {
		label, err := b.evaluator(l.Label)
		if err != nil {
			return ev, err
		}
		ev.blanks = append(ev.blanks, &labelledBlank{label: label, solution: l.Solution})
	}
	index := map[string]int{}
	for i, v := range e.Inputs() {
		index[v] = i
	}
	var err error
	ev.program, err = expr.Compile(e.Expr, index, b.env)
	return ev, err
}

func (b *builder) predicate(e *planner.Expression) (*predicate, error) {
	ev, err := b.evaluator(e)
	return &predicate{ev}, err
}

// labelOf is the edge label of a predicate; false when the graph has none such.
func (b *builder) labelOf(g *pcsr.Graph, iri string) (pcsr.Label, bool) {
	id, ok := b.dict.Lookup(rdf.NewIRI(iri))
	return id, ok && g.HasLabel(id)
}
