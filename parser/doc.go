// Package parser turns SPARQL 1.1 text into algebra.
//
// Nouns: [Query] (form, dataset, solution modifiers over an algebra tree), [Node] (an operator of SPARQL 1.1 Query,
// section 18.2, such as [BGP] or [LeftJoin]), [Expr] (an expression), [Error] (line, column, what was expected).
//
// The grammar is a participle grammar over a hand-written lexer that bounds nesting and length. The package accepts
// the whole query language, knows nothing of IDs, and never evaluates.
package parser
