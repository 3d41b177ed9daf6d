package gpu

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// summation is the groups that a query's rows become on the device where their numbers are asked for (bgp.MatchPlan.Fold): nothing is handed out before all rows
// were taken, so that the processor can have them instead.
type summation struct {
	*kernels.Summing
	q       *query
	numbers *heldNumbers
	image   kernels.Address // a Summing, and a SumListing behind it
	// out is where groups are listed: room of them.
	out  kernels.Address
	room int64
	// first is what leaves out groups that are not among the first; nil: all are needed.
	first *match.FirstFolds
}

const (
	// firstListed is how many groups are listed at a time where the first are needed: those that come tell a bound for the others. mostFirst is up to how many are.
	firstListed = 1 << 15
	mostFirst   = 1 << 13
)

var summingBytes = aligned(kernels.Size[kernels.Summing]())

// folds reports whether the device folds the rows of a match, as far as is known.
func (d *Device) folds(m *match.Match) bool {
	f := m.Plan.Fold
	return f != nil && (!f.Computes() && len(m.Plan.Where)+len(m.Plan.Lookups) == 0 || len(m.Plan.Output) <= kernels.MostTop-2) && m.Dictionary != nil && m.Limit == 0 && m.Plan.Inputs == 0 && !(f.Sums && m.Plan.Once) && d.numbers.may(summed(m.Plan))
}

// sum adds the numbers of rows of the output columns to their groups; errUnfolded where there is no memory for that, or a value is no exact number.
func (q *query) sum(rows uint64) (err error) {
	if q.sums == nil {
		err = q.beginSumming(int64(rows))
	}
	if err == nil {
		q.done += rows
		err = q.sums.takeRows(rows)
	}
	if errors.Is(err, ErrOutOfMemory) {
		err = errUnfolded
	}
	return err
}

// beginSumming makes a table that suits so many rows, or that grows. What it has taken is the query's to close, with an error too.
func (q *query) beginSumming(rows int64) error {
	var parts []dictionary.Part
	if q.Plan.Fold.Value >= 0 {
		parts = append(parts, 0)
	}
	numbers, err := q.d.numbers.hold(q.ctx, q.lane.stream, q.task.Dictionary, parts...)
	if err != nil {
		return err
	}
	if q.Plan.Fold.Extremes && !numbers.ranked() {
		numbers.letGo()
		return errUnfolded
	}
	return q.makeSums(rows, numbers)
}

// makeSums is beginSumming with tables of numbers, which are the summation's to let go.
func (q *query) makeSums(rows int64, numbers *heldNumbers) (err error) {
	f := q.Plan.Fold
	slots := firstSlots(rows)
	for slots > leastGroups && slots*kernels.Size[kernels.Sum]() > q.d.memory.limit/groupsShare {
		slots /= 2
	}
	s := &summation{Summing: &kernels.Summing{}, q: q, numbers: numbers, room: min(max(slots, int64(q.d.blocks+1)*kernels.ListChunk), stagingBytes/kernels.Size[kernels.Sum]())}
	q.sums = s
	if f.Sums {
		s.Sums = 1
	}
	if f.Extremes {
		s.Extremes, s.Ranks = 1, s.numbers.ranks()
	}
	s.Ranges = uint32(copy(s.Numbers[:], s.numbers.ranges))
	if s.image, err = q.d.alloc(summingBytes + kernels.Size[kernels.SumListing]()); err == nil {
		s.out, err = q.d.alloc(s.room * kernels.Size[kernels.Sum]())
	}
	if err == nil {
		err = s.open(slots)
	}
	return err
}

// open makes a table of so many slots, all free.
func (s *summation) open(slots int64) error {
	bytes := slots * kernels.Size[kernels.Sum]()
	table, err := s.q.d.groups(bytes)
	if err != nil {
		return err
	}
	s.Groups, s.Mask, s.Used = table, uint64(slots-1), 0
	return s.q.lane.stream.Zero(table, bytes)
}

