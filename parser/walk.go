package parser

import (
	"iter"
	"slices"
)

// Children returns the operands of an operator, left to right. The patterns of EXISTS in its expressions are not among
// them: they are reached through Expressions. It is small enough to be inlined: what its caller does not keep needs no memory.
func Children(n Node) []Node { return appendChildren(make([]Node, 0, 2), n) }

func appendChildren(list []Node, n Node) []Node {
	switch n := n.(type) {
	case *Join:
		return append(list, n.Left, n.Right)
	case *LeftJoin:
		return append(list, n.Left, n.Right)
	case *Union:
		return append(list, n.Left, n.Right)
	case *Minus:
		return append(list, n.Left, n.Right)
	case *Filter:
		return append(list, n.Input)
	case *Graph:
		return append(list, n.Input)
	case *Extend:
		return append(list, n.Input)
	case *Service:
		return append(list, n.Input)
	case *Group:
		return append(list, n.Input)
	}
	if in := modifierInput(n); in != nil {
		return append(list, in)
	}
	return list
}

// modifierInput is what a solution modifier reads; nil where n is none.
func modifierInput(n Node) Node {
	switch n := n.(type) {
	case *OrderBy:
		return n.Input
	case *Project:
		return n.Input
	case *Distinct:
		return n.Input
	case *Reduced:
		return n.Input
	case *Slice:
		return n.Input
	}
	return nil
}

// Map returns an operator like n whose operands are what f makes of them; n itself where f changes none.
func Map(n Node, f func(Node) Node) Node {
	before := Children(n)
	after := make([]Node, 2)[:len(before)]
	same := true
	for i, c := range before {
		after[i] = f(c)
		same = same && after[i] == c
	}
	if same {
		return n
	}
	switch n := n.(type) {
	case *Join:
		return &Join{Left: after[0], Right: after[1]}
	case *LeftJoin:
		return &LeftJoin{Left: after[0], Right: after[1], Condition: n.Condition}
	case *Union:
		return &Union{Left: after[0], Right: after[1]}
	case *Minus:
		return &Minus{Left: after[0], Right: after[1]}
	}
	return withInput(n, after[0])
}

// withInput returns an operator of one operand with another one.
func withInput(n, in Node) Node {
	switch n := n.(type) {
	case *Filter:
		return &Filter{Condition: n.Condition, Input: in}
	case *Graph:
		return &Graph{Name: n.Name, Input: in}
	case *Extend:
		return &Extend{Input: in, Variable: n.Variable, Expr: n.Expr}
	case *Service:
		return &Service{Name: n.Name, Input: in, Text: n.Text, Silent: n.Silent}
	case *Group:
		return &Group{Input: in, Keys: n.Keys, Aggregates: n.Aggregates}
	case *OrderBy:
		return &OrderBy{Input: in, Keys: n.Keys}
	case *Project:
		return &Project{Input: in, Variables: n.Variables}
	case *Distinct:
		return &Distinct{Input: in}
	case *Reduced:
		return &Reduced{Input: in}
	case *Slice:
		return &Slice{Input: in, Offset: n.Offset, Limit: n.Limit}
	}
	return n
}

// Pattern returns what an operation matches to find its quads; nil where it matches nothing.
func Pattern(o Operation) Node {
	if m, ok := o.(*Modify); ok {
		return m.Where
	}
	return nil
}

// MapPattern returns an operation like o whose pattern is what f makes of it; o itself where f changes nothing or there
// is none. The text of the pattern stays as it is.
func MapPattern(o Operation, f func(Node) Node) Operation {
	m, ok := o.(*Modify)
	if !ok {
		return o
	}
	where := f(m.Where)
	if where == m.Where {
		return o
	}
	changed := *m
	changed.Where = where
	return &changed
}

// Expressions returns the expressions that an operator itself computes, not those of its operands.
func Expressions(n Node) (list []Expr) {
	MapExpressions(n, func(e Expr) Expr { list = append(list, e); return e })
	return list
}

// Walk visits an operator, its operands and all below, each before what is below it, the patterns of EXISTS included. Where visit is
// false, nothing below is visited.
func Walk(n Node, visit func(Node) bool) {
	if !visit(n) {
		return
	}
	for _, e := range Expressions(n) {
		AnyExpr(e, func(e Expr) bool {
			if x, ok := e.(*Exists); ok {
				Walk(x.Pattern, visit)
			}
			return false
		})
	}
	for _, c := range Children(n) {
		Walk(c, visit)
	}
}

