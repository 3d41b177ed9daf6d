// Package patch writes and reads RDF Patch, the text form of changes to a data set
// (https://afs.github.io/rdf-delta/rdf-patch.html).
//
// Nouns: [Row] (one line: a header, the bounds of a transaction, a quad that is added or removed), [Writer] (rows → text),
// [Read] (text → rows).
//
//	H sequence "17"^^<http://www.w3.org/2001/XMLSchema#integer> .
//	TX .
//	D <http://example.org/book> <http://example.org/price> "8" .
//	A <http://example.org/book> <http://example.org/price> "9" <http://example.org/graph> .
//	TC .
//
// Terms are those of N-Quads, and there are no prefixes: PA and PD change those of the data set. Blank nodes are not made anew
// when a patch is read: their labels are those of the data set, so that a patch can remove a triple with a blank node.
//
// The package knows nothing of logs and stores. Rows come one at a time, so that a patch may be of any length.
package patch
