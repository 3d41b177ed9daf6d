// Package wal is the write-ahead log of a live store: what was committed, in the order in which it was, durable before
// it is acknowledged.
//
// Nouns: [Log] (the files, open for appending), [Record] (one payload under its sequence), [Reader] (a log that another
// process may be appending to), [Syncer] (the goroutine that makes appended records durable, and those who wait for it),
// [Builder] and [Transaction] (the payload: the quads that one commit added and removed), [Folder] and [File] (the file
// system that a log asks for, so that tests can break it).
//
// The committer of a store uses them like this; one goroutine appends, any number wait:
//
//	log, err := wal.Open(dir, wal.Options{})          // a torn tail is cut: log.Report()
//	for r, err := range log.Read(flushed + 1) { … }   // replay
//	syncer := wal.NewSyncer(log, wal.Durability{})
//
//	n, err := log.Append(builder.Append(nil, now))     // transaction n; go on with n + 1
//	err = syncer.Wait(ctx, n)                         // elsewhere: n may be acknowledged
//
//	err = log.Drop(flushed + 1)                       // after a flush
//
// The package knows nothing of stores, IDs or SPARQL: terms are bytes (keys of the dictionary, by the committer's choice).
// It never changes a record, never repairs one, and never tries again what a sync failed to make durable.
package wal
