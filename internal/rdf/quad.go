package rdf

// Quad is a triple in a graph; the zero Graph is the default graph.
type Quad struct {
	Subject, Predicate, Object, Graph Term
}
