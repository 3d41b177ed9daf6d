package triples

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Describe emits the concise bounded description of resources: the triples of which each is the subject and, where
// an object is a blank node, that node's description too. The active graph is the default graph.
type Describe struct {
	operator.Base
	Input     operator.Operator
	Constants []dictionary.ID
	From      []int
	Graph     *pcsr.Graph
}

func (d *Describe) Run(x *operator.Execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	r := &describeRun{Describe: d, x: x, done: map[dictionary.ID]bool{}, out: vector.NewRows(3), emit: emit, held: x.Memory.Open("describe")}
	defer r.held.Close()
	for _, id := range d.Constants {
		if err := r.resource(id); err != nil {
			return err
		}
	}
	err := operator.Run(d.Input, x, nil, func(b *vector.Batch) error {
		for _, c := range d.From {
			for _, id := range b.Cols[c] {
				if err := r.resource(id); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.flush()
}

type describeRun struct {
	*Describe
	x    *operator.Execution
	done map[dictionary.ID]bool
	todo []dictionary.ID
	out  *vector.Rows
	view vector.Batch
	emit func(*vector.Batch) error
	held *limits.Account
}

// resource emits the description of one resource, and of the blank nodes that it leads to.
func (r *describeRun) resource(id dictionary.ID) error {
	r.later(id)
	for len(r.todo) > 0 {
		v := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		for _, l := range r.Graph.EdgeLabels(v, pcsr.Out) {
			for _, w := range r.Graph.Neighbours(v, l, pcsr.Out) {
				if err := r.triple(v, l, w); err != nil {
					return err
				}
			}
		}
	}
	return r.held.Need(int64(len(r.done)) * 24)
}

// later puts a vertex of the graph that was not described yet on the list.
func (r *describeRun) later(id dictionary.ID) {
	if int64(id) < int64(r.Graph.Vertices()) && !r.done[id] {
		r.done[id] = true
		r.todo = append(r.todo, id)
	}
}

func (r *describeRun) triple(s, p, o dictionary.ID) error {
	c := r.out.Cols
	c[0], c[1], c[2] = append(c[0], s), append(c[1], p), append(c[2], o)
	r.out.N++
	if r.x.Terms.Term(o).Kind == rdf.BlankNode {
		r.later(o)
	}
	if r.out.N < vector.BatchRows {
		return nil
	}
	return r.flush()
}

func (r *describeRun) flush() error {
	if r.out.N == 0 {
		return nil
	}
	if err := r.x.Ended(); err != nil {
		return err
	}
	err := r.emit(r.out.Batch(0, r.out.N, &r.view))
	r.out.Reset()
	return err
}
