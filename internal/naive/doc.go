// Package naive is what the engine is compared with in tests: SPARQL by its definitions, one solution at a time, on terms.
//
// Nouns: [Evaluator] (SPARQL 1.1 Query, section 18.5, over a list of quads), [Solution], [Store] (SPARQL 1.1 Update,
// sections 3 and 4, over a set of quads).
//
// It knows no plan, no ID and no index, so that it is easy to see that it is right; it shares the parser with the engine
// and nothing else. It computes what tests generate: of functions and aggregates only some, and it panics at others. Only
// tests import it.
package naive
