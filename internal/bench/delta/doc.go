// Command delta measures what changes cost the queries of a store while they are not in its files yet, after a flush and
// after compaction, and what they take of memory, log and files; the first query after an update; queries beside writers, a flush and a
// compaction; and opening a store that has a long log. internal/bench/delta.sh runs it; docs/BENCHMARKS-UPDATE.md explains the figures.
//
// Nouns: [division] (which triples of a data set are inserted and which removed), [state] (a store of the same triples
// at some stage), [figure] (what a query took in each state), [life] (what a change takes until it is compacted), [readers] (who ask
// beside something else).
//
// For each share, a store is loaded without that share of the triples; then these are inserted, and as many others
// removed, by updates. It is compared with a store that was loaded from the resulting triples: both answer the same
// queries in turn, with the same answers.
package main
