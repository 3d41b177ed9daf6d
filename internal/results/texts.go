package results

import (
	"bytes"

	"github.com/zeebo/xxh3"
)

// texts is a dictionary: texts in the order of their arrival, one behind the other. Text i is text[ends[i]:ends[i+1]].
type texts struct {
	text []byte
	ends []int32
	// table finds texts by their hashes, by open addressing: half of the hash, and the place from 1. It is made when somebody looks.
	table   []uint64
	indexed int // texts in the table
	// names says that texts which look like IRIs are in the table too.
	names bool
}

func (t *texts) clear() {
	t.text, t.ends, t.names = t.text[:0], append(t.ends[:0], 0), false
	t.emptyTable()
}

func (t *texts) emptyTable() {
	if t.indexed > 0 {
		clear(t.table)
		t.indexed = 0
	}
}

func (t *texts) len() int { return len(t.ends) - 1 }

func (t *texts) at(i int32) []byte { return t.text[t.ends[i]:t.ends[i+1]] }

// end makes what stands behind the last text the next one, and returns its place. It is not there yet.
func (t *texts) end() int32 {
	t.ends = append(t.ends, int32(len(t.text)))
	return int32(len(t.ends) - 2)
}

// add adds a text that is not there and that nobody will look for.
func (t *texts) add(text []byte) int32 {
	t.text = append(t.text, text...)
	return t.end()
}

// place is the place of a text, which is added where it is not there.
func (t *texts) place(text []byte) int32 {
	t.reserve(1)
	return t.placeHashed(text, hashOf(text))
}

// placeHashed is place where there is room in the table; the hash is the text's.
func (t *texts) placeHashed(text []byte, hash uint64) int32 {
	at := t.find(text, hash)
	if t.table[at] == 0 {
		t.note(at, hash, t.add(text))
	}
	return int32(uint32(t.table[at])) - 1
}

// hashOf has 32 bits.
func hashOf(text []byte) uint64 { return xxh3.Hash(text) >> 32 }

// index makes the table anew, with those that look like IRIs if names says so.
func (t *texts) index() {
	t.emptyTable()
	t.reserve(t.len())
	for i := range int32(t.len()) {
		if text := t.at(i); t.names || !looksLikeIRI(text) {
			hash := hashOf(text)
			t.note(t.find(text, hash), hash, i)
		}
	}
}

// looksLikeIRI reports whether a text has a scheme and no space, as every IRI has that is absolute.
func looksLikeIRI(text []byte) bool {
	for i, c := range text {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case c == ':':
			return i > 0 && bytes.IndexByte(text[i:], ' ') < 0
		case i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.':
			return false
		}
	}
	return false
}

// anyLooksLikeIRI reports whether one of the texts looks like an IRI.
func (t *texts) anyLooksLikeIRI() bool {
	for i := range int32(t.len()) {
		if looksLikeIRI(t.at(i)) {
			return true
		}
	}
	return false
}

// note has the table say where a text is.
func (t *texts) note(at, hash uint64, place int32) {
	t.indexed++
	t.table[at] = hash<<32 | uint64(place+1)
}

// find is where in the table a text is, or would be.
func (t *texts) find(text []byte, hash uint64) uint64 {
	mask := uint64(len(t.table) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		if e := t.table[at]; e == 0 || e>>32 == hash && bytes.Equal(t.at(int32(uint32(e))-1), text) {
			return at
		}
	}
}

// read reads where the texts with these hashes will be looked for, all at once and not each when its turn comes. What it returns
// means nothing.
func (t *texts) read(hashes []uint64) (x uint64) {
	mask := uint64(len(t.table) - 1)
	for _, hash := range hashes {
		x ^= t.table[hash&mask]
	}
	return x
}

// reserve makes room in the table for so many more.
func (t *texts) reserve(more int) {
	for 2*(t.indexed+more) > len(t.table) {
		t.grow()
	}
}

// grow makes room in the table for twice as many texts as it has.
func (t *texts) grow() {
	old := t.table
	t.table = make([]uint64, max(16, 2*len(old)))
	mask := uint64(len(t.table) - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		at := e >> 32 & mask
		for t.table[at] != 0 {
			at = (at + 1) & mask
		}
		t.table[at] = e
	}
}

func (t *texts) held() int64 {
	return int64(cap(t.text)) + 4*int64(cap(t.ends)) + 8*int64(cap(t.table))
}
