package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of section 19.8, as far as its structure goes. Triples, paths and expressions, where a query spends its
// tokens, are read by methods of their own (participle's Parseable): head.go, triples.go, path.go, expression.go.
// The grammar is LL(1): one token decides every choice.

type unitSyntax struct {
	Prologue  []declaration    `parser:"@@*"`
	Select    *selectSyntax    `parser:"( @@"`
	Construct *constructSyntax `parser:"| @@"`
	Describe  *describeSyntax  `parser:"| @@"`
	Ask       *askSyntax       `parser:"| @@ )"`
	Values    *dataBlock       `parser:"( 'VALUES' @@ )?"`
}

type selectClause struct {
	Modifier string       `parser:"'SELECT' @( 'DISTINCT' | 'REDUCED' )?"`
	Star     *starSyntax  `parser:"( @@"`
	Items    []selectItem `parser:"| @@+ )"`
}

type starSyntax struct {
	Pos  lexer.Position
	Star string `parser:"@'*'"`
}

type selectSyntax struct {
	Clause    selectClause    `parser:"@@"`
	Dataset   []datasetClause `parser:"@@*"`
	Where     group           `parser:"'WHERE'? @@"`
	Modifiers modifiers       `parser:"@@"`
}

type constructSyntax struct {
	Template  *template       `parser:"'CONSTRUCT' @@?"`
	Dataset   []datasetClause `parser:"@@*"`
	Keyword   bool            `parser:"@'WHERE'?"`
	Where     group           `parser:"@@"`
	Modifiers modifiers       `parser:"@@"`
}

type template struct {
	Triples *triples       `parser:"'{' @@?"`
	Graph   *templateGraph `parser:"@@? '}'"`
}

// templateGraph is GRAPH in a template, and all that follows there, as other engines have it: translation refuses it.
type templateGraph struct{ offset int }

// Parse passes over it, to the end of the template.
func (g *templateGraph) Parse(lex *lexer.PeekingLexer) error {
	if !next(lex, "GRAPH") {
		return participle.NextMatch
	}
	g.offset = lex.Peek().Pos.Offset
	for depth := 0; !lex.Peek().EOF(); lex.Next() {
		switch {
		case next(lex, "{"):
			depth++
		case next(lex, "}") && depth == 0:
			return nil
		case next(lex, "}"):
			depth--
		}
	}
	return nil
}

// graphConstructed is the fault of a CONSTRUCT that would make more than one graph (SPARQL 1.1 Query, rule 73).
func graphConstructed(offset int) *fault {
	f := faultf(offset, "GRAPH in the template of CONSTRUCT is not in SPARQL 1.1, which constructs one graph")
	f.hint = "GRAPH may stand in WHERE; an update writes graphs: INSERT { GRAPH … } WHERE …"
	return f
}

type describeSyntax struct {
	Star      bool            `parser:"'DESCRIBE' ( @'*'"`
	Terms     []term          `parser:"| @@+ )"`
	Dataset   []datasetClause `parser:"@@*"`
	Where     *group          `parser:"( 'WHERE'? @@ )?"`
	Modifiers modifiers       `parser:"@@"`
}

type askSyntax struct {
	Dataset   []datasetClause `parser:"'ASK' @@*"`
	Where     group           `parser:"'WHERE'? @@"`
	Modifiers modifiers       `parser:"@@"`
}

type datasetClause struct {
	Named bool      `parser:"'FROM' @'NAMED'?"`
	IRI   iriSyntax `parser:"@@"`
}

// group is a GroupGraphPattern. Sub excludes Elements (checked in translation).
type group struct {
	Pos      lexer.Position
	Sub      *subSelect `parser:"'{' @@?"`
	Elements []element  `parser:"@@* '}'"`
}

type subSelect struct {
	Clause    selectClause `parser:"@@"`
	Where     group        `parser:"'WHERE'? @@"`
	Modifiers modifiers    `parser:"@@"`
	Values    *dataBlock   `parser:"( 'VALUES' @@ )?"`
}

type element struct {
	Pos      lexer.Position
	Triples  *triples       `parser:"@@"`
	Filter   *constraint    `parser:"| ( 'FILTER' @@"`
	Optional *group         `parser:"| 'OPTIONAL' @@"`
	Minus    *group         `parser:"| 'MINUS' @@"`
	Graph    *graphSyntax   `parser:"| 'GRAPH' @@"`
	Service  *serviceSyntax `parser:"| @@"`
	Bind     *bindSyntax    `parser:"| 'BIND' @@"`
	Values   *dataBlock     `parser:"| 'VALUES' @@"`
	Union    []group        `parser:"| @@ ( 'UNION' @@ )* ) '.'?"`
}

type graphSyntax struct {
	Name  term  `parser:"@@"`
	Group group `parser:"@@"`
}

type serviceSyntax struct {
	Silent bool `parser:"'SERVICE' @'SILENT'?"`
	Name   term `parser:"@@"`
	Body   body `parser:"@@"`
}

// body is a group that keeps its tokens, so that it can be sent elsewhere as text.
type body struct {
	Tokens []lexer.Token
	Group  group `parser:"@@"`
}

type bindSyntax struct {
	Expr expression `parser:"'(' @@ 'AS'"`
	As   varSyntax  `parser:"@@ ')'"`
}

type varSyntax struct {
	Pos  lexer.Position
	Name string `parser:"@Var"`
}

type dataBlock struct {
	Pos       lexer.Position
	Single    string    `parser:"(  @Var '{'"`
	Terms     []term    `parser:"@@* '}'"`
	Variables []string  `parser:"| '(' @Var* ')' '{'"`
	Rows      []dataRow `parser:"@@* '}' )"`
}

type dataRow struct {
	Pos   lexer.Position
	Terms []term `parser:"'(' @@* ')'"`
}

type modifiers struct {
	Group  []groupCondition `parser:"( 'GROUP' 'BY' @@+ )?"`
	Having []constraint     `parser:"( 'HAVING' @@+ )?"`
	Order  []orderCondition `parser:"( 'ORDER' 'BY' @@+ )?"`
	Slices []sliceSyntax    `parser:"@@*"`
}

type sliceSyntax struct {
	Pos   lexer.Position
	Kind  string `parser:"@( 'LIMIT' | 'OFFSET' )"`
	Count string `parser:"@Integer"`
}

type groupCondition struct {
	Pos  lexer.Position
	Expr *expression `parser:"( '(' @@"`
	As   string      `parser:"( 'AS' @Var )? ')'"`
	Call *constraint `parser:"| @@"`
	Var  string      `parser:"| @Var )"`
}

type orderCondition struct {
	Direction string      `parser:"( @( 'ASC' | 'DESC' )"`
	Brackets  *constraint `parser:"@@"`
	Expr      *constraint `parser:"| @@"`
	Var       string      `parser:"| @Var )"`
}

type grammarParsers struct {
	unit  *participle.Parser[unitSyntax]
	group *participle.Parser[group]
}

// grammar builds the parsers on first use.
var grammar = sync.OnceValue(func() grammarParsers {
	unit := participle.MustBuild[unitSyntax](participle.Lexer(definition{}), participle.UseLookahead(0))
	inner, err := participle.ParserForProduction[group](unit)
	if err != nil {
		panic(err)
	}
	return grammarParsers{unit: unit, group: inner}
})
