package rules

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// paths takes a path apart (SPARQL 1.1 section 18.2.2.4) until what is left is walked by the path operator:
//
//	X ^P Y     → Y P X
//	X P/Q Y    → Join(X P ?new, ?new Q Y)
//	X P|Q Y    → Union(X P Y, X Q Y)
//	X iri Y    → a triple pattern
var paths = Rule{
	Name: "paths", always: true,
	at:    is[*parser.PathPattern],
	apply: func(r *Rewriter, n parser.Node) parser.Node { return r.path(n.(*parser.PathPattern)) },
}

func (r *Rewriter) path(n *parser.PathPattern) parser.Node {
	from := func(s parser.PatternTerm, p parser.Path, o parser.PatternTerm) parser.Node {
		return r.path(&parser.PathPattern{Subject: s, Path: p, Object: o})
	}
	switch p := n.Path.(type) {
	case *parser.PathIRI:
		predicate := parser.PatternTerm{Term: rdf.NewIRI(p.IRI)}
		return &parser.BGP{Patterns: []parser.TriplePattern{{Subject: n.Subject, Predicate: predicate, Object: n.Object}}}
	case *parser.PathInverse:
		return from(n.Object, p.Path, n.Subject)
	case *parser.PathSequence:
		r.invented++
		middle := parser.PatternTerm{Variable: fmt.Sprintf("%spath%d", parser.BlankPrefix, r.invented)}
		return &parser.Join{Left: from(n.Subject, p.Left, middle), Right: from(middle, p.Right, n.Object)}
	case *parser.PathAlternative:
		return &parser.Union{Left: from(n.Subject, p.Left, n.Object), Right: from(n.Subject, p.Right, n.Object)}
	}
	return n
}
