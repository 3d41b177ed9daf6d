package parser

import "github.com/rdfgpu/rdfgpu/internal/rdf"

type pathKind uint8

const (
	pathTerm        pathKind = iota // a predicate: variable, IRI or a
	pathFixed                       // the predicate named by iri, which the grammar implies
	pathInverse                     // ^args[0]
	pathSequence                    // args[0]/args[1]…
	pathAlternative                 // args[0]|args[1]…
	pathRepeat                      // args[0] with op *, + or ?
	pathNegated                     // !(args…), each a pathTerm or its inverse
)

// pathSyntax is a verb or property path as written.
type pathSyntax struct {
	kind   pathKind
	offset int
	term   term
	iri    string
	op     byte
	args   []*pathSyntax
}

var (
	pathFirst = &pathSyntax{kind: pathFixed, iri: rdf.RDFFirst}
	pathRest  = &pathSyntax{kind: pathFixed, iri: rdf.RDFRest}
)

// readVerb reads VerbPath or VerbSimple.
func readVerb(lex tokens) (*pathSyntax, error) {
	t := lex.Peek()
	if t.Type == tokenVar {
		lex.Next()
		return &pathSyntax{offset: t.Pos.Offset, term: term{kind: termVar, offset: t.Pos.Offset, text: t.Value}}, nil
	}
	if !beginsVerb(t) {
		return nil, unexpected(t, "a predicate")
	}
	return readPath(lex)
}

// readPath reads PathAlternative.
func readPath(lex tokens) (*pathSyntax, error) {
	return readChain(lex, pathAlternative, "|", readPathSequence)
}

func readPathSequence(lex tokens) (*pathSyntax, error) {
	return readChain(lex, pathSequence, "/", readPathStep)
}

// readChain reads one or more parts with op between them.
func readChain(lex tokens, kind pathKind, op string,
	part func(tokens) (*pathSyntax, error)) (*pathSyntax, error) {
	first, err := part(lex)
	if err != nil || !next(lex, op) {
		return first, err
	}
	chain := &pathSyntax{kind: kind, offset: first.offset, args: []*pathSyntax{first}}
	for accept(lex, op) {
		p, err := part(lex)
		if err != nil {
			return nil, err
		}
		chain.args = append(chain.args, p)
	}
	return chain, nil
}

// readPathStep reads PathEltOrInverse.
func readPathStep(lex tokens) (*pathSyntax, error) {
	offset := lex.Peek().Pos.Offset
	inverse := accept(lex, "^")
	p, err := readPathPrimary(lex)
	if err != nil {
		return nil, err
	}
	for _, op := range []string{"*", "+", "?"} {
		if accept(lex, op) {
			p = &pathSyntax{kind: pathRepeat, offset: offset, op: op[0], args: []*pathSyntax{p}}
			break
		}
	}
	if inverse {
		p = &pathSyntax{kind: pathInverse, offset: offset, args: []*pathSyntax{p}}
	}
	return p, nil
}

func readPathPrimary(lex tokens) (*pathSyntax, error) {
	offset := lex.Peek().Pos.Offset
	switch {
	case accept(lex, "("):
		p, err := readPath(lex)
		if err != nil {
			return nil, err
		}
		return p, expect(lex, ")", `"|"`, `"/"`)
	case accept(lex, "!"):
		return readNegated(lex, offset)
	}
	return readPathIRI(lex)
}

// readPathIRI reads an IRI or the keyword a.
func readPathIRI(lex tokens) (*pathSyntax, error) {
	t := lex.Peek()
	p := &pathSyntax{offset: t.Pos.Offset, term: term{offset: t.Pos.Offset}}
	switch {
	case isIRIToken(t):
		p.term.kind, p.term.iri = termIRI, newIRI(t)
	case t.Type == tokenKeyword && t.Value == "a":
		p.term.kind = termA
	default:
		return nil, unexpected(t, "an IRI", `"a"`, `"("`, `"^"`, `"!"`)
	}
	lex.Next()
	return p, nil
}

// readNegated reads PathNegatedPropertySet behind its "!".
func readNegated(lex tokens, offset int) (*pathSyntax, error) {
	set := &pathSyntax{kind: pathNegated, offset: offset}
	if !accept(lex, "(") {
		p, err := readNegatedIRI(lex)
		set.args = append(set.args, p)
		return set, err
	}
	if accept(lex, ")") {
		return set, nil
	}
	for {
		p, err := readNegatedIRI(lex)
		if err != nil {
			return nil, err
		}
		set.args = append(set.args, p)
		if !accept(lex, "|") {
			return set, expect(lex, ")", `"|"`)
		}
	}
}

func readNegatedIRI(lex tokens) (*pathSyntax, error) {
	offset := lex.Peek().Pos.Offset
	inverse := accept(lex, "^")
	p, err := readPathIRI(lex)
	if err != nil || !inverse {
		return p, err
	}
	return &pathSyntax{kind: pathInverse, offset: offset, args: []*pathSyntax{p}}, nil
}
