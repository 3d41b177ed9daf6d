package dictionary

import "sync/atomic"

// An arrivalIndex leads from hashes to the terms of a tail: 64 tables by the top bits of the hash, each of which grows by
// itself, so that no term waits long for that. One goroutine adds; any number of others may look up at the same time.
type arrivalIndex struct {
	tables [indexTables]atomic.Pointer[arrivalTable]
}

const (
	indexTableBits = 6
	indexTables    = 1 << indexTableBits
	smallestTable  = 16
)

// arrivalTable is open addressing with linear probing, at a load of at most 3/4. A slot is 0, or 32 bits of the hash and,
// below them, 1 + the number of the term; what is in it stays.
type arrivalTable struct {
	slots []uint64
	used  int // of the writer
}

func (x *arrivalIndex) of(hash uint64) *atomic.Pointer[arrivalTable] {
	return &x.tables[hash>>(64-indexTableBits)]
}

// find probes the terms that may have the hash; it ends at an empty slot or when match says yes.
func (x *arrivalIndex) find(hash uint64, match func(n ID) bool) (ID, bool) {
	t := x.of(hash).Load()
	if t == nil {
		return None, false
	}
	h := uint32(hash >> 24)
	for i := firstSlot(h, len(t.slots)); ; {
		s := atomic.LoadUint64(&t.slots[i])
		if s == 0 {
			return None, false
		}
		if n := ID(s) - 1; uint32(s>>32) == h && match(n) {
			return n, true
		}
		if i++; i == len(t.slots) {
			i = 0
		}
	}
}

// add adds a term that is not there, and returns by how many bytes the index has grown.
func (x *arrivalIndex) add(hash uint64, n ID) (bytes int64) {
	place := x.of(hash)
	t := place.Load()
	if t == nil || 4*(t.used+1) > 3*len(t.slots) {
		larger := t.grown()
		bytes = 8 * int64(len(larger.slots))
		if t != nil {
			bytes -= 8 * int64(len(t.slots))
		}
		t = larger
	}
	t.put(uint64(uint32(hash>>24))<<32 | uint64(n+1))
	if bytes != 0 {
		place.Store(t)
	}
	return bytes
}

// grown is a larger table of the same terms.
func (t *arrivalTable) grown() *arrivalTable {
	if t == nil {
		return &arrivalTable{slots: make([]uint64, smallestTable)}
	}
	larger := &arrivalTable{slots: make([]uint64, len(t.slots)*2)}
	for _, s := range t.slots {
		if s != 0 {
			larger.put(s)
		}
	}
	return larger
}

func (t *arrivalTable) put(slot uint64) {
	i := firstSlot(uint32(slot>>32), len(t.slots))
	for t.slots[i] != 0 {
		if i++; i == len(t.slots) {
			i = 0
		}
	}
	atomic.StoreUint64(&t.slots[i], slot)
	t.used++
}
