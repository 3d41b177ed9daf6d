package modifier

import (
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Distinct drops repeated solutions. Past the memory limit, rows that it has not seen go to files, split by hash.
type Distinct struct {
	operator.Base
	Input operator.Operator
	// Sorted: the rows come in an order to be kept, which going on from disk would lose.
	Sorted bool
}

func (d *Distinct) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	source := func(do func(*vector.Batch) error) error { return operator.Run(d.Input, x, seed, do) }
	return d.level(x, source, len(d.Columns()), 0, emit)
}

// level drops the repeats among the rows of one source.
func (d *Distinct) level(x *operator.Execution, source func(func(*vector.Batch) error) error, width, level int, emit func(*vector.Batch) error) error {
	held := x.Memory.Open("distinct")
	defer held.Close()
	seen := vector.NewRowSet(width, x.Ended)
	var parts *vector.Partitions
	defer func() {
		if parts != nil {
			parts.Close()
		}
	}()
	key := vector.AllColumns(width)
	var hashes []uint64
	var keep []uint32
	var out vector.Batch
	err := source(func(b *vector.Batch) error {
		hashes = vector.HashRows(hashes, b.Cols, key, b.N)
		keep = keep[:0]
		for r := range b.N {
			if parts != nil {
				if _, _, known := seen.Find(b.Cols, r, hashes[r]); !known {
					if err := parts.Of(hashes[r]).Write(b.Cols, r); err != nil {
						return err
					}
				}
				continue
			}
			if _, fresh := seen.Add(b.Cols, r, hashes[r]); fresh {
				keep = append(keep, uint32(r))
			}
		}
		if parts == nil && !held.Hold(seen.Bytes()) {
			var err error
			if level > vector.MaxLevel || width == 0 || d.Sorted {
				err = held.Need(seen.Bytes())
			} else {
				parts, err = x.Disk.Partition(width, level)
			}
			if err != nil {
				return err
			}
		}
		if len(keep) == 0 {
			return nil
		}
		return emit(vector.Select(&out, b, keep))
	})
	if err != nil || parts == nil {
		return err
	}
	seen = nil
	held.Hold(0)
	for _, f := range parts.Files {
		d.Measured.Spilled += f.Rows * int64(f.Width) * 4
		if err := d.level(x, func(do func(*vector.Batch) error) error { return f.Read(x.Checked(do)) }, width, level+1, emit); err != nil {
			return err
		}
	}
	return nil
}
