package exec

import (
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// projectOp picks columns.
type projectOp struct {
	base
	input operator
}

func (p *projectOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	return runStage(p, x, seed, emit)
}

func (p *projectOp) below() operator { return p.input }

func (p *projectOp) forks() bool { return true }

func (p *projectOp) fork() func(*execution, *vector.Batch) (*vector.Batch, error) {
	out := projection{from: indexes(p.input.columns(), p.out)}
	return func(_ *execution, b *vector.Batch) (*vector.Batch, error) { return out.of(b), nil }
}

// sliceOp skips and limits solutions.
type sliceOp struct {
	base
	input         operator
	offset, limit int64
}

func (s *sliceOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	if s.limit == 0 {
		return nil
	}
	return limits.Stopping(func(enough error) error { return s.slice(x, seed, enough, emit) })
}

// slice emits the solutions that are wanted, and ends with enough when there are no more of them.
func (s *sliceOp) slice(x *execution, seed *vector.Batch, enough error, emit func(*vector.Batch) error) error {
	skip, left := s.offset, s.limit
	var out vector.Batch
	return measured(s.input, x, seed, func(b *vector.Batch) error {
		from := min(skip, int64(b.N))
		skip -= from
		to := int64(b.N)
		if left >= 0 {
			to = min(to, from+left)
			left -= to - from
		}
		if from < to {
			out.Cols = out.Cols[:0]
			for _, col := range b.Cols {
				out.Cols = append(out.Cols, col[from:to])
			}
			out.N = int(to - from)
			if err := emit(&out); err != nil {
				return err
			}
		}
		if left == 0 {
			return enough
		}
		return nil
	})
}

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
