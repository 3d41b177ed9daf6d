package source

import (
	"iter"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Degrees answers GROUP BY over one triple pattern with counts from the lengths of the graph's lists, without
// looking at a triple:
//
//	SELECT ?o (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?o   – the degrees of the rows of :p, in
//	SELECT ?s (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?s   – the degrees of the rows of :p, out
//	SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p   – the edges of each label
type Degrees struct {
	operator.Base
	Graph *pcsr.Graph
	// Partition is nil when labels are counted.
	Partition *pcsr.Partition
	// Counted says which columns of out are counts; the others are the key.
	Counted []bool
}

// groups are the keys and counts.
func (d *Degrees) groups() iter.Seq2[dictionary.ID, int] {
	if d.Partition != nil {
		return d.Partition.Degrees()
	}
	return func(yield func(dictionary.ID, int) bool) {
		for _, label := range d.Graph.UsedLabels() {
			if !yield(label, d.Graph.LabelEdges(label)) {
				return
			}
		}
	}
}

func (d *Degrees) Run(x *operator.Execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	out := vector.NewRows(len(d.Out))
	var view vector.Batch
	numbers := map[int]dictionary.ID{}
	for key, count := range d.groups() {
		id, ok := numbers[count]
		if !ok {
			id = x.Integer(uint64(count))
			numbers[count] = id
		}
		for c, counted := range d.Counted {
			if counted {
				out.Cols[c] = append(out.Cols[c], id)
			} else {
				out.Cols[c] = append(out.Cols[c], key)
			}
		}
		if out.N++; out.N < vector.BatchRows {
			continue
		}
		if err := x.Ended(); err != nil {
			return err
		}
		if err := emit(out.Batch(0, out.N, &view)); err != nil {
			return err
		}
		out.Reset()
	}
	if out.N == 0 {
		return nil
	}
	return emit(out.Batch(0, out.N, &view))
}
