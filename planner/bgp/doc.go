// Package bgp turns a basic graph pattern into a plan for matching it against a graph.
//
// Nouns: [QueryGraph] (a basic graph pattern as a labelled query graph), [MatchPlan] (a vertex order with, for each
// step, everything a matcher needs), [Step], [Link], [Branch] (a pattern that weighs partial matches: OPTIONAL, EXISTS).
//
// [Plan] resolves a pattern's terms, estimates the domain of each query vertex and the selectivity of each edge from
// partition sizes and a few sampled members, and orders the vertices: greedily, or by dynamic programming over
// connected subsets where that is cheap beside the query. Vertices that nobody reads come last, where they are
// counted; one that does not multiply rows comes where rows are fewest. Where the lists of a vertex have no member in common,
// which their ends or a few searches often tell, there is nothing to match. A query that seems expensive is planned again with larger samples, and promising orders are compared by
// walks over random partial matches on the real partitions: one is taken in place of another where it is cheaper by more than the walks
// of both may be off. Of a pattern that weights count as a whole no orders are compared. Where the caller needs
// the first rows by a variable whose IDs are in the order of its values, an order that begins with it is taken if the match is expected to end so much sooner (ahead.go).
// Where some rows are enough, whichever they are, planning goes by the part of the match that is expected to be run, and an order that begins with many vertices of few
// partial matches each may be taken in place of the one that is the cheapest as a whole (soon.go).
//
// A plan is data: it names no backend and can be run by exec/match/cpu and exec/match/gpu alike. Planning the same pattern over
// the same graph gives the same plan. The package never enumerates matches. Its functions are safe for concurrent use.
//
// # Why
//
// Samples, not statistics: with every domain known exactly (what any statistics about vertices could at best say) the
// q-error of the partial matches on WatDiv 10 M falls from 1.6 to 1.2 in the geometric mean, and the plans are hardly better.
//
// Isomorphism costs a comparison for each pair of query vertices, and ties together parts that could be counted
// apart. Pairs that cannot be equal are left out: where their lists or their intervals of IDs are disjoint, where a
// constant fails what the variable's own patterns ask, or where an edge joins them whose label has no loop in the data.
//
// A signature rules a candidate out by bits for edges that only later steps join. By itself the planner sets one where
// a step is expected to have 2000 candidates or more, none of its lists is a constant's or the caller's, and at most 60 %
// of a sample of the members that pass the step's other conditions pass the signature; a first step and the centre of a
// star are the common cases. Bits that the step's own lists and classes imply are left out, so that the last vertex never
// has any. On WatDiv this halves the rows of partial matches; graphs with one edge label leave nothing to test.
package bgp
