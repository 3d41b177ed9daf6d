package loader

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// termTable gives every key a provisional ID. It is a hash table in shards: finding a known key takes no lock, adding
// one locks its shard. Keys lie in arenas outside the heap.
//
// A provisional ID is base + number in the shard × shards + shard, so IDs are dense as far as the shards fill evenly.
// When the table outgrows its memory it is written out as a sorted run and starts anew, empty, with a higher base; a
// term may so get several IDs, which the merge of the runs makes one.
type termTable struct {
	memory *memory
	base   uint32
	shards [tableShards]shard
	// held is the bytes of arenas and slots.
	held atomic.Int64
	// slabs are what the shards' chunks are cut from; slab is the rest of the last one.
	mu      sync.Mutex
	slabs   [][]byte
	slab    []byte
	arrays  map[int]*slotArray // by the number of slots of a shard
	touched atomic.Uint32      // keeps the reads of readAhead alive
}

// slotArray is the slots of all shards that have so many: one array, so that it gets huge pages.
type slotArray struct {
	slots []uint64
	left  int // shards that have outgrown it
}

const (
	tableShards = 128
	shardBits   = 7
	chunkBits   = 17 // an arena's chunk: 128 KiB
	chunkSize   = 1 << chunkBits
	slabSize    = 16 << 20
	firstSlots  = 64
	// recordHeader is what lies before a key in an arena: its number in the shard and its length.
	recordHeader = 8
)

// shard is one part of the table. A slot is 24 bits of hash over 40 bits of place in the arena, 0 when free.
type shard struct {
	mu     sync.Mutex
	slots  atomic.Pointer[[]atomic.Uint64]
	chunks atomic.Pointer[[][]byte]
	used   int // bytes of the last chunk
	count  uint32
	_      [64]byte
}

var errTooManyTerms = errors.New("the input has more terms than 32-bit numbers can name")

func newTermTable(m *memory) *termTable {
	t := &termTable{memory: m}
	t.clear()
	return t
}

// clear empties the table; its arenas must have been released.
func (t *termTable) clear() {
	t.arrays = map[int]*slotArray{}
	for i := range t.shards {
		s := &t.shards[i]
		slots := make([]atomic.Uint64, firstSlots)
		s.slots.Store(&slots)
		s.chunks.Store(new([][]byte))
		s.used, s.count = chunkSize, 0
	}
	t.held.Store(0)
}

// restart releases the keys and begins a new range of IDs.
func (t *termTable) restart() error {
	limit := t.limit()
	t.release()
	t.clear()
	if limit > maxProvisional {
		return errTooManyTerms
	}
	t.base = uint32(limit)
	return nil
}

// release gives the arenas back; the table must be cleared before it is used again.
func (t *termTable) release() {
	for _, slab := range t.slabs {
		release(t.memory, slab)
	}
	t.slabs, t.slab = nil, nil
	for _, a := range t.arrays {
		release(t.memory, a.slots)
	}
	t.arrays = nil
}

// chunk cuts a chunk for a record of some size off a slab.
func (t *termTable) chunk(size int) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if size > chunkSize {
		b, err := allocate[byte](t.memory, size)
		t.slabs = append(t.slabs, b)
		t.held.Add(int64(size))
		return b, err
	}
	if len(t.slab) == 0 {
		var err error
		if t.slab, err = allocate[byte](t.memory, slabSize); err != nil {
			return nil, err
		}
		t.slabs = append(t.slabs, t.slab)
	}
	b := t.slab[:chunkSize:chunkSize]
	t.slab = t.slab[chunkSize:]
	t.held.Add(chunkSize)
	return b, nil
}

const maxProvisional = 1<<32 - 1<<24

// limit is above every ID given so far.
func (t *termTable) limit() uint64 {
	var most uint32
	for i := range t.shards {
		most = max(most, t.shards[i].count)
	}
	return uint64(t.base) + uint64(most)*tableShards
}

func hashKey(key []byte) uint64 { return xxh3.Hash(key) }

// find returns the ID of a key, given its hash.
func (t *termTable) find(hash uint64, key []byte) (id uint32, ok bool) {
	number := hash >> (64 - shardBits)
	s := &t.shards[number]
	n, ok := s.find(hash, key)
	return t.base + n<<shardBits + uint32(number), ok
}

// peek reads the first slot that a lookup will look at, and touch the record that it names: ahead of time, so that
// the lookups of a batch wait for memory together.
func (t *termTable) peek(hash uint64) uint64 {
	slots := *t.shards[hash>>(64-shardBits)].slots.Load()
	return slots[hash&uint64(len(slots)-1)].Load()
}

func (t *termTable) touch(hash, slot uint64) byte {
	if slot&tagMask != tag(hash) {
		return 0
	}
	return t.shards[hash>>(64-shardBits)].record(slot &^ tagMask)[recordHeader-1]
}

const (
	placeBits = 40
	tagMask   = (1<<24 - 1) << placeBits
)

// tag is the part of a hash that a slot keeps; it is never 0, so that no taken slot is.
func tag(hash uint64) uint64 { return (hash<<shardBits | 1<<placeBits) & tagMask }

