package planner

import (
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// numbered is a match whose rows some node has, with what variables are there.
type numbered struct {
	*Match
	// names are those of the match's columns, "" of one that the node's variables are not.
	names []string
	// computed is what numbers other variables are bound to.
	computed map[string]*bgp.Formula
}

// formula is an expression as a matcher computes it of the numbers of its columns; nil where it is something else, or longer than bgp.MostFormula.
func (m *numbered) formula(e parser.Expr) *bgp.Formula {
	switch e := e.(type) {
	case *parser.Var:
		if of, ok := m.computed[e.Name]; ok {
			return of
		}
		if c := slices.Index(m.names, e.Name); c >= 0 {
			return &bgp.Formula{Op: bgp.ColumnNumber, Column: c}
		}
	case *parser.Const:
		return constantNumber(e)
	case *parser.Call:
		return m.called(e)
	}
	return nil
}

// constantNumber is formula of a constant.
func constantNumber(e *parser.Const) *bgp.Formula {
	v := dictionary.ParseValue(e.Term)
	if (v.Kind == dictionary.Integer || v.Kind == dictionary.Decimal) && v.Big == nil {
		return &bgp.Formula{Op: bgp.ConstantNumber, Int: v.Int, Scale: v.Scale, Decimal: v.Kind == dictionary.Decimal}
	}
	return nil
}

// called is formula of an operator.
func (m *numbered) called(e *parser.Call) *bgp.Formula {
	op, known := formulaOps[e.Function]
	if !known || len(e.Args) != op.arguments {
		return nil
	}
	f := &bgp.Formula{Op: op.op}
	for _, a := range e.Args {
		b := m.formula(a)
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
	if f.Size() > bgp.MostFormula {
		return nil
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
func matchBelow(n Node) *numbered {
	var in Node
	switch of := n.(type) {
	case *Match:
		if len(of.Seeds) > 0 || of.Limit > 0 || of.Plan.Empty {
			return nil
		}
		return &numbered{Match: of, names: of.Columns, computed: map[string]*bgp.Formula{}}
	case *Looked:
		if of.weighs && !of.Weighted {
			return nil
		}
		in = of.Probe
	case *Project:
		in = of.Input
	case *Bind:
		if of.Volatile || len(of.Value.Exists)+len(of.Value.Blanks) > 0 {
			return nil
		}
		in = of.Input
	case *Filter:
		if !of.Sifted {
			return nil
		}
		in = of.Input
	default:
		return nil
	}
	m := matchBelow(in)
	if m == nil {
		return nil
	}
	if of, ok := n.(*Bind); ok {
		m.computed[of.Variable] = m.formula(of.Value.Expr)
	}
	if !in.Props().set.Within(n.Props().set) {
		m.keep(n.Props().Columns)
	}
	return m
}

// keep hides all variables but some.
func (m *numbered) keep(variables []string) {
	m.names = slices.Clone(m.names)
	for i, name := range m.names {
		if !slices.Contains(variables, name) {
			m.names[i] = ""
		}
	}
	maps.DeleteFunc(m.computed, func(name string, _ *bgp.Formula) bool { return !slices.Contains(variables, name) })
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
	m := matchBelow(f.Input)
	if m == nil {
		return
	}
	where := m.Plan.Where
	f.Sifted = true
	for _, c := range f.Conditions {
		if of := m.formula(c.Expr); of != nil && of.Truth() && len(of.Columns(nil)) > 0 {
			where = append(where[:len(where):len(where)], of)
		} else {
			f.Sifted = false
		}
	}
	if len(where) > len(m.Plan.Where) {
		f.Input = ownMatch(f.Input)
		matchBelow(f.Input).Plan.Where = where
	}
}
