package exec

import (
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// distinctOp drops repeated solutions. Past the memory limit, rows that it has not seen go to files, split by hash.
type distinctOp struct {
	base
	input operator
	// sorted: the rows come in an order to be kept, which going on from disk would lose.
	sorted bool
}

func (d *distinctOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	source := func(do func(*vector.Batch) error) error { return measured(d.input, x, seed, do) }
	return d.level(x, source, len(d.columns()), 0, emit)
}

// level drops the repeats among the rows of one source.
func (d *distinctOp) level(x *execution, source func(func(*vector.Batch) error) error, width, level int, emit func(*vector.Batch) error) error {
	held := x.memory.Open("distinct")
	defer held.Close()
	seen := vector.NewRowSet(width, x.ended)
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
			if level > vector.MaxLevel || width == 0 || d.sorted {
				err = held.Need(seen.Bytes())
			} else {
				parts, err = x.disk.Partition(width, level)
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
		d.measured.Spilled += f.Rows * int64(f.Width) * 4
		if err := d.level(x, func(do func(*vector.Batch) error) error { return f.Read(x.checked(do)) }, width, level+1, emit); err != nil {
			return err
		}
	}
	return nil
}