func (s *shard) find(hash uint64, key []byte) (number uint32, ok bool) {
	slots := *s.slots.Load()
	mask := uint64(len(slots) - 1)
	want := tag(hash)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := slots[i].Load()
		if slot == 0 {
			return 0, false
		}
		if slot&tagMask != want {
			continue
		}
		record := s.record(slot &^ tagMask)
		if n := binary.LittleEndian.Uint32(record[4:]); int(n) == len(key) && bytes.Equal(record[recordHeader:recordHeader+n], key) {
			return binary.LittleEndian.Uint32(record), true
		}
	}
}

// record returns the bytes of the arena from a place on, through the end of its chunk.
func (s *shard) record(place uint64) []byte {
	return (*s.chunks.Load())[place>>chunkBits][place&(chunkSize-1):]
}

// add returns the ID of a key that may be new.
func (t *termTable) add(hash uint64, key []byte) (uint32, error) {
	number := hash >> (64 - shardBits)
	s := &t.shards[number]
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.find(hash, key)
	if !ok {
		var err error
		if n, err = t.insert(int(number), hash, key); err != nil {
			return 0, err
		}
	}
	return t.base + n<<shardBits + uint32(number), nil
}

// id is find, then add.
func (t *termTable) id(key []byte) (uint32, error) {
	hash := hashKey(key)
	if id, ok := t.find(hash, key); ok {
		return id, nil
	}
	return t.add(hash, key)
}

func (t *termTable) insert(number int, hash uint64, key []byte) (uint32, error) {
	s := &t.shards[number]
	if uint64(t.base)+uint64(s.count+1)<<shardBits > maxProvisional {
		return 0, errTooManyTerms
	}
	if slots := *s.slots.Load(); int(s.count)*3 >= len(slots)*2 {
		if err := t.grow(number); err != nil {
			return 0, err
		}
	}
	place, err := t.store(s, key)
	if err != nil {
		return 0, err
	}
	put(*s.slots.Load(), hash, tag(hash)|place)
	s.count++
	return s.count - 1, nil
}

func put(slots []atomic.Uint64, hash, slot uint64) {
	mask := uint64(len(slots) - 1)
	i := hash & mask
	for slots[i].Load() != 0 {
		i = (i + 1) & mask
	}
	slots[i].Store(slot)
}

// store appends a record to the arena of a shard.
func (t *termTable) store(s *shard, key []byte) (place uint64, err error) {
	size := recordHeader + len(key)
	chunks := *s.chunks.Load()
	if s.used+size > chunkSize {
		chunk, err := t.chunk(size)
		if err != nil {
			return 0, err
		}
		grown := append(chunks[:len(chunks):len(chunks)], chunk)
		chunks = grown
		s.chunks.Store(&grown)
		s.used = 0
	}
	last := len(chunks) - 1
	record := chunks[last][s.used:]
	binary.LittleEndian.PutUint32(record, s.count)
	binary.LittleEndian.PutUint32(record[4:], uint32(len(key)))
	copy(record[recordHeader:], key)
	place = uint64(last)<<chunkBits | uint64(s.used)
	s.used += size
	return place, nil
}

// grow doubles the slots of a shard. Readers go on with the old ones until they are replaced, and may then find them
// empty, so that they look again under the lock.
func (t *termTable) grow(number int) error {
	s := &t.shards[number]
	old := len(*s.slots.Load())
	slots, err := t.slots(number, 2*old)
	if err != nil {
		return err
	}
	s.each(func(place uint64, _ uint32, key []byte) {
		hash := hashKey(key)
		put(slots, hash, tag(hash)|place)
	})
	s.slots.Store(&slots)
	t.held.Add(int64(len(slots)) * 4) // half of them are new
	t.leave(old)
	return nil
}

// slots returns n free slots for a shard.
func (t *termTable) slots(number, n int) ([]atomic.Uint64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.arrays[n]
	if a == nil {
		slots, err := allocate[uint64](t.memory, n*tableShards)
		if err != nil {
			return nil, err
		}
		a = &slotArray{slots: slots}
		t.arrays[n] = a
	}
	first := (*atomic.Uint64)(unsafe.Pointer(&a.slots[number*n]))
	return unsafe.Slice(first, n), nil
}

// leave notes that a shard has outgrown n slots. When all have, the memory is given back, but not its addresses.
func (t *termTable) leave(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.arrays[n]; a != nil {
		if a.left++; a.left == tableShards {
			discard(bytesOf(a.slots))
		}
	}
}

// each calls do for the keys of a shard in the order of their numbers.
func (s *shard) each(do func(place uint64, number uint32, key []byte)) {
	chunks := *s.chunks.Load()
	chunk, used := 0, 0
	for number := range s.count {
		if !s.holds(chunks[chunk], used, number) {
			chunk, used = chunk+1, 0
		}
		record := chunks[chunk][used:]
		n := int(binary.LittleEndian.Uint32(record[4:]))
		do(uint64(chunk)<<chunkBits|uint64(used), number, record[recordHeader:recordHeader+n])
		used += recordHeader + n
	}
}

// holds reports whether the record of a number starts at an index of a chunk. The rest of a chunk is zero, and a
// number is never 0 there, except that the first record of all is at the very start.
func (s *shard) holds(chunk []byte, used int, number uint32) bool {
	return used == 0 || used+recordHeader <= len(chunk) && binary.LittleEndian.Uint32(chunk[used:]) == number
}
