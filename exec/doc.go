// Package exec runs plans: a [Matcher] (exec/match/cpu or exec/match/gpu) matches each basic graph pattern, and the operators
// above it, written once, turn column [Batch]es of IDs into column batches of IDs.
//
// Nouns: [Plan] (a query, prepared over a [Dataset], run once), [Batch], [Matcher] and [Match] (one run of a match
// plan), [Options], [Explain] (the tree of operators, with what they measured), [Service] (SERVICE, where allowed).
//
// Operators push: each calls the next with its batches, in the caller's goroutine, and an error from there ends it, so
// that LIMIT, a consumer that has enough and a cancelled context stop everything below. Two kinds of work are shared
// among goroutines, which their operator waits for: costly filters and bindings (sharedStages; what comes out is emitted in
// the order of the input), and the grouping of many rows into few groups (sharedGroups; the groups and their values are what
// one goroutine finds, in the same order). There are no row objects and no allocation per row. Past the memory limit sorts, groups, distinct rows and hash joins go on from temporary files.
//
// Operators are built once, by build.go, from the nodes of a physical plan (planner): they have from their node all that they
// need to know, and none plans. EXISTS over a pattern that cannot be matched for many bindings at once runs it for one
// after the other, with the bindings as parameters (applyOp).
//
// An operator may be seeded with bindings from the side: then it emits only solutions that agree with them, each with
// the number of its seed. Joins, OPTIONAL, MINUS and EXISTS use that while few bindings come, and otherwise run the
// pattern once into a hash table.
//
// The package never reads text and chooses no plan: queries come as the parser's algebra, terms as IDs.
package exec