// takeRows adds the numbers of the rows of the output columns to their groups. Where one of them is no exact number the error is errUnfolded.
func (s *summation) takeRows(rows uint64) error {
	q, f, out := s.q, s.q.Plan.Fold, s.q.out
	column := func(c int) kernels.Address { return out[slices.Index(q.output, q.Plan.Output[c])] }
	s.First, s.Second, s.Value, s.Doubled, s.Ordered = 0, 0, 0, 0, 0
	if f.Value >= 0 {
		s.Value = column(f.Value)
	}
	if f.Of != nil {
		s.Doubled, s.Ordered = q.sifting.Doubled, q.sifting.Words[extremesWord]
	}
	for i, k := range f.Keys {
		at := []*kernels.Address{&s.First, &s.Second}[i]
		if k.Of != nil {
			*at = q.sifting.Words[i]
		} else {
			*at = column(k.Column)
		}
	}
	if q.weighted {
		s.WeightLow, s.WeightHigh = out[len(out)-2], out[len(out)-1]
	}
	began := time.Now()
	s.Rows, s.Slice = rows, uint64(q.d.options.slice)
	for s.Next = 0; s.Next < rows; {
		var blocks int
		blocks, s.Most, s.Chunk, s.Near = q.d.takers(kernels.SumRows, s.Mask+1)
		err := s.run(func(stream kernels.Stream) error { return stream.Launch(kernels.SumRows, blocks, 0, s.image) })
		if err == nil && s.Odd != 0 {
			q.d.numbers.refuse(summed(q.Plan))
			return errUnfolded
		}
		if err == nil && s.Used >= s.Most && s.Next < rows {
			err = s.grow()
		}
		if err != nil {
			return err
		}
	}
	if t := q.trace; t != nil {
		t.Combined.Rows += rows
		t.Combined.Elapsed += time.Since(began)
	}
	return nil
}

// run carries a launch out that reads the Summing, and fetches what became of it.
func (s *summation) run(launch func(kernels.Stream) error) error {
	return exchange(s.q, s.image, s.Summing, launch)
}

// grow makes a larger table of one that is full.
func (s *summation) grow() error {
	full, slots, used := s.Groups, int64(s.Mask+1), s.Used
	err := s.open(slots * growthOfGroups)
	if err != nil {
		return err
	}
	s.Used = used
	return s.q.move(kernels.MoveSums, s.run, s.image, full, slots)
}

// handOut emits the groups, as many at a time as there is room for.
func (s *summation) handOut() error {
	room := s.room
	if f := s.q.Plan.Fold.First; f != nil && f.Rows > 0 && f.Rows <= mostFirst {
		s.first, room = &match.FirstFolds{FirstGroups: f}, min(room, s.q.d.options.firstListed)
	}
	l := &kernels.SumListing{Groups: s.Groups, Mask: s.Mask, To: s.out, Room: uint64(room)}
	at := s.image + kernels.Address(summingBytes)
	err := listed(s.q, kernels.ListSums, at, room, l, &l.Next, l.Mask, &l.Listed, func() error {
		err := s.emit(int64(l.Listed))
		s.bound(l)
		return err
	})
	if err != nil {
		return err
	}
	if t := s.q.trace; t != nil {
		t.Combined.Groups = s.Used
	}
	return nil
}

// bound lets a listing leave out groups that are behind those that were listed.
func (s *summation) bound(l *kernels.SumListing) {
	if s.first == nil {
		return
	}
	last, ok := s.first.Bound(s.scale())
	if !ok {
		return
	}
	l.By = map[bgp.FoldOrder]kernels.SumOrder{bgp.BySum: kernels.BySum, bgp.ByCount: kernels.ByCount, bgp.ByMean: kernels.ByMean}[s.first.By]
	l.BoundHigh, l.BoundLow, l.BoundMean = uint64(last.High), last.Low, math.Float64bits(last.Mean)
	if s.first.Descending {
		l.Descending = 1
	}
}

// scale is that of the sums.
func (s *summation) scale() uint8 {
	if s.q.Plan.Fold.Of != nil {
		return s.q.sifting.scale
	}
	return s.numbers.scale
}

// unitsClass is that of the least and the greatest number where they are computed.
func (s *summation) unitsClass() dictionary.NumberClass {
	of := s.q.Plan.Fold.Of
	if of == nil || of.MayBeInteger() {
		return dictionary.IntegerUnits
	}
	return dictionary.DecimalUnits + dictionary.NumberClass(unitsScale(of, s.q.sifting.numbers.scale))
}

