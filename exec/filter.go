package exec

import (
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
)

// filterOp keeps the solutions for which every condition is true.
type filterOp struct {
	input      operator
	conditions []*predicate
	out        []string
	// volatile: a condition may differ between equal rows.
	volatile bool
	explain  *Explain
}

// filter compiles a chain of filters: conditions on a basic graph pattern that the matcher can apply are handed to
// it, the others run on the batches, those with EXISTS last.
func (c *compiler) filter(n *parser.Filter, r request) (operator, error) {
	var conditions, exists []parser.Expr
	var in parser.Node = n
	for f, ok := in.(*parser.Filter); ok; f, ok = in.(*parser.Filter) {
		for _, e := range parser.Conjuncts(nil, f.Condition) {
			if parser.HasExists(e) {
				exists = append(exists, e)
			} else {
				conditions = append(conditions, e)
			}
		}
		in = f.Input
	}
	f := &filterOp{out: c.outputColumns(n, r)}
	var pushed *pushedFilters
	bgp, isBGP := in.(*parser.BGP)
	if isBGP && !c.plan.options.Unoptimised {
		pushed, conditions = c.pushFilters(bgp, conditions, r)
	}
	var err error
	if isBGP && len(bgp.Patterns) > 0 && (len(r.inputs) == 0 || !c.needsSeed(bgp, r)) {
		conditions, err = c.filteredMatch(f, bgp, pushed, conditions, exists, r)
	} else {
		if pushed != nil {
			conditions = allConditions(n, in)
		} else {
			conditions = append(conditions, exists...)
		}
		f.input, err = c.compile(in, c.reading(f.out, conditions, r))
	}
	if err != nil || len(conditions) == 0 {
		return f.input, err
	}
	return f, c.conditions(f, conditions)
}

// allConditions are the conditions of the filters from n down to in.
func allConditions(n, in parser.Node) []parser.Expr {
	var list []parser.Expr
	for n != in {
		f := n.(*parser.Filter)
		list, n = parser.Conjuncts(list, f.Condition), f.Input
	}
	slices.SortStableFunc(list, func(a, b parser.Expr) int {
		if parser.HasExists(a) == parser.HasExists(b) {
			return 0
		} else if parser.HasExists(b) {
			return -1
		}
		return 1
	})
	return list
}

// reading asks for what the output and the conditions read.
func (c *compiler) reading(out []string, conditions []parser.Expr, r request) request {
	need := setOf(out...)
	for _, e := range conditions {
		need = c.scopes.mentions(need, e)
	}
	return r.with(need)
}

// filteredMatch plans a basic graph pattern under conditions and returns those that the matcher does not apply.
// Where the match is costly, conditions on one variable are computed for its possible values first.
func (c *compiler) filteredMatch(f *filterOp, bgp *parser.BGP, pushed *pushedFilters, conditions, exists []parser.Expr, r request) ([]parser.Expr, error) {
	all := append(slices.Clone(conditions), exists...)
	op, err := c.match(bgp, pushed, c.reading(f.out, all, r))
	if err != nil {
		return nil, err
	}
	f.input = op
	if m, ok := op.(*matchOp); pushed != nil && ok && !m.plan.Empty && len(conditions) > 0 {
		rest, taken, late := c.pushValues(pushed, bgp, conditions, r, m.plan.Cost)
		if len(taken) > 0 {
			all = append(rest, exists...)
			plan := func() (operator, error) { return c.match(bgp, pushed, c.reading(f.out, all, r)) }
			if f.input, err = plan(); err == nil && len(late) > 0 {
				f.input.(*matchOp).expect(late, pushed, plan)
				return all, nil
			}
		}
	}
	if err == nil {
		f.input, err = c.product(bgp, pushed, c.reading(f.out, all, r), f.input)
	}
	return all, err
}

// conditions compiles the expressions of a filter.
func (c *compiler) conditions(f *filterOp, list []parser.Expr) error {
	in := f.input.node()
	f.explain = &Explain{Operator: "filter", Columns: f.out, EstimatedRows: in.EstimatedRows, Children: []*Explain{in}, cost: in.cost}
	var detail strings.Builder
	for i, e := range list {
		p, err := c.predicate(e, f.input.columns())
		if err != nil {
			return err
		}
		f.conditions, f.volatile = append(f.conditions, p), f.volatile || parser.IsVolatile(e)
		if i > 0 {
			detail.WriteString(" && ")
		}
		detail.WriteString(exprText(e))
		for _, x := range p.exists {
			f.explain.Children = append(f.explain.Children, x.explain)
		}
	}
	f.explain.Detail = detail.String()
	return nil
}

func (f *filterOp) columns() []string { return f.out }

func (f *filterOp) node() *Explain { return f.explain }

func (f *filterOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	return runStage(f, x, seed, emit)
}

func (f *filterOp) below() operator { return f.input }

func (f *filterOp) forks() bool {
	return !slices.ContainsFunc(f.conditions, func(p *predicate) bool { return !p.plain() })
}

func (f *filterOp) fork() func(*execution, *Batch) (*Batch, error) {
	var work Batch
	var keep []uint32
	out := projection{from: indexes(f.input.columns(), f.out)}
	return func(x *execution, b *Batch) (*Batch, error) {
		current := b
		for _, p := range f.conditions {
			var err error
			if keep, err = p.filter(x, current, keep[:0]); err != nil {
				return nil, err
			}
			if len(keep) == 0 {
				return nil, nil
			}
			if current == b && len(keep) < b.N {
				current = selectRows(&work, b, keep)
			} else {
				compact(current, keep)
			}
		}
		return out.of(current), nil
	}
}
