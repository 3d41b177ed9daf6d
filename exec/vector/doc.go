// Package vector holds solutions by the column: in batches on their way, in growing sets, in tables of joins and in temporary
// files.
//
// Nouns: [Batch] (solutions on their way from one operator to the next), [List] (one of its columns, where each row stands for several solutions), [BatchCopy] (one of its own memory), [Turns] (batches of several goroutines, one at a time), [Rows] (a growing set of them), [Blocks] (one that does not move), [RowSet] (distinct
// rows, numbered in the order they come), [Table] (rows to be found by some of their columns, which may be unbound) and
// [Prober] (who looks for them), [Split] (rows by parts of their hashes, so that goroutines can take a part each), [File]
// and [Partitions] (rows on a [Disk], by themselves or split by hash).
//
// Nothing here is safe for concurrent use but where it is said. A batch that is handed out is valid until the next call of who made it. Loops
// over many rows take a [limits.Ended] and stop when the query ends; what is in memory is counted by the caller (Bytes),
// files and their buffers by the package. Large columns and tables that are needed for a while are borrowed ([Borrow]).
//
// The package knows nothing of operators, plans, graphs or terms: a value is an ID.
package vector
