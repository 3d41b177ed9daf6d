// Package kernels runs the vertex join on a GPU: CUDA sources, the machine code compiled from them, and what the host
// needs to launch them.
//
// Nouns: [Driver] and [Stream] (the few calls made to a GPU; [Open] has the real one, [Emulate] one that runs the plain
// Go twins of the kernels), [Program] (a join as the device reads it: steps, links, tables, all by address),
// [State] (how far a run of it has come), [Partition] (a partition's arrays on the device), [Weighing] (weights
// by vertex, made before a join), [Patch] (a partition that is made of another), [Combining]
// (rows that become groups, equal ones one), [Summing] (rows whose numbers are added up by group), [Top] (rows that may be among the first), [Core] and [Dense] (the lists of an undirected label, and a pattern that is
// counted in its neighbourhoods), [Squares] (cycles of four edges, counted by paths of two), [Triangles]
// (cycles of three, counted by triples of neighbours).
//
// The package knows arrays of 32-bit words and their lengths, nothing of RDF. It allocates nothing by itself and keeps
// no state besides the open device. Each .cu or .cuh file has a twin_*.go with the same meaning, which is its
// specification and the oracle of its tests.
//
// Without the build tag cuda there is no CUDA in the binary and Open fails with [ErrNoDevice].
//
// # Why
//
// The kernels are interpreters: a step is data, not generated code. What is tested per candidate is the same for all
// threads of a launch, so the branches are uniform and cost a few instructions beside the memory traffic; and there
// is nothing to compile when a query arrives.
package kernels
