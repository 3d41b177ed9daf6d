package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
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

func (d *degreeOp) run(x *execution, _ *Batch, emit func(*Batch) error) error {
	out := newColumns(len(d.out))
	var view Batch
	numbers := map[int]dictionary.ID{}
	for i := range d.rows() {
		key, count := d.row(i)
		id, ok := numbers[count]
		if !ok {
			id = integerID(x, uint64(count))
			numbers[count] = id
		}
		for c, counted := range d.counted {
			if counted {
				out.cols[c] = append(out.cols[c], id)
			} else {
				out.cols[c] = append(out.cols[c], key)
			}
		}
		if out.n++; out.n < BatchRows {
			continue
		}
		if err := x.ended(); err != nil {
			return err
		}
		if err := emit(out.batch(0, out.n, &view)); err != nil {
			return err
		}
		out.reset()
	}
	if out.n == 0 {
		return nil
	}
	return emit(out.batch(0, out.n, &view))
}
