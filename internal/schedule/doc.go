// Package schedule shares the processor's threads among the queries of a process.
//
// Nouns: [Pool] (the permits of a process, one for each thread), [Share] (what one query holds of them), [Group] (the
// workers of one piece of work, and the error that it ended with), [Worker] (a goroutine beside the one that called).
//
// A query that runs holds a permit for the goroutine that it was called on, from [Share.Enter] to [Share.Leave], and never
// waits for it. A piece of work that is large asks for workers ([Group.Go], [Group.GoAll]); it gets one while there is a permit and the
// query has fewer than its limit. Nothing is promised: who gets none does the work itself.
//
// # Fairness
//
// Workers look between units of work whether others need their permits: [Worker.Keep] tells a worker to end, [Share.Yield]
// makes it wait where it stands. That is so when the machine is full, a query has more than its part (the permits, divided by
// the queries that run), and another one has less and asked a moment ago. Permits that nobody asks for are anybody's.
//
// # Blocking
//
// A goroutine that waits, for a reader of what it writes or for another goroutine of its query, leaves and enters again: its
// permit is used meanwhile. To enter needs no waiting, so that nobody waits for a permit with a lock in hand; what there is too
// much for a moment is given back at the next Keep or Yield. Only Yield waits for a permit, and a query of which no goroutine
// has one gets one at once: so no query stands still because of others, and none because of itself.
//
// Threads that have ended their part look for more for a moment, as long as one query runs or will go on ([Share.Park], [Share.Await]). They are busy for the
// runtime: a goroutine that is woken meanwhile by one that works on gets a thread only when that one stops. So locks that many take are held for less than it
// takes to be put to sleep, or are none (Phases of exec/operator, hubs of exec/match/cpu).
//
// Work that a large pool's workers are started for waits in one place, for whichever of these threads is first: one that is being woken may have no processor, as long as
// all of them look for work. A query that is about to have much says so ([Share.Rouse]), so that threads are woken while it gets ready.
//
// # Faults
//
// Workers meet mapped files that were cut, and mistakes of ours, as their callers do: [Guard] makes an error of both. A Group's end
// is [Group.Wait]; goroutines of large pools wait a fifth of a second for more work, so that they are woken together.
package schedule
