// Package triples makes triples of solutions: the query forms whose result is a graph (SPARQL 1.1 section 16).
//
// Nouns: [Construct] (a template that each solution fills, of [TemplateTerm]s), [Describe] (the concise bounded
// description of resources).
//
// Triples come as batches of three columns; repeated ones are dropped elsewhere, where the plan says so.
package triples
