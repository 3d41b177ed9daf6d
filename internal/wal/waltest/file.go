package waltest

import (
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// sector is the smallest unit that is written as a whole.
const sector = 512

// file is one file: its bytes as programs see them, and on the disk.
type file struct {
	now, disk []byte
	// written are the sectors that were written since they were synced, cut those that became zeros because the file was cut or
	// grew: fdatasync does not care for these.
	written, cut map[int]bool
}

func (f *file) touch(sectors *map[int]bool, from, to int) {
	if *sectors == nil {
		*sectors = map[int]bool{}
	}
	for s := from / sector; s*sector < to; s++ {
		(*sectors)[s] = true
	}
}

func (f *file) write(b []byte, at int) {
	if grow := at + len(b) - len(f.now); grow > 0 {
		f.resize(at + len(b))
	}
	copy(f.now[at:], b)
	f.touch(&f.written, at, at+len(b))
}

func (f *file) resize(size int) {
	if size < len(f.now) {
		f.touch(&f.cut, size, len(f.now))
		maps.DeleteFunc(f.written, func(s int, _ bool) bool { return s*sector >= size })
		// The rest of the sector is filled with zeros in memory, as a write would.
		f.touch(&f.written, size, min((size+sector-1)/sector*sector, len(f.now)))
		f.now = slices.Clone(f.now[:size])
		return
	}
	f.touch(&f.cut, len(f.now), size)
	f.now = append(f.now, make([]byte, size-len(f.now))...)
}

// reach makes a sector on the disk what it is now.
func (f *file) reach(s int) {
	from, to := s*sector, min((s+1)*sector, len(f.now))
	if from >= to {
		return
	}
	if to > len(f.disk) {
		f.disk = append(f.disk, make([]byte, to-len(f.disk))...)
	}
	copy(f.disk[from:to], f.now[from:to])
}

// syncData writes what was written, and lets the file on the disk grow.
func (f *file) syncData() {
	for _, s := range sorted(f.written) {
		f.reach(s)
		delete(f.cut, s)
	}
	f.written = nil
	if n := len(f.now) - len(f.disk); n > 0 {
		f.disk = append(f.disk, make([]byte, n)...)
	}
}

func (f *file) sync() {
	f.syncData()
	for _, s := range sorted(f.cut) {
		f.reach(s)
	}
	f.disk, f.cut = f.disk[:len(f.now)], nil
}

// sorted are the sectors of a set in order, so that a seed always does the same.
func sorted(sectors map[int]bool) []int { return slices.Sorted(maps.Keys(sectors)) }

// writeBack writes some sectors, as a system does by itself at any time.
func (f *file) writeBack(r *rand.Rand) {
	for _, s := range sorted(f.written) {
		if r.IntN(2) == 0 {
			f.reach(s)
		}
	}
}

// failedSync writes some sectors, and forgets of the others that they are to be written.
func (f *file) failedSync(r *rand.Rand) {
	f.writeBack(r)
	f.written = nil
}

// crash leaves what is on the disk, and of what is not, some blocks.
func (f *file) crash(r *rand.Rand, block int) {
	chosen := map[int]bool{}
	reaches := func(s int) bool {
		b := s * sector / block
		if _, ok := chosen[b]; !ok {
			chosen[b] = r.IntN(2) == 0
		}
		return chosen[b]
	}
	for _, s := range sorted(f.written) {
		if reaches(s) {
			f.reach(s)
		}
	}
	for _, s := range sorted(f.cut) {
		if reaches(s) {
			f.reach(s)
		}
	}
	if len(f.disk) != len(f.now) && r.IntN(2) == 0 {
		f.disk = append(f.disk, make([]byte, max(0, len(f.now)-len(f.disk)))...)[:len(f.now)]
	}
	f.now, f.written, f.cut = slices.Clone(f.disk), nil, nil
}

// handle is an open file.
type handle struct {
	disk *Disk
	file *file
	name string
}

// do runs an operation on the file unless it is to fail.
func (h *handle) do(op Operation, f func(*file)) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.fault(op, h.name, 0); err != nil {
		if op == Sync || op == SyncData {
			h.file.failedSync(h.disk.random)
		}
		return err
	}
	f(h.file)
	return nil
}

func (h *handle) ReadAt(b []byte, at int64) (n int, err error) {
	err = h.do(Read, func(f *file) {
		if at < int64(len(f.now)) {
			n = copy(b, f.now[at:])
		}
	})
	if err == nil && n < len(b) {
		err = io.EOF
	}
	return n, err
}

func (h *handle) WriteAt(b []byte, at int64) (n int, err error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.fault(Write, h.name, len(b)); err != nil {
		n := h.disk.random.IntN(len(b) + 1)
		h.file.write(b[:n], int(at))
		h.file.writeBack(h.disk.random)
		return n, err
	}
	h.file.write(b, int(at))
	return len(b), nil
}

func (h *handle) Size() (n int64, err error) {
	err = h.do(Read, func(f *file) { n = int64(len(f.now)) })
	return n, err
}

func (h *handle) Allocate(size int64) error {
	return h.do(Allocate, func(f *file) {
		if int(size) > len(f.now) {
			f.resize(int(size))
		}
	})
}

func (h *handle) Truncate(size int64) error {
	return h.do(Truncate, func(f *file) { f.resize(int(size)) })
}

func (h *handle) SyncData() error {
	err := h.do(SyncData, (*file).syncData)
	time.Sleep(h.disk.SyncTakes)
	return err
}

func (h *handle) Sync() error { return h.do(Sync, (*file).sync) }

func (h *handle) Close() error { return nil }
