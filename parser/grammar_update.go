package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The operations of section 19.8 (rules 31 to 47), one at a time, without INSERT DATA and DELETE DATA (data.go) and
// without what stands between operations (parse_update.go).

type operationSyntax struct {
	Load   *loadSyntax     `parser:"  'LOAD' @@"`
	Clear  *refAllSyntax   `parser:"| 'CLEAR' @@"`
	Drop   *refAllSyntax   `parser:"| 'DROP' @@"`
	Create *createSyntax   `parser:"| 'CREATE' @@"`
	Add    *transferSyntax `parser:"| 'ADD' @@"`
	Move   *transferSyntax `parser:"| 'MOVE' @@"`
	Copy   *transferSyntax `parser:"| 'COPY' @@"`
	With   *withSyntax     `parser:"| 'WITH' @@"`
	Delete *deleteSyntax   `parser:"| 'DELETE' @@"`
	Insert *insertSyntax   `parser:"| 'INSERT' @@"`
}

type loadSyntax struct {
	Silent bool       `parser:"@'SILENT'?"`
	Source iriSyntax  `parser:"@@"`
	Into   *iriSyntax `parser:"( 'INTO' 'GRAPH' @@ )?"`
}

type refAllSyntax struct {
	Silent bool       `parser:"@'SILENT'?"`
	Graph  *iriSyntax `parser:"( 'GRAPH' @@"`
	Word   string     `parser:"| @( 'DEFAULT' | 'NAMED' | 'ALL' ) )"`
}

type createSyntax struct {
	Silent bool      `parser:"@'SILENT'?"`
	Graph  iriSyntax `parser:"'GRAPH' @@"`
}

type transferSyntax struct {
	Silent bool           `parser:"@'SILENT'?"`
	From   graphOrDefault `parser:"@@"`
	To     graphOrDefault `parser:"'TO' @@"`
}

// graphOrDefault is a graph; nil is the default graph.
type graphOrDefault struct{ graph *iriSyntax }

// Parse reads GraphOrDefault (rule 45).
func (g *graphOrDefault) Parse(lex *lexer.PeekingLexer) error {
	if accept(lex, "DEFAULT") {
		return nil
	}
	if !accept(lex, "GRAPH") && !isIRIToken(lex.Peek()) {
		return unexpected(lex.Peek(), `"DEFAULT"`, `"GRAPH"`, "an IRI")
	}
	g.graph = new(iriSyntax)
	return g.graph.read(lex)
}

// withSyntax is a Modify behind WITH.
type withSyntax struct {
	Graph  iriSyntax   `parser:"@@"`
	Delete *quads      `parser:"( 'DELETE' @@"`
	Both   *quads      `parser:"( 'INSERT' @@ )?"`
	Insert *quads      `parser:"| 'INSERT' @@ )"`
	Where  whereSyntax `parser:"@@"`
}

// deleteSyntax is a DeleteWhere or a Modify behind DELETE.
type deleteSyntax struct {
	Pattern *quadsBody   `parser:"(  'WHERE' @@"`
	Delete  *quads       `parser:"| @@"`
	Insert  *quads       `parser:"( 'INSERT' @@ )?"`
	Where   *whereSyntax `parser:"@@ )"`
}

type insertSyntax struct {
	Insert quads       `parser:"@@"`
	Where  whereSyntax `parser:"@@"`
}

type whereSyntax struct {
	Using []usingClause `parser:"@@*"`
	Body  body          `parser:"'WHERE' @@"`
}

type usingClause struct {
	Named bool      `parser:"'USING' @'NAMED'?"`
	IRI   iriSyntax `parser:"@@"`
}

// quadsBody is a QuadPattern that keeps its tokens: it is also a group graph pattern.
type quadsBody struct {
	Tokens []lexer.Token
	Quads  quads `parser:"@@"`
}

// quads is a QuadPattern: triples in the default graph and in others.
type quads struct {
	blocks []quadBlock
}

// quadBlock is triples that follow each other in one graph; without a graph, in the default graph.
type quadBlock struct {
	graph *term
	list  []triple
}

// Parse reads QuadPattern (rule 48).
func (q *quads) Parse(lex *lexer.PeekingLexer) error {
	if !next(lex, "{") {
		return participle.NextMatch
	}
	return readQuads(lex, q)
}

func (q *quads) beginGraph(name *term) error {
	q.blocks = append(q.blocks, quadBlock{graph: name})
	return nil
}

func (q *quads) addTriple(t triple) error {
	last := &q.blocks[len(q.blocks)-1]
	last.list = append(last.list, t)
	return nil
}

// updateGrammar builds the parser of operations on first use.
var updateGrammar = sync.OnceValue(func() *participle.Parser[operationSyntax] {
	return participle.MustBuild[operationSyntax](participle.Lexer(definition{}), participle.UseLookahead(0))
})
