package terms

import "sync/atomic"

// table finds the numbers of terms by their hashes: open addressing, at most three quarters full. Slots hold the upper half of a hash and, below, a number + 1;
// they are written once, after the term is, and the table that replaces a full one is not seen before it is whole.
type table struct {
	slots []atomic.Uint64
	used  int // of who adds
}

// firstSlots is how many slots the first table of a shard has.
const firstSlots = 8

// find is the number of a term that same says is the one; a nil table has none.
func (t *table) find(hash uint64, same func(n uint32) bool) (n uint32, ok bool) {
	if t == nil {
		return 0, false
	}
	for i := t.place(hash); ; i = (i + 1) & (len(t.slots) - 1) {
		slot := t.slots[i].Load()
		if slot == 0 {
			return 0, false
		}
		if n = uint32(slot) - 1; slot>>32 == hash>>32 && same(n) {
			return n, true
		}
	}
}

// place is where a hash is looked for first. Its lowest bits have chosen the shard.
func (t *table) place(hash uint64) int { return int(hash>>32) & (len(t.slots) - 1) }

// grown is a table of twice the room with what this one has, which may be nil.
func (t *table) grown() *table {
	if t == nil {
		return &table{slots: make([]atomic.Uint64, firstSlots)}
	}
	out := &table{slots: make([]atomic.Uint64, 2*len(t.slots))}
	for i := range t.slots {
		if slot := t.slots[i].Load(); slot != 0 {
			out.put(slot)
		}
	}
	return out
}

// put fills a slot; there is room.
func (t *table) put(slot uint64) {
	place := t.place(slot)
	for t.slots[place].Load() != 0 {
		place = (place + 1) & (len(t.slots) - 1)
	}
	t.slots[place].Store(slot)
	t.used++
}

// insert adds the number of a term; the caller holds mu.
func (s *shard) insert(hash uint64, n uint32) {
	t := s.table.Load()
	if t == nil || 4*(t.used+1) > 3*len(t.slots) {
		t = t.grown()
		s.table.Store(t)
	}
	t.put(hash>>32<<32 | uint64(n) + 1)
}
