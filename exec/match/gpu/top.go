package gpu

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// selection is the rows of a query that may be among the first by one column (bgp.MatchPlan.Top), where the column's IDs are numbers or strings of one segment
// of the dictionary and so in the order of what they stand for, or by numbers that were computed of the rows. These have words in place of IDs (kernels.TopWords).
type selection struct {
	*kernels.Top
	q     *query
	image kernels.Address // a Top, and the counts of its bins behind it
	words bool
	// in is where the IDs lie. bound is the last ID, in the order that is asked for, that can be among the first.
	in    dictionary.Range
	bound dictionary.ID
}

// binShare is the share of the rows of which the bin is counted by smaller ones that has the last of the first rows.
const binShare = 64

var topBytes = aligned(kernels.Size[kernels.Top]())

// selects reports whether the device may select among so many rows.
func (q *query) selects(rows uint64) bool {
	t := q.Plan.Top
	return t != nil && q.task.Dictionary != nil && q.task.Limit == 0 && q.Plan.Inputs == 0 && !q.weighted && len(q.out) <= kernels.MostTop &&
		rows > max(2*t.Rows, q.d.options.CombineFrom) && !q.unselected && q.d.numbers.may(selectedBy(q.Plan)) &&
		(t.Of == nil || q.passed && q.sifting.ordered != 0)
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

// newSelection returns what selects rows; nil where IDs are in no order, or there is no memory for it.
func (q *query) newSelection() (*selection, error) {
	s := &selection{q: q, Top: &kernels.Top{}, words: q.Plan.Top.Of != nil}
	in, err := dictionary.Range{To: math.MaxUint32}, error(nil)
	if s.words {
		s.Column = q.sifting.ordered
	} else if in, err = s.look(); err != nil || in.Len() == 0 {
		return nil, err
	}
	s.begin(in)
	s.image, err = q.d.alloc(topBytes + 8*kernels.TopBins)
	s.Counts = s.image + kernels.Address(topBytes)
	if errors.Is(err, ErrOutOfMemory) {
		q.unselected = true
		return nil, nil
	}
	return s, err
}

// begin begins to select among the IDs of a range.
func (s *selection) begin(in dictionary.Range) {
	s.in, s.bound = in, in.To-1
	if s.q.Plan.Top.Descending {
		s.bound = in.From
	}
}

// look finds out where the first row's ID lies; nowhere where IDs are in no order there, which is remembered.
func (s *selection) look() (in dictionary.Range, err error) {
	q := s.q
	s.Column = q.out[slices.Index(q.output, q.Plan.Output[q.Plan.Top.Column])]
	first := make([]dictionary.ID, 1)
	if err := errors.Join(q.lane.stream.Download(kernels.Bytes(first), s.Column), q.lane.stream.Synchronize()); err != nil {
		return in, err
	}
	dict := q.task.Dictionary
	for i := range dict.Segments() {
		for _, of := range []dictionary.Section{dictionary.Numbers, dictionary.Strings} {
			if r := dict.Section(i, of); r.Contains(first[0]) {
				in = r
			}
		}
	}
	if in.Len() == 0 {
		q.d.numbers.refuse(selectedBy(q.Plan))
	}
	return in, nil
}

// count finds out which IDs can be among the first, by these rows and those before, and returns how many of these rows have one at most. With Odd rows it cannot tell.
func (s *selection) count(rows uint64) (most uint64, err error) {
	s.Rows = rows
	if s.words {
		err = s.run(kernels.TopWords, s.q.sifting.Doubled, s.Column, rows)
	}
	for in := s.in; err == nil; {
		var counts []uint64
		if counts, err = s.counted(in); err != nil || s.Odd > 0 {
			break
		}
		bin, before := s.last(counts, s.q.Plan.Top.Rows-min(s.q.Plan.Top.Rows, most))
		if s.words && s.Shift > 0 && counts[bin] > rows/binShare {
			in, most = s.of(bin), most+before
			continue
		}
		s.narrow(bin)
		return most + s.upTo(counts), nil
	}
	return 0, err
}

// counted counts the rows by bins of the IDs of a range. Where there are Odd rows, with other IDs than are known to be in order, that is remembered.
func (s *selection) counted(in dictionary.Range) ([]uint64, error) {
	stream := s.q.lane.stream
	s.over(in)
	s.Odd = 0
	if err := stream.Zero(s.Counts, 8*kernels.TopBins); err != nil {
		return nil, err
	}
	if err := s.run(kernels.TopCount, s.image); err != nil {
		return nil, err
	}
	if s.words {
		s.Odd = 0 // they lie beside the bins
	}
	if s.Odd > 0 {
		s.q.d.numbers.refuse(selectedBy(s.q.Plan))
		s.q.unselected = true
		return nil, nil
	}
	counts := make([]uint64, kernels.TopBins)
	return counts, errors.Join(stream.Download(kernels.Bytes(counts), s.Counts), stream.Synchronize())
}

// over lays the bins over the IDs of a range.
func (s *selection) over(r dictionary.Range) {
	s.First, s.Count = r.From, uint32(r.Len())
	s.Shift = uint32(max(0, bits.Len32(s.Count-1)-bits.Len32(kernels.TopBins-1)))
}

func (s *selection) bin(id dictionary.ID) int { return int((id - s.First) >> s.Shift) }

// of is the range of the IDs of a bin.
func (s *selection) of(bin int) dictionary.Range {
	from := s.First + dictionary.ID(bin)<<s.Shift
	return dictionary.Range{From: from, To: from + min(1<<s.Shift, s.First+s.Count-from)}
}

// inOrder are the bins in the order that is asked for.
func (s *selection) inOrder() iter.Seq[int] {
	return func(yield func(int) bool) {
		last := s.bin(s.First + s.Count - 1)
		for bin := range last + 1 {
			if s.q.Plan.Top.Descending {
				bin = last - bin
			}
			if !yield(bin) {
				return
			}
		}
	}
}

// last is the bin behind which no row is among so many first ones, or among those of rows before, and how many rows the bins have before it.
func (s *selection) last(counts []uint64, rows uint64) (last int, before uint64) {
	for bin := range s.inOrder() {
		if last = bin; before+counts[bin] >= rows || bin == s.bin(s.bound) {
			break
		}
		before += counts[bin]
	}
	return last, before
}

// upTo is how many rows lie in bins up to that of the bound.
func (s *selection) upTo(counts []uint64) (rows uint64) {
	for bin := range s.inOrder() {
		if rows += counts[bin]; bin == s.bin(s.bound) {
			break
		}
	}
	return rows
}

// narrow sets the bound to the end of a bin behind which no row is among the first, and the IDs that are copied to those up to there.
func (s *selection) narrow(last int) {
	r := s.of(last)
	s.Low, s.High = s.in.From, s.in.To-1
	if s.q.Plan.Top.Descending {
		s.bound = max(s.bound, s.level(r.From, -1))
		s.Low = s.bound
	} else {
		s.bound = min(s.bound, s.level(r.To-1, 1))
		s.High = s.bound
	}
}

// level is the last ID, in steps of one, whose number is that of an ID, or no other one that is less or greater. Equal numbers have the same word.
func (s *selection) level(id dictionary.ID, step int) dictionary.ID {
	if s.words {
		return id
	}
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
	return out, s.run(kernels.TopSelect, s.image)
}

// run carries a launch out over the rows.
func (s *selection) run(k kernels.Kernel, arguments ...uint64) error {
	blocks := max(1, min(s.q.d.rowBlocks[k], int(s.Rows/kernels.TopTile)))
	return exchange(s.q, s.image, s.Top, func(stream kernels.Stream) error { return stream.Launch(k, blocks, 0, arguments...) })
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
