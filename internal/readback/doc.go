// Package readback reads graphs back that this program has written, and compares them with what should be there. The reader is
// a library (knakk/rdf) that shares no code with the writers of internal/results nor with the readers of loader: what
// both sides take for the same graph, others will.
//
// Nouns: [Graph] (a set of triples), [Triple], [Read] (a document → a Graph), [Graph.Check].
//
// # Why here and nowhere else
//
// The library is slow (0.45 M triples a CPU-second, a goroutine that hands over each token) and has faults, which are mended
// around: it accepts invalid UTF-8 and wrong labels of blank nodes (both are looked at before and after it); it joins a
// relative IRI to the base instead of resolving it (no base is given, and what is still relative is an error); its
// goroutine stays when a reader leaves early (the rest is always read). It takes a declaration of a namespace in RDF/XML for a
// property, which cannot be mended from outside, so that RDF/XML is not read. A fault of that goroutine would end the process, so
// the library must never see bytes from outside: only documents that internal/results has written come here.
package readback
