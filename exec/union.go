package exec

import (
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/rules"
)

// unionOp emits the solutions of both branches.
type unionOp struct {
	branches []operator
	out      []string
	explain  *Explain
}

func (c *compiler) union(n *parser.Union, r request) (operator, error) {
	u := &unionOp{out: c.outputColumns(n, r)}
	u.explain = &Explain{Operator: "union", Columns: u.out}
	for _, b := range rules.Branches(nil, n) {
		op, err := c.compile(b, r)
		if err != nil {
			return nil, err
		}
		u.branches = append(u.branches, op)
		e := op.node()
		u.explain.Children = append(u.explain.Children, e)
		u.explain.cost += e.cost
		u.explain.EstimatedRows += e.EstimatedRows
	}
	if op, err := c.sharedUnion(n, r, u.explain.cost); op != nil || err != nil {
		return op, err
	}
	return u, nil
}

func (u *unionOp) columns() []string { return u.out }

func (u *unionOp) node() *Explain { return u.explain }

func (u *unionOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	for _, op := range u.branches {
		out := projection{from: indexes(op.columns(), u.out)}
		err := measured(op, x, seed, func(b *Batch) error { return emit(out.of(b)) })
		if err != nil {
			return err
		}
	}
	return nil
}
