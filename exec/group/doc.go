// Package group groups solutions and computes aggregates (SPARQL 1.1 section 18.5.1).
//
// Nouns: [Group] (the operator), [Aggregate] (one aggregate of it), accumulator (the state of an aggregate for all groups),
// run (the groups of a part of the rows), sharedGroups (members that group some of the rows each, by workers, where there are few
// groups), groupParts (runs of some of the groups each, by workers or by those who find the rows, where there are many), singles (groups of one row, of a match
// that has grouped its rows).
//
// Where one goroutine finds the rows, groups come in the order of their first rows and have the values that one goroutine finds, however many workers
// there were. Rows that several find are in no order.
// Past the memory limit the rows of groups that are not begun go to files, split by hash, and are grouped later.
package group
