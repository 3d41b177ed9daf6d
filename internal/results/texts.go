package results

import (
	"bytes"

	"github.com/zeebo/xxh3"
)

// texts is a dictionary: texts in the order of their arrival, one behind the other. Text i is text[ends[i]:ends[i+1]].
type texts struct {
	text []byte
	ends []int32
	// table finds texts by their hashes: their places from 1, by open addressing. It is made when somebody looks.
	table []int32
}

func (t *texts) clear() {
	t.text, t.ends, t.table = t.text[:0], append(t.ends[:0], 0), t.table[:0]
}

func (t *texts) len() int { return len(t.ends) - 1 }

func (t *texts) at(i int32) []byte { return t.text[t.ends[i]:t.ends[i+1]] }

// add adds a text that is not there.
func (t *texts) add(text []byte) int32 {
	t.text = append(t.text, text...)
	t.ends = append(t.ends, int32(len(t.text)))
	return int32(len(t.ends) - 2)
}

// place is the place of a text, which is added where it is not there.
func (t *texts) place(text []byte) int32 {
	if n := t.len(); n > 0 && bytes.Equal(t.at(int32(n-1)), text) {
		return int32(n - 1)
	}
	if 2*(t.len()+1) > len(t.table) {
		t.index()
	}
	at := t.find(text)
	if t.table[at] == 0 {
		t.table[at] = t.add(text) + 1
	}
	return t.table[at] - 1
}

// find is where in the table a text is, or would be.
func (t *texts) find(text []byte) uint64 {
	mask := uint64(len(t.table) - 1)
	at := xxh3.Hash(text) & mask
	for t.table[at] != 0 && !bytes.Equal(t.at(t.table[at]-1), text) {
		at = (at + 1) & mask
	}
	return at
}

// index makes a table for twice as many texts as there are.
func (t *texts) index() {
	size := 16
	for size < 4*(t.len()+1) {
		size *= 2
	}
	if cap(t.table) < size {
		t.table = make([]int32, size)
	}
	t.table = t.table[:size]
	clear(t.table)
	for i := range int32(t.len()) {
		t.table[t.find(t.at(i))] = i + 1
	}
}

func (t *texts) held() int64 { return int64(cap(t.text)) + 4*int64(cap(t.ends)+cap(t.table)) }
