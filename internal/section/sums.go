package section

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// A sum covers one chunk of the file: bytes c<<chunkShift to (c+1)<<chunkShift; the first leaves the header out, the
// last ends where the sums begin. At 16 KiB they take 0.05 % of the file, and the first use of a chunk costs about a
// microsecond, which is less than reading it from a disk.
const (
	chunkShift = 14
	chunkBytes = 1 << chunkShift
)

// chunksBelow is the number of chunks of the bytes before end.
func chunksBelow(end uint64) uint64 { return (end + chunkBytes - 1) >> chunkShift }

// summer makes the sums of bytes as they are written.
type summer struct {
	hash *xxh3.Hasher
	at   int // in the chunk
	sums []byte
}

func newSummer() summer { return summer{hash: xxh3.New(), at: headerBytes} }

func (s *summer) add(p []byte) {
	for len(p) > 0 {
		n := min(len(p), chunkBytes-s.at)
		s.hash.Write(p[:n])
		p = p[n:]
		if s.at += n; s.at == chunkBytes {
			s.end()
		}
	}
}

func (s *summer) end() {
	s.sums = binary.LittleEndian.AppendUint64(s.sums, s.hash.Sum64())
	s.hash.Reset()
	s.at = 0
}

// finish ends the last chunk.
func (s *summer) finish() []byte {
	if s.at > 0 {
		s.end()
	}
	return s.sums
}

// checks is what is known of a file's chunks.
type checks struct {
	// on says that some chunk has not been compared yet.
	on      atomic.Bool
	end     uint64 // where the sums begin
	sums    []uint64
	covered []byte // the sums up to the table
	sum     uint64 // of covered
	seen    []atomic.Uint64
	left    atomic.Int64
}

func (c *checks) open(data []byte, sums entry, h header) {
	c.end, c.sum = sums.offset, h.sumsSum
	c.covered = data[sums.offset:h.tableOffset]
	c.sums = unsafe.Slice((*uint64)(unsafe.Pointer(&c.covered[0])), sums.length/8)
}

// start makes parts be checked when they are first used.
func (c *checks) start() {
	c.seen = make([]atomic.Uint64, (len(c.sums)+63)/64)
	c.left.Store(int64(len(c.sums)))
	c.on.Store(true)
}

// Unchecked reports whether there are parts of the file that Check would still have to read. It is false for a nil
// File, for one in memory, and once everything has been read: a hot loop asks it before it calls Check.
func (f *File) Unchecked() bool { return f != nil && f.checks.on.Load() }

// Check compares the checksums of the chunks that part lies in, unless this process has done so before. part is a view
// of the file or some of one; a nil File checks nothing. Where a checksum does not match it panics with a *Damage, which
// Guard turns into an error.
func Check[T number](f *File, part []T) {
	f.check(unsafe.Pointer(unsafe.SliceData(part)), len(part)*int(unsafe.Sizeof(T(0)))) // what is inlined ends here
}

func (f *File) check(part unsafe.Pointer, length int) {
	if !f.Unchecked() || length == 0 {
		return
	}
	from, n := uintptr(part)-uintptr(unsafe.Pointer(unsafe.SliceData(f.data))), uintptr(length)
	first, last := from>>chunkShift, (from+n-1)>>chunkShift
	if first == last && f.checks.seen[first/64].Load()>>(first%64)&1 != 0 {
		return // as nearly always
	}
	if err := f.checkRange(first, last+1); err != nil {
		panic(&Damage{err})
	}
}

// checkRange checks those of some chunks that have not been seen.
func (f *File) checkRange(first, end uintptr) error {
	for c := first; c < end; c++ {
		switch seen := f.checks.seen[c/64].Load(); {
		case seen == math.MaxUint64:
			c |= 63 // the last of these 64
		case seen>>(c%64)&1 == 0:
			if err := f.checkChunk(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckSections is Check of whole sections, before what lies in them is relied on for good; those that are not there
// are left out. The error is ErrDamaged.
func (f *File) CheckSections(names ...string) error {
	return Guard(func() error {
		for _, name := range names {
			if i, ok := f.index[name]; ok {
				e := f.entries[i]
				Check(f, f.data[e.offset:e.end()])
			}
		}
		return nil
	})
}

// checkChunk compares one chunk and remembers it.
func (f *File) checkChunk(c uintptr) error {
	if err := f.compare(uint64(c)); err != nil || f.checks.seen == nil {
		return err
	}
	bit := uint64(1) << (c % 64)
	if f.checks.seen[c/64].Or(bit)&bit == 0 && f.checks.left.Add(-1) == 0 {
		f.checks.on.Store(false)
	}
	return nil
}

// compare reads one chunk.
func (f *File) compare(c uint64) error {
	from, to := max(c<<chunkShift, headerBytes), min((c+1)<<chunkShift, f.checks.end)
	if checksum(f.data[from:to]) == f.checks.sums[c] {
		return nil
	}
	return f.Damaged("the checksum of bytes %d to %d does not match, in %s", from, to-1, f.sectionsIn(from, to))
}

// sectionsIn names the first section that has some of the bytes.
func (f *File) sectionsIn(from, to uint64) string {
	for _, e := range f.entries {
		if e.offset < to && e.end() > from {
			return fmt.Sprintf("section %q", e.name)
		}
	}
	return "no section"
}

// Verify reads the whole file and compares every checksum; the error is ErrDamaged and names file and section.
func (f *File) Verify() error {
	return Guard(func() error {
		if err := f.checkSums(); err != nil {
			return err
		}
		for c := range uintptr(len(f.checks.sums)) {
			if err := f.checkChunk(c); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkStep is how many chunks CheckAll reads between two pauses.
const checkStep = 256

// CheckAll reads what has not been read yet, after which reading the file costs no checks any more. It pauses for nine
// times as long as it works, so that what else the process does goes first. The error is ErrDamaged, or the context's.
func (f *File) CheckAll(ctx context.Context) error {
	for first := uintptr(0); f.Unchecked() && first < uintptr(len(f.checks.sums)); first += checkStep {
		began := time.Now()
		end := min(first+checkStep, uintptr(len(f.checks.sums)))
		if err := Guard(func() error { return f.checkRange(first, end) }); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(9 * time.Since(began)):
		}
	}
	return Guard(f.checkSums)
}

// checkSums compares the checksum of the sums, and of the zeros after them, which belong to no chunk.
func (f *File) checkSums() error {
	if checksum(f.checks.covered) != f.checks.sum {
		return f.Damaged("the checksum of its sums does not match")
	}
	return nil
}
