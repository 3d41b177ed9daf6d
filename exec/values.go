package exec

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// valuesOp emits an inline table.
type valuesOp struct {
	rows    *columns
	out     []string
	explain *Explain
}

func (c *compiler) values(n *parser.Values, r request) operator {
	v := &valuesOp{out: c.outputColumns(n, r)}
	v.rows = newColumns(len(v.out))
	for i, name := range v.out {
		k := indexOf(n.Variables, name)
		for r, row := range n.Rows {
			if r%heedEvery == 0 && c.plan.ended() != nil {
				break // nobody reads them
			}
			id := dictionary.None
			if !row[k].IsZero() {
				id = c.plan.find(row[k])
			}
			v.rows.cols[i] = append(v.rows.cols[i], id)
		}
	}
	v.rows.n = len(n.Rows)
	v.explain = &Explain{
		Operator: "values", Detail: fmt.Sprintf("%d rows", len(n.Rows)), Columns: v.out,
		EstimatedRows: float64(len(n.Rows)), cost: float64(len(n.Rows)),
	}
	return v
}

func (v *valuesOp) columns() []string { return v.out }

func (v *valuesOp) node() *Explain { return v.explain }

func (v *valuesOp) run(_ *execution, _ *Batch, emit func(*Batch) error) error {
	return v.rows.emit(emit)
}

// emit hands out all rows, batch by batch.
func (c *columns) emit(emit func(*Batch) error) error {
	var b Batch
	for at := 0; at < c.n; at += BatchRows {
		if err := emit(c.batch(at, min(at+BatchRows, c.n), &b)); err != nil {
			return err
		}
	}
	return nil
}
