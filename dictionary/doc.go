// Package dictionary maps RDF terms to 32-bit IDs and back, from memory-mapped files.
//
// Nouns: [ID], [Dictionary] (read-only, shared by any number of goroutines), [Segment] (one set of its files), [Writer]
// (terms in ID order → a segment's files), [Tail] (terms that have come since, in memory), [Value] (what a literal stands
// for: number, date, boolean), [Section] (a range of IDs of one sort), and the key of a term ([AppendKey]): the bytes that
// stand for it where it is sorted, hashed or spilled.
//
// A dictionary is a list of segments: a base, and what was added later, each with the terms that none before it has.
// The local IDs of a segment are dense from 0; the ID of a term is its local one plus the number of terms in the segments
// before. So IDs stay what they are when terms are added, and are dense too: 0 … Len()-1.
//
// Local IDs are given in this order:
//
//	predicates (in the base: IDs 0 … P-1; an edge label is the ID of its term)
//	other IRIs and blank nodes, grouped by the writer's order (classes, predicate sets)
//	numeric literals by value
//	dates and times by value
//	booleans
//	plain strings in byte order
//	language-tagged strings, by tag, then in byte order
//	literals of other datatypes, and ill-formed ones
//
// so that a comparison with a constant is a range of IDs or a few for each segment ([Dictionary.ValueRange]), as are the texts of a language or with a
// beginning and the dates of a year ([Dictionary.Languages], [Dictionary.Beginning], [Dictionary.YearRange]), and the kind
// of a term can mostly be seen by its ID alone. Two IDs of one section and segment are in the order of their terms, two of
// different segments are not. [AppendSortKey] defines the order for all: whoever sorts by it hands terms to the Writer as it
// wants them, and the Writer checks.
//
// A dictionary can grow while it is open. What comes goes to a [Tail] behind the segments, in order of arrival, with the
// next IDs; each state of it that somebody reads is a Dictionary of its own, of the segments and the first so many terms of
// the tail ([Tail.Dictionary]). From [Dictionary.Ordered] on, the order of IDs says nothing about terms: whoever has used it
// for those below looks at each of the others, or asks for some of them ([Dictionary.ValueIDs]).
//
// What a query reads of mapped files is compared with their checksums when it is first read. Whoever calls the methods of a
// Dictionary that was opened from files does so inside of section.Guard: damage is a panic there.
//
// It never sorts data sets (the loader does) and knows nothing of graphs. Its files are described in docs/STORE.md.
//
// # Why
//
// Blocks are front-coded against their first text, not each text against the one before it: that costs about a byte a
// term and lets any of the 16 be decoded by two copies. Strings, which share no prefixes, are shortened by symbol tables
// instead; IRIs are not, because they are what results are made of. The hash table holds only IDs, and finds the wrong
// ones out by spare bits of the hash before it decodes any. Literals that small answers ask for again and again are kept
// decoded, some thousands of them ([Dictionary.AppendHot]). Values lie beside the IDs and not in the texts, so that
// filters and ORDER BY read 16 bytes and parse nothing, and whole columns of IDs become columns of numbers or moments
// ([Dictionary.Numbers], [Dictionary.Moments]).
//
// A tail has its keys as they are, for it is small and each of its terms may be read while the next is written: nothing
// that is written once moves or changes, so that nobody needs a lock. Its terms are not sorted, because IDs that somebody
// has seen cannot change either. Only the values among them are, coarsely and in a few runs, so that the price of a
// comparison with a constant does not grow with the tail.
package dictionary
