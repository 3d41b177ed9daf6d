// Package document writes RDF as text, quad by quad, in the syntaxes that loader reads.
//
// Nouns: [Format], [Writer] (quads → one document), [Options] (prefixes, what becomes of the names of graphs).
//
// Nothing is held but the quad before: a document may be of any length. What stands together in the input stays together: a
// subject, or a graph, that comes again later is begun again. Blank nodes keep their labels.
//
// What a syntax cannot carry is an error, never left out: graph names in N-Triples, Turtle and RDF/XML; in RDF/XML also
// predicates that end in no XML name, and characters that XML does not have.
//
// internal/results writes the answers of queries, from IDs, in parallel; this package knows no IDs.
package document
