package planner

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// compared says how those who read a pattern's solutions compare the terms of its variables: of those that are not mentioned, with any terms.
type compared struct {
	// own are variables whose terms are compared with others of the same variable alone, if at all.
	own scope.Set
	// shown are those of own whose terms are compared with none: whoever reads them asks what they are.
	shown scope.Set
}

// without is what is left where some variables are compared with any terms.
func (c compared) without(variables scope.Set) compared {
	return compared{c.own.Without(variables), c.shown.Without(variables)}
}

// reaches reports whether the variables of what an operator consists of are compared as its own are, or as it says itself.
func (c compared) reaches(n parser.Node) bool {
	switch n.(type) {
	case *parser.Project, *parser.Slice, *parser.Reduced, *parser.OrderBy, *parser.Filter, *parser.Extend, *parser.Distinct, *parser.Group:
		return true
	}
	return false
}

// comparedIn says how the terms of an operator's variables are compared by those above it and by itself. What is seeded may be compared with its seeds.
func (p *planner) comparedIn(n parser.Node, r *request) compared {
	if r.seeded() || !r.compared.reaches(n) {
		return compared{}
	}
	c := r.compared
	switch n := n.(type) {
	case *parser.Project:
		shown := p.scopes.Set(n.Variables...)
		return compared{c.own.And(shown), c.shown.And(shown)}
	case *parser.Filter:
		for f, ok := n, true; ok; f, ok = f.Input.(*parser.Filter) {
			c = c.without(p.scopes.Reads(f.Condition))
		}
	case *parser.OrderBy:
		var others scope.Set
		for _, k := range n.Keys {
			if reads := p.scopes.Reads(k.Expr); parser.IsVariable(k.Expr) { // ordered by what it stands for
				c = compared{c.own.Or(reads.Without(r.need)), c.shown.Or(reads.Without(r.need))}
			} else {
				others = others.Or(reads)
			}
		}
		c = c.without(others)
	}
	return c
}

// identityOf is the identity that the IDs of a computed variable need.
func (p *planner) identityOf(variable string, r *request) dictionary.Identity {
	switch v := p.scopes.Number(variable); {
	case r.compared.shown.Has(v) || !r.need.Has(v):
		return dictionary.IdentityNone
	case r.compared.own.Has(v):
		return dictionary.IdentityComputed
	}
	return dictionary.IdentityFull
}

// resultIdentity is the identity of the IDs of an expression's results, of which a row has one each: not none, for there may be any number of rows, and few
// terms. Where the results may be terms that are there, to make others would cost more than to find them.
func resultIdentity(e parser.Expr, least dictionary.Identity) dictionary.Identity {
	call, ok := e.(*parser.Call)
	if !ok || !parser.MakesNumbers(call.Function) && !parser.MakesTexts(call.Function) {
		return dictionary.IdentityFull
	}
	return min(least, dictionary.IdentityComputed)
}

// comparedByBind says how the variables below a BIND are compared, given those above.
func (p *planner) comparedByBind(n *parser.Extend, r *request) compared {
	variable, reads := p.scopes.Set(n.Variable), p.scopes.Reads(n.Expr)
	below := r.compared.without(variable)
	other := reads.Without(r.need) // nobody else reads them
	if parser.IsVariable(n.Expr) {
		switch p.identityOf(n.Variable, r) {
		case dictionary.IdentityNone:
			return compared{below.own.Or(other), below.shown.Or(other)}
		case dictionary.IdentityComputed:
			return compared{below.own.Or(other), below.shown.Without(reads)}
		}
	} else if calculates(n.Expr) {
		return compared{below.own.Or(other), below.shown.Or(other)}
	}
	return below.without(reads)
}

// calculates reports whether an expression asks of the variables that it reads what numbers they are, and nothing else.
func calculates(e parser.Expr) bool {
	call, ok := e.(*parser.Call)
	if !ok || !parser.MakesNumbers(call.Function) {
		return false
	}
	for _, arg := range call.Args {
		switch arg.(type) {
		case *parser.Var, *parser.Const:
		default:
			if !calculates(arg) {
				return false
			}
		}
	}
	return true
}

// comparedByDistinct says how the variables below a DISTINCT are compared: each with its own, as far as nobody above compares it with others.
func (p *planner) comparedByDistinct(n *parser.Distinct, r *request) compared {
	if r.seeded() {
		return compared{}
	}
	return compared{own: p.scopes.Of(n).May.Without(r.need.Without(r.compared.own))}
}

// comparedByGroup says how the variables below a group are compared that are keys, or arguments, as they are.
func (p *planner) comparedByGroup(n *parser.Group, r *request) compared {
	if r.seeded() {
		return compared{}
	}
	var own, others scope.Set
	for _, k := range n.Keys {
		v, ok := k.Expr.(*parser.Var)
		switch {
		case !ok:
			others = others.Or(p.scopes.Reads(k.Expr))
		case p.identityOf(k.Variable, r) == dictionary.IdentityFull:
			others = others.Or(p.scopes.Set(v.Name))
		default:
			own = own.Or(p.scopes.Set(v.Name))
		}
	}
	for i := range n.Aggregates {
		a := &n.Aggregates[i]
		switch v, ok := a.Argument.(*parser.Var); {
		case a.Argument == nil:
		case ok && makesResult(a):
			own = own.Or(p.scopes.Set(v.Name))
		default:
			others = others.Or(p.scopes.Reads(a.Argument))
		}
	}
	return compared{own: own.Without(others)}
}

// makesResult reports whether an aggregate's results are terms of its own, which are none of its arguments.
func makesResult(a *parser.Aggregation) bool {
	switch a.Function {
	case "COUNT", "SUM", "AVG", "GROUP_CONCAT":
		return true
	}
	return false
}

// aggregateIdentity is the identity of the IDs of an aggregate's results, and argumentIdentity that of its argument's, which whoever tells them apart compares with each
// other.
func (p *planner) aggregateIdentity(a *parser.Aggregation, r *request) dictionary.Identity {
	if least := p.identityOf(a.Variable, r); least == dictionary.IdentityNone || makesResult(a) {
		return least
	}
	return dictionary.IdentityFull
}

func argumentIdentity(a *parser.Aggregation) dictionary.Identity {
	if !makesResult(a) {
		return dictionary.IdentityFull
	}
	return resultIdentity(a.Argument, dictionary.IdentityComputed)
}

// keyIdentity is the identity of the IDs of a group's key.
func (p *planner) keyIdentity(k *parser.GroupKey, r *request) dictionary.Identity {
	return resultIdentity(k.Expr, p.identityOf(k.Variable, r))
}