// MapExpressions returns an operator like n whose own expressions are what f makes of them; n itself where f changes
// none.
func MapExpressions(n Node, f func(Expr) Expr) Node {
	switch n := n.(type) {
	case *Filter:
		if c := f(n.Condition); c != n.Condition {
			return &Filter{Condition: c, Input: n.Input}
		}
	case *LeftJoin:
		if n.Condition == nil {
			return n
		}
		if c := f(n.Condition); c != n.Condition {
			return &LeftJoin{Left: n.Left, Right: n.Right, Condition: c}
		}
	case *Extend:
		if e := f(n.Expr); e != n.Expr {
			return &Extend{Input: n.Input, Variable: n.Variable, Expr: e}
		}
	case *OrderBy:
		keys := slices.Clone(n.Keys)
		for i := range keys {
			keys[i].Expr = f(keys[i].Expr)
		}
		if !slices.Equal(keys, n.Keys) {
			return &OrderBy{Input: n.Input, Keys: keys}
		}
	case *Group:
		return mapGroup(n, f)
	}
	return n
}

func mapGroup(n *Group, f func(Expr) Expr) Node {
	keys, aggregates := n.Keys, n.Aggregates
	for i, k := range n.Keys {
		if e := f(k.Expr); e != k.Expr {
			keys = owned(keys, n.Keys)
			keys[i].Expr = e
		}
	}
	for i, a := range n.Aggregates {
		if a.Argument == nil {
			continue
		}
		if e := f(a.Argument); e != a.Argument {
			aggregates = owned(aggregates, n.Aggregates)
			aggregates[i].Argument = e
		}
	}
	if same(keys, n.Keys) && same(aggregates, n.Aggregates) {
		return n
	}
	return &Group{Input: n.Input, Keys: keys, Aggregates: aggregates}
}

// same reports whether two lists of one length are the same memory.
func same[T any](a, b []T) bool { return len(a) == 0 || &a[0] == &b[0] }

// owned is list, or a copy of it where it is shared still.
func owned[T any](list, shared []T) []T {
	if same(list, shared) {
		return slices.Clone(list)
	}
	return list
}

// Mentions yields the variables that an operator itself names in its pattern, as often as it does: those of triple
// patterns, of a path's ends, and of GRAPH and SERVICE.
func Mentions(n Node) iter.Seq[string] {
	return func(yield func(string) bool) {
		term := func(t *PatternTerm) bool { return t.Variable == "" || yield(t.Variable) }
		switch n := n.(type) {
		case *BGP:
			for i := range n.Patterns {
				if p := &n.Patterns[i]; !term(&p.Subject) || !term(&p.Predicate) || !term(&p.Object) {
					return
				}
			}
		case *PathPattern:
			_ = term(&n.Subject) && term(&n.Object)
		case *Graph:
			term(&n.Name)
		case *Service:
			term(&n.Name)
		}
	}
}

// Binds returns the variables that an operator itself binds to computed or given values.
func Binds(n Node) (list []string) {
	switch n := n.(type) {
	case *Extend:
		list = append(list, n.Variable)
	case *Values:
		list = append(list, n.Variables...)
	case *Group:
		for _, k := range n.Keys {
			list = append(list, k.Variable)
		}
		for _, a := range n.Aggregates {
			list = append(list, a.Variable)
		}
	}
	return list
}

// Arguments returns the operands of an expression, left to right; EXISTS has none.
func Arguments(e Expr) []Expr {
	switch e := e.(type) {
	case *Call:
		return e.Args
	case *FunctionCall:
		return e.Args
	}
	return nil
}

// MapArguments returns an expression like e whose operands are what f makes of them; e itself where f changes none.
func MapArguments(e Expr, f func(Expr) Expr) Expr {
	before := Arguments(e)
	var after []Expr
	for i, a := range before {
		b := f(a)
		if b != a && after == nil {
			after = slices.Clone(before)
		}
		if after != nil {
			after[i] = b
		}
	}
	if after == nil {
		return e
	}
	if call, ok := e.(*Call); ok {
		return &Call{Function: call.Function, Args: after}
	}
	call := e.(*FunctionCall)
	return &FunctionCall{IRI: call.IRI, Distinct: call.Distinct, Args: after}
}