// emit fetches groups that were listed and hands them out.
func (s *summation) emit(n int64) error {
	began := time.Now()
	staging, err := s.q.lane.staging()
	if err != nil {
		return err
	}
	groups := fetched[kernels.Sum](staging, n)
	stream := s.q.lane.stream
	if err := errors.Join(stream.Download(kernels.Bytes(groups), s.out), stream.Synchronize()); err != nil {
		return err
	}
	if t := s.q.trace; t != nil {
		t.Download += time.Since(began)
	}
	b := foldsOf(s.q.Plan, groups, s.scale(), s.unitsClass(), s.numbers.at)
	if s.first != nil {
		b = s.first.Of(b)
	}
	return s.q.emit(b)
}

// foldsOf is a batch of groups; units is the class of computed numbers that were compared, at the number that has a place among the IDs.
func foldsOf(plan *bgp.MatchPlan, groups []kernels.Sum, scale uint8, units dictionary.NumberClass, at func(place dictionary.ID) dictionary.ID) *match.Batch {
	b := &match.Batch{N: len(groups), Cols: make([][]dictionary.ID, len(plan.Output)), Folds: &match.Folds{Scale: scale}}
	f, n := b.Folds, len(groups)
	for i, k := range plan.Fold.Keys {
		column := make([]uint32, n)
		for r := range groups {
			column[r] = uint32((groups[r].Key - 1) >> (32 * (len(plan.Fold.Keys) - 1 - i)))
		}
		if k.Of == nil {
			b.Cols[k.Column] = column
			continue
		}
		if f.Keys == nil {
			f.Keys = make([]match.Numbers, len(plan.Fold.Keys))
		}
		f.Keys[i] = numbersOfWords(column)
	}
	if plan.Fold.Sums {
		f.Counts, f.Low, f.High, f.Decimal = make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]bool, n)
		for i := range groups {
			g := &groups[i]
			f.Counts[i], f.Low[i], f.High[i], f.Decimal[i] = g.Count, g.Low, g.High, g.Fraction != 0
		}
	}
	switch {
	case plan.Fold.Extremes && plan.Fold.Of != nil:
		f.Units, f.LeastUnits, f.GreatestUnits = units, make([]int64, n), make([]int64, n)
		for i := range groups {
			f.LeastUnits[i], f.GreatestUnits[i] = int64(^groups[i].Least)-kernels.KeyOrdered, int64(groups[i].Greatest-1)-kernels.KeyOrdered
		}
	case plan.Fold.Extremes:
		f.Least, f.Greatest = make([]dictionary.ID, n), make([]dictionary.ID, n)
		for i := range groups {
			f.Least[i], f.Greatest[i] = at(^groups[i].Least), at(groups[i].Greatest-1)
		}
	}
	return b
}

// numbersOfWords are the numbers of words that rows were grouped by (kernels.KeyIntegers).
func numbersOfWords(words []uint32) match.Numbers {
	n := match.Numbers{Classes: make([]dictionary.NumberClass, len(words)), Units: make([]int64, len(words))}
	for i, word := range words {
		class, first := dictionary.IntegerUnits, int64(kernels.KeyIntegers)
		switch {
		case word >= kernels.KeyHundredths-1<<29:
			class, first = dictionary.DecimalUnits+2, kernels.KeyHundredths
		case word >= kernels.KeyTenths-1<<28:
			class, first = dictionary.DecimalUnits+1, kernels.KeyTenths
		case word >= kernels.KeyDecimals-1<<28:
			class, first = dictionary.DecimalUnits, kernels.KeyDecimals
		}
		n.Classes[i], n.Units[i] = class, int64(word)-first
	}
	return n
}

// close gives the memory back, if there is some; nothing runs any more.
func (s *summation) close() error {
	if s == nil {
		return nil
	}
	if s.numbers != nil {
		s.numbers.letGo()
	}
	err := errors.Join(s.q.d.give(s.image), s.q.d.give(s.out), s.q.d.give(s.Groups))
	s.image, s.out, s.Groups, s.numbers = 0, 0, 0, nil
	return err
}
