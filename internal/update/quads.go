package update

import (
	"errors"
	"fmt"
	"iter"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/patch"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Insert adds quads. Blank nodes are those of the store with the same labels.
func Insert(tx *live.Transaction, quads []rdf.Quad) error {
	ids, err := intern(tx, quads)
	if err != nil {
		return err
	}
	return tx.Apply(nil, ids)
}

func intern(tx *live.Transaction, quads []rdf.Quad) ([]live.Quad, error) {
	out := make([]live.Quad, len(quads))
	var err error
	id := func(term rdf.Term) dictionary.ID {
		if term.IsZero() || err != nil {
			return dictionary.None
		}
		var id dictionary.ID
		id, err = tx.Intern(term)
		return id
	}
	for i, q := range quads {
		if err := check(q); err != nil {
			return nil, err
		}
		out[i] = live.Quad{Graph: id(q.Graph), Subject: id(q.Subject), Predicate: id(q.Predicate), Object: id(q.Object)}
	}
	return out, err
}

// ErrQuad says that terms make no quad.
var ErrQuad = errors.New("a subject is an IRI or a blank node, a predicate an IRI, a graph an IRI or a blank node, and an object any term")

func check(q rdf.Quad) error {
	resource := func(t rdf.Term) bool { return t.Kind == rdf.IRI || t.Kind == rdf.BlankNode }
	if !resource(q.Subject) || q.Predicate.Kind != rdf.IRI || q.Object.IsZero() || !q.Graph.IsZero() && !resource(q.Graph) {
		return fmt.Errorf("%w: %v %v %v %v", ErrQuad, q.Subject, q.Predicate, q.Object, q.Graph)
	}
	return nil
}

// Delete removes quads.
func Delete(tx *live.Transaction, quads []rdf.Quad) error { return tx.Apply(find(tx, quads), nil) }

func find(tx *live.Transaction, quads []rdf.Quad) []live.Quad {
	id := func(term rdf.Term) dictionary.ID {
		if term.IsZero() {
			return dictionary.None
		}
		if id, ok := tx.Find(term); ok {
			return id
		}
		return missing
	}
	out := make([]live.Quad, len(quads))
	for i, q := range quads {
		out[i] = live.Quad{Graph: id(q.Graph), Subject: id(q.Subject), Predicate: id(q.Predicate), Object: id(q.Object)}
	}
	return present(out)
}

// Clear removes the triples of a graph; the zero Term is the default graph.
func Clear(tx *live.Transaction, graph rdf.Term) error {
	if graph.IsZero() {
		return tx.Clear(dictionary.None)
	}
	if id, ok := tx.Find(graph); ok {
		return tx.Clear(id)
	}
	return nil
}

// Put adds a document to a graph, which it empties before where replace. Blank nodes of the document are new ones.
func Put(tx *live.Transaction, graph rdf.Term, replace bool, budget *limits.Budget, read func(emit func(rdf.Quad) error) error) error {
	r := &runner{tx: tx, budget: budget, blanks: newBlanks()}
	into := dictionary.None
	var err error
	if !graph.IsZero() {
		if into, err = tx.Intern(graph); err != nil {
			return err
		}
	}
	g := r.gather(into)
	if err := read(g.add); err != nil {
		return err
	}
	if replace {
		if err := tx.Clear(into); err != nil {
			return err
		}
	}
	return tx.Apply(nil, g.quads)
}

// PatchRows reads an RDF Patch to its end, and returns the rows that add or remove something, but for those that it aborts.
func PatchRows(budget *limits.Budget, rows iter.Seq2[patch.Row, error]) (all []patch.Row, err error) {
	charge := budget.Meter("the quads of a patch").Charge
	begun := 0
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		switch row.Operation {
		case patch.Begin:
			begun = len(all)
		case patch.Abort:
			all = all[:begun]
		case patch.Insert, patch.Delete:
			if err := charge(4 * bytesOfQuad); err != nil {
				return nil, err
			}
			all = append(all, row)
		}
	}
	return all, nil
}

// Patch applies rows that add or remove something, in their order.
func Patch(tx *live.Transaction, rows []patch.Row) error {
	for len(rows) > 0 {
		operation, n := rows[0].Operation, 0
		for n < len(rows) && rows[n].Operation == operation {
			n++
		}
		quads := make([]rdf.Quad, n)
		for i, row := range rows[:n] {
			quads[i] = rdf.Quad{Subject: row.Subject, Predicate: row.Predicate, Object: row.Object, Graph: row.Graph}
		}
		do := Insert
		if operation == patch.Delete {
			do = Delete
		}
		if err := do(tx, quads); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
