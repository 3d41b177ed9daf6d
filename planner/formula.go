package planner

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// formula is an expression as a matcher computes it of the numbers of its columns; nil where it is something else. Variables of bound stand for what they are
// bound to.
func formula(e parser.Expr, columns []string, bound map[string]parser.Expr) *bgp.Formula {
	switch e := e.(type) {
	case *parser.Var:
		if to, ok := bound[e.Name]; ok {
			return formula(to, columns, bound)
		}
		if c := slices.Index(columns, e.Name); c >= 0 {
			return &bgp.Formula{Op: bgp.ColumnNumber, Column: c}
		}
	case *parser.Const:
		v := dictionary.ParseValue(e.Term)
		if (v.Kind == dictionary.Integer || v.Kind == dictionary.Decimal) && v.Big == nil {
			return &bgp.Formula{Op: bgp.ConstantNumber, Int: v.Int, Scale: v.Scale, Decimal: v.Kind == dictionary.Decimal}
		}
	case *parser.Call:
		return callFormula(e, columns, bound)
	}
	return nil
}

// callFormula is formula of an operator.
func callFormula(e *parser.Call, columns []string, bound map[string]parser.Expr) *bgp.Formula {
	op, known := formulaOps[e.Function]
	if !known || len(e.Args) != op.arguments {
		return nil
	}
	f := &bgp.Formula{Op: op.op}
	for _, a := range e.Args {
		b := formula(a, columns, bound)
		if b == nil || b.Truth() != (op.op >= bgp.And) {
			return nil
		}
		f.Args = append(f.Args, b)
	}
	if op.swaps {
		slices.Reverse(f.Args)
	}
	if e.Function == "!=" {
		f = &bgp.Formula{Op: bgp.Not, Args: []*bgp.Formula{f}}
	}
	return f
}

// formulaOp is an operator of SPARQL as an operation of a formula; swaps: of its arguments in the other order.
type formulaOp struct {
	op        bgp.FormulaOp
	arguments int
	swaps     bool
}

var formulaOps = map[string]formulaOp{
	"+": {bgp.Plus, 2, false}, "-": {bgp.Minus, 2, false}, "*": {bgp.Times, 2, false}, "unary-": {bgp.Negate, 1, false},
	"<": {bgp.Less, 2, false}, "<=": {bgp.LessEqual, 2, false}, ">": {bgp.Less, 2, true}, ">=": {bgp.LessEqual, 2, true},
	"=": {bgp.Equal, 2, false}, "!=": {bgp.Equal, 2, false}, "&&": {bgp.And, 2, false}, "||": {bgp.Or, 2, false}, "!": {bgp.Not, 1, false},
}

// matchBelow is the match whose rows a node has, tested and with variables bound beside what they are bound to; nil where they are others, or tested by what the
// match does not know.
func matchBelow(n Node) (m *Match, bound map[string]parser.Expr) {
	bound = map[string]parser.Expr{}
	for {
		switch of := n.(type) {
		case *Match:
			if len(of.Seeds) > 0 || of.Limit > 0 || of.Plan.Empty {
				return nil, nil
			}
			return of, bound
		case *Looked:
			if of.weighs && !of.Weighted {
				return nil, nil
			}
			n = of.Probe
		case *Project:
			n = of.Input
		case *Bind:
			if of.Volatile || len(of.Value.Exists)+len(of.Value.Blanks) > 0 {
				return nil, nil
			}
			bound[of.Variable] = of.Value.Expr
			n = of.Input
		case *Filter:
			if !of.Sifted {
				return nil, nil
			}
			n = of.Input
		default:
			return nil, nil
		}
	}
}

// ownMatch is a node with a match below that nobody else has, where it has one; what was planned before may be part of several plans.
func ownMatch(n Node) Node {
	switch n := n.(type) {
	case *Match:
		m, plan := *n, *n.Plan
		m.Plan = &plan
		return &m
	case *Looked:
		own := *n
		own.Probe = ownMatch(n.Probe).(*Match)
		return &own
	case *Project:
		own := *n
		own.Input = ownMatch(n.Input)
		return &own
	case *Distinct:
		own := *n
		own.Input = ownMatch(n.Input)
		return &own
	case *Bind:
		own := *n
		own.Input = ownMatch(n.Input)
		return &own
	case *Filter:
		own := *n
		own.Input = ownMatch(n.Input)
		return &own
	}
	return n
}

// sifted lets the match below a filter leave out rows that fail its conditions on numbers:
//
//	FILTER(?price * ?count > 100)   FILTER(?from < ?to)
func sifted(f *Filter) {
	m, bound := matchBelow(f.Input)
	if m == nil {
		return
	}
	where := m.Plan.Where
	f.Sifted = true
	for _, c := range f.Conditions {
		if of := formula(c.Expr, m.Columns, bound); of != nil && of.Truth() && len(of.Columns(nil)) > 0 {
			where = append(where[:len(where):len(where)], of)
		} else {
			f.Sifted = false
		}
	}
	if len(where) > len(m.Plan.Where) {
		f.Input = ownMatch(f.Input)
		m, _ = matchBelow(f.Input)
		m.Plan.Where = where
	}
}
