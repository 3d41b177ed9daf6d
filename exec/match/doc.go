// Package match says what it is to match a query graph against a data graph, whoever does it.
//
// Nouns: [Match] (one run of a plan over a graph), [Input] (the partial matches it begins with), [Batch] (what comes
// out, column first), [Matcher] (who runs it: exec/match/cpu and exec/match/gpu), [Trace] (what a run measured, step by
// step), [Searcher] (a Matcher that also searches closures of paths: [Closure]), [Lowering] (a plan made ready for a graph: what both matchers would find out by themselves).
//
// # From a plan to a run
//
// [Lower] turns each step of a plan into the lists that its candidates really lie in, with bounds in place of lists without
// gaps, finds the symmetries of a pattern whose solutions are only counted, or keeps to the order that the caller found by them ([Representatives]), and
// collects what each step reads. On that
// rest what the tables between steps must hold ([Live]), which steps are counted, how they fall into parts that multiply and
// what branches weigh ([Lowering.Groups], [Parts], [Lowering.Lengths]), and where rows share an intersection
// ([Lowering.Sharing]), and which patterns are better counted in the neighbourhoods of one vertex ([Lowering.Dense])
// by paths of two edges ([Lowering.Squares]) or by triples of neighbours ([Lowering.Triangle]). Matchers decide how many steps they enumerate, in which memory and by how many threads.
//
// The package never reads text and never computes an operator of the algebra: it ends where the solutions of one basic
// graph pattern are emitted. It starts no goroutine.
package match
