package results

import (
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// A term is told apart in columnar formats by its Value and its kind, which is its rdf.Term.Sort.

// kindSuffix follows the name of a variable in the name of the column of kinds. A variable's name has no dot.
const kindSuffix = ".type"

// Bounds of a batch of rows: the cells of a whole one, and the text of its dictionaries beyond which it ends early.
const (
	batchCells = 128 << 10
	batchText  = 8 << 20
)

// errLongTerms: a column's terms in a few hundred rows are longer than its offsets can say.
var errLongTerms = errors.New("results: terms of more than 2 GiB in a column of 256 rows, which Arrow cannot carry")

// columns is a batch of rows on its way into a columnar format: for each variable the rows as places in a list of terms.
type columns struct {
	list []column
	rows int
	// Of a stripe: the terms that a column has not had before, the texts of some of them and their hashes.
	fresh  []ID
	values []byte
	hashes []uint64
	sum    uint64 // of what was read for reading's sake
}

// column is one variable's. Its terms are those of the batch, and of batches before it where many of these come again.
type column struct {
	slots  []slot
	shift  uint32
	noted  int32 // how many terms have slots
	before int32 // how many had before they were forgotten
	// places are where each row's term is in the list of terms, -1 where there is none, of which there are so many nulls.
	places []int32
	nulls  int
	// terms are where each term's value and kind are in the dictionaries. They are left out while all terms are of one kind, and none has several IDs: then
	// the list of terms is that of the values.
	terms       []pair
	value, kind texts
	// known are kinds that came before, where they are looked for first.
	known  [16]knownKind
	values []int32 // of the rows, where terms are not left out
	kinds  []int32
	zeros  []int32 // kinds where all are the first one
	// had is how many terms the column had when the batch began; forgets says that it was no use to keep them.
	had     int
	forgets bool
}

// slot says which place a term has, beyond those that the terms before the last forgetting had; with one of these it is free.
type slot struct {
	id    ID
	place int32
}

// knownKind is a kind and its place.
type knownKind struct {
	kind  string
	place int32
}

// pair is where a term's value and kind are.
type pair struct{ value, kind int32 }

const leastSlots = 1 << 10

// columnsPool keeps columns for the next answer, unless they have become large.
var columnsPool = sync.Pool{New: func() any { return &columns{} }}

const keptColumns = 32 << 20

func newColumns(width int) *columns {
	c := columnsPool.Get().(*columns)
	c.list = slices.Grow(c.list[:0], width)[:width]
	for i := range c.list {
		l := &c.list[i]
		if l.slots == nil {
			l.resize(leastSlots)
		}
		l.places, l.nulls, l.forgets = l.places[:0], 0, false
		l.forget()
	}
	c.rows = 0
	return c
}

// release gives columns back to the pool.
func (c *columns) release() {
	if c != nil && c.held() <= keptColumns {
		columnsPool.Put(c)
	}
}

// clear begins another batch.
func (c *columns) clear() {
	for i := range c.list {
		c.list[i].clear(c.rows, batchText/4/len(c.list))
	}
	c.rows = 0
}

// clear keeps the terms of a batch of so many rows for the next, if that may expect to find many of them there: each came twice and
// more, and where terms were kept before, few were added to them. Their text is at most so long.
func (c *column) clear(rows, longest int) {
	c.places, c.nulls = c.places[:0], 0
	n := c.len()
	if c.had > 0 && n > c.had+c.had/4 {
		c.forgets = true
	}
	if c.had = n; c.forgets || n > rows/2 || len(c.value.text) > longest {
		c.forget()
	}
}

// forget makes the column have no terms.
func (c *column) forget() {
	if c.before += c.noted; c.before > math.MaxInt32/2 {
		clear(c.slots)
		c.before = 0
	}
	c.terms, c.had, c.noted = c.terms[:0], 0, 0
	c.value.clear()
	c.kind.clear()
	clear(c.known[:])
}

// len is how many terms there are.
func (c *column) len() int {
	if c.mixed() {
		return len(c.terms)
	}
	return c.value.len()
}

// mixed reports whether there may be terms of several kinds, or with several IDs.
func (c *column) mixed() bool { return len(c.terms) > 0 }

// resize makes room for more terms; size is a power of two.
func (c *column) resize(size int) {
	old := c.slots
	c.slots, c.shift = make([]slot, size), 32
	for ; size > 1; size /= 2 {
		c.shift--
	}
	for _, s := range old {
		if s.place > c.before {
			*c.slot(s.id) = s
		}
	}
}

// slot is where a term is noted, or would be.
func (c *column) slot(id ID) *slot {
	mask := uint32(len(c.slots) - 1)
	at := uint32(id) * 0x9E3779B1 >> c.shift
	for c.slots[at].place > c.before && c.slots[at].id != id {
		at = (at + 1) & mask
	}
	return &c.slots[at]
}

// batchRows appends rows as batches: one, unless their terms are long.
func batchRows(f *formatter, dst []byte, cols [][]ID, n int, appendBatch func(c *columns, dst []byte) []byte) []byte {
	if f.columns == nil {
		f.columns = newColumns(len(cols))
	}
	c := f.columns
	for from := 0; from < n; {
		to := min(from+stripeRows, n)
		c.add(f, cols, from, to)
		from = to
		long := c.text() > batchText
		if f.settle(int64(cap(dst))) != nil {
			c.clear()
			return dst[:0]
		}
		if from < n && !long {
			continue
		}
		dst = appendBatch(c, dst)
		c.clear()
		if from < n && len(dst) > batchText {
			dst = f.spill(dst)
		}
	}
	return dst
}

// add adds at most stripeRows rows to the batch.
func (c *columns) add(f *formatter, cols [][]ID, from, to int) {
	for i := range c.list {
		c.fresh = c.list[i].put(cols[i][from:to], c.fresh[:0])
		c.decode(f, &c.list[i])
	}
	c.rows += to - from
}

// put appends the places of a stripe's terms, and the terms that are new to fresh: they are to be decoded in this order.
func (c *column) put(ids, fresh []ID) []ID {
	known := c.len()
	if known+len(ids) > len(c.slots)/2 {
		c.resize(2 * len(c.slots))
	}
	last, place := ID(dictionary.None), int32(-1)
	for _, id := range ids {
		if id != last {
			last, place = id, -1
			if id != dictionary.None {
				s := c.slot(id)
				if s.place <= c.before {
					fresh = append(fresh, id)
					*s = slot{id, c.before + int32(known+len(fresh))}
				}
				place = s.place - c.before - 1
			}
		}
		if place < 0 {
			c.nulls++
		}
		c.places = append(c.places, place)
	}
	c.noted = int32(known + len(fresh))
	return fresh
}

// decode brings the new terms of a stripe into the dictionaries.
func (c *columns) decode(f *formatter, into *column) {
	if warmer, ok := f.decoder.(Warmer); ok && len(c.fresh) >= warmFrom {
		warmer.Warm(c.fresh)
	}
	fresh := c.fresh
	if !into.mixed() {
		fresh = fresh[into.decodeAlike(f.decoder, fresh):]
	}
	c.decodeMixed(f.decoder, into, fresh)
	if len(into.value.text)+len(c.values) > math.MaxInt32 || len(into.kind.text) > math.MaxInt32 {
		f.fail(errLongTerms)
	}
}

// decodeAlike decodes terms into the dictionaries as long as all are of one kind, and of one ID each, and says how many. These differ in their values.
func (c *column) decodeAlike(d Decoder, fresh []ID) int {
	repeater, _ := d.(Repeater)
	for i, id := range fresh {
		before := len(c.value.text)
		text, kind := d.AppendText(c.value.text, id)
		if c.kindOf(kind) > 0 || repeater != nil && repeater.Repeats(id) {
			for i := range int32(c.value.len()) {
				c.terms = append(c.terms, pair{value: i})
			}
			if string(c.kind.at(0)) != rdf.SortIRI { // what looks like an IRI among these is none, and may be the text of one that comes
				c.value.names = c.value.anyLooksLikeIRI()
			}
			c.value.index()
			c.value.text = text[:before]
			return i
		}
		c.value.text = text
		c.value.end()
	}
	return len(fresh)
}

// decodeMixed decodes terms of a column that has some of several kinds, or with several IDs. Their values may be the same: none is to be there twice. While
// nothing else looks like an IRI, no IRI is looked for.
func (c *columns) decodeMixed(d Decoder, into *column, fresh []ID) {
	text, hashes, at, names := c.values[:0], c.hashes[:0], len(into.terms), into.value.names
	for _, id := range fresh {
		from := len(text)
		var kind string
		text, kind = d.AppendText(text, id)
		into.terms = append(into.terms, pair{int32(len(text)), into.kindOf(kind)})
		hash, name := hashless, !names && looksLikeIRI(text[from:])
		if names = names || name && kind != rdf.SortIRI; !name {
			hash = hashOf(text[from:])
		}
		hashes = append(hashes, hash)
	}
	c.values, c.hashes = text, hashes
	if len(into.value.text)+len(text) > math.MaxInt32 {
		return
	}
	if names != into.value.names {
		into.value.names = names
		into.value.index()
	}
	into.value.reserve(len(hashes))
	c.sum += into.value.read(hashes)
	from := int32(0)
	for i, hash := range hashes {
		p := &into.terms[at+i].value
		value := text[from:*p]
		from = *p
		switch {
		case hash != hashless:
			*p = into.value.placeHashed(value, hash)
		case names:
			*p = into.value.placeHashed(value, hashOf(value))
		default:
			*p = into.value.add(value)
		}
	}
	c.values = text[:0]
}

// hashless is what stands for the hash of an IRI that is not looked for.
const hashless = uint64(1 << 32)

// kindOf is the place of a kind.
func (c *column) kindOf(kind string) int32 {
	if kind == "" {
		kind = rdf.XSDString
	}
	k := &c.known[(len(kind)+int(kind[len(kind)-1]))%len(c.known)]
	if k.kind != kind {
		*k = knownKind{kind, c.kind.place([]byte(kind))}
	}
	return k.place
}

// split is where the value and the kind of each row are in the dictionaries; -1 where there is none.
func (c *column) split() (values, kinds []int32) {
	if c.nulls == 0 && !c.mixed() {
		for len(c.zeros) < len(c.places) {
			c.zeros = append(c.zeros, 0)
		}
		return c.places, c.zeros[:len(c.places)]
	}
	c.values, c.kinds = c.values[:0], c.kinds[:0]
	if !c.mixed() {
		for _, place := range c.places {
			c.kinds = append(c.kinds, min(place, 0))
		}
		return c.places, c.kinds
	}
	for _, place := range c.places {
		p := pair{-1, -1}
		if place >= 0 {
			p = c.terms[place]
		}
		c.values, c.kinds = append(c.values, p.value), append(c.kinds, p.kind)
	}
	return c.values, c.kinds
}

// text is how long the dictionaries are.
func (c *columns) text() (bytes int) {
	for i := range c.list {
		bytes += len(c.list[i].value.text) + len(c.list[i].kind.text)
	}
	return bytes
}

// held is how many bytes everything takes.
func (c *columns) held() (bytes int64) {
	for i := range c.list {
		l := &c.list[i]
		bytes += 8*int64(cap(l.slots)+cap(l.terms)) + 4*int64(cap(l.places)+cap(l.values)+cap(l.kinds)+cap(l.zeros)) + l.value.held() + l.kind.held()
	}
	return bytes + int64(cap(c.values)) + 8*int64(cap(c.hashes))
}
