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

// called is formula of an operator or a function.
func (m *numbered) called(e *parser.Call) *bgp.Formula {
	if of := dictionary.PartOf(e.Function); of != 0 {
		return m.part(e, of)
	}
	if e.Function == "/" {
		return m.quotient(e)
	}
	op, known := formulaOps[e.Function]
	if !known || len(e.Args) != op.arguments {
		return nil
	}
	f := &bgp.Formula{Op: op.op}
	for _, a := range e.Args {
		b := m.formula(a)
		if b == nil || b.Truth() != (op.op >= bgp.And) || b.Op == bgp.Quotient && (!op.quotients || len(f.Args) > 0 && f.Args[0].Op == bgp.Quotient) {
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

// part is formula of YEAR and the like.
func (m *numbered) part(e *parser.Call, of dictionary.Part) *bgp.Formula {
	f := m.formula(e.Args[0])
	if f == nil || f.Op != bgp.ColumnNumber || f.Part != 0 {
		return nil
	}
	return &bgp.Formula{Op: bgp.ColumnNumber, Column: f.Column, Part: of}
}

// quotient is formula of a division. By a constant it is a product where that has as few decimals as are kept of a quotient.
func (m *numbered) quotient(e *parser.Call) *bgp.Formula {
	a, b := m.formula(e.Args[0]), m.formula(e.Args[1])
	if a == nil || b == nil || !a.Number() || !b.Number() {
		return nil
	}
	f := &bgp.Formula{Op: bgp.Quotient, Args: []*bgp.Formula{a, b}}
	if by := inverse(b); by != nil && decimals(a)+int(by.Scale) <= mostQuotientDecimals {
		f = &bgp.Formula{Op: bgp.Times, Args: []*bgp.Formula{a, by}}
	}
	if f.Size() > bgp.MostFormula {
		return nil
	}
	return f
}

const (
	// mostQuotientDecimals is how many decimals quotients have that are not rounded, mostColumnDecimals how many a number may have that a matcher computes with.
	mostQuotientDecimals = 18
	mostColumnDecimals   = 6
)

// inverse is one by a constant, nil where that has more than so few decimals, or it is none.
func inverse(f *bgp.Formula) *bgp.Formula {
	if f.Op != bgp.ConstantNumber || f.Int == 0 {
		return nil
	}
	ten := int64(1)
	for scale := uint8(0); scale <= mostQuotientDecimals; scale++ {
		if ten%f.Int == 0 && scale >= f.Scale && scale-f.Scale <= mostColumnDecimals {
			return &bgp.Formula{Op: bgp.ConstantNumber, Int: ten / f.Int, Scale: scale - f.Scale, Decimal: true}
		}
		if scale < mostQuotientDecimals {
			ten *= 10
		}
	}
	return nil
}

// decimals is how many decimals a number has at most.
func decimals(f *bgp.Formula) (most int) {
	switch f.Op {
	case bgp.ColumnNumber:
		if f.Part == 0 {
			return mostColumnDecimals
		}
	case bgp.ConstantNumber:
		return int(f.Scale)
	case bgp.Times:
		return decimals(f.Args[0]) + decimals(f.Args[1])
	case bgp.Plus, bgp.Minus, bgp.Negate, bgp.Absolute:
		for _, a := range f.Args {
			most = max(most, decimals(a))
		}
	}
	return most
}

// formulaOp is an operator of SPARQL as an operation of a formula; swaps: of its arguments in the other order; quotients: one of them may be a quotient.
type formulaOp struct {
	op        bgp.FormulaOp
	arguments int
	swaps     bool
	quotients bool
}

var formulaOps = map[string]formulaOp{
	"+": {op: bgp.Plus, arguments: 2}, "-": {op: bgp.Minus, arguments: 2}, "*": {op: bgp.Times, arguments: 2}, "unary-": {op: bgp.Negate, arguments: 1},
	"ABS": {op: bgp.Absolute, arguments: 1}, "FLOOR": {op: bgp.Floor, arguments: 1, quotients: true}, "CEIL": {op: bgp.Ceil, arguments: 1, quotients: true},
	"ROUND": {op: bgp.Round, arguments: 1, quotients: true},
	"<":     {op: bgp.Less, arguments: 2, quotients: true}, "<=": {op: bgp.LessEqual, arguments: 2, quotients: true},
	">": {op: bgp.Less, arguments: 2, swaps: true, quotients: true}, ">=": {op: bgp.LessEqual, arguments: 2, swaps: true, quotients: true},
	"=": {op: bgp.Equal, arguments: 2, quotients: true}, "!=": {op: bgp.Equal, arguments: 2, quotients: true},
	"&&": {op: bgp.And, arguments: 2}, "||": {op: bgp.Or, arguments: 2}, "!": {op: bgp.Not, arguments: 1},
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
