package parser

import (
	"fmt"
	"strconv"
	"strings"
)

// FormatNode writes algebra as nested lists, one operator a pair of brackets: "(join (bgp (?s <p> ?o)) (table …))".
func FormatNode(n Node) string {
	var p printer
	p.node(n)
	return p.String()
}

// FormatExpr writes an expression as nested lists: `(< ?x "5"^^<…integer>)`.
func FormatExpr(e Expr) string {
	var p printer
	p.expr(e)
	return p.String()
}

type printer struct{ strings.Builder }

// list writes "(name", the parts with a space before each, and ")".
func (p *printer) list(name string, parts ...any) {
	p.WriteString("(" + name)
	for _, part := range parts {
		p.WriteByte(' ')
		switch part := part.(type) {
		case Node:
			p.node(part)
		case Expr:
			p.expr(part)
		case Path:
			p.path(part)
		case PatternTerm:
			p.term(part)
		default:
			fmt.Fprint(p, part)
		}
	}
	p.WriteByte(')')
}

func (p *printer) term(t PatternTerm) {
	switch {
	case t.IsVariable():
		p.WriteString("?" + t.Variable)
	case t.Term.IsZero():
		p.WriteString("UNDEF")
	default:
		p.WriteString(t.Term.String())
	}
}

func (p *printer) node(n Node) {
	switch n := n.(type) {
	case *BGP:
		p.bgp(n)
	case *PathPattern:
		p.list("path", n.Subject, n.Path, n.Object)
	case *Join:
		p.list("join", n.Left, n.Right)
	case *LeftJoin:
		if n.Condition == nil {
			p.list("leftjoin", n.Left, n.Right)
		} else {
			p.list("leftjoin", n.Left, n.Right, n.Condition)
		}
	case *Filter:
		p.list("filter", n.Condition, n.Input)
	case *Union:
		p.list("union", n.Left, n.Right)
	case *Minus:
		p.list("minus", n.Left, n.Right)
	case *Graph:
		p.list("graph", n.Name, n.Input)
	case *Extend:
		p.list("extend", "?"+n.Variable, n.Expr, n.Input)
	case *Values:
		p.values(n)
	case *Service:
		name := "service"
		if n.Silent {
			name = "service silent"
		}
		p.list(name, n.Name, strconv.Quote(n.Text))
	default:
		p.modifier(n)
	}
}

func (p *printer) modifier(n Node) {
	switch n := n.(type) {
	case *Group:
		p.group(n)
	case *OrderBy:
		p.WriteString("(order (")
		for i, k := range n.Keys {
			if i > 0 {
				p.WriteByte(' ')
			}
			direction := "asc"
			if k.Descending {
				direction = "desc"
			}
			p.list(direction, k.Expr)
		}
		p.WriteString(") ")
		p.node(n.Input)
		p.WriteByte(')')
	case *Project:
		p.list("project", names(n.Variables), n.Input)
	case *Distinct:
		p.list("distinct", n.Input)
	case *Reduced:
		p.list("reduced", n.Input)
	case *Slice:
		p.list("slice", n.Offset, n.Limit, n.Input)
	}
}

func names(list []string) string {
	if len(list) == 0 {
		return "()"
	}
	return "(?" + strings.Join(list, " ?") + ")"
}

func (p *printer) bgp(n *BGP) {
	p.WriteString("(bgp")
	for _, t := range n.Patterns {
		p.WriteString(" (")
		p.term(t.Subject)
		p.WriteByte(' ')
		p.term(t.Predicate)
		p.WriteByte(' ')
		p.term(t.Object)
		p.WriteByte(')')
	}
	p.WriteByte(')')
}

func (p *printer) values(n *Values) {
	p.WriteString("(table " + names(n.Variables))
	for _, row := range n.Rows {
		parts := make([]any, 0, len(row))
		for _, t := range row {
			parts = append(parts, PatternTerm{Term: t})
		}
		p.WriteByte(' ')
		p.list("row", parts...)
	}
	p.WriteByte(')')
}

func (p *printer) group(n *Group) {
	p.WriteString("(group (")
	for i, k := range n.Keys {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.list("?"+k.Variable, k.Expr)
	}
	p.WriteString(") (")
	for i, a := range n.Aggregates {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.aggregation(a)
	}
	p.WriteString(") ")
	p.node(n.Input)
	p.WriteByte(')')
}

func (p *printer) aggregation(a Aggregation) {
	parts := []any{}
	if a.Distinct {
		parts = append(parts, "distinct")
	}
	if a.Argument == nil {
		parts = append(parts, "*")
	} else {
		parts = append(parts, a.Argument)
	}
	if a.Function == "GROUP_CONCAT" {
		parts = append(parts, strconv.Quote(a.Separator))
	}
	p.list("?"+a.Variable+" "+a.Function, parts...)
}

func (p *printer) path(path Path) {
	switch path := path.(type) {
	case *PathIRI:
		p.WriteString("<" + path.IRI + ">")
	case *PathInverse:
		p.list("^", path.Path)
	case *PathSequence:
		p.list("/", path.Left, path.Right)
	case *PathAlternative:
		p.list("|", path.Left, path.Right)
	case *PathZeroOrMore:
		p.list("*", path.Path)
	case *PathOneOrMore:
		p.list("+", path.Path)
	case *PathZeroOrOne:
		p.list("?", path.Path)
	case *PathNegated:
		var parts []any
		for _, iri := range path.Forward {
			parts = append(parts, "<"+iri+">")
		}
		for _, iri := range path.Inverse {
			parts = append(parts, "^<"+iri+">")
		}
		p.list("!", parts...)
	}
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *Var:
		p.WriteString("?" + e.Name)
	case *Const:
		p.WriteString(e.Term.String())
	case *Call:
		p.call(e.Function, e.Args)
	case *FunctionCall:
		name := "<" + e.IRI + ">"
		if e.Distinct {
			name += " distinct"
		}
		p.call(name, e.Args)
	case *Exists:
		name := "exists"
		if e.Not {
			name = "not exists"
		}
		p.list(name, e.Pattern)
	}
}

func (p *printer) call(name string, args []Expr) {
	parts := make([]any, len(args))
	for i, a := range args {
		parts[i] = a
	}
	p.list(name, parts...)
}
