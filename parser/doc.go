// Package parser turns SPARQL 1.1 text into algebra, and updates into lists of operations.
//
// Nouns: [Query] (form, dataset, solution modifiers over an algebra tree), [Node] (an operator of SPARQL 1.1 Query,
// section 18.2, such as [BGP] or [LeftJoin]), [Expr] (an expression), [Update] (its [Operation] values, such as [Modify]
// with templates and the algebra of its WHERE, or [InsertData] with its [Data]), [Error] (line, column, what was
// expected).
//
// The grammar is a participle grammar over a hand-written lexer that bounds nesting and length. The package accepts
// the whole query and update languages, knows nothing of IDs, and never evaluates.
//
// # Updates
//
// An update is read operation by operation from a stream of the lexer's tokens ([ParseUpdate], stream.go). The tokens of
// an operation up to its ";" go to participle, as a query's do, and are bounded as those of a query. INSERT DATA and
// DELETE DATA do not: their triples are read from the stream by the methods that read triples everywhere (triples.go,
// quads.go), which hand them on one by one, and become [Data] at once. So there is no second grammar, and a long text of
// data takes little beside the data itself.
//
// # Why
//
// Participle wants all tokens before it begins, and its trees hold what is written: of 10 MiB of INSERT DATA that was
// 1,000 bytes and 1.6 to 1.9 µs a triple, for short ones 700 bytes. The stream takes 0.8 to 1.3 µs and, at its peak, 170
// to 300 bytes, of which 100 to 200 stay: 16 of the quad, the rest of its new terms. A table of all terms instead of the
// last ones (data.go) cost half of the time again.
package parser
