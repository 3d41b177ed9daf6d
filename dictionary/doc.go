// Package dictionary maps RDF terms to 32-bit IDs and back, from memory-mapped files.
//
// Nouns: [ID], [Dictionary] (read-only, shared by any number of goroutines), [Writer] (terms in ID order → files),
// [Value] (what a literal stands for: number, date, boolean, string), [Section] (a range of IDs of one sort).
//
// The IDs of one dictionary are dense, 0 … Len()-1, in this order:
//
//	predicates (IDs 0 … P-1: an edge label is the ID of its term)
//	other IRIs and blank nodes, grouped by the writer's order (classes, predicate sets)
//	numeric literals by value
//	dates and times by value
//	booleans
//	plain strings in byte order
//	language-tagged strings, by tag, then in byte order
//	literals of other datatypes
//
// so that a range filter on a value is a range of IDs. It never sorts (the loader does) and knows nothing of graphs.
package dictionary
