// Package planner turns SPARQL algebra and statistics into plans.
//
// Nouns: [QueryGraph] (a basic graph pattern as a labelled query graph), [MatchPlan] (a vertex order with, for each
// step, everything a matcher needs), [Step], [Link].
//
// [BGP] resolves a pattern's terms, guesses the domain of each query vertex and the selectivity of each edge from
// partition sizes and a few sampled members, and orders the vertices: greedily, or by dynamic programming over
// connected subsets where that is cheap beside the query. Vertices that nobody reads come last, where they are
// counted. A query that seems expensive is planned again with larger samples, and promising orders are compared by
// walks over random partial matches on the real partitions.
//
// A plan is data: it names no backend and can be run by exec/cpu and exec/gpu alike. Planning the same pattern over
// the same graph gives the same plan. The package never enumerates matches. Its functions are safe for concurrent use.
//
// # Why
//
// Isomorphism costs a comparison for each pair of query vertices, and ties together parts that could be counted
// apart. Pairs that cannot be equal are left out: where their lists or their intervals of IDs are disjoint, where a
// constant fails what the variable's own patterns ask, or where an edge joins them whose label has no loop in the data.
package planner
