package exec

import (
	"context"

	"github.com/rdfgpu/rdfgpu/exec/join"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/sideways"
	"github.com/rdfgpu/rdfgpu/planner"
)

func (b *builder) join(n *planner.Join) (operator.Operator, error) {
	left, err := b.build(n.Left)
	if err == nil {
		err = b.ended()
	}
	if err != nil {
		return nil, err
	}
	b.joins.Add(1)
	j := &join.Join{Base: b.base(n), Merged: len(n.Merged), Kind: n.Kind, Left: left, Seeded: len(n.Seeds) > 0}
	if n.Condition != nil {
		if j.Condition, err = b.predicate(n.Condition); err != nil {
			return nil, err
		}
	}
	merge := func(right []string, agreed []string) sideways.Merge {
		return sideways.NewMerge(left.Columns(), right, n.Merged, agreed)
	}
	if n.Seeded != nil {
		if j.Seeds, err = b.seeded(n.Seeded, operator.Indexes(left.Columns(), n.Seeded.Variables), merge); err != nil {
			return nil, err
		}
	}
	if n.Hashed != nil {
		j.Hashed, err = b.hashed(n.Hashed, left, merge)
	}
	return j, err
}

// seeded makes the operators of the variants that are planned; from are the columns of the variables.
func (b *builder) seeded(s *planner.Seeded, from []int, merge func(right, agreed []string) sideways.Merge) (*sideways.Side, error) {
	side := &sideways.Side{Vars: s.Variables, From: from, Fixed: s.Fixed, Variants: map[uint64]*sideways.Variant{}}
	made := func(ctx context.Context, mask uint64) (*sideways.Variant, error) {
		node, err := s.Variant(mask).Node(ctx)
		if err != nil {
			return nil, err
		}
		op, err := b.build(node)
		if err != nil {
			return nil, err
		}
		v := &sideways.Variant{Op: op}
		var bound []string
		for i, name := range s.Variables {
			if mask>>i&1 == 1 {
				bound, v.Cols = append(bound, name), append(v.Cols, from[i])
			}
		}
		v.Spec = merge(op.Columns(), bound)
		return v, nil
	}
	side.Make = func(ctx context.Context, mask uint64) (*sideways.Variant, error) {
		b.making.Lock()
		defer b.making.Unlock()
		return made(ctx, mask)
	}
	devices := b.devices
	for _, mask := range s.Planned() {
		var err error
		if side.Variants[mask], err = made(context.Background(), mask); err != nil {
			return nil, err
		}
	}
	if s.Shared && b.devices == devices { // a device takes many rows at a time
		side.Another = func() (*sideways.Side, error) {
			b.making.Lock()
			defer b.making.Unlock()
			return b.another().seeded(s, from, merge)
		}
	}
	return side, nil
}

func (b *builder) hashed(n *planner.Hashed, left operator.Operator, merge func(right, agreed []string) sideways.Merge) (*join.Hashed, error) {
	h := &join.Hashed{Shared: n.Shared, LeftShared: operator.Indexes(left.Columns(), n.Shared), Key: n.Key, First: n.First, Varies: n.Varies}
	made := func(ctx context.Context) error {
		node, err := n.Plan.Node(ctx)
		if err == nil {
			h.Node = node
			h.Op, err = b.build(node)
		}
		if err == nil {
			h.Spec = merge(h.Op.Columns(), n.Shared)
		}
		return err
	}
	h.Make = func(ctx context.Context) error {
		b.making.Lock()
		defer b.making.Unlock()
		return made(ctx)
	}
	if n.Plan.Made() == nil {
		return h, nil
	}
	return h, made(context.Background())
}

// eachGraph makes the operator of a graph's plan when it is first reached.
