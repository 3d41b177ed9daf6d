// Package watch keeps standing queries: whoever subscribes to a query learns after every commit which solutions came and which went.
//
// Nouns: [Watcher] (the standing queries of a store), [Subscription] (one who is told), [Change], [Row] (a solution, with how many times it
// came or went), [Query], [Options] and [Explanation] (how changes of a query are found, and why).
//
//	s, err := watcher.Subscribe(ctx, watch.Query{Text: text, Parsed: parsed}, watch.Options{})
//	defer s.Close()
//	change, err := s.Next(ctx) // all solutions, then what changed, as often as it does
//
// One goroutine follows the store's commits (live.Follower) and brings each to the queries that it touches, which an index of labels and
// constants tells. Of a query that is linear (shape.go) it finds what comes and what goes from the changed triples alone: each is put in
// the place of each triple pattern that it fits, and the rest of the pattern is matched around it by the matchers of all queries, what
// came in the later state, what went in the earlier one. A match with several changed triples belongs to the first pattern of them, so that
// it is found once. Of matches that automorphisms of a pattern make of each other, those of a large change are looked for by one (coalesce.go). A
// change of many triples is matched by several goroutines (crew.go), that of a few by the one. DISTINCT counts; of aggregates the rows of each group are kept, and aggregated again where they change (grouping.go). Any other query is evaluated again by its subscriber, when a triple of a label that it reads has changed.
//
// A change waits for its subscriber as a difference, whatever number of commits it comes from: who is slow holds the net change and no
// queue, within the memory of the subscription.
//
// # Why
//
// Plans are made when a query is registered, for whatever the graph becomes (bgp.Options.Lasting), because planning costs more than
// matching around one triple. Solutions are kept by the keys of their terms and not by IDs: those change when the store is flushed or
// compacted.
//
// A match of a large change is not tested for its owner: the patterns before a seed's read the graph that is left without both sides of the change
// (search.go, pcsr.Graph.Beside). Plans over the states before and after alone would need no such graph, but in a change of both
// kinds they also find pairs that cancel, and one seed could not be tested while another is not.
//
// The order in which a match has an owner is that of the patterns, not of the changed triples: then the first pattern needs no test, and
// those for which no triple has changed need none either.
package watch
