package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// degreeOp answers GROUP BY over one triple pattern with counts from the lengths of the graph's lists, without
// looking at a triple:
//
//	SELECT ?o (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?o   – the degrees of the rows of :p, in
//	SELECT ?s (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?s   – the degrees of the rows of :p, out
//	SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p   – the edges of each label
type degreeOp struct {
	base
	graph *pcsr.Graph
	// partition is nil when labels are counted.
	partition *pcsr.Partition
	// counted says which columns of out are counts; the others are the key.
	counted []bool
}

func (d *degreeOp) rows() int {
	if d.partition != nil {
		return d.partition.Rows()
	}
	return len(d.graph.UsedLabels())
}

// row returns the key and the count of one group.
func (d *degreeOp) row(i int) (dictionary.ID, int) {
	if d.partition != nil {
		return d.partition.Vertex(i), d.partition.Degree(i)
	}
	label := d.graph.UsedLabels()[i]
	return label, d.graph.LabelEdges(label)
}

func (d *degreeOp) run(x *execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	out := vector.NewRows(len(d.out))
	var view vector.Batch
	numbers := map[int]dictionary.ID{}
	for i := range d.rows() {
		key, count := d.row(i)
		id, ok := numbers[count]
		if !ok {
			id = x.integer(uint64(count))
			numbers[count] = id
		}
		for c, counted := range d.counted {
			if counted {
				out.Cols[c] = append(out.Cols[c], id)
			} else {
				out.Cols[c] = append(out.Cols[c], key)
			}
		}
		if out.N++; out.N < vector.BatchRows {
			continue
		}
		if err := x.ended(); err != nil {
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
