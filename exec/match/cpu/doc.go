// Package cpu runs match plans on the processor's cores: the vertex join of SGSI (section 5) over column batches.
//
// Nouns: [Matcher], program (a plan made ready for one graph, for any number of runs: it is kept with a plan that is), join (one run of it), table (a batch
// of partial matches, column first),
// worker (what one goroutine needs), group (steps at the end of a plan that are counted instead of enumerated).
//
// A worker extends a table of partial matches step by step: breadth first inside a table, depth first across tables,
// so that memory is bounded by a table for each step and worker. The first step's list is dealt out in chunks; a
// worker with more than it can do gives idle ones parts of what is outermost in its work. Steps whose vertices nobody reads are counted:
// independent parts multiply, the count of a part is remembered by the values that it depends on, and the
// candidates of a part are given away like rows, by a worker that waits for their sum. Of a part that the plan wants as weights the counts are made before the
// first row, for all vertices that it may be asked for, by all threads, in arrays by vertex; where only the first solutions are wanted
// they are not: then candidates are narrowed down in blocks until there are enough (first.go), of which idle threads get some.
//
// Where candidates lie in a range, those of a class, a worker keeps the part of each list that lies there, up to 2 MB of them.
//
// Dense patterns that are only counted are counted in neighbourhoods, as bitmaps (match.Dense): a worker takes roots, and has the bitmaps of one.
// Cycles of four edges are counted by paths of two (match.Squares): a worker takes vertices, and has a counter for each other one.
// Directed triangles are counted by triples of neighbours (match.Triangle): a worker takes vertices, and marks the neighbours of one.
// Where the query's memory has no room for the lists that these need, the plan is counted step by step.
//
// The package writes nothing outside its own memory and starts no goroutine that outlives a call.
package cpu
