// Package loader reads RDF files and builds stores from them.
//
// Nouns: [Format] (a syntax, told by a file's name), [Read] (one document → quads of terms, in memory),
// [Load] (any number of files → a store on disk, in bulk, with bounded memory), [Snapshot] (a store as a process has changed
// it in memory) and what writes one ([Flush], [Rebuild], [Intake]), [Options], [Report],
// [Plan] (a sample of the files → an [Estimate] of what a load takes),
// [SyntaxError] (file, line, column and what was expected).
//
// # Readers
//
// N-Triples and N-Quads are read by a byte scanner of our own, a line at a time, so that a file can be cut at line
// ends and parsed on all cores. Turtle and TriG are read by a recursive-descent parser of our own: the library at hand
// (knakk/rdf) resolves relative IRIs by gluing, accepts broken escapes and invalid UTF-8, has no TriG, and gives no
// columns. RDF/XML is read over encoding/xml, because the library also glues there, and gives up on some nested
// elements. It stays as the oracle of the tests, and internal/readback uses it.
//
// Every reader refuses what its grammar refuses: invalid UTF-8, characters that an IRI must not have, escapes for
// surrogates or beyond U+10FFFF, malformed labels and tags, relative IRIs without a base. A document that is refused
// part-way may already have emitted quads; [Load] then leaves the store as it was.
//
// Blank node labels of different inputs are kept apart (blank.go). The package never answers queries and knows nothing
// of plans.
//
// # A load, step by step
//
//	text → blocks → rows       readers unpack and cut; one encoder for each core turns lines into rows of provisional
//	                           IDs (encoder.go, terms.go, triples.go)
//	terms → order              the term table is sorted, or its spilled runs are merged (termorder.go, runs.go)
//	order → IDs                predicates first, resources in groups of one class or one set of predicates, literals by
//	                           value (groups.go)
//	terms → dictionary         beside the next step
//	rows → graph files         keys of 64 bits by graph and label, sorted by radix both ways (edges.go, gather.go)
//	commit                     internal/store renames the manifest into place
//
// What a store has already enters between the first two steps; what comes after them does not know the difference:
//
//	[Load] with Append   terms and rows are looked up in the store (resolve.go): known terms keep their IDs, known triples
//	                     are dropped, the rest becomes a segment. The last segments may be read back and join it, or all
//	                     of them become a new base (append.go says when)
//	[Flush]              the triples that came are rows, with the terms that came; those that went are written as they are
//	                     (flush.go). Nothing is looked up
//	[Intake]             documents are read before there is a store to add them to; Stage then looks them up as an append does, in a
//	                     snapshot, and adds what that has changed as a flush does (intake.go)
//	[Compact], [Rebuild] all triples that are there are rows, all terms that they use terms (compact.go)
//
// Terms come from the dictionary, rows from graphs (takeover.go): a first reading notes which terms are used, a second makes
// rows. Terms that keep their IDs are only numbered.
//
// A store depends on its inputs, and on which of them were appended or flushed, alone: not on the number of cores, nor on
// what was spilled.
//
// # Memory and disk
//
// Of [Options].Memory, 3/8 bound the term table, 1/4 the rows, and half, later, the keys that are sorted together. A
// full term table is written out as a sorted run (about 60 bytes a term) and starts anew; a term may so get several
// provisional IDs, which the merge makes one at 4 bytes each. Rows beyond their share go to a file (12 bytes each, 16
// with named graphs). Keys are never spilled: where they do not fit, the rows are read again for the rest of them.
// So each row and term is written at most once (terms twice more in a merge) beside the store itself. What grows with
// the data and is not bounded is 4 bytes a provisional ID (8 in an append) and 24 bytes for each IRI and blank node. All
// of it grows with what is read, not with the store that is added to. A flush holds 8 bytes more for each triple of one
// label that is gone, twice. A union of segments is read piece by piece and not merged.
//
// # Why
//
// Terms that the table knows are not checked again: their bytes are those of a term that passed. Lookups go in batches
// whose slots and records are read ahead together: on WatDiv 10 M that took the time in the table from 4.5 to 1.7
// seconds of processor time, of 9 in all.
//
// Big arrays lie outside the garbage-collected heap (memory.go): a load's footprint is what it holds, and is given back
// at once.
package loader
