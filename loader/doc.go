// Package loader reads RDF files and builds stores from them.
//
// Nouns: [Format] (a syntax, told by a file's name), [Read] (one document → quads of terms, in memory),
// [Load] (any number of files → a store on disk, in bulk, with bounded memory), [Options], [Report],
// [SyntaxError] (file, line, column and what was expected).
//
// N-Triples and N-Quads are read by a byte scanner of our own, a line at a time, so that a file can be cut at line
// ends and parsed on all cores. Turtle and TriG are read by a recursive-descent parser of our own: the library at hand
// (knakk/rdf) resolves relative IRIs by gluing, accepts broken escapes and invalid UTF-8, has no TriG, and gives no
// columns. RDF/XML is read over encoding/xml, because the library also glues there, and gives up on some nested elements.
// It stays as the oracle of the tests.
//
// Every reader refuses what its grammar refuses: invalid UTF-8, characters that an IRI must not have, escapes for
// surrogates or beyond U+10FFFF, malformed labels and tags, relative IRIs without a base. A document that is refused
// part-way may already have emitted quads; [Load] then leaves the store as it was.
//
// Blank node labels of different inputs are kept apart. The package never answers queries and knows nothing of plans.
package loader
