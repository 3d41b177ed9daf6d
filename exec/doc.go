// Package exec runs plans: it makes an operator of each node of a physical plan, runs them within the limits of the query,
// and explains what was planned and measured.
//
// Nouns: [Plan] (a query, prepared over a [Dataset], run once), [Options], [Explain] (the tree of operators, with what they
// measured), [Service] (SERVICE, where allowed).
//
// The operators live below, by noun:
//
//	operator   what an operator is, the run that they share, stages and their workers
//	source     match, product, count, degrees, each graph, service, values: where solutions come from
//	path       property paths
//	sideways   patterns run for given bindings: joins, EXISTS, parameters
//	eval       filter and bind; expressions over batches (exec/expr: over values)
//	join       join, left join, minus, union
//	group      groups and aggregates
//	modifier   sort, distinct, project, slice
//	triples    construct, describe
//
// and below them exec/vector (batches, rows, hash tables, temporary files) and exec/limits (what a query may take, whether
// it must end). Batches are columns of IDs; there are no row objects and no allocation per row.
//
// Operators are built once, by build.go: they have from their node all that they need to know, and none plans. A variant of
// a pattern that is first reached while the query runs is asked of the plan then (planner: what is planned on demand).
//
// The package never reads text and chooses no plan: queries come as the parser's algebra, terms as IDs.
package exec
