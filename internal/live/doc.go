// Package live is a store that changes while it is open: its files, a log of what was committed since they were written,
// and in memory what these commits changed.
//
// Nouns: [Store] (the folder, open for reading or for writing too), [State] (everything as of one commit: immutable),
// [Snapshot] (a state that somebody reads, until Release), [Transaction] (a state in the making), [Edit] (what one Apply does, committed
// together with others that wait), [Quad], [Follower] (led from
// state to state, with what changed between them), [Intake] (large documents on their way into a graph).
//
// A reader takes the newest state and keeps it; nothing that happens later touches it. There is one writer at a time: it
// begins from the newest state that was written to the log, be it durable yet or not, makes a new one, and appends what
// changed to the log. The turn then passes to the next writer, while the first waits until the log is durable up to its
// commit; only then do readers see it. So commits share syncs, an acknowledged one survives what Options.Durability says,
// and no reader sees one that could be lost.
//
//	tx, err := store.Begin(ctx)
//	defer tx.Abort()
//	s, err := tx.Intern(subject) // …
//	err = tx.Apply(nil, []live.Quad{{Graph: dictionary.None, Subject: s, Predicate: p, Object: o}})
//	report, err := tx.Commit(ctx)
//
// In memory a state is what the files are: a dictionary, and a graph for each name. Terms that the files do not have stand
// behind theirs in order of arrival (dictionary.Tail), graphs are the files' with edges added and removed
// (pcsr.Graph.Change). So queries need to know nothing of all this.
//
// An Intake is committed with the store's files: what it read becomes a segment, with what was changed in memory by then, and the
// manifest that names the segment is the commit. The log gets a record that counts what changed.
//
// Edits that wait for the turn are committed by whoever of them gets it, with one Apply, which does to each quad what the last of them does
// that names it: from what came and went by that, it follows which quads were there before, and so what each edit changes.
//
// The package evaluates nothing: package update runs SPARQL Update in a Transaction. docs/UPDATE.md tells what is promised.
//
// # Why
//
// The log holds the quads that a transaction added and removed, never its text: replaying it cannot give another NOW, UUID
// or blank node, and needs no query engine. A quad stands in it only where it changed something, which also keeps counts
// exact. A sync that failed is not tried again, because nobody knows what of it is on the disk: the store goes on for
// readers and takes no more updates until it is opened anew.
package live
