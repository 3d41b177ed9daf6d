package gpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// scratch is a piece of device memory that small things of queries are cut out of, so that where memory is full they neither take any from the
// device nor give it back: that waits for all that runs there. Its owner locks it.
type scratch struct {
	base kernels.Address
	size int64
	free []span // by address; no two touch
	// cut are the sizes of what is out.
	cut map[kernels.Address]int64
}

// span is a stretch of memory.
type span struct {
	at   kernels.Address
	size int64
}

func (s span) end() kernels.Address { return s.at + kernels.Address(s.size) }

func newScratch(base kernels.Address, size int64) *scratch {
	return &scratch{base: base, size: size, free: []span{{base, size}}, cut: map[kernels.Address]int64{}}
}

// take cuts out the first stretch that has so many bytes, a multiple of the alignment; 0: there is none.
func (s *scratch) take(bytes int64) kernels.Address {
	i := slices.IndexFunc(s.free, func(f span) bool { return f.size >= bytes })
	if i < 0 {
		return 0
	}
	f := &s.free[i]
	at := f.at
	f.at, f.size = f.at+kernels.Address(bytes), f.size-bytes
	if f.size == 0 {
		s.free = slices.Delete(s.free, i, i+1)
	}
	s.cut[at] = bytes
	return at
}

// give takes back what take cut out; false where it did not.
func (s *scratch) give(at kernels.Address) bool {
	bytes, ours := s.cut[at]
	if !ours {
		return false
	}
	delete(s.cut, at)
	f := span{at, bytes}
	i, _ := slices.BinarySearchFunc(s.free, at, func(f span, at kernels.Address) int {
		if f.at < at {
			return -1
		}
		return 1
	})
	if i < len(s.free) && f.end() == s.free[i].at {
		f.size += s.free[i].size
		s.free = slices.Delete(s.free, i, i+1)
	}
	if i > 0 && s.free[i-1].end() == at {
		s.free[i-1].size += f.size
		return true
	}
	s.free = slices.Insert(s.free, i, f)
	return true
}

// left is how many bytes are not cut out.
func (s *scratch) left() (n int64) {
	for _, f := range s.free {
		n += f.size
	}
	return n
}
