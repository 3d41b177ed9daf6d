// Package drawing shows the query graphs of basic graph patterns to people and programs, as JSON and for Graphviz.
//
// Nouns: [Graph] (a basic graph pattern as a labelled graph), its [Vertex] and [Edge], [WriteDot] (graphs → DOT).
//
// It draws what planner/bgp has made, with terms in place of IDs, and decides nothing.
package drawing
