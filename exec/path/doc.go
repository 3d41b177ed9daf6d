// Package path walks property paths over a graph (SPARQL 1.1 section 9): what is left of them once sequences, alternatives and
// inverses at their top have become joins and unions.
//
// Nouns: [Path] (the operator, between two [End]s), [Step] (what a path walks at a time, as an operation on vertices),
// [Search] (closures of steps, breadth first, each vertex once), levels (how closures of predicates alone are searched: a level at
// a time, along the frontier's lists or backwards from what was not seen), automaton (a path with closures inside, or whose steps repeat, as a machine, so
// that a search looks at each pair of a state and a vertex once), searchers (searches from many vertices at the same time), together (one search that counts where walks from 64 vertices end), positions (the
// automaton of a path as a device searches it, which [Searchers] may find for closures that lead far), list (a small graph as its triples, which a search walks in place of a graph).
//
// A search serves one walk at a time and keeps its memory for the next; it counts what it takes with the account that it
// serves, and ends when the context does. Paths read the graph's partitions, and never the dictionary.
package path
