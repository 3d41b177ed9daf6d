package exec

import (
	"github.com/rdfgpu/rdfgpu/parser"
)

// filterOp keeps the solutions for which every condition is true.
type filterOp struct {
	input      operator
	conditions []*predicate
	out        []string
	explain    *Explain
}

// filter compiles a chain of filters: conditions on a basic graph pattern that the matcher can apply are handed to
// it, the others run on the batches, those with EXISTS last.
func (c *compiler) filter(n *parser.Filter, r request) (operator, error) {
	var conditions, exists []parser.Expr
	var in parser.Node = n
	for f, ok := in.(*parser.Filter); ok; f, ok = in.(*parser.Filter) {
		for _, e := range conjuncts(nil, f.Condition) {
			if hasExists(e) {
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
	conditions = append(conditions, exists...)
	need := setOf(f.out...)
	for _, e := range conditions {
		need = c.scopes.mentions(need, e)
	}
	ask := r.with(need)
	ask.distinct = r.distinct
	var err error
	if isBGP && len(bgp.Patterns) > 0 && (len(r.inputs) == 0 || !c.needsSeed(bgp, r)) {
		f.input, err = c.match(bgp, pushed, ask)
	} else {
		f.input, err = c.compile(in, ask)
	}
	if err != nil || len(conditions) == 0 {
		return f.input, err
	}
	return f, c.conditions(f, conditions)
}

// conditions compiles the expressions of a filter.
func (c *compiler) conditions(f *filterOp, list []parser.Expr) error {
	in := f.input.node()
	f.explain = &Explain{Operator: "filter", Columns: f.out, EstimatedRows: in.EstimatedRows, Children: []*Explain{in}, cost: in.cost}
	for i, e := range list {
		p, err := c.predicate(e, f.input.columns())
		if err != nil {
			return err
		}
		f.conditions = append(f.conditions, p)
		if i > 0 {
			f.explain.Detail += " && "
		}
		f.explain.Detail += exprText(e)
		for _, x := range p.exists {
			f.explain.Children = append(f.explain.Children, x.explain)
		}
	}
	return nil
}

func (f *filterOp) columns() []string { return f.out }

func (f *filterOp) node() *Explain { return f.explain }

func (f *filterOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	var work Batch
	var keep []uint32
	out := projection{from: indexes(f.input.columns(), f.out)}
	return measured(f.input, x, seed, func(b *Batch) error {
		current := b
		for _, p := range f.conditions {
			var err error
			if keep, err = p.filter(x, current, keep[:0]); err != nil {
				return err
			}
			if len(keep) == 0 {
				return nil
			}
			if current == b && len(keep) < b.N {
				current = selectRows(&work, b, keep)
			} else {
				compact(current, keep)
			}
		}
		return emit(out.of(current))
	})
}
