package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// describeOp emits the concise bounded description of resources: the triples of which each is the subject and, where
// an object is a blank node, that node's description too. The active graph is the default graph.
type describeOp struct {
	base
	input     operator
	constants []dictionary.ID
	from      []int
	graph     *pcsr.Graph
}

func (d *describeOp) run(x *execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	r := &describeRun{describeOp: d, x: x, done: map[dictionary.ID]bool{}, out: vector.NewRows(3), emit: emit, held: x.memory.Open("describe")}
	defer r.held.Close()
	for _, id := range d.constants {
		if err := r.resource(id); err != nil {
			return err
		}
	}
	err := measured(d.input, x, nil, func(b *vector.Batch) error {
		for _, c := range d.from {
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
	*describeOp
	x    *execution
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
		for _, l := range r.graph.EdgeLabels(v, pcsr.Out) {
			for _, w := range r.graph.Neighbours(v, l, pcsr.Out) {
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
	if int64(id) < int64(r.graph.Vertices()) && !r.done[id] {
		r.done[id] = true
		r.todo = append(r.todo, id)
	}
}

func (r *describeRun) triple(s, p, o dictionary.ID) error {
	c := r.out.Cols
	c[0], c[1], c[2] = append(c[0], s), append(c[1], p), append(c[2], o)
	r.out.N++
	if r.x.terms.Term(o).Kind == rdf.BlankNode {
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
	if err := r.x.ended(); err != nil {
		return err
	}
	err := r.emit(r.out.Batch(0, r.out.N, &r.view))
	r.out.Reset()
	return err
}
