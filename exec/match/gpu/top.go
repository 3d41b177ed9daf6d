package gpu

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// selection is the rows of a query that may be among the first by one column (bgp.MatchPlan.Top), where the column's IDs are numbers or strings of one segment
// of the dictionary and so in the order of what they stand for.
type selection struct {
	*kernels.Top
	q     *query
	image kernels.Address // a Top, and the counts of its bins behind it
	// in is where the IDs lie. bound is the last ID, in the order that is asked for, that can be among the first.
	in    dictionary.Range
	bound dictionary.ID
}

var topBytes = aligned(kernels.Size[kernels.Top]())

// selects reports whether the device may select among so many rows.
func (q *query) selects(rows uint64) bool {
	t := q.Plan.Top
	return t != nil && q.task.Dictionary != nil && q.task.Limit == 0 && q.Plan.Inputs == 0 && !q.weighted && len(q.out) <= kernels.MostTop &&
		rows > max(2*t.Rows, q.d.options.CombineFrom) && !q.unselected && q.d.numbers.may(selectedBy(q.Plan))
}

// handOutTop emits the rows of the output columns that may be among the first; false, with nothing emitted, where it cannot tell them or they are too many.
func (q *query) handOutTop(state *kernels.State) (done bool, err error) {
	s := q.top
	if s == nil {
		if s, err = q.newSelection(); s == nil || err != nil {
			return false, err
		}
		q.top = s
	}
	began := time.Now()
	most, err := s.count(state.Rows)
	if err != nil || s.Odd > 0 || most > state.Rows/2 {
		return false, err
	}
	out, err := s.copy(most)
	defer func() {
		for _, a := range out {
			err = cmp.Or(err, q.d.give(a)) // that of emit as it is
		}
	}()
	if errors.Is(err, ErrOutOfMemory) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if t := q.trace; t != nil {
		t.Combined.Rows += state.Rows
		t.Combined.Groups += s.Selected
		t.Combined.Elapsed += time.Since(began)
	}
	return true, q.handOutColumns(out, s.Selected)
}

// newSelection looks where the first row's ID lies; nil where IDs are in no order there.
func (q *query) newSelection() (*selection, error) {
	s := &selection{q: q, Top: &kernels.Top{Column: q.out[slices.Index(q.output, q.Plan.Output[q.Plan.Top.Column])]}}
	first := make([]dictionary.ID, 1)
	if err := errors.Join(q.lane.stream.Download(kernels.Bytes(first), s.Column), q.lane.stream.Synchronize()); err != nil {
		return nil, err
	}
	dict := q.task.Dictionary
	for i := range dict.Segments() {
		for _, of := range []dictionary.Section{dictionary.Numbers, dictionary.Strings} {
			if r := dict.Section(i, of); r.Contains(first[0]) {
				s.in = r
			}
		}
	}
	if s.in.Len() == 0 {
		q.d.numbers.refuse(selectedBy(q.Plan))
		return nil, nil
	}
	s.over(s.in)
	var err error
	s.image, err = q.d.alloc(topBytes + 8*kernels.TopBins)
	s.Counts = s.image + kernels.Address(topBytes)
	if errors.Is(err, ErrOutOfMemory) {
		q.unselected = true
		return nil, nil
	}
	return s, err
}

// over begins to select among the IDs of a range.
func (s *selection) over(r dictionary.Range) {
	s.in, s.First, s.Count = r, r.From, uint32(r.Len())
	s.Shift = uint32(max(0, bits.Len32(s.Count-1)-bits.Len32(kernels.TopBins-1)))
	s.bound = r.To - 1
	if s.q.Plan.Top.Descending {
		s.bound = r.From
	}
}

// count finds out which IDs can be among the first, by these rows and those before, and returns how many of these rows have one at most. With Odd rows it cannot tell.
func (s *selection) count(rows uint64) (most uint64, err error) {
	stream := s.q.lane.stream
	s.Rows, s.Odd = rows, 0
	if err := stream.Zero(s.Counts, 8*kernels.TopBins); err != nil {
		return 0, err
	}
	blocks := max(1, min(s.q.d.rowBlocks[kernels.TopCount], int(rows/kernels.TopTile)))
	if err := s.run(kernels.TopCount, blocks); err != nil {
		return 0, err
	}
	if s.Odd > 0 {
		s.q.d.numbers.refuse(selectedBy(s.q.Plan))
		s.q.unselected = true
		return 0, nil
	}
	counts := make([]uint64, kernels.TopBins)
	if err := errors.Join(stream.Download(kernels.Bytes(counts), s.Counts), stream.Synchronize()); err != nil {
		return 0, err
	}
	s.narrow(counts)
	for bin := s.bin(s.Low); bin <= s.bin(s.High); bin++ {
		most += counts[bin]
	}
	return most, nil
}

func (s *selection) bin(id dictionary.ID) int { return int((id - s.First) >> s.Shift) }

// narrow sets the bound to where enough rows come before it, and the IDs that are copied to those up to there.
func (s *selection) narrow(counts []uint64) {
	top, sum := s.q.Plan.Top, uint64(0)
	last := s.bin(s.in.To - 1)
	for i := range last + 1 {
		bin := i
		if top.Descending {
			bin = last - i
		}
		if sum += counts[bin]; sum < top.Rows {
			continue
		}
		if low := s.First + dictionary.ID(bin)<<s.Shift; top.Descending {
			s.bound = max(s.bound, s.level(low, -1))
		} else {
			s.bound = min(s.bound, s.level(min(low+(1<<s.Shift-1), s.in.To-1), 1))
		}
		break
	}
	s.Low, s.High = s.in.From, s.bound
	if top.Descending {
		s.Low, s.High = s.bound, s.in.To-1
	}
}

// level is the last ID, in steps of one, whose number is that of an ID, or no other one that is less or greater.
func (s *selection) level(id dictionary.ID, step int) dictionary.ID {
	dict := s.q.task.Dictionary
	v := dict.Value(id)
	for next := id + dictionary.ID(step); v.IsNumeric() && s.in.Contains(next); next += dictionary.ID(step) {
		if order := dictionary.Compare(dict.Value(next), v); order == dictionary.Less || order == dictionary.Greater {
			break
		}
		id = next
	}
	return id
}

// copy copies the rows that were counted to memory of their own, which is the caller's, with an error too.
func (s *selection) copy(rows uint64) (out []kernels.Address, err error) {
	s.Selected, s.Width = 0, uint32(len(s.q.out))
	for i, column := range s.q.out {
		at, err := s.q.d.alloc(4 * int64(rows))
		if err != nil {
			return out, err
		}
		out = append(out, at)
		s.From[i], s.To[i] = column, at
	}
	return out, s.run(kernels.TopSelect, max(1, min(s.q.d.rowBlocks[kernels.TopSelect], int(s.Rows/kernels.TopTile))))
}

func (s *selection) run(kernel kernels.Kernel, blocks int) error {
	return exchange(s.q, s.image, s.Top, func(stream kernels.Stream) error { return stream.Launch(kernel, blocks, 0, s.image) })
}

// close gives the memory back, if there is some; nothing runs any more.
func (s *selection) close() error {
	if s == nil {
		return nil
	}
	err := s.q.d.give(s.image)
	s.image = 0
	return err
}
