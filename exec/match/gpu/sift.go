package gpu

import (
	"errors"
	"iter"
	"math/bits"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// sifting leaves out rows of a query that fail conditions on their numbers (bgp.MatchPlan.Where), and computes what is added up of each (bgp.Fold.Of) or by what the first
// are told (bgp.Top.Of). Rows of which it cannot tell are kept.
type sifting struct {
	*kernels.Sifting
	q       *query
	numbers *heldNumbers
	image   kernels.Address
	// memory is where rows go that are kept: room of them. out are their columns, as query.out.
	memory kernels.Address
	room   int64
	out    []kernels.Address
	// scale is that of the results. ordered has room for a word of each, where they tell the first rows; else it is 0.
	scale   uint8
	ordered kernels.Address
	// weighs: rows have weights when they come out, whether or not they had some before.
	weighs bool
	// words: the code has operations that SiftRows does not know.
	words bool
	// odd: there was a row of which it could not tell, or it was not asked.
	odd bool
}

const (
	// mostSifted and leastSifted are how many rows are sifted at a time.
	mostSifted  = 1 << 22
	leastSifted = 1 << 12
	// mostSiftScale is how many decimals a result may have, as a sum is made a term of. mostWide is how many results of more than 61 bits are added up.
	mostSiftScale = 18
	mostWide      = 1 << 32
)

// errNoCode: a formula is too long for the device.
var errNoCode = errors.New("gpu: a formula is too long")

// numbersOf are the columns whose numbers a plan's conditions read, and its fold where it has one.
func numbersOf(plan *bgp.MatchPlan) (columns []int) {
	if f := plan.Fold; f != nil && f.Value >= 0 {
		columns = append(columns, f.Value)
	}
	for f := range formulasOf(plan) {
		columns = f.Columns(columns)
	}
	return columns
}

// formulasOf are what a plan computes of its rows.
func formulasOf(plan *bgp.MatchPlan) iter.Seq[*bgp.Formula] {
	return func(yield func(*bgp.Formula) bool) {
		if fold := plan.Fold; fold != nil {
			for _, k := range fold.Keys {
				if k.Of != nil && !yield(k.Of) {
					return
				}
			}
			if fold.Of != nil && !yield(fold.Of) {
				return
			}
		}
		if top := plan.Top; top != nil && top.Of != nil && !yield(top.Of) {
			return
		}
		for _, f := range plan.Where {
			if !yield(f) {
				return
			}
		}
	}
}

// siftedBy are the values that a plan's conditions read.
func siftedBy(plan *bgp.MatchPlan) (values, bool) {
	return valuesOf(plan, asSifted, numbersOf(plan.Unfolded().Unordered())...)
}

// sifts reports whether the device sifts a query's rows: folding, because it folds what comes of them.
func (q *query) sifts(folding bool) bool {
	plan := q.Plan
	switch {
	case len(plan.Lookups) > 0:
		return true
	case q.task.Dictionary == nil || q.task.Limit > 0 || plan.Inputs > 0 || len(q.out) > kernels.MostTop:
		return false
	case folding:
		return len(plan.Where) > 0 || plan.Fold.Computes()
	}
	return !q.unsifted && (q.orders() || len(plan.Where) > 0 && q.d.numbers.may(siftedBy(plan)))
}

// orders reports whether numbers are computed of the rows by which the first of them are told.
func (q *query) orders() bool {
	t := q.Plan.Top
	return t != nil && t.Of != nil && !q.weighted && !q.unselected && q.d.numbers.may(selectedBy(q.Plan))
}

// sift hands the rows of the output columns on that pass, some at a time.
func (q *query) sift(state *kernels.State, folding bool) error {
	if q.sifting == nil {
		err := q.beginSifting(folding, state.Rows)
		if errors.Is(err, ErrOutOfMemory) || errors.Is(err, errNoCode) || errors.Is(err, errUnfolded) {
			switch err = q.sifting.close(); {
			case err != nil:
			case len(q.Plan.Lookups) > 0:
				err = match.ErrNotLookedUp
			case folding:
				err = errUnfolded
			}
			if q.sifting, q.unsifted = nil, true; err == nil {
				err = q.takeRows(state)
			}
		}
		if err != nil || q.sifting == nil {
			return err
		}
	}
	return q.sifting.take(state, folding)
}

// beginSifting makes what sifts rows, of which there are so many at first. What it has taken is the query's to close, with an error too.
func (q *query) beginSifting(folding bool, rows uint64) error {
	plan := q.sifted(folding)
	var parts []dictionary.Part
	for f := range formulasOf(plan) {
		parts = f.Parts(parts)
	}
	numbers, err := q.d.numbers.hold(q.ctx, q.lane.stream, q.task.Dictionary, parts...)
	if err != nil {
		return err
	}
	return q.sifter(folding, rows, numbers)
}

// sifted is the plan whose conditions are looked at: without what is folded where the rows are not, and without what they are ordered by where that is not known.
func (q *query) sifted(folding bool) *bgp.MatchPlan {
	switch {
	case folding:
		return q.Plan
	case q.orders():
		return q.Plan.Unfolded()
	}
	return q.Plan.Unfolded().Unordered()
}

// sifter is beginSifting with tables of numbers, which are the sifting's to let go.
func (q *query) sifter(folding bool, rows uint64, numbers *heldNumbers) (err error) {
	s := &sifting{q: q, Sifting: &kernels.Sifting{}, numbers: numbers}
	q.sifting = s
	plan := q.sifted(folding)
	var parts []dictionary.Part
	if s.scale, parts, err = siftCode(s.Sifting, plan, q.output, numbers.scale); err != nil {
		return err
	}
	s.Ranges[0] = uint32(copy(s.Numbers[:], numbers.ranges))
	s.words = len(parts) > 0 || slices.ContainsFunc(s.Code[:s.CodeCount], func(word uint32) bool { return kernels.SiftOp(word%kernels.SiftOps) > kernels.SiftResult })
	for i, part := range parts {
		s.Ranges[i+1] = uint32(copy(s.Numbers[(i+1)*kernels.MostNumbers:], numbers.parts[part]))
	}
	if s.image, err = q.d.alloc(kernels.Size[kernels.Sifting]()); err != nil {
		return err
	}
	if err = s.lay(plan, folding, rows); err == nil {
		err = s.makeTables()
	}
	return err
}

// lay takes memory for the rows of a plan that are kept, as far as somebody reads them: of so many at a time, or of some where there is no room for all.
func (s *sifting) lay(plan *bgp.MatchPlan, folding bool, rows uint64) (err error) {
	q := s.q
	s.Width = uint32(len(q.out))
	if q.weighted {
		s.Width -= 2
	}
	wide := int64(0) // words of a row
	read := func(c int) bool {
		if !folding {
			return true
		}
		is := func(of int) bool { return of >= 0 && slices.Index(q.output, plan.Output[of]) == c }
		return is(plan.Fold.Value) || slices.ContainsFunc(plan.Fold.Keys, func(k bgp.FoldKey) bool { return k.Of == nil && is(k.Column) })
	}
	for c := range int(s.Width) {
		if read(c) {
			wide++
		}
	}
	orders := plan.Top != nil && plan.Top.Of != nil
	results := orders || folding && plan.Fold.Of != nil && plan.Fold.Sums
	if results {
		wide += 4
	}
	if orders {
		wide++
	}
	var words []int
	if folding {
		words = wordsOf(plan.Fold)
	}
	wide += int64(len(words))
	s.MostBits = kernels.WideResultBits
	if s.weighs = q.weighted || slices.ContainsFunc(plan.Lookups, func(l bgp.TableLookup) bool { return l.Kind >= bgp.HasTimes }); s.weighs {
		wide += 2
		s.MostBits = kernels.ResultBits
	}
	least := min(leastSifted, q.d.options.sifted)
	for s.room = min(q.d.options.sifted, max(leastSifted, int64(1)<<bits.Len64(rows))); ; s.room /= 2 {
		if s.room < least {
			return ErrOutOfMemory
		}
		if 4*wide*s.room > q.d.memory.limit/groupsShare {
			continue
		}
		if s.memory, err = q.d.alloc(4 * wide * s.room); !errors.Is(err, ErrOutOfMemory) {
			break
		}
	}
	if err != nil {
		return err
	}
	at := s.memory
	column := func(words int64) kernels.Address {
		a := at
		at += kernels.Address(4 * words * s.room)
		return a
	}
	if results {
		s.Doubled = column(4)
	}
	s.out = make([]kernels.Address, s.Width, s.Width+2)
	for c := range int(s.Width) {
		if read(c) {
			s.To[c] = column(1)
			s.out[c] = s.To[c]
		}
	}
	for _, i := range words {
		s.Words[i] = column(1)
	}
	if orders {
		s.ordered = column(1)
	}
	if s.weighs {
		s.ToLow, s.ToHigh = column(1), column(1)
		s.out = append(s.out, s.ToLow, s.ToHigh)
	}
	return nil
}

// wordsOf are the words that rows have which are folded.
func wordsOf(f *bgp.Fold) (words []int) {
	for i, k := range f.Keys {
		if k.Of != nil {
			words = append(words, i)
		}
	}
	if f.Of != nil && f.Extremes {
		words = append(words, extremesWord)
	}
	return words
}

// take hands rows on that pass, some at a time.
func (s *sifting) take(state *kernels.State, folding bool) error {
	q := s.q
	whole, output, weighted := q.out, q.output, q.weighted
	if s.weighs && !weighted {
		q.output, q.weighted = append(slices.Clone(output), q.weightLow(), q.weightHigh()), true
		defer func() { q.output, q.weighted = output, false }()
	}
	defer func() { q.out, q.passed = whole, false }()
	return s.each(state, func(part *kernels.State) error {
		if err := s.judged(folding); err != nil || part.Rows == 0 {
			return err
		}
		q.out, q.passed = s.out, s.Odd == 0
		defer func() { q.out = whole }()
		if folding && s.MostBits > kernels.ResultBits && q.done+part.Rows > mostWide {
			return errUnfolded
		}
		if folding {
			return q.sum(part.Rows)
		}
		return q.takeRows(part)
	})
}

// each sifts rows, some at a time, and has those that pass taken.
func (s *sifting) each(state *kernels.State, take func(part *kernels.State) error) error {
	whole := s.q.out
	copy(s.From[:], whole[:s.Width])
	if len(whole) > int(s.Width) {
		s.WeightLow, s.WeightHigh = whole[s.Width], whole[s.Width+1]
	}
	for first := uint64(0); first < state.Rows; first += s.Rows {
		s.First, s.Rows = first, min(uint64(s.room), state.Rows-first)
		if err := s.run(); err != nil {
			return err
		}
		part := kernels.State{Rows: s.Kept, Status: kernels.OutputFull}
		if first+s.Rows == state.Rows {
			part.Status = state.Status
		}
		if err := take(&part); err != nil {
			return err
		}
	}
	return nil
}

// run sifts some rows.
func (s *sifting) run() error {
	began := time.Now()
	q := s.q
	s.Kept, s.Odd = 0, 0
	k := kernels.SiftRows
	if s.words {
		k = kernels.SiftWords
	}
	blocks := max(1, min(q.d.rowBlocks[k], int(s.Rows/kernels.SiftTile)))
	err := exchange(q, s.image, s.Sifting, func(stream kernels.Stream) error { return stream.Launch(k, blocks, 0, s.image) })
	if err != nil {
		return err
	}
	if t := q.trace; t != nil {
		t.Sifted.Rows += s.Rows
		t.Sifted.Groups += s.Kept
		t.Sifted.Elapsed += time.Since(began)
	}
	return nil
}

// judged looks at the rows of which it could not tell; where they are folded the error is errUnfolded.
func (s *sifting) judged(folding bool) error {
	q := s.q
	if s.Odd == 0 {
		return nil
	}
	s.odd = true
	if folding {
		q.d.numbers.refuse(summed(q.Plan))
		return errUnfolded
	}
	if s.ordered != 0 {
		q.d.numbers.refuse(selectedBy(q.Plan))
		q.unselected = true
	}
	if s.Odd > s.Rows/2 {
		q.d.numbers.refuse(siftedBy(q.Plan))
		q.unsifted = true
	}
	return nil
}

// allPassed reports whether all rows that a query has taken so far pass its plan's conditions.
func (q *query) allPassed() bool { return q.sifting != nil && !q.sifting.odd && !q.unsifted }

// close gives the memory back, if there is some; nothing runs any more.
func (s *sifting) close() error {
	if s == nil {
		return nil
	}
	if s.numbers != nil {
		s.numbers.letGo()
	}
	err := errors.Join(s.q.d.give(s.image), s.q.d.give(s.memory))
	s.image, s.memory, s.numbers = 0, 0, nil
	return err
}
