// Package source has the operators that solutions come from, without an operator below them.
//
// Nouns: [Match] (a basic graph pattern, matched by exec/match/cpu or exec/match/gpu), [Product] (one of several parts
// without a common variable), [Looked] (one whose rows the matcher looks up in a table of another operator's), [Count] and [Degrees] (numbers of solutions that the matcher or the graph knows), [EachGraph]
// (a pattern in one named graph after another; in those that are lists of triples by a search or a [Walker] of its own), [Service] (another endpoint), [Values], [Unit], [Empty], [Seed].
//
// The package never opens a connection: asking an endpoint is handed in. It reads graphs, and changes none.
package source
