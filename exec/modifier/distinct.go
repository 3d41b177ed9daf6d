package modifier

import (
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Distinct drops repeated solutions; of equal ones the first stays. Many are told apart by several goroutines, each of which has
// some of the hashes. Past the memory limit, rows that it has not seen go to files, split by hash.
type Distinct struct {
	operator.Base
	Input operator.Operator
	// Sorted: the rows come in an order to be kept, which going on from disk would lose.
	Sorted bool
	// Matched: the rows are a match's, which may say that they are distinct.
	Matched bool
}

func (d *Distinct) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	r := d.newRun(x, 0, emit)
	defer r.close()
	r.sharing = seed == nil && !x.Alone() && r.width > 0 && r.mostChunks() > 1
	add := r.add
	if d.Matched && seed == nil {
		add = func(b *vector.Batch) error {
			if b.Distinct {
				return emit(b)
			}
			return r.add(b)
		}
	}
	if err := operator.Run(d.Input, x, seed, add); err != nil {
		return err
	}
	return r.finish()
}

// distinctRun drops the repeats among the rows of one source.
type distinctRun struct {
	*Distinct
	x     *operator.Execution
	emit  func(*vector.Batch) error
	width int
	level int
	held  *limits.Account
	seen  seenRows
	parts *vector.Partitions

	// sharing: workers may take over rows, and shared are those that they have.
	sharing bool
	shared  *sharedDistinct
	rows    uint64

	key    []int
	hashes []uint64
	keep   []uint32
	out    vector.Batch
}

func (d *Distinct) newRun(x *operator.Execution, level int, emit func(*vector.Batch) error) *distinctRun {
	r := &distinctRun{Distinct: d, x: x, emit: emit, width: len(d.Columns()), level: level, held: x.Memory.Open("distinct")}
	r.seen = seenRows{sets: []*vector.RowSet{vector.NewRowSet(r.width, x.Ended)}}
	r.key = vector.AllColumns(r.width)
	return r
}

func (r *distinctRun) close() {
	if r.shared != nil {
		r.shared.close()
	}
	r.held.Close()
	if r.parts != nil {
		r.parts.Close()
	}
}

// add takes a batch of the source.
func (r *distinctRun) add(b *vector.Batch) error {
	if r.sharing && r.shared == nil && r.rows >= r.x.Tuning.ShareFrom {
		r.shared = newSharedDistinct(r)
	}
	if r.shared != nil {
		return r.shared.add(b)
	}
	r.rows += uint64(b.N)
	r.hashes = vector.HashRows(r.hashes, b.Cols, r.key, b.N)
	if r.parts != nil {
		return r.putAside(b)
	}
	r.keep = r.keep[:0]
	for i, h := range r.hashes {
		if _, fresh := r.seen.of(h).Add(b.Cols, i, h); fresh {
			r.keep = append(r.keep, uint32(i))
		}
	}
	if err := r.account(); err != nil || len(r.keep) == 0 {
		return err
	}
	return r.emit(vector.Select(&r.out, b, r.keep))
}

// putAside writes rows that were not seen to files.
func (r *distinctRun) putAside(b *vector.Batch) error {
	for i, h := range r.hashes {
		if _, _, known := r.seen.of(h).Find(b.Cols, i, h); known {
			continue
		}
		if err := r.parts.Of(h).Write(b.Cols, i); err != nil {
			return err
		}
	}
	return nil
}

// account counts the memory and starts putting rows aside when there is too much.
func (r *distinctRun) account() (err error) {
	bytes := r.seen.bytes()
	if r.held.Hold(bytes) {
		return nil
	}
	if r.level > vector.MaxLevel || r.width == 0 || r.Sorted {
		return r.held.Need(bytes)
	}
	r.parts, err = r.x.Disk.Partition(r.width, r.level)
	return err
}

// finish goes on with the rows that were put aside.
func (r *distinctRun) finish() error {
	if r.shared != nil {
		if err := r.shared.drain(); err != nil {
			return err
		}
	}
	if r.parts == nil {
		return nil
	}
	r.seen = seenRows{}
	r.held.Hold(0)
	for _, f := range r.parts.Files {
		r.Measured.Spilled += f.Rows * int64(f.Width) * 4
		if err := r.file(f); err != nil {
			return err
		}
	}
	return nil
}

// file drops the repeats among rows that were put aside.
func (r *distinctRun) file(f *vector.File) error {
	next := r.newRun(r.x, r.level+1, r.emit)
	defer next.close()
	if err := f.Read(r.x.Checked(next.add)); err != nil {
		return err
	}
	return next.finish()
}

// seenRows are the rows that were seen: in one set or, once goroutines share them, in one for each part of the hashes.
type seenRows struct{ sets []*vector.RowSet }

// of is the set that a row with a hash belongs to.
func (s *seenRows) of(hash uint64) *vector.RowSet {
	if len(s.sets) == 1 {
		return s.sets[0]
	}
	return s.sets[vector.PartOf(hash)]
}

// split makes a set for each part of the hashes.
func (s *seenRows) split(width int, ended limits.Ended) {
	all := s.sets[0]
	s.sets = make([]*vector.RowSet, vector.Parts)
	for p := range s.sets {
		s.sets[p] = vector.NewRowSet(width, ended)
	}
	for row, h := range all.Hashes {
		s.of(h).Add(all.Rows.Cols, row, h)
	}
}

// bytes is the memory that they take.
func (s *seenRows) bytes() (sum int64) {
	for _, set := range s.sets {
		sum += set.Bytes()
	}
	return sum
}
