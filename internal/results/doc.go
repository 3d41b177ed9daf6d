// Package results writes and reads the formats in which SPARQL answers travel.
//
// Nouns: [Format] (a syntax with its media type), [Writer] (columns of IDs → bytes, in order, formatted by several
// threads), [Decoder] (what a Writer needs to know about terms), [Table] (an answer that was read back).
//
// Solutions are written as SPARQL JSON, XML, CSV, TSV or an aligned table; triples as N-Triples, Turtle or RDF/XML; both as Arrow and Parquet. A Writer
// needs constant memory however long the answer is, allocates nothing per row, and hands its output on in large
// blocks. The package knows nothing of queries, stores or HTTP.
//
// # Why
//
// Columns repeat values, so a Writer keeps, per core, a direct-mapped cache from ID to the bytes it was written as in
// this format: most cells are one short copy. Batches are cut into chunks that are formatted in parallel and written
// in order; an answer of a few thousand rows never leaves the caller's goroutine. Rows that stand for a product of lists (vector.List) are put together from texts that
// many of their solutions have in common.
package results
