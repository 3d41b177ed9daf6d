// Package join combines the solutions of two patterns, or of several.
//
// Nouns: [Join] (inner and left joins and MINUS: it seeds its right side with the rows of the left while they are few, and
// then probes a table, of hashes or of IDs: [vector.Table]), [Hashed] (that table, or its files), merger (makes solutions of pairs of rows, for one goroutine),
// sharedProbes (left rows that workers probe the table with, or match the right side for, each with a merger of its own), probesAside (goroutines
// that do so with the left rows that they find), [Union].
//
// Past the memory limit both sides go to files, split by hash, and are joined file by file (a Grace hash join). Which
// way is cheaper is the planner's word (planner.TableIsCheaper).
package join
