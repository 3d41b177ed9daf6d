package dictionary

import (
	"errors"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// The table from terms to IDs: open addressing with linear probing over 32-bit slots, at a load of 0.8. A slot is an ID
// in its low idBits bits and, above them, as many bits of the hash as there is room for, which spare most of the
// decoding of terms that are not the wanted one. The table is cut into partitions by the top bits of the hash, so that
// it is built from runs that fit in memory; a partition's probing wraps around inside it.
const (
	partitionBits     = 8
	partitions        = 1 << partitionBits
	smallDictionary   = 4096 // terms; below, there is one partition
	emptySlot         = None
	spillEntries      = 4096
	hashKind          = "dicthash"
	hashVersion       = 1
	loadNumerator     = 5 // slots = entries × 5 / 4 + 1
	loadDenominator   = 4
	hashMetaPartition = 0
	hashMetaTerms     = 1
)

// hashEntry is 32 bits of the hash, below the partition's, and the ID.
type hashEntry uint64

func newHashEntry(hash uint64, id ID) hashEntry {
	return hashEntry(uint64(uint32(hash>>24))<<32 | uint64(id))
}

func (e hashEntry) hash() uint32 { return uint32(e >> 32) }
func (e hashEntry) id() ID       { return ID(e) }

// hashBuilder gathers entries by partition; with a spill file it keeps spillEntries of each in memory.
type hashBuilder struct {
	spill  *section.DiskFile
	offset int64
	count  int
	parts  [partitions]struct {
		entries []hashEntry
		chunks  []int64 // offsets of spilled chunks, each of spillEntries
	}
}

func (h *hashBuilder) add(key []byte, id ID) error {
	hash := xxh3.Hash(key)
	p := &h.parts[hash>>(64-partitionBits)]
	p.entries = append(p.entries, newHashEntry(hash, id))
	h.count++
	if h.spill == nil || len(p.entries) < spillEntries {
		return nil
	}
	if _, err := h.spill.WriteAt(entryBytes(p.entries), h.offset); err != nil {
		return fmt.Errorf("dictionary: %w", err)
	}
	p.chunks = append(p.chunks, h.offset)
	h.offset += spillEntries * 8
	p.entries = p.entries[:0]
	return nil
}

// entryBytes is the memory of entries, to be written and read back by this process alone.
func entryBytes(e []hashEntry) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(e))), len(e)*8)
}

// load appends the entries of a partition to dst.
func (h *hashBuilder) load(dst []hashEntry, partition int) ([]hashEntry, error) {
	p := &h.parts[partition]
	for _, offset := range p.chunks {
		start := len(dst)
		dst = append(dst, make([]hashEntry, spillEntries)...)
		if _, err := h.spill.ReadAt(entryBytes(dst[start:]), offset); err != nil {
			return nil, fmt.Errorf("dictionary: read back the hash entries: %w", err)
		}
	}
	return append(dst, p.entries...), nil
}

// write writes the table.
func (h *hashBuilder) write(w *section.Writer) error {
	bitsOfPartition, count := partitionBits, partitions
	if h.count < smallDictionary {
		bitsOfPartition, count = 0, 1
	}
	starts := make([]uint64, 1, count+1)
	if err := w.Section("slots"); err != nil {
		return err
	}
	idBits := bits.Len32(uint32(h.count))
	var entries []hashEntry
	var slots []uint32
	for first := 0; first < partitions; first += partitions / count {
		entries = entries[:0]
		for p := first; p < first+partitions/count; p++ {
			var err error
			if entries, err = h.load(entries, p); err != nil {
				return err
			}
		}
		slots = fillSlots(slots, entries, idBits)
		starts = append(starts, starts[len(starts)-1]+uint64(len(slots)))
		if err := section.WriteNumbers(w, slots); err != nil {
			return err
		}
	}
	return errors.Join(
		w.Section("starts"), section.WriteNumbers(w, starts),
		w.Section("meta"), section.WriteNumbers(w, []uint64{hashMetaPartition: uint64(bitsOfPartition), hashMetaTerms: uint64(h.count)}),
	)
}

func fillSlots(slots []uint32, entries []hashEntry, idBits int) []uint32 {
	n := len(entries)*loadNumerator/loadDenominator + 1
	if cap(slots) < n {
		slots = make([]uint32, n)
	}
	slots = slots[:n]
	for i := range slots {
		slots[i] = emptySlot
	}
	for _, e := range entries {
		i := firstSlot(e.hash(), n)
		for slots[i] != emptySlot {
			if i++; i == n {
				i = 0
			}
		}
		slots[i] = tagOf(e.hash(), idBits) | e.id()
	}
	return slots
}

func firstSlot(hash uint32, n int) int { return int(uint64(hash) * uint64(n) >> 32) }

// tagOf is the part of a slot above the ID: the low bits of the hash, which firstSlot depends on least.
func tagOf(hash uint32, idBits int) uint32 { return uint32(uint64(hash) << idBits) }

// hashTable is the table as it is read.
type hashTable struct {
	shift  int // 64 − bits of the partition
	idBits int
	starts []uint64
	slots  []uint32
	file   *section.File
}

func openHash(f *section.File, terms int) (hashTable, error) {
	t := hashTable{file: f}
	meta, err := f.Uint64s("meta")
	if err != nil {
		return t, err
	}
	if t.starts, err = f.Uint64s("starts"); err != nil {
		return t, err
	}
	if t.slots, err = f.Uint32s("slots"); err != nil {
		return t, err
	}
	if len(meta) < 2 || meta[hashMetaPartition] > 16 || meta[hashMetaTerms] != uint64(terms) {
		return t, f.Damaged("its numbers do not fit a dictionary of %d terms", terms)
	}
	count := 1 << meta[hashMetaPartition]
	if len(t.starts) != count+1 || t.starts[0] != 0 || t.starts[count] != uint64(len(t.slots)) {
		return t, f.Damaged("its partitions do not cover its slots")
	}
	for i, s := range t.starts[1:] {
		if s <= t.starts[i] {
			return t, f.Damaged("partition %d has no slots", i)
		}
	}
	t.shift, t.idBits = 64-int(meta[hashMetaPartition]), bits.Len32(uint32(terms))
	return t, nil
}

// find probes the IDs that may have the hash; it ends at an empty slot or when match says yes.
func (t *hashTable) find(hash uint64, match func(ID) bool) (ID, bool) {
	p := hash >> t.shift
	if t.shift == 64 {
		p = 0
	}
	slots := t.slots[t.starts[p]:t.starts[p+1]]
	h := uint32(hash >> 24)
	tag, mask := tagOf(h, t.idBits), uint32(uint64(1)<<t.idBits-1)
	i := firstSlot(h, len(slots))
	for range slots {
		if t.file.Unchecked() {
			section.Check(t.file, slots[i:i+1])
		}
		s := slots[i]
		if s == emptySlot {
			return None, false
		}
		if s&^mask == tag && match(s&mask) {
			return s & mask, true
		}
		if i++; i == len(slots) {
			i = 0
		}
	}
	return None, false
}
