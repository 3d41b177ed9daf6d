package rules

import "github.com/rdfgpu/rdfgpu/parser"

// repetitions takes repetitions of repetitions out of paths (simplerPath).
var repetitions = Rule{
	Name: "repetitions",
	at:   is[*parser.PathPattern],
	apply: func(_ *Rewriter, n parser.Node) parser.Node {
		p := n.(*parser.PathPattern)
		if parser.PathSize(p.Path) > longPath {
			return n // it is refused anyway
		}
		return &parser.PathPattern{Subject: p.Subject, Path: simplerPath(p.Path), Object: p.Object}
	},
}

// longPath bounds the operators and predicates of a path that is looked at.
const longPath = 4096

// simplerPath takes repetitions of repetitions out of a path. It keeps the pairs of terms that the path connects and,
// as a repetition connects each pair once, how often:
//
//	(P*)*, (P+)*, (P?)*, (P*)+, (P?)+, (P*)?, (P+)? → P*
//	(P+)+                                           → P+
//	(P?)?                                           → P?
//	(P*|Q)*, (P*/Q?)*                               → (P|Q)*   and the like
func simplerPath(p parser.Path) parser.Path {
	switch p := p.(type) {
	case *parser.PathInverse:
		return &parser.PathInverse{Path: simplerPath(p.Path)}
	case *parser.PathSequence:
		return &parser.PathSequence{Left: simplerPath(p.Left), Right: simplerPath(p.Right)}
	case *parser.PathAlternative:
		return &parser.PathAlternative{Left: simplerPath(p.Left), Right: simplerPath(p.Right)}
	case *parser.PathZeroOrMore:
		return &parser.PathZeroOrMore{Path: starred(simplerPath(p.Path))}
	case *parser.PathOneOrMore:
		in := simplerPath(p.Path)
		if parser.Nullable(in) {
			return &parser.PathZeroOrMore{Path: starred(in)}
		}
		return &parser.PathOneOrMore{Path: plussed(in)}
	case *parser.PathZeroOrOne:
		return simplerOption(simplerPath(p.Path))
	}
	return p
}

// simplerOption is P? for a path that has been simplified.
func simplerOption(in parser.Path) parser.Path {
	switch in := in.(type) {
	case *parser.PathZeroOrMore, *parser.PathZeroOrOne:
		return in
	case *parser.PathOneOrMore:
		return &parser.PathZeroOrMore{Path: in.Path}
	}
	return &parser.PathZeroOrOne{Path: in}
}

// starred returns a path without repetitions, as far as they can be dropped, whose P* is that of the given one.
func starred(p parser.Path) parser.Path {
	switch p := p.(type) {
	case *parser.PathZeroOrMore:
		return starred(p.Path)
	case *parser.PathOneOrMore:
		return starred(p.Path)
	case *parser.PathZeroOrOne:
		return starred(p.Path)
	case *parser.PathInverse:
		return &parser.PathInverse{Path: starred(p.Path)}
	case *parser.PathAlternative:
		return &parser.PathAlternative{Left: starred(p.Left), Right: starred(p.Right)}
	case *parser.PathSequence:
		if parser.Nullable(p.Left) && parser.Nullable(p.Right) {
			return &parser.PathAlternative{Left: starred(p.Left), Right: starred(p.Right)}
		}
	}
	return p
}

// plussed is starred for P+ of a path that does not connect every term with itself.
func plussed(p parser.Path) parser.Path {
	switch p := p.(type) {
	case *parser.PathOneOrMore:
		return plussed(p.Path)
	case *parser.PathInverse:
		return &parser.PathInverse{Path: plussed(p.Path)}
	case *parser.PathAlternative:
		return &parser.PathAlternative{Left: plussed(p.Left), Right: plussed(p.Right)}
	}
	return p
}
