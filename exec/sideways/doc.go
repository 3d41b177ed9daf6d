// Package sideways runs a pattern for given bindings (sideways information passing): for the rows of a join's left side, for
// EXISTS, or with their values as parameters.
//
// Nouns: [Side] (a pattern that is matched for the rows of a batch; each [Variant] is for rows that bind some of the
// variables), [Own] (a Side for one of several goroutines), [Merge] (how the columns of both sides meet), [Existence] (for which rows a pattern has a solution, each distinct
// combination of values asked once by each goroutine that asks), [Apply], [Given] and [Recall] (a pattern run for one row after the other, whose
// values are parameters).
//
// The package plans nothing: Side.Make hands it an operator where rows bind what none before them did, Side.Another all of them once more for another goroutine.
package sideways
