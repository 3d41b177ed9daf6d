// Package join combines the solutions of two patterns, or of several.
//
// Nouns: [Join] (inner and left joins and MINUS: it seeds its right side with the rows of the left while they are few, and
// then probes a hash table), [Hashed] (that table, or its files), [Union].
//
// Past the memory limit both sides go to files, split by hash, and are joined file by file (a Grace hash join). Which
// way is cheaper is the planner's word (planner.TableIsCheaper).
package join
