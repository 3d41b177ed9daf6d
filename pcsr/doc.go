// Package pcsr holds one encoded RDF graph: for each edge label and direction a partition of sorted neighbour lists,
// with the classes and signatures that planning and matching need (SGSI, section 4: PCSR).
//
// Nouns: [Graph] (memory-mapped or built in memory, read-only, shared by any number of goroutines),
// [Partition] (the lists N(v, l) of one label l in one [Direction]), [SignatureTable],
// [Writer] (sorted edges → a graph file), [Lists] (many small graphs in one file, as lists of edges; [ListsWriter]).
//
// Vertices and labels are plain 32-bit numbers; the package knows nothing of strings and never sorts what a Writer is given.
// Slices that a Graph hands out are views of its memory: never written to, valid until Close.
//
// # Use
//
//	g, err := pcsr.Open(path)
//	knows := g.Partition(label, pcsr.Out)
//	for v, friends := range knows.Lists() { … }
//	list := knows.Neighbours(v) // nil where v knows nobody
//
// [Build] makes a graph in memory, which answers exactly as the same edges in a file, and [BuildKeys] a large one; [Overlay] and [Merge] make the union
// of several graphs.
//
// # Why
//
// A partition is a row layer, which turns a vertex into a row, offsets and neighbours. The published PCSR hashes every
// vertex into a 128-byte group of its own. Where IDs are given by class, as here, the row vertices of a partition are
// contiguous or dense in a short span, and a [Range] or a [Bitmap] is 30 times smaller and several times faster; the
// published [Group] can be forced to compare (docs/STORE.md has the layouts and the measurements). Which one a partition
// has depends on its row vertices alone, so that a graph is the same file wherever it is made.
//
// Vertices with the same labels share one label set: that makes the labels of a vertex cheap to keep (variable
// predicates), tells how many vertices have any given labels (star patterns), and is where the signatures' frequencies come from.
//
// Signatures give bits out by frequency instead of hashing, so that no rare label shares a bit with a common one.
//
// A graph that changes shares with the one before what is the same: a partition is patched, a few rows in a tree over arrays that stay, in time in
// proportion to what changes. Where that is much of the partition, copying all of it takes a tenth of the time for each edge, and what comes out is
// read faster.
//
// A union of graphs is merged when it is read. A partition that only one of them has is that graph's own. Another is
// written anew in memory the first time that it is asked for, once, and is from then on a partition like any other, so
// that queries cost what they would over one graph. Rows that only one graph has are copied in stretches: with a
// thousandth added that takes 2 ns an edge of the union, with a tenth, everywhere, 12 ns (BenchmarkOverlay). Edges, lists
// of one vertex and what planning asks ([Outline]) come from the graphs, so that a query merges only what it reads on.
// Label sets keep the numbers of the largest graph; vertices with edges in others are looked up beside them. A signature
// passes every vertex that has edges in another graph than the largest, for its bits are those of that one.
//
// Files are checked when they are opened as far as no reader can leave its memory or panic, which takes time in the
// number of labels; [Graph.Verify] does the rest, in time of the size of the graph. Built with the tag "invariants", Build and Open verify.
package pcsr
