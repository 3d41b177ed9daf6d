package naive

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// path evaluates a path pattern by the relation of its path.
func (e *Evaluator) path(n *parser.PathPattern, env Solution) []Solution {
	ends := func(p parser.PatternTerm) (rdf.Term, bool) {
		if !p.IsVariable() {
			return p.Term, true
		}
		t, ok := env[p.Variable]
		return t, ok
	}
	nodes := e.nodes()
	for _, p := range []parser.PatternTerm{n.Subject, n.Object} {
		if t, ok := ends(p); ok && !slices.Contains(nodes, t) {
			nodes = append(nodes, t)
		}
	}
	var out []Solution
	for _, pair := range e.relation(n.Path, nodes) {
		m := Solution{}
		if unify(m, env, n.Subject, pair[0]) && unify(m, env, n.Object, pair[1]) {
			out = append(out, m)
		}
	}
	return out
}

func (e *Evaluator) nodes() []rdf.Term {
	var out []rdf.Term
	for _, q := range e.triples() {
		for _, t := range []rdf.Term{q.Subject, q.Object} {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// relation is the multiset of pairs that a path connects, over the given nodes.
func (e *Evaluator) relation(p parser.Path, nodes []rdf.Term) [][2]rdf.Term {
	var out [][2]rdf.Term
	switch p := p.(type) {
	case *parser.PathIRI:
		for _, q := range e.triples() {
			if q.Predicate.Value == p.IRI {
				out = append(out, [2]rdf.Term{q.Subject, q.Object})
			}
		}
	case *parser.PathInverse:
		for _, pair := range e.relation(p.Path, nodes) {
			out = append(out, [2]rdf.Term{pair[1], pair[0]})
		}
	case *parser.PathSequence:
		right := e.relation(p.Right, nodes)
		for _, a := range e.relation(p.Left, nodes) {
			for _, b := range right {
				if a[1] == b[0] {
					out = append(out, [2]rdf.Term{a[0], b[1]})
				}
			}
		}
	case *parser.PathAlternative:
		out = append(e.relation(p.Left, nodes), e.relation(p.Right, nodes)...)
	case *parser.PathZeroOrOne:
		out = unique(append(identity(nodes), e.relation(p.Path, nodes)...))
	case *parser.PathOneOrMore:
		out = closure(e.relation(p.Path, nodes))
	case *parser.PathZeroOrMore:
		out = unique(append(identity(nodes), closure(e.relation(p.Path, nodes))...))
	case *parser.PathNegated:
		for _, q := range e.triples() {
			if p.HasForward && !slices.Contains(p.Forward, q.Predicate.Value) {
				out = append(out, [2]rdf.Term{q.Subject, q.Object})
			}
			if p.HasInverse && !slices.Contains(p.Inverse, q.Predicate.Value) {
				out = append(out, [2]rdf.Term{q.Object, q.Subject})
			}
		}
	}
	return out
}

func identity(nodes []rdf.Term) (out [][2]rdf.Term) {
	for _, n := range nodes {
		out = append(out, [2]rdf.Term{n, n})
	}
	return out
}

func unique(in [][2]rdf.Term) (out [][2]rdf.Term) {
	for _, p := range in {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

func closure(step [][2]rdf.Term) [][2]rdf.Term {
	out := unique(step)
	for {
		next := out
		for _, a := range out {
			for _, b := range step {
				if a[1] == b[0] {
					next = append(next, [2]rdf.Term{a[0], b[1]})
				}
			}
		}
		next = unique(next)
		if len(next) == len(out) {
			return out
		}
		out = next
	}
}
