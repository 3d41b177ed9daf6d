package planner

import (
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/rules"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// request says what is wanted of a pattern's node.
type request struct {
	// need are the variables that somebody above reads.
	need scope.Set
	// inputs are the variables that the node is seeded with.
	inputs []string
	// outer are those of the inputs that are substituted into the pattern (EXISTS), so that expressions anywhere in it see
	// them. The others only narrow its solutions: every one of them is bound by every solution of the pattern.
	outer scope.Set
	// distinct: repeated solutions do not matter.
	distinct bool
	// counted: all solutions are counted, equal ones as one with a weight.
	counted bool
	// root is what a pattern of which weights count all is to begin with, where that makes a tree; "" leaves it open.
	root string
	// compared is how the terms of the variables in need are compared by those above.
	compared compared
	// first is of which rows the first are read; the zero value: of none in particular.
	first firstRows
}

// firstRows are so many rows of a sorted pattern, first by a variable; "" until the order is known.
type firstRows struct {
	variable         string
	descending, both bool
	rows             uint64
}

// seeded reports whether the node is given rows.
func (r *request) seeded() bool { return len(r.inputs) > 0 || !r.outer.Empty() }

func (r request) with(need scope.Set) request {
	r.need = need
	return r
}

// each is the request for what stands below an expression that may have another value for each of some equal solutions: it wants all of them.
func (r request) each(list ...parser.Expr) request {
	if slices.ContainsFunc(list, parser.IsVolatile) {
		r.distinct, r.counted = false, false
	}
	return r
}

// planned is what came of a request about a pattern.
type planned struct {
	request
	node Node
	err  error
}

// plannedIn is what came of requests in one graph, by pattern.
type plannedIn map[parser.Node][]planned

// same reports whether a request was this one.
func (d *planned) same(r *request) bool {
	return d.distinct == r.distinct && d.counted == r.counted && d.first == r.first && slices.Equal(d.compared.own, r.compared.own) && slices.Equal(d.compared.shown, r.compared.shown) && slices.Equal(d.need, r.need) && slices.Equal(d.inputs, r.inputs) && slices.Equal(d.outer, r.outer)
}

// lower returns the node for a pattern. What was asked before is not planned again.
func (p *planner) lower(n parser.Node, r request) (Node, error) {
	known := p.planned[n]
	for i := range known {
		if known[i].same(&r) {
			return known[i].node, known[i].err
		}
	}
	if err := p.ended(); err != nil {
		return nil, err
	}
	node, err := p.plan(n, r)
	p.planned[n] = append(p.planned[n], planned{r, node, err})
	return node, err
}

// plan makes the node for a pattern.
func (p *planner) plan(n parser.Node, r request) (Node, error) {
	if !r.first.reaches(n) {
		r.first = firstRows{}
	}
	r.compared = p.comparedIn(n, &r)
	if _, ok := n.(*parser.Extend); !ok && r.need.Has(p.scopes.Number(solutionColumn)) {
		return p.number(n, r)
	}
	if !r.outer.Empty() && !p.substitutable(n) {
		return p.apply(n, r)
	}
	if len(r.inputs) > 0 && p.needsSeed(n, r) {
		return p.joinChain([]parser.Node{n}, n, r)
	}
	switch n := n.(type) {
	case *parser.BGP:
		return p.given(n, r, func(r request) (Node, error) { return p.basic(n, nil, r) })
	case *parser.PathPattern:
		return p.given(n, r, func(r request) (Node, error) { return p.path(n, r) })
	case *parser.Graph:
		return p.given(n, r, func(r request) (Node, error) { return p.graphPattern(n, r) })
	case *parser.Join:
		return p.joined(n, r)
	case *parser.LeftJoin:
		return p.leftJoin(n, r)
	case *parser.Minus:
		return p.minus(n, r)
	case *parser.Union:
		return p.union(n, r)
	case *parser.Filter:
		return p.filter(n, r)
	case *parser.Extend:
		return p.bind(n, r)
	case *parser.Values:
		return p.values(n, r), nil
	case *parser.Service:
		return p.service(n, r)
	case *parser.Group:
		return p.group(n, r)
	}
	return p.modifier(n, r)
}

// outputColumns are the columns of a node for n: what is needed of what it binds.
func (p *planner) outputColumns(n parser.Node, r request) scope.Set {
	return p.scopes.Of(n).May.Or(r.outer).And(r.need)
}

// needsSeed reports whether a pattern cannot take its inputs itself: it does not have them all.
func (p *planner) needsSeed(n parser.Node, r request) bool {
	switch n.(type) {
	case *parser.Service:
		return p.isTable(n) || !p.scopes.Set(r.inputs...).Within(p.scopes.Of(n).May)
	case *parser.BGP, *parser.PathPattern:
		return !p.scopes.Set(r.inputs...).Within(p.scopes.Of(n).May)
	case *parser.Values:
		return true
	}
	return false
}

// substitutable reports whether substituting bindings into a pattern is the same as joining it with them, as long
// as its filters see them. The others are planned with parameters (SPARQL 1.1 section 18.6, substitute).
func (p *planner) substitutable(n parser.Node) bool {
	switch n := n.(type) {
	case *parser.BGP, *parser.PathPattern, *parser.Values:
		return true
	case *parser.Join, *parser.LeftJoin, *parser.Union, *parser.Filter:
	case *parser.Graph:
		if n.Name.IsVariable() && p.scopes.Used(n.Input).Has(p.scopes.Number(n.Name.Variable)) {
			return false
		}
	default:
		return p.isTable(n)
	}
	return !slices.ContainsFunc(parser.Children(n), func(c parser.Node) bool { return !p.substitutable(c) })
}

// apply plans a correlated pattern that cannot be matched for many bindings at once, with parameters in place of the
// inputs: it is run for one row of them after the other.
func (p *planner) apply(n parser.Node, r request) (Node, error) {
	p.applied = true
	a := &Apply{}
	a.Seeds = r.inputs
	for _, v := range r.inputs {
		a.Parameters = append(a.Parameters, scope.Parameter(v))
	}
	var err error
	if a.Input, err = p.lower(rules.Substitute(p.scopes, n, r.inputs...), request{distinct: true}); err != nil {
		return nil, err
	}
	a.Cost = a.Input.Props().Cost
	return a, nil
}

// given plans a pattern that names parameters as one that is seeded with them.
func (p *planner) given(n parser.Node, r request, plan func(request) (Node, error)) (Node, error) {
	if !p.applied {
		return plan(r)
	}
	var parameters []string
	for v := range parser.Mentions(n) {
		if scope.IsParameter(v) && !slices.Contains(parameters, v) {
			parameters = append(parameters, v)
		}
	}
	if len(parameters) == 0 {
		return plan(r)
	}
	seeds := r.inputs
	r.inputs = append(slices.Clone(parameters), seeds...)
	in, err := plan(r)
	if err != nil {
		return nil, err
	}
	g := &Given{unary: unary{*in.Props(), in}, Parameters: parameters}
	g.Seeds = seeds
	return g, nil
}

// recall adds the parameters that some expressions read to the columns of a node.
func (p *planner) recall(in Node, list ...parser.Expr) Node {
	if !p.applied {
		return in
	}
	parameters := scope.Parameters(list...)
	parameters = slices.DeleteFunc(parameters, func(v string) bool { return slices.Contains(in.Props().Columns, v) })
	if len(parameters) == 0 {
		return in
	}
	out := &Recall{unary: unary{*in.Props(), in}, Parameters: parameters}
	out.Columns = append(slices.Clone(in.Props().Columns), parameters...)
	out.Limit, out.Weighted = 0, false
	return out
}

func (p *planner) values(n *parser.Values, r request) Node {
	v := &Values{leaf: leaf{p.made(p.outputColumns(n, r), nil)}, Table: n}
	v.Rows, v.Cost = float64(len(n.Rows)), float64(len(n.Rows))
	return v
}

// isTable reports whether a pattern is a table of the engine's own: it is made once, whatever it is joined with, as VALUES is.
func (p *planner) isTable(n parser.Node) bool {
	s, ok := n.(*parser.Service)
	return ok && !s.Name.IsVariable() && p.options.Table != nil && p.options.Table(s.Name.Term.Value)
}

func (p *planner) service(n *parser.Service, r request) (Node, error) {
	table := p.isTable(n)
	if !p.options.Services && !n.Silent && !table {
		return nil, fmt.Errorf("planner: SERVICE %s is not allowed here: %w", termText(n.Name), ErrUnsupported)
	}
	s := &Service{leaf: leaf{p.made(p.outputColumns(n, r), r.inputs)}, Pattern: n, Name: -1, Table: table}
	if n.Name.IsVariable() {
		if s.Name = slices.Index(r.inputs, n.Name.Variable); s.Name < 0 && !n.Silent {
			return nil, fmt.Errorf("planner: SERVICE %s without a binding for its variable: %w", termText(n.Name), ErrUnsupported)
		}
	}
	s.Asked = p.scopes.Names(p.scopes.Readable(p.scopes.Of(n.Input).May))
	s.Rows, s.Cost = serviceRows, serviceCost
	return s, nil
}
