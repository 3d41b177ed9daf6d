// Package blanks finds out which blank nodes of two data sets are the same.
//
// Nouns: [Match] (quads of two data sets → the labels that stand for one node), the graph of a component (blank nodes that hang
// together), its colours (what can be seen of a node from its surroundings).
//
// Blank nodes that no quad connects, through other blank nodes, cannot be confused by each other's fate: data sets are cut into
// components, which are small where people write data. Components of equal colours are matched whole, by refinement of colours and,
// where nodes look alike, by trial (McKay, Practical Graph Isomorphism, 1981, without the pruning). What is left over is paired as
// far as its surroundings are the same; nothing depends on that pairing but how short a difference becomes.
//
// The package knows nothing of stores. internal/isomorphism is its witness in tests and shares no code with it.
package blanks
