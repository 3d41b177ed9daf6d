package exec

import ()

// valuesOp emits an inline table.
type valuesOp struct {
	base
	rows *columns
}

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