// AnyExpr reports whether is holds for an expression or for any below it, patterns of EXISTS aside.
func AnyExpr(e Expr, is func(Expr) bool) bool {
	return is(e) || slices.ContainsFunc(Arguments(e), func(a Expr) bool { return AnyExpr(a, is) })
}

// HasExists reports whether an expression holds an EXISTS.
func HasExists(e Expr) bool {
	return AnyExpr(e, func(e Expr) bool { _, ok := e.(*Exists); return ok })
}

// IsVariable reports whether an expression is a variable by itself.
func IsVariable(e Expr) bool { _, ok := e.(*Var); return ok }

// IsVolatile reports whether an expression may have another value each time it is computed.
func IsVolatile(e Expr) bool {
	return AnyExpr(e, func(e Expr) bool {
		c, ok := e.(*Call)
		return ok && (c.Function == "RAND" || c.Function == "UUID" || c.Function == "STRUUID" || c.Function == "BNODE")
	})
}

// VariesEachTime reports whether a pattern may have other solutions each time it is matched, as an expression in it may have another value (IsVolatile).
func VariesEachTime(n Node) bool {
	varies := false
	Walk(n, func(n Node) bool {
		varies = varies || slices.ContainsFunc(Expressions(n), IsVolatile)
		return !varies
	})
	return varies
}

// LabelsBlanks reports whether an expression calls BNODE with a label.
func LabelsBlanks(e Expr) bool {
	return AnyExpr(e, func(e Expr) bool {
		c, ok := e.(*Call)
		return ok && c.Function == "BNODE" && len(c.Args) == 1
	})
}

// Conjuncts appends the operands of nested && to dst: a filter keeps a solution when each of them is true. A nil
// expression has none.
func Conjuncts(dst []Expr, e Expr) []Expr {
	if e == nil {
		return dst
	}
	if c, ok := e.(*Call); ok && c.Function == "&&" {
		for _, a := range c.Args {
			dst = Conjuncts(dst, a)
		}
		return dst
	}
	return append(dst, e)
}

// Nullable reports whether a path connects every term with itself.
func Nullable(p Path) bool {
	switch p := p.(type) {
	case *PathZeroOrMore, *PathZeroOrOne:
		return true
	case *PathOneOrMore:
		return Nullable(p.Path)
	case *PathInverse:
		return Nullable(p.Path)
	case *PathSequence:
		return Nullable(p.Left) && Nullable(p.Right)
	case *PathAlternative:
		return Nullable(p.Left) || Nullable(p.Right)
	}
	return false
}

// PathSize counts the operators and predicates of a path.
func PathSize(p Path) int {
	switch p := p.(type) {
	case *PathInverse:
		return 1 + PathSize(p.Path)
	case *PathZeroOrOne:
		return 1 + PathSize(p.Path)
	case *PathZeroOrMore:
		return 1 + PathSize(p.Path)
	case *PathOneOrMore:
		return 1 + PathSize(p.Path)
	case *PathSequence:
		return 1 + PathSize(p.Left) + PathSize(p.Right)
	case *PathAlternative:
		return 1 + PathSize(p.Left) + PathSize(p.Right)
	}
	return 1
}

// MakesNumbers reports whether the results of an operator or builtin are numbers of its own, which are not one of its arguments.
func MakesNumbers(function string) bool {
	switch function {
	case "+", "-", "*", "/", "unary-", "ABS", "CEIL", "FLOOR", "ROUND", "YEAR", "MONTH", "DAY", "HOURS", "MINUTES":
		return true
	}
	return false
}

// MakesTexts reports whether the results of a builtin are texts of its own, few of which are likely to be terms of the data.
func MakesTexts(function string) bool {
	switch function {
	case "CONCAT", "UCASE", "LCASE", "SUBSTR", "STRBEFORE", "STRAFTER", "REPLACE", "ENCODE_FOR_URI", "MD5", "SHA1", "SHA256", "SHA384", "SHA512", "STRUUID":
		return true
	}
	return false
}

// OfNumbers reports whether an aggregate asks for nothing but the numbers that its argument, which is no variable, comes to: what sums and averages do, and
// extremes of what makes numbers.
func (a *Aggregation) OfNumbers() bool {
	switch e := a.Argument.(type) {
	case nil, *Var:
		return false
	case *Call:
		if (a.Function == "MIN" || a.Function == "MAX") && MakesNumbers(e.Function) {
			return true
		}
	}
	return !a.Distinct && (a.Function == "SUM" || a.Function == "AVG")
}
