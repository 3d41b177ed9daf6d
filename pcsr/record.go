package pcsr

import (
	"fmt"
	"math"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// The container of a graph file; docs/STORE.md, "Graph files", has the sections.
const (
	fileKind    = "pcsr"
	fileVersion = 2
)

// recordWords is the length of one row of the partition table, in 32-bit words.
const recordWords = 16

// record is one row of the partition table. Places are multiples of 64 bytes from the start of the section that holds
// the arrays; noPlace stands for an array that the partition does without.
type record struct {
	label      Label
	direction  Direction
	layer      Layer
	base       Vertex
	rows       uint32
	edges      uint32
	probes     uint32
	index      place
	vertices   uint32
	offsets    uint32
	neighbours uint32
	hash       uint64 // sum of edgeHash over the edges, each from subject to object
}

// place is where an array lies and its length in words.
type place struct{ at, words uint32 }

const noPlace = math.MaxUint32

func (r *record) encode() [recordWords]uint32 {
	return [recordWords]uint32{
		r.label, uint32(r.direction) | uint32(r.layer)<<8, r.base, r.rows, r.edges, r.probes,
		r.index.at, r.index.words, r.vertices, r.offsets, r.neighbours, uint32(r.hash), uint32(r.hash >> 32),
	}
}

func decodeRecord(w []uint32) record {
	return record{
		label: w[0], direction: Direction(w[1]), layer: Layer(w[1] >> 8), base: w[2], rows: w[3], edges: w[4], probes: w[5],
		index: place{w[6], w[7]}, vertices: w[8], offsets: w[9], neighbours: w[10], hash: uint64(w[11]) | uint64(w[12])<<32,
	}
}

// partition finds the arrays of a record in the section that holds them and checks that they lie inside it and have
// the lengths that their partition needs. It reads none of them.
func (r *record) partition(words []uint32) (Partition, error) {
	p := Partition{layer: r.layer, base: r.base, rows: r.rows, probes: r.probes}
	if r.layer >= layers || r.direction > In {
		return p, fmt.Errorf("it has row layer %d and direction %d", r.layer, r.direction)
	}
	if r.rows == 0 || r.edges < r.rows || r.edges == math.MaxUint32 {
		return p, fmt.Errorf("it has %d edges in %d rows", r.edges, r.rows)
	}
	var err error
	part := func(at uint32, n uint64) []uint32 {
		start := uint64(at) * (section.Alignment / 4)
		if at == noPlace || start > uint64(len(words)) || n > uint64(len(words))-start {
			err = fmt.Errorf("an array of %d words lies outside the section", n)
			return nil
		}
		return words[start : start+n : start+n]
	}
	if r.index.at != noPlace {
		p.index = part(r.index.at, uint64(r.index.words))
	}
	if r.vertices != noPlace {
		p.vertices = part(r.vertices, uint64(r.rows))
	}
	if r.offsets != noPlace {
		p.offsets = part(r.offsets, uint64(r.rows)+1)
	}
	p.neighbours = part(r.neighbours, uint64(r.edges))
	if err != nil {
		return p, err
	}
	return p, p.checkShape()
}

// checkShape checks the lengths of the arrays against each other: what the methods of Partition rely on.
func (p *Partition) checkShape() error {
	if (p.offsets == nil) != (len(p.neighbours) == int(p.rows)) {
		return fmt.Errorf("%d rows, %d edges and %d offsets do not fit", p.rows, len(p.neighbours), len(p.offsets))
	}
	if (p.vertices == nil) != (p.layer == Range || p.layer == Bitmap) {
		return fmt.Errorf("a %v layer has %d row vertices", p.layer, len(p.vertices))
	}
	n := uint64(len(p.index))
	ok := false
	switch p.layer {
	case Range:
		ok = n == 0 && uint64(p.base)+uint64(p.rows) <= noVertex
	case List:
		ok = n == 0
	case Bitmap:
		ok = n > 0 && n%blockWords == 0 && n/blockWords <= noVertex/blockBits+1
	case Hash:
		ok = n > 0 && n%bucketWords == 0 && uint64(p.probes) <= n/bucketWords
	case Group:
		ok = n > 0 && n%groupWords == 0 && uint64(p.probes) <= n/groupWords
	case Direct:
		ok = n > 0 && uint64(p.base)+n <= noVertex
	}
	if !ok {
		return fmt.Errorf("a %v layer of %d rows from vertex %d has %d words and %d probes", p.layer, p.rows, p.base, n, p.probes)
	}
	return nil
}

// edgeHash mixes an edge into 64 bits, whose sum over a partition does not depend on the order of the edges.
func edgeHash(from, to Vertex) uint64 {
	h := edgeKey(from, to) + 0x9E3779B97F4A7C15
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// keyHash is edgeHash for a partition's row vertex and neighbour.
func keyHash(d Direction, key, neighbour Vertex) uint64 {
	if d == In {
		key, neighbour = neighbour, key
	}
	return edgeHash(key, neighbour)
}
