package gpu

import (
	"errors"
	"fmt"

	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// alloc takes memory for partitions, by budget.alloc or budget.take. Tables that wait for the next query make room, and partitions that
// no query reads, those first that nobody used for a while; an eighth of the memory stays for the queries' tables.
func (p *partitions) alloc(bytes int64, take func(bytes, spare int64) (kernels.Address, error)) (kernels.Address, error) {
	for {
		at, err := take(bytes, p.spare())
		if !errors.Is(err, ErrOutOfMemory) || !p.d.lanes.drop(p.d.options.patience) && !p.d.pages.shrink() && !p.evict(recent) && !p.d.lanes.drop(0) && !p.evict(0) {
			return at, err
		}
	}
}

// allocLists is alloc for the arrays of a partition.
func (p *partitions) allocLists(bytes int64, take func(bytes, spare int64) (kernels.Address, error)) (kernels.Address, error) {
	return p.alloc(bytes, func(bytes, spare int64) (kernels.Address, error) {
		if p.full(bytes) {
			return 0, fmt.Errorf("gpu: %d bytes of partitions are too many: %w", bytes, ErrOutOfMemory)
		}
		return take(bytes, spare)
	})
}

// spare is what stays for the queries' tables, beside what they have.
func (p *partitions) spare() int64 { return max(p.leastTables()-p.d.lanes.bytes(), 0) }

// leastTables is what the queries' tables may have in any case.
func (p *partitions) leastTables() int64 { return max(p.d.memory.limit/8, minArena) }

// short reports whether memory is: partitions are read in pages.
func (p *partitions) short() bool { return p.inPages.Load() > 0 }

// full reports whether partitions may not take so many bytes more.
func (p *partitions) full(bytes int64) bool {
	most := p.d.options.graphs
	return most > 0 && p.bytes()+bytes > most
}

// left is how much partitions may still take without evicting any.
func (p *partitions) left() int64 {
	left := p.d.memory.left() - p.spare()
	if most := p.d.options.graphs; most > 0 {
		left = min(left, most-p.bytes())
	}
	return max(left, 0)
}

// bytes is what partitions take on the device.
func (p *partitions) bytes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.d.pages.total.Load()
	for _, l := range p.all {
		n += p.d.memory.taken(l.device)
	}
	return n
}

// recent is how many uses of partitions ago one was used that is not to make room for another.
const recent = 64

// fits reports whether so many bytes more of a graph can be on the device whole: if they are free, or can be freed of what no query reads. A
// graph that is larger than the memory has no more than half of it for whole partitions, the rest is for pages; and what was used recently
// does not make room for it, or its partitions would drive one another out.
func (p *partitions) fits(ground *pcsr.Graph, bytes int64) bool {
	free := p.left() + p.d.memory.keptBytes() + p.d.pages.idle()
	most := p.d.memory.limit - p.leastTables()
	if of := p.d.options.graphs; of > 0 {
		most = min(most, of)
	} else {
		free += p.d.lanes.idleBytes()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	larger, whole := int64(ground.Bytes()) > most, int64(0)
	for _, l := range p.all {
		n := p.d.memory.taken(l.device)
		if l.queries == 0 && (!larger || p.clock-l.used > recent) {
			free += n
		} else if l.pages == nil {
			whole += n
		}
	}
	return bytes <= free && (!larger || whole+bytes <= most/2)
}

// pinned takes pinned host memory. Partitions that lie there and that no query reads make room.
func (p *partitions) pinned(bytes int64) (*kernels.HostMemory, error) {
	for {
		m, err := p.d.pinned.alloc(bytes)
		if !errors.Is(err, ErrUnfit) || !p.evictOldest(0, func(l *loaded) bool { return len(l.host) > 0 }) {
			return m, err
		}
	}
}

// evict frees what no query has read for the longest time, and for so many uses of partitions, of the device; false where there is nothing.
func (p *partitions) evict(uses uint64) bool {
	return p.evictOldest(uses, func(l *loaded) bool { return len(l.device) > 0 })
}

func (p *partitions) evictOldest(uses uint64, of func(*loaded) bool) bool {
	p.mu.Lock()
	var oldest *loaded
	for _, l := range p.all {
		if l.queries == 0 && of(l) && p.clock-l.used >= uses && (oldest == nil || l.used < oldest.used) {
			oldest = l
		}
	}
	if oldest != nil {
		p.remove(oldest)
	}
	p.mu.Unlock()
	return oldest != nil && p.release(p.d.memory.free, []*loaded{oldest}) == nil
}
