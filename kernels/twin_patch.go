package kernels

import (
	"math/bits"
	"sort"
)

// upTo is the number of elements of a sorted array that are not above v.
func (t *twin) upTo(array Address, n, v uint32) uint32 {
	return uint32(sort.Search(int(n), func(i int) bool { return t.word(array, uint64(i)) > v }))
}

func (t *twin) put(array Address, i, v uint32) { *in[uint32](t.memory, array, uint64(i)) = v }

func (t *twin) offsetOf(p *Partition, row uint32) uint32 {
	if p.Offsets == 0 {
		return row
	}
	return t.word(p.Offsets, uint64(row))
}

func (t *twin) vertexOf(p *Partition, row uint32) uint32 {
	if p.Layer == LayerRange {
		return p.Base + row
	}
	return t.word(p.Vertices, uint64(row))
}

// came and went say of an edit or a touched row, by the sums before it and behind it, whether it is new or gone.
func (t *twin) came(shifts Address, i uint32) bool { return t.step(shifts, i) == 1 }
func (t *twin) went(shifts Address, i uint32) bool { return t.step(shifts, i) == None }

func (t *twin) step(shifts Address, i uint32) uint32 {
	return t.word(shifts, uint64(i)+1) - t.word(shifts, uint64(i))
}

func (t *twin) patchPlaces(p *Patch) {
	for k := range p.Edits {
		row := t.upTo(p.Firsts, p.Rows, k) - 1
		before := t.word(p.Before, uint64(row))
		place := t.offsetOf(&p.From, before)
		if !t.came(p.RowShifts, row) {
			old := list{p.From.Neighbours + 4*uint64(place), t.offsetOf(&p.From, before+1) - place}
			place += t.below(old, t.word(p.Neighbours, uint64(k)))
		}
		t.put(p.Places, k, place)
	}
}

func (t *twin) patchLists(p *Patch) {
	for i := range p.From.Edges {
		k := t.upTo(p.Places, p.Edits, i)
		if k > 0 && t.word(p.Places, uint64(k)-1) == i && t.went(p.Shifts, k-1) {
			continue
		}
		t.put(p.To.Neighbours, i+t.word(p.Shifts, uint64(k)), t.word(p.From.Neighbours, uint64(i)))
	}
	for k := range p.Edits {
		if t.came(p.Shifts, k) {
			t.put(p.To.Neighbours, t.word(p.Places, uint64(k))+t.word(p.Shifts, uint64(k)), t.word(p.Neighbours, uint64(k)))
		}
	}
}

func (t *twin) patchRows(p *Patch) {
	for row := range p.From.Rows {
		n := t.upTo(p.Before, p.Rows, row) // touched rows up to this one, new ones before it
		if n > 0 && t.word(p.Before, uint64(n)-1) == row && !t.came(p.RowShifts, n-1) {
			if n--; t.went(p.RowShifts, n) {
				continue
			}
		}
		t.patchRow(p, row, n, t.vertexOf(&p.From, row))
	}
	for n := range p.Rows {
		if t.came(p.RowShifts, n) {
			t.patchRow(p, t.word(p.Before, uint64(n)), n, t.word(p.Vertices, uint64(n)))
		}
	}
	if p.To.Offsets != 0 {
		t.put(p.To.Offsets, p.To.Rows, p.To.Edges)
	}
	if p.To.Layer == LayerHash {
		for i := range p.To.Words {
			t.put(p.To.Index, i, None)
		}
	}
}

// patchRow writes a row of the new partition: the one that stands before row of the old one, or is it, with n touched rows before it.
func (t *twin) patchRow(p *Patch, row, n, vertex uint32) {
	at := row + t.word(p.RowShifts, uint64(n))
	if p.To.Vertices != 0 {
		t.put(p.To.Vertices, at, vertex)
	}
	if p.To.Offsets != 0 {
		t.put(p.To.Offsets, at, t.offsetOf(&p.From, row)+t.word(p.Shifts, uint64(t.word(p.Firsts, uint64(n)))))
	}
}

func (t *twin) indexBitmap(p *Partition) {
	for block := uint64(0); block < uint64(p.Words); block += 8 {
		for i := range uint64(7) {
			first := uint64(p.Base) + block/8*224 + 32*i
			row := sort.Search(int(p.Rows), func(r int) bool { return uint64(t.word(p.Vertices, uint64(r))) >= first })
			if i == 0 {
				t.put(p.Index, uint32(block), uint32(row))
			}
			bits := uint32(0)
			for ; row < int(p.Rows) && uint64(t.word(p.Vertices, uint64(row)))-first < 32; row++ {
				bits |= 1 << (t.word(p.Vertices, uint64(row)) - uint32(first))
			}
			t.put(p.Index, uint32(block+1+i), bits)
		}
	}
}

func (t *twin) indexHash(p *Patch) {
	buckets, most := p.To.Words/8, uint32(0)
	for row := range p.To.Rows {
		v := t.word(p.To.Vertices, uint64(row))
		b := hashVertex(v, buckets)
		for probe := uint32(1); !t.insert(p.To.Index+32*uint64(b), v, row); probe++ {
			b, most = (b+1)%buckets, max(most, probe)
		}
	}
	t.put(p.Probes, 0, most+1)
}

// insert puts a vertex and its row into a bucket, if there is room.
func (t *twin) insert(bucket Address, v, row uint32) bool {
	for i := range uint32(4) {
		if t.word(bucket, uint64(i)) == None {
			t.put(bucket, i, v)
			t.put(bucket, 4+i, row)
			return true
		}
	}
	return false
}

// rowVertices writes the row vertices of a bitmap.
func (t *twin) rowVertices(index Address, words, base, rows uint64, vertices Address) {
	for block := uint64(0); block+8 <= words; block += 8 {
		row := uint64(t.word(index, block))
		for i := range uint64(7) {
			for w := t.word(index, block+1+i); w != 0 && row < rows; w &= w - 1 {
				t.put(vertices, uint32(row), uint32(base+block/8*224+32*i)+uint32(bits.TrailingZeros32(w)))
				row++
			}
		}
	}
}

// patch runs one of the kernels that make a partition.
func (t *twin) patch(k Kernel, p *Patch) {
	switch k {
	case PatchPlaces:
		t.patchPlaces(p)
	case PatchLists:
		t.patchLists(p)
	case PatchRows:
		t.patchRows(p)
	case IndexBitmap:
		t.indexBitmap(&p.To)
	case IndexHash:
		t.indexHash(p)
	}
}
