package parser

import (
	"iter"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Update is a translated update request (SPARQL 1.1 Update): operations that are done one after the other, each on
// what the one before has left.
type Update struct{ Operations []Operation }

// Position is a place in a text. Line and Column count from 1; Column counts characters, not bytes.
type Position struct{ Line, Column int }

// Start is the position itself: where an operation begins.
func (p Position) Start() Position { return p }

// Operation is one operation of an update. The set of implementations is closed: those in this file.
type Operation interface {
	operation()
	// Start is where the operation begins in the request, behind its prologue.
	Start() Position
}

// A graph of an operation is the IRI of a named graph; the zero Term is the default graph.
type (
	// InsertData is INSERT DATA: adds quads. Its blank nodes are new ones, one for each label; no other INSERT DATA of
	// the request has the same labels.
	InsertData struct {
		Position
		Data Data
	}
	// DeleteData is DELETE DATA: removes quads, which hold no blank nodes.
	DeleteData struct {
		Position
		Data Data
	}
	// Modify is DELETE … INSERT … WHERE …, and DELETE WHERE: for all solutions of Where, removes the quads of Delete, then
	// adds those of Insert (section 3.1.3). Blank nodes of Insert are Node terms of kind BlankNode, new ones for each
	// solution; Delete holds none.
	Modify struct {
		Position
		// With is the graph for patterns and templates that name none; zero where there is no WITH.
		With           rdf.Term
		Delete, Insert []QuadPattern
		// Using and UsingNamed are the dataset of Where. Where both are empty it is the graph store, with With as its
		// default graph if there is one; otherwise With has no part in Where.
		Using, UsingNamed []string
		Where             Node
		// Text is Where as a SPARQL group graph pattern, prefixes expanded.
		Text string
		// Base is the base IRI in force, for what Where computes.
		Base string
	}
	// Load is LOAD: reads a document into a graph.
	Load struct {
		Position
		Silent bool
		Source string
		Into   rdf.Term
	}
	// Clear is CLEAR: removes all triples of graphs.
	Clear struct {
		Position
		Silent bool
		Graphs GraphRefAll
	}
	// Drop is DROP: removes graphs.
	Drop struct {
		Position
		Silent bool
		Graphs GraphRefAll
	}
	// Create is CREATE: makes an empty graph.
	Create struct {
		Position
		Silent bool
		Graph  rdf.Term
	}
	// Copy is COPY: puts a graph in the place of another.
	Copy struct {
		Position
		Silent   bool
		From, To rdf.Term
	}
	// Move is MOVE: puts a graph in the place of another and removes it where it was.
	Move struct {
		Position
		Silent   bool
		From, To rdf.Term
	}
	// Add is ADD: adds the triples of a graph to another.
	Add struct {
		Position
		Silent   bool
		From, To rdf.Term
	}
)

func (*InsertData) operation() {}
func (*DeleteData) operation() {}
func (*Modify) operation()     {}
func (*Load) operation()       {}
func (*Clear) operation()      {}
func (*Drop) operation()       {}
func (*Create) operation()     {}
func (*Copy) operation()       {}
func (*Move) operation()       {}
func (*Add) operation()        {}

// GraphRefAll is the graphs that CLEAR and DROP take.
type GraphRefAll struct {
	Kind GraphRefKind
	// Graph is the one graph of kind GraphRefOne; zero for the other kinds.
	Graph rdf.Term
}

// GraphRefKind says which graphs a GraphRefAll is.
type GraphRefKind uint8

const (
	// GraphRefOne is GRAPH and an IRI.
	GraphRefOne GraphRefKind = iota
	// GraphRefDefault is DEFAULT, the default graph.
	GraphRefDefault
	// GraphRefNamed is NAMED, all named graphs.
	GraphRefNamed
	// GraphRefAllGraphs is ALL, the default graph and all named ones.
	GraphRefAllGraphs
)

// QuadPattern is a triple pattern in a template. A zero Graph is the graph of WITH, or else the default graph.
type QuadPattern struct {
	Graph PatternTerm
	TriplePattern
}

// Data is ground quads over a table of terms, so that a quad takes 16 bytes and a term that comes often one place. A
// place is a number below len(Terms).
type Data struct {
	// Terms are the terms of the quads. Terms[0] is the zero Term: the default graph. An IRI, a number or a blank node that
	// is written alike again soon has the same place; but a term may be there more than once. Their text may share the
	// request's memory.
	Terms []rdf.Term
	Quads []DataQuad
}

// DataQuad is a quad by the places of its terms.
type DataQuad struct{ Subject, Predicate, Object, Graph uint32 }

// All yields the quads as terms, in the order of the text; what stands there twice comes twice.
func (d *Data) All() iter.Seq[rdf.Quad] {
	return func(yield func(rdf.Quad) bool) {
		for _, q := range d.Quads {
			if !yield(rdf.Quad{Subject: d.Terms[q.Subject], Predicate: d.Terms[q.Predicate], Object: d.Terms[q.Object], Graph: d.Terms[q.Graph]}) {
				return
			}
		}
	}
}

// Variables are the variables that the templates read, in the order in which they first stand there.
func (m *Modify) Variables() []string {
	var names nameSet
	for _, list := range [...][]QuadPattern{m.Delete, m.Insert} {
		for i := range list {
			for _, term := range [...]PatternTerm{list[i].Graph, list[i].Subject, list[i].Predicate, list[i].Object} {
				names.addTerm(term)
			}
		}
	}
	return names.list
}

// Select is the query whose solutions the templates are filled with: a SELECT of their variables. Its dataset is that of
// USING and USING NAMED; that of WITH no dataset clause can say, so it is left to the caller.
func (m *Modify) Select() *Query {
	variables := m.Variables()
	return &Query{
		Form: Select, Base: m.Base, Variables: variables, From: m.Using, FromNamed: m.UsingNamed,
		Where: &Project{Input: m.Where, Variables: variables},
	}
}

// WithDataset returns u with the data set of a protocol request for every WHERE (SPARQL 1.1 Protocol, section 2.2.3); u
// itself where both lists are empty. An operation that has WITH, USING or USING NAMED is an *Error.
func (u *Update) WithDataset(using, usingNamed []string) (*Update, error) {
	if len(using)+len(usingNamed) == 0 {
		return u, nil
	}
	given := &Update{Operations: slices.Clone(u.Operations)}
	for i, o := range given.Operations {
		m, ok := o.(*Modify)
		if !ok {
			continue
		}
		if !m.With.IsZero() || len(m.Using)+len(m.UsingNamed) > 0 {
			return nil, &Error{Line: m.Line, Column: m.Column,
				Message: "this operation has WITH or USING, and the request names graphs too", Hint: "do one or the other"}
		}
		changed := *m
		changed.Using, changed.UsingNamed = using, usingNamed
		given.Operations[i] = &changed
	}
	return given, nil
}
