// Package patch writes and reads RDF Patch, the text form of changes to a data set
// (https://afs.github.io/rdf-delta/rdf-patch.html).
//
// Nouns: [Row] (one line: a header, the bounds of a transaction, a quad that is added or removed), [Writer] (rows → text),
// [Read] (text → rows).
package patch
