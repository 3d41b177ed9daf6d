package bgp

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Semantics says which mappings from a basic graph pattern to the data are solutions.
type Semantics uint8

const (
	// Homomorphism is SPARQL's own: every pattern matches a triple, nothing more.
	Homomorphism Semantics = iota
	// Isomorphism also asks that different query vertices (variables in subject or object position, and constants
	// there, classes included) bind different data vertices. Predicates do not count.
	Isomorphism
	// EdgeIsomorphism also asks that different triple patterns bind different triples.
	EdgeIsomorphism
	// Induced is Isomorphism, and asks that the data have no edges between the images of the query's vertices but those of its
	// patterns: of the triples whose subject and object are both images, loops included, and whose predicate is one of the pattern's
	// labels, each is what a triple pattern binds. The labels are the predicates of the triple patterns but of vertex labels
	// ("?x rdf:type C" with a constant C); each must be a constant. Direction matters: a pattern of one edge from ?a to ?b does not match where an edge leads back.
	Induced
)

// QueryGraph is a basic graph pattern as a labelled graph. A pattern that stands there twice is one edge.
type QueryGraph struct {
	Vertices  []QueryVertex
	Edges     []QueryEdge
	Semantics Semantics
}

// QueryVertex is a variable, a blank node (a variable nobody can read) or a constant in subject or object position,
// or a variable in predicate position.
type QueryVertex struct {
	// Variable is its name, "" for a constant. Blank nodes have names that no SPARQL variable can have.
	Variable string
	// Constant is the term's ID when Variable is "".
	Constant dictionary.ID
	// Classes are the vertex labels: the C of every "?x rdf:type C".
	Classes []dictionary.ID
	// EdgeLabel reports that the variable stands in predicate position of some edge (it may be a vertex too).
	EdgeLabel bool
}

// QueryEdge is one triple pattern that is not a vertex label. From, To index QueryGraph.Vertices.
type QueryEdge struct {
	From, To int
	// Label is the edge label when LabelVertex < 0.
	Label pcsr.Label
	// LabelVertex is the index of the predicate variable in QueryGraph.Vertices, or -1.
	LabelVertex int
}
