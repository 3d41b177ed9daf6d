package modifier

import (
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Distinct drops repeated solutions; of equal ones the first stays. Many are told apart by several goroutines: each has some of the
// hashes or, where several find the rows, which are in no order then, some of the rows. Past the memory limit, rows that it has not seen go to files, split by hash.
type Distinct struct {
	operator.Base
	Input operator.Operator
	// Sorted: the rows come in an order to be kept, which going on from disk would lose.
	Sorted bool
	// Matched: the rows are a match's, which may say that they are distinct.
	Matched bool
	// take is operator.Aside's of the next run.
	take operator.Take
}

// Aside implements operator.Aside.
func (d *Distinct) Aside(take operator.Take) { d.take = take }

func (d *Distinct) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	r := d.newRun(x, 0, emit)
	defer r.close()
	r.sharing = seed == nil && !x.Alone() && r.width > 0 && r.mostChunks() > 1
	if err := r.fill(seed); err != nil {
		return err
	}
	if err := r.finish(); err != nil {
		return err
	}
	r.seen.release()
	return nil
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

	// sharing: several goroutines may take over rows, and shared are those that they have.
	sharing bool
	shared  *sharedDistinct
	rows    uint64
	// outlet and beside are for several goroutines that find rows: where solutions go, and shared, once there is something.
	outlet *operator.Outlet
	beside atomic.Pointer[sharedDistinct]

	key    []int
	hashes []uint64
	fresh  []bool
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

// fill takes the rows: where they are in no order to be kept, from whoever finds them.
func (r *distinctRun) fill(seed *vector.Batch) error {
	add := r.add
	if r.Matched && seed == nil {
		add = func(b *vector.Batch) error {
			if b.Distinct {
				return r.emit(b)
			}
			return r.add(b)
		}
	}
	if seed != nil || r.Sorted || r.x.Alone() {
		return operator.Run(r.Input, r.x, seed, add)
	}
	r.outlet = operator.NewOutlet(r.x, r.emit, r.take)
	r.emit = r.outlet.Emit
	return operator.RunAside(r.Input, r.x, nil, add, r.aside)
}

// aside takes a batch from one of several goroutines that find rows.
func (r *distinctRun) aside(b *vector.Batch) (taken bool, err error) {
	if r.Matched && b.Distinct {
		return true, r.outlet.HandOn(b)
	}
	if s := r.beside.Load(); s != nil {
		return s.aside(b)
	}
	return false, nil
}

// add takes a batch of the source.
func (r *distinctRun) add(b *vector.Batch) error {
	if r.sharing && r.shared == nil && r.rows >= r.x.Tuning.ShareFrom {
		r.shared = newSharedDistinct(r)
		r.beside.Store(r.shared)
	}
	if r.shared != nil {
		return r.shared.add(b)
	}
	r.rows += uint64(b.N)
	r.hashes = vector.HashRows(r.hashes, b.Cols, r.key, b.N)
	if r.parts != nil {
		return r.putAside(b)
	}
	r.fresh = slices.Grow(r.fresh[:0], b.N)[:b.N]
	r.seen.add(b.Cols, r.hashes, r.fresh)
	r.keep = freshRows(r.keep[:0], r.fresh)
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

// freshRows appends the numbers of the rows that are new.
func freshRows(keep []uint32, fresh []bool) []uint32 {
	for i, is := range fresh {
		if is {
			keep = append(keep, uint32(i))
		}
	}
	return keep
}

// seenRows are the rows that were seen: in one set or, once goroutines share them, in one for each part of the hashes.
type seenRows struct {
	sets []*vector.RowSet
	all  []uint32 // the numbers of the rows of a batch
}

// add adds the rows of cols that have the given hashes, for one goroutine; fresh says of each whether it is new.
func (s *seenRows) add(cols [][]dictionary.ID, hashes []uint64, fresh []bool) {
	if len(s.sets) > 1 {
		for i, h := range hashes {
			_, fresh[i] = s.of(h).Add(cols, i, h)
		}
		return
	}
	s.all = slices.Grow(s.all, max(0, len(hashes)-len(s.all)))
	for len(s.all) < len(hashes) {
		s.all = append(s.all, uint32(len(s.all)))
	}
	s.sets[0].AddRows(cols, s.all[:len(hashes)], hashes, fresh)
}

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
	all.Release()
}

// release gives their memory back. Nobody may look for rows any more.
func (s *seenRows) release() {
	for _, set := range s.sets {
		set.Release()
	}
	s.sets = nil
}

// bytes is the memory that they take.
func (s *seenRows) bytes() (sum int64) {
	for _, set := range s.sets {
		sum += set.Bytes()
	}
	return sum
}
