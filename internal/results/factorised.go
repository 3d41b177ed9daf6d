package results

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// template is a factorised row on its way into text. What is the same in many of its solutions is put into text once: what they begin with, and each value of a list with
// what follows it up to the next list.
type template struct {
	cells []ID           // of the row; None in the columns of many
	many  []*vector.List // those of which the row has several values
	// text begins with what stands before the first of many, up to head, where a cell is bound or none. Where there is one of many, what follows it comes next; else
	// item i of many[k], with what follows it, is text[ends[at[k]+i]:ends[at[k]+i+1]].
	text  []byte
	head  int
	bound bool
	ends  []int
	at    []int
	// prefix is the beginning of the solutions at hand, of which so many bytes are left out of the next.
	prefix []byte
	skip   int
}

// held is the memory that the template takes.
func (t *template) held() int64 {
	return int64(cap(t.text) + cap(t.prefix) + 8*cap(t.ends) + 4*cap(t.cells))
}

// joinsText reports whether a row's text is that of its cells, one after the other, so that it can be put together from parts.
func (s *shape) joinsText() bool { return s.prefixes == nil && (s.separator != 0 || s.before != nil) }

// factorised appends the solutions of factorised rows, which are no more than a chunk has.
func (f *formatter) factorised(dst []byte, b *vector.Batch, first bool) []byte {
	if !f.shape.joinsText() {
		return f.enumerated(dst, b, first)
	}
	before := f.misses
	for from := 0; from < b.N; from += stripeRows {
		to := min(from+stripeRows, b.N)
		if f.misses-before >= warmFrom {
			f.warmRows(b, from, to)
		}
		before = f.misses
		for r := from; r < to; r++ {
			if f.failed != nil {
				return dst[:0] // nobody will read it
			}
			dst = f.factorisedRow(dst, b, r, first && r == 0)
		}
	}
	return dst
}

// enumerated appends the solutions of factorised rows one by one.
func (f *formatter) enumerated(dst []byte, b *vector.Batch, first bool) []byte {
	rows := b.Enumerate(&f.solutions)
	return f.rows(dst, rows.Cols, rows.N, first)
}

// warmRows announces the cells of some factorised rows.
func (f *formatter) warmRows(b *vector.Batch, from, to int) {
	warmer, ok := f.decoder.(Warmer)
	if !ok {
		return
	}
	f.stripe = f.stripe[:0]
	for _, col := range b.Cols {
		if col != nil {
			f.stripe = append(f.stripe, col[from:to])
		}
	}
	for i := range b.Lists {
		l := &b.Lists[i]
		f.stripe = append(f.stripe, l.Values[l.Ends[from]:l.Ends[to]])
	}
	f.warm(warmer)
}

// factorisedRow appends the solutions of one row.
func (f *formatter) factorisedRow(dst []byte, b *vector.Batch, r int, first bool) []byte {
	t, times := &f.template, uint64(1)
	if b.Weights != nil {
		times = b.Weights[r]
	}
	if t.skip = 0; first {
		t.skip = f.shape.joint
	}
	f.take(b, r)
	if len(t.many) == 0 && times == 1 {
		return f.solution(append(dst, f.shape.begin[t.skip:]...))
	}
	if !f.prepare(r) {
		return f.enumerated(dst, b.Part(r, r+1), first)
	}
	t.prefix = append(t.prefix[:0], t.text[:t.head]...)
	if len(t.many) == 0 {
		return f.repeat(dst, times)
	}
	for range times {
		if len(t.many) == 1 {
			dst = f.append1(dst, r)
		} else {
			dst = f.combine(dst, 0)
		}
	}
	return dst
}

// repeatedText is about how much text is copied at once where a solution is repeated.
const repeatedText = 4 << 10

// repeat appends the prefix, which is a whole solution, some times.
func (f *formatter) repeat(dst []byte, times uint64) []byte {
	t := &f.template
	dst = append(dst, t.prefix[t.skip:]...)
	t.text = t.text[:0] // some of them
	some := min(times-1, max(1, repeatedText/uint64(len(t.prefix)+1)))
	for range some {
		t.text = append(t.text, t.prefix...)
	}
	for left := times - 1; left > 0; left -= some {
		some = min(some, left)
		dst = f.spillLong(append(dst, t.text[:int(some)*len(t.prefix)]...))
	}
	return f.spillLong(dst)
}

// solution appends a row that is one solution, but for its beginning.
func (f *formatter) solution(dst []byte) []byte {
	bound := false
	for c, id := range f.template.cells {
		dst = f.spillLong(f.bind(dst, c, id, bound))
		bound = bound || id != dictionary.None
	}
	return append(dst, f.shape.rowEnd...)
}

