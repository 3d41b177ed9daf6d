package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// modifier plans a solution modifier.
func (p *planner) modifier(n parser.Node, r request) (Node, error) {
	switch n := n.(type) {
	case *parser.OrderBy:
		return p.orderBy(n, r)
	case *parser.Project:
		in, err := p.lower(n.Input, r.with(p.outputColumns(n, r)))
		if err != nil {
			return nil, err
		}
		return p.narrowed(in, p.outputColumns(n, r)), nil
	case *parser.Distinct:
		return p.distinct(n, r)
	case *parser.Reduced:
		return p.lower(n.Input, r)
	case *parser.Slice:
		return p.slice(n, r)
	}
	return nil, fmt.Errorf("planner: the algebra has an operator %T: %w", n, ErrUnsupported)
}

// narrowed puts a projection on a node that has other columns than those asked for.
func (p *planner) narrowed(in Node, columns scope.Set) Node {
	if slices.Equal(in.Props().Columns, p.scopes.Names(columns)) {
		return in
	}
	return &Project{unary{p.above(in, columns), in}}
}

func (p *planner) slice(n *parser.Slice, r request) (Node, error) {
	r.distinct = false
	if r.first = (firstRows{}); n.Limit >= 0 {
		r.first.rows = uint64(max(n.Offset, 0) + n.Limit)
	}
	in, err := p.lower(n.Input, r)
	if err != nil {
		return nil, err
	}
	offset := max(n.Offset, 0)
	if n.Limit >= 0 {
		in = limited(in, uint64(offset+n.Limit))
	}
	s := &Slice{unary: unary{*in.Props(), in}, Offset: offset, Most: n.Limit}
	if s.Limit, s.note = 0, ""; n.Limit >= 0 {
		s.Rows = min(s.Rows, float64(n.Limit))
	}
	return s, nil
}

// distinct plans DISTINCT: which rows are equal depends on all columns the input has, so that none is dropped.
func (p *planner) distinct(n *parser.Distinct, r request) (Node, error) {
	want := p.outputColumns(n, r)
	r.compared = p.comparedByDistinct(n, &r)
	r.need, r.distinct = p.scopes.Of(n).May, true
	in, err := p.lower(n.Input, r)
	if err != nil {
		return nil, err
	}
	combined(in, !p.options.Unoptimised)
	if m, ok := in.(*Match); ok {
		m.Plan.Whole = true
	}
	apart := false
	if !p.options.Unoptimised {
		in, apart = foldedApart(in)
	}
	d := &Distinct{unary: unary{*in.Props(), in}, Sorted: sorted(n.Input)}
	d.Limit, d.Weighted, d.note = 0, false, ""
	for _, v := range d.Columns {
		if !apart {
			break
		}
		k, err := p.expression(&parser.Var{Name: v}, d.Columns, n.Input)
		if err != nil {
			return nil, err
		}
		k.Identity = min(p.identityOf(v, &r), dictionary.IdentityComputed)
		d.Keys = append(d.Keys, k)
	}
	return p.narrowed(d, want), nil
}

// sorted reports whether a pattern's solutions come in an order that DISTINCT has to keep.
func sorted(n parser.Node) bool {
	switch n := n.(type) {
	case *parser.OrderBy:
		return true
	case *parser.Project, *parser.Extend, *parser.Slice, *parser.Distinct, *parser.Reduced:
		return sorted(parser.Children(n)[0])
	}
	return false
}

func (p *planner) orderBy(n *parser.OrderBy, r request) (Node, error) {
	list := parser.Expressions(n)
	if v, ok := n.Keys[0].Expr.(*parser.Var); ok && r.first.rows > 0 {
		r.first.variable, r.first.descending = v.Name, n.Keys[0].Descending
	} else {
		r.first = firstRows{}
	}
	in, err := p.lower(n.Input, r.with(p.outputColumns(n, r).Or(p.scopes.Reads(list...))))
	if err != nil {
		return nil, err
	}
	in = p.recall(in, list...)
	s := &Sort{unary: unary{p.above(in, p.outputColumns(n, r)), in}}
	var texts []string
	for _, k := range n.Keys {
		e, err := p.expression(k.Expr, in.Props().Columns, n.Input)
		if err != nil {
			return nil, err
		}
		s.Keys = append(s.Keys, SortKey{e, k.Descending})
		text := p.exprText(k.Expr)
		if k.Descending {
			text += " descending"
		}
		texts = append(texts, text)
	}
	s.text = "by " + strings.Join(texts, ", ")
	return s, nil
}
