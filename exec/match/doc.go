// Package match says what it is to match a query graph against a data graph, whoever does it.
//
// Nouns: [Match] (one run of a plan over a graph), [Input] (the partial matches it begins with), [Batch] (what comes
// out, column first), [Matcher] (who runs it: exec/match/cpu and exec/match/gpu), [Trace] (what a run measured, step by
// step).
//
// The package never reads text and never computes an operator of the algebra: it ends where the solutions of one basic
// graph pattern are emitted. It starts no goroutine.
package match
