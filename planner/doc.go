// Package planner turns SPARQL algebra and statistics into plans.
//
// Nouns: [QueryGraph] (a basic graph pattern as a labelled query graph), [MatchPlan] (a vertex order with, for each
// step, everything a matcher needs), [Step], [Link].
//
// A plan is data: it names no backend and can be run by exec/cpu and exec/gpu alike.
// The package reads statistics and, for sampling walks, partitions; it never enumerates matches.
package planner
