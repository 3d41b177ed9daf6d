package naive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// Errors of operations that are not SILENT.
var (
	ErrNoGraph     = errors.New("there is no such graph")
	ErrGraphExists = errors.New("the graph exists already")
	ErrLoad        = errors.New("the document cannot be read")
)

// Store is a graph store: a set of quads. A named graph is there while it has triples.
type Store struct {
	// Fetch reads the document of a LOAD as triples of the default graph. Without it every LOAD fails.
	Fetch func(source string) ([]rdf.Quad, error)

	quads map[rdf.Quad]bool
	// blanks counts the blank nodes that were made: each has a label of its own.
	blanks int
}

// Load adds the quads of one document, whose blank nodes are no others that are there.
func (s *Store) Load(quads []rdf.Quad) {
	if s.quads == nil {
		s.quads = map[rdf.Quad]bool{}
	}
	labels := map[string]rdf.Term{}
	for _, q := range quads {
		s.quads[rdf.Quad{Subject: s.own(q.Subject, labels), Predicate: q.Predicate, Object: s.own(q.Object, labels), Graph: s.own(q.Graph, labels)}] = true
	}
}

// own gives a blank node a new label, the same for each node of a scope.
func (s *Store) own(t rdf.Term, scope map[string]rdf.Term) rdf.Term {
	if t.Kind != rdf.BlankNode {
		return t
	}
	if _, known := scope[t.Value]; !known {
		s.blanks++
		scope[t.Value] = rdf.NewBlank(fmt.Sprintf("n%d", s.blanks))
	}
	return scope[t.Value]
}

// Quads are the quads, sorted.
func (s *Store) Quads() []rdf.Quad {
	text := func(q rdf.Quad) string { return fmt.Sprint(q.Graph, q.Subject, q.Predicate, q.Object) }
	return slices.SortedFunc(maps.Keys(s.quads), func(a, b rdf.Quad) int {
		if text(a) < text(b) {
			return -1
		}
		return 1
	})
}

// Evaluator is over the quads as they are.
func (s *Store) Evaluator() *Evaluator { return evaluator(s.Quads()) }

// evaluator is over quads and the named graphs that have triples.
func evaluator(quads []rdf.Quad) *Evaluator {
	e := &Evaluator{Quads: quads}
	for _, q := range quads {
		if !q.Graph.IsZero() && !slices.Contains(e.Names, q.Graph) {
			e.Names = append(e.Names, q.Graph)
		}
	}
	return e
}

// Update parses a request and does it.
func (s *Store) Update(text, base string) error {
	u, err := parser.ParseUpdate(context.Background(), text, parser.Options{Base: base})
	if err != nil {
		return err
	}
	return s.Do(u)
}

// Do does the operations of a request one after the other. Where one fails and is not SILENT, nothing has changed.
func (s *Store) Do(u *parser.Update) error {
	before := maps.Clone(s.quads)
	for _, o := range u.Operations {
		silent, err := s.operation(o)
		if err != nil && !silent {
			s.quads = before
			at := o.Start()
			return fmt.Errorf("line %d, column %d: %w", at.Line, at.Column, err)
		}
	}
	return nil
}

// operation does one operation; after an error it has done nothing.
func (s *Store) operation(o parser.Operation) (silent bool, err error) {
	switch o := o.(type) {
	case *parser.InsertData:
		s.Load(slices.Collect(o.Data.All()))
	case *parser.DeleteData:
		for q := range o.Data.All() {
			delete(s.quads, q)
		}
	case *parser.Modify:
		s.modify(o)
	case *parser.Load:
		return o.Silent, s.load(o)
	case *parser.Clear:
		return o.Silent, s.clear(o.Graphs)
	case *parser.Drop:
		return o.Silent, s.clear(o.Graphs)
	case *parser.Create:
		if s.has(o.Graph) {
			return o.Silent, ErrGraphExists
		}
	case *parser.Copy:
		return o.Silent, s.copy(o.From, o.To, true)
	case *parser.Add:
		return o.Silent, s.copy(o.From, o.To, false)
	case *parser.Move:
		err := s.copy(o.From, o.To, true)
		if err == nil && o.From != o.To {
			s.remove(func(graph rdf.Term) bool { return graph == o.From })
		}
		return o.Silent, err
	default:
		panic(fmt.Sprintf("naive: no operation: %T", o))
	}
	return false, nil
}

// has reports whether there is a graph. The default graph always is.
func (s *Store) has(graph rdf.Term) bool {
	if graph.IsZero() {
		return true
	}
	for q := range s.quads {
		if q.Graph == graph {
			return true
		}
	}
	return false
}

// remove takes away the triples of the graphs for which which is true.
func (s *Store) remove(which func(graph rdf.Term) bool) {
	maps.DeleteFunc(s.quads, func(q rdf.Quad, _ bool) bool { return which(q.Graph) })
}

// clear is CLEAR and DROP, which are the same where no empty graphs are kept.
func (s *Store) clear(graphs parser.GraphRefAll) error {
	switch graphs.Kind {
	case parser.GraphRefDefault:
		s.remove(rdf.Term.IsZero)
	case parser.GraphRefNamed:
		s.remove(func(graph rdf.Term) bool { return !graph.IsZero() })
	case parser.GraphRefAllGraphs:
		clear(s.quads)
	default:
		if !s.has(graphs.Graph) {
			return ErrNoGraph
		}
		s.remove(func(graph rdf.Term) bool { return graph == graphs.Graph })
	}
	return nil
}

// copy adds the triples of a graph to another, or replaces that with them.
func (s *Store) copy(from, to rdf.Term, replace bool) error {
	if !s.has(from) {
		return ErrNoGraph
	}
	if from == to {
		return nil
	}
	if replace {
		s.remove(func(graph rdf.Term) bool { return graph == to })
	}
	for _, q := range s.Quads() {
		if q.Graph == from {
			q.Graph = to
			s.quads[q] = true
		}
	}
	return nil
}

func (s *Store) load(o *parser.Load) error {
	if s.Fetch == nil {
		return ErrLoad
	}
	quads, err := s.Fetch(o.Source)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLoad, err)
	}
	for i := range quads {
		quads[i].Graph = o.Into
	}
	s.Load(quads)
	return nil
}
