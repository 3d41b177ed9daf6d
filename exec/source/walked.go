package source

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Walker walks a path in one list of triples after the other.
type Walker interface {
	operator.Operator
	// Over makes what follows a run in the graph of some triples, ordered by predicate, subject and object.
	Over(triples []pcsr.Edge)
}

// listWalk walks a path in graphs that are lists of triples, and emits the solutions of many graphs together.
type listWalk struct {
	listFinder
	g      *EachGraph
	walker Walker
	x      *operator.Execution
	emit   func(*vector.Batch) error
	to     *binder
	batch  vector.Batch
	walked int // graphs since it was asked whether the query has ended
}

func (g *EachGraph) newWalk(x *operator.Execution, walker Walker, seed *vector.Batch, emit func(*vector.Batch) error) *listWalk {
	w := &listWalk{listFinder: g.newFinder(seed), g: g, walker: walker, x: x, emit: emit, batch: vector.Batch{Cols: make([][]dictionary.ID, len(g.Out))}}
	w.to = g.newBinder(walker, w.add)
	return w
}

// graph walks in a graph, for some rows of the seed (nil: all).
func (w *listWalk) graph(name dictionary.ID, triples []pcsr.Edge, rows []uint32) error {
	if w.walked++; w.walked >= lookAgain/16 {
		w.walked = 0
		if err := w.x.Ended(); err != nil {
			return err
		}
	}
	w.walker.Over(triples)
	return w.g.runOperator(w.x, w.walker, w.to, name, w.seed, rows)
}

// add adds solutions, no more than a batch has.
func (w *listWalk) add(b *vector.Batch) error {
	if w.batch.N+b.N > vector.BatchRows {
		if err := w.flush(); err != nil {
			return err
		}
	}
	for i, col := range b.Cols {
		w.batch.Cols[i] = append(w.batch.Cols[i], col[:b.N]...)
	}
	if w.seed != nil {
		w.batch.Origin = append(w.batch.Origin, b.Origin[:b.N]...)
	}
	w.batch.N += b.N
	return nil
}

// flush emits the solutions that are there.
func (w *listWalk) flush() error { return emitKept(&w.batch, w.emit) }
