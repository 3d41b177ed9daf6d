package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// What does not hold is counted as the difference of what may hold and what does:
//
//	count(P, ?a != ?b)         = count(P) − count(P with ?a for ?b)
//	count(P, NOT EXISTS { Q }) = count(P) − count(P ∪ Q)             where Q names no other variables than P
//
// The patterns on the right have no condition between variables, so that they often fall into parts that are counted by
// themselves. It holds under homomorphism alone: a pattern with one variable less is another one for the others.

// mostDenied bounds the conditions that are taken out: each doubles the patterns.
const mostDenied = 3

// denial is a condition that can be taken out: two variables that must not be the same, or patterns that must not all match.
type denial struct {
	a, b     string
	patterns []parser.TriplePattern
}

// alternative is a pattern that is counted so many times.
type alternative struct {
	times      int
	pattern    *parser.BGP
	conditions []parser.Expr
}

// difference plans the number of a pattern's solutions as a sum and difference of others, where that costs clearly less than
// the given plan of it; nil elsewhere.
func (p *planner) difference(n parser.Node, whole Node) ([]CountTerm, error) {
	if p.options.Semantics != bgp.Homomorphism || p.applied || whole.Props().Cost < p.options.Tuning.DifferenceCost {
		return nil, nil
	}
	t := p.treeOf(n, maxBranches)
	if t == nil {
		return nil, nil
	}
	denials, conditions, ok := p.denials(t)
	if !ok || len(denials) == 0 || len(denials) > mostDenied {
		return nil, nil
	}
	var out []CountTerm
	cost := 0.0
	for _, a := range p.alternatives(t.pattern, denials, conditions) {
		pushed, rest := p.pushFilters(a.pattern, a.conditions, request{})
		if len(rest) > 0 {
			return nil, nil
		}
		m, err := p.match(a.pattern, pushed, request{counted: true})
		if err != nil {
			return nil, err
		}
		out = append(out, CountTerm{Times: a.times, Match: m})
		if cost += m.Cost; cost > p.options.Tuning.DifferenceGain*whole.Props().Cost {
			return nil, nil
		}
	}
	return out, nil
}

// denials takes the conditions of a tree apart into those that can be taken out and others; false where something hangs on it
// that cannot.
func (p *planner) denials(t *tree) (out []denial, rest []parser.Expr, ok bool) {
	for _, e := range t.conditions {
		pushed := &pushedFilters{}
		if p.pushUnequal(pushed, t.pattern, t.pattern, e) && len(pushed.unequal) == 1 && pushed.unequal[0].B != "" {
			out = append(out, denial{a: pushed.unequal[0].A, b: pushed.unequal[0].B})
		} else {
			rest = append(rest, e)
		}
	}
	core := p.scopes.Of(t.pattern).May
	for _, h := range t.hanging {
		if h.weight != bgp.None || len(h.tree.hanging)+len(h.tree.conditions) > 0 || !p.scopes.Of(h.pattern).May.Within(core) {
			return nil, nil, false
		}
		out = append(out, denial{patterns: h.pattern.Patterns})
	}
	return out, rest, true
}

// alternatives are the patterns in which each set of denied conditions holds, counted positively where it has an even number.
// Equal ones are counted together, and left out where nothing is left of them.
func (p *planner) alternatives(n *parser.BGP, denials []denial, conditions []parser.Expr) []alternative {
	var out []alternative
	known := map[string]int{}
	for set := range 1 << len(denials) {
		a := alternativeOf(n, denials, set, conditions)
		key := p.alternativeKey(a)
		if i, ok := known[key]; ok {
			out[i].times += a.times
			continue
		}
		known[key] = len(out)
		out = append(out, a)
	}
	return slices.DeleteFunc(out, func(a alternative) bool { return a.times == 0 })
}

// alternativeOf is the pattern in which a set of denied conditions holds.
func alternativeOf(n *parser.BGP, denials []denial, set int, conditions []parser.Expr) alternative {
	names := map[string]string{} // of a variable, the one that stands in its place
	name := func(v string) string {
		for names[v] != "" {
			v = names[v]
		}
		return v
	}
	out := alternative{times: 1}
	patterns := n.Patterns
	for i, d := range denials {
		if set>>i&1 == 0 {
			continue
		}
		out.times, patterns = -out.times, slices.Concat(patterns, d.patterns)
		if a, b := name(d.a), name(d.b); a != b {
			names[b] = a
		}
	}
	out.pattern = renamedPattern(&parser.BGP{Patterns: patterns}, name)
	for _, e := range conditions {
		out.conditions = append(out.conditions, renamed(e, name))
	}
	return out
}

// renamed gives the variables of an expression other names.
func renamed(e parser.Expr, name func(string) string) parser.Expr {
	if v, ok := e.(*parser.Var); ok {
		return &parser.Var{Name: name(v.Name)}
	}
	return parser.MapArguments(e, func(a parser.Expr) parser.Expr { return renamed(a, name) })
}

// alternativeKey is the same for alternatives of the same triple patterns and conditions.
func (p *planner) alternativeKey(a alternative) string {
	var parts []string
	for _, t := range a.pattern.Patterns {
		parts = append(parts, fmt.Sprint(t))
	}
	slices.Sort(parts)
	for _, e := range a.conditions {
		parts = append(parts, p.exprText(e))
	}
	return strings.Join(parts, "\n")
}
