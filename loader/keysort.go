package loader

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
)

// item stands for a key in a sort: where it lies, and eight bytes of it in front, so that most comparisons need not
// look there.
type item struct {
	prefix uint64 // the bytes at the depth that is being sorted, big-endian, zeros after the end
	ref    uint64
}

// keySorter sorts items by their keys (multikey quicksort over eight bytes at a time, in parallel).
type keySorter struct {
	key   func(ref uint64) []byte
	wait  sync.WaitGroup
	slots chan struct{} // one for each core beyond the first
}

// Sizes below which a part is sorted by comparison, and above which its halves go to different cores.
const (
	sortSmall    = 24
	sortParallel = 1 << 14
)

// sortKeys sorts items by the bytes of their keys, which must all differ, on so many cores.
func sortKeys(threads int, items []item, key func(ref uint64) []byte) {
	s := &keySorter{key: key, slots: make(chan struct{}, threads-1)}
	s.group(items, 0)
	s.wait.Wait()
}

// group sorts items whose keys are equal before depth.
func (s *keySorter) group(items []item, depth int) {
	if len(items) < 2 {
		return
	}
	shared := s.common(items, depth, max(len(items)/sampledKeys, 1))
	longest, ok := s.load(items, depth, shared)
	if !ok {
		shared = s.common(items, depth, 1)
		longest, _ = s.load(items, depth, shared)
	}
	if depth += shared; longest <= depth {
		// All keys end within eight bytes and have the same: what differs is the number of zeros at the end.
		slices.SortFunc(items, func(a, b item) int { return bytes.Compare(s.key(a.ref), s.key(b.ref)) })
		return
	}
	s.sort(items, depth)
}

// sampledKeys is of how many keys the common prefix is looked at before all of them are.
const sampledKeys = 16

// common tells how far beyond depth every so many-th key is equal to the first.
func (s *keySorter) common(items []item, depth, step int) int {
	first := s.key(items[0].ref)
	first = first[min(depth, len(first)):]
	shared := len(first)
	for i := step; i < len(items) && shared > 0; i += step {
		k := s.key(items[i].ref)
		k = k[min(depth, len(k)):]
		shared = min(shared, len(k))
		shared = commonPrefix(first[:shared], k)
	}
	return shared
}

// load puts the eight bytes of each key after depth + shared into its item; ok is false where not all keys are equal
// up to there. longest is the length of the longest key.
func (s *keySorter) load(items []item, depth, shared int) (longest int, ok bool) {
	var same []byte
	if shared > 0 {
		same = s.key(items[0].ref)[depth : depth+shared]
	}
	for i := range items {
		k := s.key(items[i].ref)
		if shared > 0 && (len(k) < depth+shared || !bytes.Equal(k[depth:depth+shared], same)) {
			return 0, false
		}
		longest = max(longest, len(k))
		items[i].prefix = prefixAt(k, depth+shared)
	}
	return longest, true
}

// commonPrefix is the length of the longest common prefix of a and b, where b is not shorter.
func commonPrefix(a, b []byte) int {
	i := 0
	for i+8 <= len(a) {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
		i += 8
	}
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i
}

func prefixAt(key []byte, depth int) uint64 {
	if len(key) >= depth+8 {
		return binary.BigEndian.Uint64(key[depth:])
	}
	var b [8]byte
	if depth < len(key) {
		copy(b[:], key[depth:])
	}
	return binary.BigEndian.Uint64(b[:])
}

// sort sorts items by prefix, then by what follows.
func (s *keySorter) sort(items []item, depth int) {
	for len(items) > sortSmall {
		below, equal := partition(items)
		s.fork(items[below:equal], func(part []item) { s.group(part, depth+8) })
		s.fork(items[:below], func(part []item) { s.sort(part, depth) })
		items = items[equal:]
	}
	slices.SortFunc(items, func(a, b item) int {
		if a.prefix != b.prefix {
			if a.prefix < b.prefix {
				return -1
			}
			return 1
		}
		return bytes.Compare(s.key(a.ref), s.key(b.ref))
	})
}

// fork sorts a part on another core where it is large and a core is free.
func (s *keySorter) fork(part []item, sort func([]item)) {
	if len(part) >= sortParallel {
		select {
		case s.slots <- struct{}{}:
			s.wait.Go(func() {
				sort(part)
				<-s.slots
			})
			return
		default:
		}
	}
	sort(part)
}

// partition moves items with a prefix below a pivot's to the front and those above to the back.
func partition(items []item) (below, equal int) {
	n := len(items)
	pivot := median(items[n/4].prefix, items[n/2].prefix, items[3*n/4].prefix)
	lt, i, gt := 0, 0, n
	for i < gt {
		switch p := items[i].prefix; {
		case p < pivot:
			items[lt], items[i] = items[i], items[lt]
			lt++
			i++
		case p > pivot:
			gt--
			items[gt], items[i] = items[i], items[gt]
		default:
			i++
		}
	}
	return lt, gt
}

func median(a, b, c uint64) uint64 { return max(min(a, b), min(max(a, b), c)) }
