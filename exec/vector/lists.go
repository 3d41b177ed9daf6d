package vector

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// List is a column of a batch of factorised rows: row r binds it to each of Values[Ends[r]:Ends[r+1]] in turn, of which there is one at least. Batch.Cols[Column] is
// nil.
//
// Lists of one row are independent: it stands for as many solutions as there are combinations of their values, times its weight (PBE's compressed partial
// matches, section 6.4, with leaves in place of the last vertex alone).
type List struct {
	Column int
	Values []dictionary.ID
	Ends   []uint32 // of N+1 elements
}

// Of is what row r binds the column to.
func (l *List) Of(r int) []dictionary.ID { return l.Values[l.Ends[r]:l.Ends[r+1]] }

// Add adds a row.
func (l *List) Add(values []dictionary.ID) {
	if len(l.Ends) == 0 {
		l.Ends = append(l.Ends, 0)
	}
	l.Values = append(l.Values, values...)
	l.Ends = append(l.Ends, uint32(len(l.Values)))
}

// appendRows adds rows from … to of another list.
func (l *List) appendRows(of *List, from, to int) {
	if len(l.Ends) == 0 {
		l.Ends = append(l.Ends, 0)
	}
	shift := uint32(len(l.Values)) - of.Ends[from]
	l.Values = append(l.Values, of.Values[of.Ends[from]:of.Ends[to]]...)
	for _, end := range of.Ends[from+1 : to+1] {
		l.Ends = append(l.Ends, end+shift)
	}
}

// Factorised reports whether rows of the batch may stand for several solutions that it does not have one by one.
func (b *Batch) Factorised() bool { return len(b.Lists) > 0 || b.Weights != nil }

// ListsAs reports whether the batch has lists for the same columns as another.
func (b *Batch) ListsAs(other *Batch) bool {
	return slices.EqualFunc(b.Lists, other.Lists, func(l, m List) bool { return l.Column == m.Column })
}

// Solutions is how many solutions row r stands for, all ones where that has more than 64 bits.
func (b *Batch) Solutions(r int) uint64 {
	n := uint64(1)
	if b.Weights != nil {
		n = b.Weights[r]
	}
	for i := range b.Lists {
		l := &b.Lists[i]
		high, low := bits.Mul64(n, uint64(l.Ends[r+1]-l.Ends[r]))
		if n = low; high != 0 {
			return ^uint64(0)
		}
	}
	return n
}

// AllSolutions is how many solutions all rows stand for, likewise.
func (b *Batch) AllSolutions() uint64 {
	if !b.Factorised() {
		return uint64(b.N)
	}
	sum := uint64(0)
	for r := range b.N {
		var carry uint64
		if sum, carry = bits.Add64(sum, b.Solutions(r), 0); carry != 0 {
			return ^uint64(0)
		}
	}
	return sum
}

// AddTo adds how many solutions the rows stand for to a number of solutions. The error is ErrTooMany.
func (b *Batch) AddTo(n uint64) (uint64, error) {
	all := b.AllSolutions()
	sum, carry := bits.Add64(n, all, 0)
	if carry != 0 || all == ^uint64(0) {
		return n, ErrTooMany
	}
	return sum, nil
}

// Enumerate makes into, whose columns are used again, the solutions that a batch stands for, and returns it. Those of a row come in the order of its lists, the last of them
// the fastest, each as often as the row's weight says.
func (b *Batch) Enumerate(into *Batch) *Batch {
	into.N = int(b.AllSolutions())
	into.Cols = slices.Grow(into.Cols[:0], len(b.Cols))[:len(b.Cols)]
	cols := into.Cols
	for c := range cols {
		cols[c] = slices.Grow(cols[c][:0], into.N)
	}
	for r := range b.N {
		all := int(b.Solutions(r))
		for c, col := range b.Cols {
			if col != nil {
				cols[c] = Repeated(cols[c], col[r], all)
			}
		}
		rounds := 1 // of the list: what those before it make
		if b.Weights != nil {
			rounds = int(b.Weights[r])
		}
		for i := range b.Lists {
			l := &b.Lists[i]
			values := l.Of(r)
			each := all / rounds / len(values)
			col := cols[l.Column]
			for range rounds {
				if each == 1 {
					col = append(col, values...)
					continue
				}
				for _, v := range values {
					col = Repeated(col, v, each)
				}
			}
			cols[l.Column] = col
			rounds *= len(values)
		}
	}
	return into
}

// Runs are the batch in parts, in order, each of which stands for up to most solutions: some of its rows, or a piece of one that stands for more. A part is valid until
// the next.
func (b *Batch) Runs(most int) iter.Seq[*Batch] {
	return func(yield func(*Batch) bool) {
		from, sum := 0, uint64(0)
		for r := range b.N {
			n := b.Solutions(r)
			if n <= uint64(most)-sum {
				sum += n
				continue
			}
			if from < r && !yield(b.Part(from, r)) {
				return
			}
			from, sum = r, n
			if n > uint64(most) {
				if !b.pieces(r, uint64(most), yield) {
					return
				}
				from, sum = r+1, 0
			}
		}
		if from < b.N {
			yield(b.Part(from, b.N))
		}
	}
}

// pieces are a row in batches of one row each, which stands for up to most solutions; false where yield does not want more.
func (b *Batch) pieces(r int, most uint64, yield func(*Batch) bool) bool {
	p := &Batch{N: 1, Distinct: b.Distinct, Passed: b.Passed}
	for _, col := range b.Cols {
		if col != nil {
			col = col[r : r+1]
		}
		p.Cols = append(p.Cols, col)
	}
	if b.Weights != nil {
		p.Weights = []uint64{b.Weights[r]}
	}
	p.Lists = make([]List, len(b.Lists))
	inner := make([]uint64, len(b.Lists)+1) // solutions of the lists from one on
	inner[len(b.Lists)] = 1
	for i := len(b.Lists) - 1; i >= 0; i-- {
		values := b.Lists[i].Of(r)
		p.Lists[i] = List{b.Lists[i].Column, values, []uint32{0, uint32(len(values))}}
		high, low := bits.Mul64(inner[i+1], uint64(len(values)))
		if inner[i] = low; high != 0 {
			inner[i] = ^uint64(0)
		}
	}
	var split func(level int) bool // the lists from one on
	split = func(level int) bool {
		if inner[level] <= most {
			return yield(p)
		}
		l := &p.Lists[level]
		whole := l.Values
		step := max(1, most/inner[level+1])
		for from := uint64(0); from < uint64(len(whole)); from += step {
			l.Values = whole[from:min(from+step, uint64(len(whole)))]
			l.Ends[1] = uint32(len(l.Values))
			do := split
			if inner[level+1] <= most {
				do = func(int) bool { return yield(p) }
			}
			if !do(level + 1) {
				return false
			}
		}
		l.Values, l.Ends[1] = whole, uint32(len(whole))
		return true
	}
	if p.Weights == nil {
		return split(0)
	}
	left, step := p.Weights[0], max(1, most/inner[0])
	for ; left > 0; left -= p.Weights[0] {
		if p.Weights[0] = min(step, left); inner[0] <= most {
			if !yield(p) {
				return false
			}
		} else if !split(0) {
			return false
		}
	}
	return true
}
