// Package pcsr holds one encoded RDF graph: for each edge label and direction a partition of sorted neighbour lists,
// with the classes, signatures and statistics that planning and matching need (SGSI, section 4: PCSR).
//
// Nouns: [Graph] (memory-mapped or built in memory, read-only, shared by any number of goroutines),
// [Partition] (the lists N(v, l) of one label l in one [Direction]), [SignatureTable], [Statistics].
//
// Vertices and labels are plain 32-bit numbers; the package knows nothing of strings.
// Slices that a Graph hands out are views of its memory: never written to, valid until Close.
package pcsr
