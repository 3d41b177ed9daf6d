package planner

import (
	"cmp"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/rules"
)

// basic plans a basic graph pattern with the conditions pushed to it.
func (p *planner) basic(n *parser.BGP, pushed *pushedFilters, r request) (Node, error) {
	if len(n.Patterns) == 0 {
		u := &Unit{}
		u.Rows = 1
		return u, nil
	}
	m, err := p.match(n, pushed, r)
	if err != nil {
		return nil, err
	}
	return p.product(n, pushed, r, m)
}

// match plans the vertex join of a basic graph pattern.
func (p *planner) match(n *parser.BGP, pushed *pushedFilters, r request) (*Match, error) {
	n, oneOf := rules.Languages(n, func(t rdf.Term) bool { _, ok := p.options.Lookup(t); return ok })
	if pushed == nil {
		pushed = &pushedFilters{}
	}
	for v, terms := range oneOf {
		pushed.narrow(v, p.storedIDs(terms))
	}
	out := p.outputColumns(n, r)
	m := &Match{leaf: leaf{p.made(out, r.inputs)}, Graph: p.graph, Tests: pushed.tests}
	var err error
	m.Plan, err = bgp.Plan(p.ctx, n.Patterns, p.graph, p.options.Lookup, bgp.Options{
		Semantics: p.options.Semantics, Inputs: r.inputs, Output: m.Columns,
		CountOnly: out.Empty() && !r.distinct, Distinct: r.distinct, Speed: p.options.Speed, Workers: p.options.Workers,
		Ranges: pushed.ranges, Candidates: pushed.candidates, Unequal: pushed.unequal, Shares: pushed.shares(),
		WeightGain: p.weightGain(r), Root: r.root, First: p.firstOf(r),
	})
	if err != nil {
		return nil, notDone(err)
	}
	m.text = matchText{pattern: n, where: pushed.notes}
	if m.Plan.Empty {
		m.Tests = nil
		return m, nil
	}
	m.Rows, m.Cost = 1, m.Plan.Cost
	if k := len(m.Plan.Steps); k > 0 {
		m.Rows = m.Plan.Steps[k-1].EstimatedRows
	}
	m.Cost = m.Plan.UntilFirst(m.Cost)
	return m, nil
}

// firstOf is bgp.Options.First for what is asked; nil where all rows are.
func (p *planner) firstOf(r request) *bgp.First {
	f := r.first
	if f.rows == 0 || p.options.Unoptimised || p.applied || p.options.Dictionary == nil {
		return nil
	}
	return &bgp.First{Variable: f.variable, Descending: f.descending, Both: f.both, Rows: f.rows, InOrder: p.inOrder, Gain: max(0, p.options.Tuning.FirstGain)}
}

// inOrder are the IDs of terms that ORDER BY has in the order of their IDs, range by range.
func (p *planner) inOrder() (ranges []dictionary.Range) {
	d := p.options.Dictionary
	for _, s := range []dictionary.Section{dictionary.Numbers, dictionary.Strings, dictionary.LangStrings} {
		ranges = append(ranges, d.Sections(s, s)...)
	}
	for i := range d.Segments() {
		ranges = append(ranges, d.MomentRanges(i)...)
	}
	return ranges
}

// weightGain is bgp.Options.WeightGain for what is asked.
func (p *planner) weightGain(r request) float64 {
	if !r.counted || p.options.Unoptimised || p.applied {
		return 0
	}
	return max(0, p.options.Tuning.WeightGain)
}

// product takes a match apart where its pattern consists of parts of which at least two bind what is needed.
func (p *planner) product(n *parser.BGP, pushed *pushedFilters, r request, whole *Match) (Node, error) {
	if whole.Plan.Empty || whole.Plan.Ahead != nil || whole.Cost < p.options.Tuning.ProductCost || len(r.inputs) > 0 || p.options.Unoptimised || p.options.Semantics != bgp.Homomorphism {
		return whole, nil
	}
	patterns, binding := rules.Connected(n), 0
	for _, part := range patterns {
		if p.scopes.Of(part).May.Meets(r.need) {
			binding++
		}
	}
	if binding < 2 {
		return whole, nil
	}
	o := &Product{Properties: whole.Properties, Whole: whole}
	for _, pattern := range patterns {
		vars := p.scopes.Of(pattern).May
		part, err := p.match(pattern, pushed.of(func(v string) bool { return vars.Has(p.scopes.Number(v)) }), r)
		if err != nil {
			return nil, err
		}
		o.Parts = append(o.Parts, part)
	}
	slices.SortStableFunc(o.Parts, func(a, b Node) int { return -cmp.Compare(a.Props().Rows, b.Props().Rows) })
	return o, nil
}

