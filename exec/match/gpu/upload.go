package gpu

import (
	"errors"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Large arrays go to the device through two pinned buffers in turn: while one is on its way, the other is filled by
// several goroutines, which also take the page faults of a mapped file.
const (
	sendBytes   = 32 << 20 // of each
	leastSent   = 1 << 20  // what is less does not go through them
	copiedBytes = 1 << 18  // about how many a goroutine takes at a time
)

// copyArrays copies a partition as it lies in memory.
func (p *partitions) copyArrays(l *loaded, part *pcsr.Partition) error {
	a, e := part.Arrays(), &l.entry
	*e = kernels.Partition{Layer: kernels.Layer(a.Layer), Base: a.Base, Rows: a.Rows, Edges: a.Edges, Probes: a.Probes, Words: uint32(len(a.Index))}
	type array struct {
		at    *kernels.Address
		words []uint32
	}
	arrays := []array{{&e.Index, a.Index}}
	if a.Layer == pcsr.List {
		arrays = append(arrays, array{&e.Vertices, a.Vertices})
	}
	lists := 4 * int64(len(a.Offsets)+len(a.Neighbours))
	paged := p.d.options.inPages || lists > 2*p.d.pages.bytes && !p.fits(l.ground, lists)
	if !paged {
		arrays = append(arrays, array{&e.Offsets, a.Offsets}, array{&e.Neighbours, a.Neighbours})
	}
	var sent transfers
	var err error
	for _, of := range arrays {
		if *of.at, err = p.place(&l.storage, of.words, &sent); err != nil {
			return err
		}
	}
	if err = p.send(sent); err == nil && paged {
		err = p.page(l, a)
	}
	return err
}

// copyWords puts an array on the device or, where that is full, into pinned host memory.
func (p *partitions) copyWords(s *storage, words []uint32) (kernels.Address, error) {
	var sent transfers
	at, err := p.place(s, words, &sent)
	if err != nil {
		return 0, err
	}
	return at, p.send(sent)
}

// transfers are arrays that are to be sent.
type transfers []transfer

type transfer struct {
	at   kernels.Address
	data []byte
}

// place takes memory for an array: on the device, to which it is to be sent then, or, where that is full, pinned host memory, into which it copies it.
func (p *partitions) place(s *storage, words []uint32, sent *transfers) (kernels.Address, error) {
	if len(words) == 0 {
		return 0, nil
	}
	data := kernels.Bytes(words)
	at, host, err := p.space(s, int64(len(data)))
	if err != nil {
		return 0, err
	}
	if host != nil {
		copy(host, data)
		return at, nil
	}
	*sent = append(*sent, transfer{at, data})
	return at, nil
}

// space takes memory on the device or, where that is full, pinned host memory, which it returns.
func (p *partitions) space(s *storage, bytes int64) (at kernels.Address, host []byte, err error) {
	take := p.d.memory.alloc
	if s.passing {
		take = p.d.memory.take
	}
	at, err = p.allocLists(bytes, take)
	if err == nil {
		s.device = append(s.device, at)
		return at, nil, nil
	}
	if !errors.Is(err, ErrOutOfMemory) {
		return 0, nil, err
	}
	m, err := p.pinned(bytes)
	if err != nil {
		return 0, nil, err
	}
	s.host = append(s.host, m)
	return m.Device, m.Data[:bytes], nil
}

// quadBytes is what kernels may read behind the end of an array: the last members of a list are read with those beside them (partition.cuh).
const quadBytes = 16

// page puts the lists of a partition into pinned host memory, to be read in pages. Where they begin is on the device if that takes no more
// than a quarter of what is left.
func (p *partitions) page(l *loaded, a pcsr.Arrays) (err error) {
	pages := &paging{}
	if n := 4 * int64(len(a.Offsets)); n > 0 && n <= p.left()/4 && !p.d.options.offsetsInPages {
		if l.entry.Offsets, err = p.copyWords(&l.storage, a.Offsets); err != nil {
			return err
		}
		pages.offsetsResident = len(l.host) == 0 || l.host[len(l.host)-1].Device != l.entry.Offsets
	}
	pageOf := pages.cut(a, p.d.pages.bytes)
	if pages.pageOf, err = p.copyWords(&l.storage, pageOf); err != nil {
		return err
	}
	if len(a.Offsets) > 0 && l.entry.Offsets == 0 {
		if l.entry.Offsets, pages.offsets, err = p.pin(&l.storage, a.Offsets); err != nil {
			return err
		}
	}
	l.entry.Neighbours, pages.neighbours, err = p.pin(&l.storage, a.Neighbours)
	pages.flatOffsets, pages.flatNeighbours = l.entry.Offsets, l.entry.Neighbours
	l.pages = pages
	return err
}

// pin copies an array into pinned host memory.
func (p *partitions) pin(s *storage, words []uint32) (kernels.Address, []uint32, error) {
	data := kernels.Bytes(words)
	m, err := p.pinned(int64(len(data)))
	if err != nil {
		return 0, nil, err
	}
	s.host = append(s.host, m)
	if _, err := copyParallel(m.Data, data); err != nil {
		return 0, nil, err
	}
	return m.Device, unsafe.Slice((*uint32)(unsafe.Pointer(&m.Data[0])), len(words)), nil
}

// send copies arrays to the device and waits for it. The first pieces are small, so that they are soon on their way.
func (p *partitions) send(all transfers) error {
	bytes := 0
	for _, t := range all {
		bytes += len(t.data)
	}
	p.mu.Lock()
	p.copied += int64(bytes)
	p.mu.Unlock()
	if bytes < leastSent || !p.stage() {
		for _, t := range all {
			if err := p.stream.Upload(t.at, t.data); err != nil {
				return errors.Join(err, p.stream.Synchronize())
			}
		}
		return p.stream.Synchronize()
	}
	buffer, sent := 0, 0
	for _, t := range all {
		for len(t.data) > 0 {
			staging := p.staging[buffer].Data[:min(max(sent/2, leastSent), sendBytes)]
			n, err := copyParallel(staging, t.data)
			if err := errors.Join(p.stream.Synchronize(), err); err != nil { // the other buffer has arrived
				return err
			}
			if err := p.stream.Upload(t.at, staging[:n]); err != nil {
				return err
			}
			t.at, t.data = t.at+kernels.Address(n), t.data[n:]
			buffer, sent = 1-buffer, sent+n
		}
	}
	return p.stream.Synchronize()
}

// stage makes the pinned buffers; false where the system has none to give.
func (p *partitions) stage() bool {
	for i := range p.staging {
		if p.staging[i] == nil {
			m, err := p.d.driver.AllocHost(sendBytes)
			if err != nil {
				return false
			}
			p.staging[i] = m
		}
	}
	return true
}

// copyParallel is copy by several goroutines; the error is section.ErrDamaged, of a mapped file that was cut.
func copyParallel(dst, src []byte) (int, error) {
	n := min(len(dst), len(src))
	parts := n/copiedBytes + 1
	return n, section.Guard(func() error {
		machine.Parallel(parts, func(i int) { copy(dst[n*i/parts:n*(i+1)/parts], src[n*i/parts:]) })
		return nil
	})
}
