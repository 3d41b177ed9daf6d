// Package operator says what an operator is, and has what operators of all kinds share.
//
// Nouns: [Operator] (one node of a physical plan, which pushes its solutions on), [Base] (what each has), [Execution] (one
// run of a plan: its limits, disk, terms and parameters), [Measures] (what was measured of an operator), [Stage] (an
// operator that maps batches one by one, so that workers can share them), [Aside] (an operator whose batches may be taken from several
// goroutines at once, see [RunAside]), [Gather] (rows that several goroutines find, kept), [Phases] (work in phases of units that workers share),
// [PartLock] (of a part of what several goroutines fill, see [EachPart]), [Outlet] (where solutions go that several find),
// [Projection] (columns in another order).
//
// Operators push: each calls the next with its batches, in the caller's goroutine, and an error from there ends it, so
// that LIMIT, a consumer that has enough and a cancelled context stop everything below. A batch is valid until emit returns.
// One operator runs another by [Run], which measures it.
//
// An operator runs in one goroutine unless it asks the query's share (internal/schedule, Execution.Workers) for more. Stages
// do so here; joins, groups and DISTINCT by Phases; groups of few keys and matchers for themselves. Whoever asks waits for its workers.
// Where a matcher has several goroutines, each takes the rows that it finds on: through stages, into groups, past the rows that DISTINCT has seen, to the table of a join, and to where rows
// are kept for a sort or a table.
//
// The package knows no single operator, and no plan.
package operator