// filter plans a chain of filters: conditions on a basic graph pattern that the matcher can apply are handed to it, the
// others run on the rows, those with EXISTS last.
func (p *planner) filter(n *parser.Filter, r request) (Node, error) {
	if m, err := p.branched(n, r); m != nil || err != nil {
		return m, err
	}
	if same := p.unified(n, r); same != nil {
		return p.lower(same, r)
	}
	var plain, exists []parser.Expr
	var in parser.Node = n
	for f, ok := in.(*parser.Filter); ok; f, ok = in.(*parser.Filter) {
		for _, e := range parser.Conjuncts(nil, f.Condition) {
			if parser.HasExists(e) {
				exists = append(exists, e)
			} else {
				plain = append(plain, e)
			}
		}
		in = f.Input
	}
	pattern, ok := in.(*parser.BGP)
	if !ok || len(pattern.Patterns) == 0 || p.options.Unoptimised || len(r.inputs) > 0 && p.needsSeed(pattern, r) {
		conditions := append(plain, exists...)
		input, err := p.lower(in, p.reading(n, conditions, r))
		if err != nil {
			return nil, err
		}
		return p.filtered(n, input, conditions, in, r)
	}
	var conditions []parser.Expr
	input, err := p.given(pattern, r, func(own request) (node Node, err error) {
		node, conditions, err = p.filteredMatch(n, pattern, plain, exists, own)
		return node, err
	})
	if err != nil {
		return nil, err
	}
	return p.filtered(n, input, conditions, in, r)
}

// reading asks for what the output of n and some conditions read.
func (p *planner) reading(n parser.Node, conditions []parser.Expr, r request) request {
	return r.with(p.outputColumns(n, r).Or(p.scopes.Reads(conditions...))).each(conditions...)
}

// filteredMatch plans a basic graph pattern under conditions and returns those that the matcher does not apply.
// Where the match is costly, texts are searched for, and conditions on one variable are tested for its possible values first.
func (p *planner) filteredMatch(n *parser.Filter, pattern *parser.BGP, plain, exists []parser.Expr, r request) (Node, []parser.Expr, error) {
	pushed, plain := p.pushFilters(pattern, plain, r)
	all := append(slices.Clone(plain), exists...)
	if len(all) > 0 {
		r.first.rows *= firstTested
	}
	m, err := p.match(pattern, pushed, p.reading(n, all, r))
	if err != nil {
		return nil, nil, err
	}
	if !m.Plan.Empty && len(plain) > 0 {
		rest := p.pushSearched(pushed, pattern, plain, r, m)
		if len(rest) == len(plain) {
			rest = p.pushTests(pushed, pattern, plain, r, m.Cost)
		}
		if len(rest) < len(plain) {
			all = append(rest, exists...)
			if m, err = p.match(pattern, pushed, p.reading(n, all, r)); err != nil || len(m.Tests) > 0 {
				return m, all, err
			}
		}
	}
	r = p.reading(n, all, r)
	node, err := p.product(pattern, pushed, r, m)
	if node == Node(m) {
		node, err = p.apart(pattern, pushed, r, m)
	}
	return node, all, err
}

// filtered puts conditions on a node whose rows are solutions of a pattern.
func (p *planner) filtered(n parser.Node, in Node, conditions []parser.Expr, pattern parser.Node, r request) (Node, error) {
	if len(conditions) == 0 {
		return in, nil
	}
	in = p.recall(in, conditions...)
	f := &Filter{unary: unary{p.above(in, p.outputColumns(n, r)), in}}
	for _, e := range conditions {
		c, err := p.expression(e, in.Props().Columns, pattern)
		if err != nil {
			return nil, err
		}
		f.Conditions, f.Volatile = append(f.Conditions, c), f.Volatile || parser.IsVolatile(e)
	}
	if !p.options.Unoptimised && p.options.LooksUp {
		sifted(f)
	}
	return f, nil
}
