// Command scale measures how loading, opening and querying grow with the size of a graph. internal/bench/scale.sh runs
// it; docs/BENCHMARKS-SCALE.md explains the figures.
//
// Nouns: [graph] (what to generate, how large, with how much memory), [result] (what was measured of one graph).
//
// Every measurement is a process of its own, so that processor time, peak memory and bytes written are those that the
// operating system counts for it.
package main
