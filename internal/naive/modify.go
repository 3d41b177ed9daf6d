package naive

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// modify is DELETE/INSERT (SPARQL 1.1 Update, section 3.1.3): all solutions first, then the deletions, then the
// insertions.
func (s *Store) modify(m *parser.Modify) {
	var removed, added []rdf.Quad
	for _, solution := range s.dataset(m).Solutions(m.Where) {
		removed = append(removed, s.instances(m.Delete, m.With, solution)...)
		added = append(added, s.instances(m.Insert, m.With, solution)...)
	}
	for _, q := range removed {
		delete(s.quads, q)
	}
	if s.quads == nil {
		s.quads = map[rdf.Quad]bool{}
	}
	for _, q := range added {
		s.quads[q] = true
	}
}

// dataset is what the pattern of m is matched against: that of USING and USING NAMED, or the store, with the graph of
// WITH as its default graph.
func (s *Store) dataset(m *parser.Modify) *Evaluator {
	var quads []rdf.Quad
	if len(m.Using)+len(m.UsingNamed) == 0 {
		for _, q := range s.Quads() {
			if q.Graph.IsZero() && m.With.IsZero() || !q.Graph.IsZero() {
				quads = append(quads, q)
			}
			if q.Graph == m.With && !m.With.IsZero() {
				q.Graph = rdf.Term{}
				quads = append(quads, q)
			}
		}
		return evaluator(quads)
	}
	for _, q := range s.Quads() {
		if q.Graph.Kind == rdf.IRI && slices.Contains(m.UsingNamed, q.Graph.Value) {
			quads = append(quads, q)
		}
		if q.Graph.Kind == rdf.IRI && slices.Contains(m.Using, q.Graph.Value) {
			q.Graph = rdf.Term{}
			quads = append(quads, q)
		}
	}
	return evaluator(quads)
}

// instances are the quads that a template makes of a solution: those without an unbound variable that are quads of RDF.
// Its blank nodes are new ones.
func (s *Store) instances(template []parser.QuadPattern, with rdf.Term, solution Solution) (quads []rdf.Quad) {
	labels := map[string]rdf.Term{}
	value := func(t parser.PatternTerm) (rdf.Term, bool) {
		if t.IsVariable() {
			term, bound := solution[t.Variable]
			return term, bound
		}
		return s.own(t.Term, labels), true
	}
	for _, t := range template {
		subject, ok1 := value(t.Subject)
		predicate, ok2 := value(t.Predicate)
		object, ok3 := value(t.Object)
		graph, ok4 := with, true
		if t.Graph != (parser.PatternTerm{}) {
			graph, ok4 = value(t.Graph)
		}
		if ok1 && ok2 && ok3 && ok4 && subject.Kind != rdf.Literal && predicate.Kind == rdf.IRI && graph.Kind != rdf.Literal {
			quads = append(quads, rdf.Quad{Subject: subject, Predicate: predicate, Object: object, Graph: graph})
		}
	}
	return quads
}
