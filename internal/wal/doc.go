// Package wal is the write-ahead log of a live store: what was committed, in order, durable before it is acknowledged.
//
// Nouns: [Log] (the files, open for appending), [Record] (one payload under its sequence), [Reader] (a log that another
// process may be appending to), [Syncer] (who makes appended records durable, and who waits for it),
// [Builder] and [Transaction] (the payload: the quads that one commit added and removed), [Summary] (the payload of a commit whose
// quads are in a store's files alone), [Folder] and [File] (what a log
// asks of a file system, so that tests can break it; waltest has one).
//
// A committer uses them like this; one goroutine appends, any number wait:
//
//	log, err := wal.Open(dir, wal.Options{})          // a torn tail is cut: log.Report()
//	for r, err := range log.Read(flushed + 1) { … }   // replay
//	syncer := wal.NewSyncer(log, wal.Durability{})
//
//	n, err := log.Append(builder.Append(nil, now))    // transaction n; go on with n + 1
//	err = syncer.Wait(ctx, n)                         // elsewhere: n may be acknowledged
//
//	_, err = log.Sync()                               // before what the records say is made durable elsewhere
//	err = log.Drop(flushed + 1)                       // after that
//
// The package knows nothing of stores, IDs or SPARQL: terms are bytes (keys of the dictionary, by the committer's choice).
// It never changes a record, never repairs one, and never tries again what a sync failed to make durable.
// docs/STORE.md has the format.
//
// # Why
//
// Two kinds of bad frame must be told apart: one that a crash left unfinished, which is cut, and one that was durable
// and has been damaged since, where cutting would lose what was acknowledged. That a good frame follows does not tell: the
// disk may write the blocks of a group of records in any order, so that after a power cut a later one is whole and an
// earlier one is not. So each frame says up to which sequence all was durable when it was written, and when a sync finds
// nothing more to do it leaves a mark that says so for the last record; the next record is written over the mark.
//
// A sync that fails leaves the pages in memory, as clean: a second one would succeed and write nothing. So the log is
// broken then, and whoever opens it again, in the same boot of the system, would read records from memory that the disk
// does not have. Open writes again what no frame says was durable, at most what one group had, and syncs that.
//
// What was written of a frame when the disk was full is cut off, and that is synced, before the next one is written: a
// record behind it that is whole might else follow a later one that has the same length.
//
// Files are taken from the disk before they are written (fallocate), and then written with zeros ahead of the records, up to 256 KiB at a time:
// the file system's journal has to note each block of an allocated file that is written for the first time, and a sync waits for that. On ext4
// a sync of 3,000 bytes, an edit, takes 122 to 132 µs (medians of three runs) over zeros and 164 to 202 without; of 232 bytes, of which many share
// a block, 0.13 ms either way, and 0.2 ms where the file grows. No more zeros are written than bytes were appended since the log was opened.
//
// One sync at a time: of two at once on one file, one would hear of a failure and the other not.
//
// Terms are not compressed against each other, so that a reader hands out the payload's own bytes and takes no more
// memory than it has.
package wal
