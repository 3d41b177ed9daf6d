package loader

import (
	"context"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// gather reads the list and puts the keys of each piece side by side.
func (e *edgeWriter) gather(ctx context.Context, names *graphNames, pieces []piece) (parts [][]uint64, keys []uint64, err error) {
	total := uint64(0)
	pieceOf := make([]int, len(e.cells))
	for i := range pieceOf {
		pieceOf[i] = -1
	}
	cursors := make([]atomic.Uint64, len(pieces))
	for i, p := range pieces {
		cursors[i].Store(total)
		total += p.count
		pieceOf[p.cell] = i
	}
	if keys, err = allocate[uint64](e.triples.memory, int(total)); err != nil {
		return nil, nil, err
	}
	at := uint64(0)
	for _, p := range pieces {
		parts = append(parts, keys[at:at+p.count:at+p.count])
		at += p.count
	}
	buffers := make([]*gatherBuffers, e.triples.memory.threads)
	for i := range buffers {
		buffers[i] = newGatherBuffers(keys, cursors)
	}
	err = e.each(ctx, names, func(worker, cell int, key uint64) {
		i := pieceOf[cell]
		if i < 0 {
			return
		}
		if p := &pieces[i]; !p.whole {
			if p.direction == pcsr.In {
				key = key<<32 | key>>32
			}
			if row := key >> 32; row < p.from || row >= p.to {
				return
			}
		}
		buffers[worker].add(i, key)
	})
	if err != nil {
		release(e.triples.memory, keys)
		return nil, nil, err
	}
	for _, b := range buffers {
		b.flush()
	}
	return parts, keys, nil
}

// gatherBuffers collects a few keys of each piece before they are put in place.
type gatherBuffers struct {
	keys    []uint64
	cursors []atomic.Uint64
	size    int
	held    []uint64 // size keys for each piece
	counts  []int
}

func newGatherBuffers(keys []uint64, cursors []atomic.Uint64) *gatherBuffers {
	size := min(max(1<<20/max(len(cursors), 1), 4), 64)
	return &gatherBuffers{keys, cursors, size, make([]uint64, size*len(cursors)), make([]int, len(cursors))}
}

func (b *gatherBuffers) add(piece int, key uint64) {
	b.held[piece*b.size+b.counts[piece]] = key
	if b.counts[piece]++; b.counts[piece] == b.size {
		b.empty(piece)
	}
}

func (b *gatherBuffers) empty(piece int) {
	n := b.counts[piece]
	at := b.cursors[piece].Add(uint64(n)) - uint64(n)
	copy(b.keys[at:at+uint64(n)], b.held[piece*b.size:])
	b.counts[piece] = 0
}

func (b *gatherBuffers) flush() {
	for piece := range b.counts {
		b.empty(piece)
	}
}
