package exec

// projectOp picks columns.
type projectOp struct {
	base
	input operator
}

func (p *projectOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	return runStage(p, x, seed, emit)
}

func (p *projectOp) below() operator { return p.input }

func (p *projectOp) forks() bool { return true }

func (p *projectOp) fork() func(*execution, *Batch) (*Batch, error) {
	out := projection{from: indexes(p.input.columns(), p.out)}
	return func(_ *execution, b *Batch) (*Batch, error) { return out.of(b), nil }
}

// sliceOp skips and limits solutions.
type sliceOp struct {
	base
	input         operator
	offset, limit int64
}

func (s *sliceOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	if s.limit == 0 {
		return nil
	}
	return stopping(func(enough error) error { return s.slice(x, seed, enough, emit) })
}

// slice emits the solutions that are wanted, and ends with enough when there are no more of them.
func (s *sliceOp) slice(x *execution, seed *Batch, enough error, emit func(*Batch) error) error {
	skip, left := s.offset, s.limit
	var out Batch
	return measured(s.input, x, seed, func(b *Batch) error {
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

func (d *distinctOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	source := func(do func(*Batch) error) error { return measured(d.input, x, seed, do) }
	return d.level(x, source, len(d.columns()), 0, emit)
}

// level drops the repeats among the rows of one source.
func (d *distinctOp) level(x *execution, source func(func(*Batch) error) error, width, level int, emit func(*Batch) error) error {
	held := x.memory.open("distinct")
	defer held.close()
	seen := newRowSet(width, x.ended)
	var parts *partitions
	defer func() {
		if parts != nil {
			parts.close()
		}
	}()
	key := allColumns(width)
	var hashes []uint64
	var keep []uint32
	var out Batch
	err := source(func(b *Batch) error {
		hashes = hashRows(hashes, b.Cols, key, b.N)
		keep = keep[:0]
		for r := range b.N {
			if parts != nil {
				if _, _, known := seen.find(b.Cols, r, hashes[r]); !known {
					if err := parts.of(hashes[r]).write(b.Cols, r); err != nil {
						return err
					}
				}
				continue
			}
			if _, fresh := seen.add(b.Cols, r, hashes[r]); fresh {
				keep = append(keep, uint32(r))
			}
		}
		if parts == nil && !held.hold(seen.bytes()) {
			var err error
			if level > maxSpillLevel || width == 0 || d.sorted {
				err = held.need(seen.bytes())
			} else {
				parts, err = x.disk.partition(width, level)
			}
			if err != nil {
				return err
			}
		}
		if len(keep) == 0 {
			return nil
		}
		return emit(selectRows(&out, b, keep))
	})
	if err != nil || parts == nil {
		return err
	}
	seen = nil
	held.hold(0)
	for _, f := range parts.files {
		d.measured.Spilled += f.rows * int64(f.width) * 4
		if err := d.level(x, func(do func(*Batch) error) error { return f.read(x.checked(do)) }, width, level+1, emit); err != nil {
			return err
		}
	}
	return nil
}
