// Package matchtest holds what the tests of every matcher share: random small graphs and basic graph patterns, and
// a matcher by brute force that follows the definitions of the four semantics and nothing else.
//
// Nouns: [Case] (a graph, a pattern, options and seeds), [Solution].
// Only tests import it.
package matchtest
