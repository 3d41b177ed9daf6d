// Command standing measures how long after a commit standing queries are told, and what they cost the commits. docs/WATCH.md has the figures.
//
// Nouns: [workload] (a data set's predicate that changes, and templates of queries), [crowd] (the queries that stand), [figure] (what one number
// of queries and of triples took).
//
// The first query that stands is asked of all the data, so that every commit changes it; it is the one whose events are timed. The others have
// constants, which are drawn from the data. Commits insert edges between vertices that the data have, and take them out again.
package main
