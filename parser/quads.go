package parser

import "github.com/alecthomas/participle/v2/lexer"

// quadSink takes the quads of a pattern or of data, in order.
type quadSink interface {
	// beginGraph begins a block of triples in a graph; nil is the default graph.
	beginGraph(name *term) error
	addTriple(t triple) error
}

// readQuads reads QuadPattern or QuadData (rules 48 and 49).
func readQuads(lex tokens, to quadSink) error {
	if err := expect(lex, "{"); err != nil {
		return err
	}
	r := tripleReader{lex: lex, verb: readPredicate, add: to.addTriple}
	for {
		switch {
		case accept(lex, "}"):
			return nil
		case accept(lex, "GRAPH"):
			if err := r.readGraph(to); err != nil {
				return err
			}
			accept(lex, ".")
		case beginsNode(lex.Peek()):
			if err := to.beginGraph(nil); err != nil {
				return err
			}
			if err := r.readBlock(); err != nil {
				return err
			}
		default:
			return unexpected(lex.Peek(), "a triple", "GRAPH", `"}"`)
		}
	}
}

// readGraph reads QuadsNotTriples behind GRAPH.
func (r *tripleReader) readGraph(to quadSink) error {
	name, ok, err := readTerm(r.lex)
	switch {
	case err != nil:
		return err
	case !ok:
		return unexpected(r.lex.Peek(), "a variable", "an IRI")
	}
	if err := to.beginGraph(&name); err != nil {
		return err
	}
	if err := expect(r.lex, "{"); err != nil {
		return err
	}
	if beginsNode(r.lex.Peek()) {
		if err := r.readBlock(); err != nil {
			return err
		}
	}
	if accept(r.lex, "}") {
		return nil
	}
	f := unexpected(r.lex.Peek(), "a triple", `"}"`)
	if next(r.lex, "GRAPH") {
		f.hint = "a GRAPH cannot stand in another"
	}
	return f
}

// readPredicate reads a verb that is no property path (rule 78).
func readPredicate(lex tokens) (*pathSyntax, error) {
	t := lex.Peek()
	offset := t.Pos.Offset
	if t.Type == tokenVar {
		return readVerb(lex)
	}
	if !beginsVerb(t) {
		return nil, unexpected(t, "a predicate")
	}
	if t.Type != tokenPunct {
		p, err := readPathIRI(lex)
		if err != nil || !continuesPath(lex.Peek()) {
			return p, err
		}
	}
	return nil, faultf(offset, "a property path cannot stand outside of WHERE")
}

// continuesPath reports whether t may follow the first predicate of a path.
func continuesPath(t *lexer.Token) bool {
	if t.Type != tokenPunct {
		return false
	}
	switch t.Value {
	case "/", "|", "*", "+", "?":
		return true
	}
	return false
}
