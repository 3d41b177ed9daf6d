// Package expr evaluates SPARQL expressions (SPARQL 1.1 Query, section 17) over columns of IDs.
//
// Nouns: [Env] (what expressions need of their query), [Program] (a compiled expression, run on columns), [Accumulator]
// (an aggregate over groups of rows), [Comparer] (the order of ORDER BY), [NumberKey] (what a computed number
// is ordered by).
//
// A Program works on a few hundred rows at a time, node by node, not row by row. What computes numbers works on columns of
// their values (numbers), exact in 64 or 128 bits, and row by row where these do not hold one; sums and extremes take such columns, so that a
// number becomes a term only where it is bound, grouped by or written, once where it comes again (numberIDs); ORDER BY takes keys of them ([NumberKey]). Constant parts are computed when it
// is compiled. A condition on one variable that is costly, such as REGEX, is computed once per ID. An error of an
// expression is a value, not a Go error: a filter drops the row, a binding stays unbound.
//
// The package knows columns, not operators: it must not import exec, and it never reads the graph. EXISTS is
// computed before, by who evaluates patterns: an expression reads its answer as a column of booleans.
package expr