// append1 appends the solutions of a row with several values in one list.
func (f *formatter) append1(dst []byte, r int) []byte {
	t := &f.template
	l, prefix, suffix := t.many[0], t.prefix[t.skip:], t.text[t.head:]
	for _, id := range l.Of(r) {
		dst = append(dst, prefix...)
		dst = append(f.bind(dst, l.Column, id, t.bound), suffix...)
		if prefix = t.prefix; len(dst) > longText {
			dst = f.spill(dst)
		}
	}
	t.skip = 0
	return dst
}

// take takes over a row.
func (f *formatter) take(b *vector.Batch, r int) {
	t := &f.template
	t.cells, t.many = t.cells[:0], t.many[:0]
	for _, col := range b.Cols {
		id := dictionary.None
		if col != nil {
			id = col[r]
		}
		t.cells = append(t.cells, id)
	}
	for i := range b.Lists {
		l := &b.Lists[i]
		if values := l.Of(r); len(values) == 1 {
			t.cells[l.Column] = values[0]
		} else {
			t.many = append(t.many, l)
		}
	}
}

// prepare puts into text what the solutions of the row have in common; false where that is too long to be kept.
func (f *formatter) prepare(r int) bool {
	t := &f.template
	t.ends, t.at = t.ends[:0], t.at[:0]
	t.text, t.bound = f.cells(append(t.text[:0], f.shape.begin...), 0, t.column(0), false)
	t.head = len(t.text)
	if len(t.many) == 1 { // each of its values is written once
		t.text, _ = f.cells(t.text, t.many[0].Column+1, len(t.cells), true)
		return len(t.text) <= longText
	}
	bound := t.bound
	for k, l := range t.many {
		t.at, t.ends = append(t.at, len(t.ends)), append(t.ends, len(t.text))
		for _, id := range l.Of(r) {
			t.text = f.bind(t.text, l.Column, id, bound)
			t.text, _ = f.cells(t.text, l.Column+1, t.column(k+1), true)
			t.ends = append(t.ends, len(t.text))
			if len(t.text) > longText {
				return false
			}
		}
		bound = true
	}
	return len(t.text) <= longText
}

// column is that of a list with several values; behind the last of them it is the number of columns.
func (t *template) column(k int) int {
	if k < len(t.many) {
		return t.many[k].Column
	}
	return len(t.cells)
}

// cells appends the cells of some columns, and with the last the end of the row. bound says, before and after, whether the row has a bound cell.
func (f *formatter) cells(dst []byte, from, to int, bound bool) ([]byte, bool) {
	t := &f.template
	for c := from; c < to; c++ {
		id := t.cells[c]
		dst = f.bind(dst, c, id, bound)
		bound = bound || id != dictionary.None
		if len(dst) > longText {
			break // the template is not used
		}
	}
	if to == len(t.cells) {
		dst = append(dst, f.shape.rowEnd...)
	}
	return dst, bound
}

// bind appends a cell and what stands around it.
func (f *formatter) bind(dst []byte, c int, id ID, bound bool) []byte {
	s := f.shape
	if s.separator != 0 {
		if c > 0 {
			dst = append(dst, s.separator)
		}
		if id != dictionary.None {
			dst = f.text(dst, id)
		}
		return dst
	}
	if id == dictionary.None {
		return dst
	}
	before := s.before[c]
	if !bound {
		before = before[s.joint:]
	}
	return append(f.text(append(dst, before...), id), s.after...)
}

// combine appends the solutions that begin with the prefix: one for each combination of values of the lists from one on.
func (f *formatter) combine(dst []byte, k int) []byte {
	t := &f.template
	ends := t.ends[t.at[k]:]
	if k+1 < len(t.many) {
		ends = t.ends[t.at[k]:t.at[k+1]]
		mark := len(t.prefix)
		for i := 1; i < len(ends); i++ {
			t.prefix = append(t.prefix[:mark], t.text[ends[i-1]:ends[i]]...)
			dst = f.combine(dst, k+1)
		}
		t.prefix = t.prefix[:mark]
		return dst
	}
	prefix := t.prefix[t.skip:]
	for i := 1; i < len(ends); i++ {
		dst = append(append(dst, prefix...), t.text[ends[i-1]:ends[i]]...)
		if prefix = t.prefix; len(dst) > longText {
			dst = f.spill(dst)
		}
	}
	t.skip = 0
	return dst
}
