package live

import (
	"bytes"
	"hash/maphash"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// recall leads from keys that came more than once to their IDs: a table of open addressing with linear probing, at a load of at most 1/2,
// and the keys behind each other. It begins anew where it would take too much memory. The zero value is empty.
type recall struct {
	seed  maphash.Seed
	slots []recalled // a power of two, or none
	count int
	keys  []byte
}

// recalled is a slot, of 16 bytes; it is empty where length is 0, as keys are not.
type recalled struct {
	tag        uint32 // the upper half of the hash
	id         dictionary.ID
	at, length uint32 // of the key
}

const (
	leastRecalled = 1 << 10
	// mostRecalled and recallBytes bound the memory: 8 MiB of slots, and as much for the keys.
	mostRecalled = 1 << 18
	recallBytes  = 8 << 20
	// longestRecalled is the length of a key of which a few would displace all others.
	longestRecalled = 512
)

// id is that of a key.
func (r *recall) id(key []byte) (id dictionary.ID, ok bool) {
	if r.count == 0 {
		return dictionary.None, false
	}
	slot := r.slot(key, maphash.Bytes(r.seed, key))
	return slot.id, slot.length > 0
}

// keep recalls the ID of a key that is not there. The key is copied.
func (r *recall) keep(key []byte, id dictionary.ID) {
	switch {
	case len(key) > longestRecalled:
		return
	case r.count == mostRecalled || len(r.keys)+len(key) > recallBytes:
		clear(r.slots)
		r.keys, r.count = r.keys[:0], 0
	case 2*r.count >= len(r.slots):
		r.grow()
	}
	hash := maphash.Bytes(r.seed, key)
	*r.slot(key, hash) = recalled{tag: uint32(hash >> 32), id: id, at: uint32(len(r.keys)), length: uint32(len(key))}
	r.keys = append(r.keys, key...)
	r.count++
}

// slot is where a key is, or would be.
func (r *recall) slot(key []byte, hash uint64) *recalled {
	last := uint64(len(r.slots) - 1)
	for i := hash & last; ; i = (i + 1) & last {
		s := &r.slots[i]
		if s.length == 0 || s.tag == uint32(hash>>32) && bytes.Equal(r.key(s), key) {
			return s
		}
	}
}

func (r *recall) key(s *recalled) []byte { return r.keys[s.at : s.at+s.length] }

// grow makes the table twice as large.
func (r *recall) grow() {
	was := r.slots
	if was == nil {
		r.seed = maphash.MakeSeed()
	}
	r.slots = make([]recalled, max(leastRecalled, 2*len(was)))
	for i := range was {
		if s := &was[i]; s.length > 0 {
			key := r.key(s)
			*r.slot(key, maphash.Bytes(r.seed, key)) = *s
		}
	}
}
