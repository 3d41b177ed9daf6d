package pcsr

import "math/bits"

// Layer says how a partition finds the row of a vertex. docs/STORE.md, "Graph files", has every layout bit by bit.
type Layer uint8

const (
	// Range: the row vertices are base … base+rows-1; there is no index.
	Range Layer = iota
	// Bitmap: 32-byte blocks of a running count and 224 bits, over base … last row vertex.
	Bitmap
	// Hash: 32-byte buckets of four vertices and their four rows.
	Hash
	// List: the sorted row vertices alone, searched by halving.
	List
	// Direct: one row number for each vertex of base … last row vertex.
	Direct
	// Group: the 128-byte groups of PCSR as published (SGSI, section 4), kept to compare with.
	Group

	// layers are those that arrays have.
	layers

	// Patched: those of another partition, and beside them rows that a change has touched (Graph.Change). It has no arrays
	// of its own and is in no file.
	Patched = layers
)

// String returns the layer's name.
func (l Layer) String() string {
	if l <= Patched {
		return [Patched + 1]string{"range", "bitmap", "hash", "list", "direct", "group", "patched"}[l]
	}
	return "unknown"
}

// The shapes of the row layers, in 32-bit words and in bits.
const (
	blockWords = 8   // a Bitmap block: one running count, seven words of bits
	blockBits  = 224 // the vertices one Bitmap block covers

	bucketWords   = 8 // a Hash bucket: four vertices, then their four rows
	bucketEntries = 4

	groupWords   = 32 // a Group: fifteen (vertex, row) pairs, then (next group, pairs here)
	groupEntries = 15
)

// noVertex fills the unused entries of a Hash bucket, a Group and a Direct array; no vertex has this number.
const noVertex = 1<<32 - 1

// hashVertex spreads v over n buckets or groups: the high half of a multiplicative hash times n.
func hashVertex(v Vertex, n uint32) uint32 {
	return uint32(uint64(v*0x9E3779B1) * uint64(n) >> 32)
}

// chooseLayer picks the row layer of a partition by bytes and speed: a Range costs nothing and is fastest; a short
// List is one or two cache lines; a Bitmap is both the fastest lookup on the device and smaller than Hash unless the row
// vertices are sparse in their span (span/7 bytes against about 17 a row); Hash is for the rest.
func chooseLayer(vertices []Vertex) Layer {
	if len(vertices) == 0 {
		return Range
	}
	return layerOf(len(vertices), vertices[0], vertices[len(vertices)-1])
}

// layerOf is chooseLayer for n row vertices, first to last.
func layerOf(n int, first, last Vertex) Layer {
	span := uint64(last-first) + 1
	switch {
	case span == uint64(n):
		return Range
	case n <= shortList && span/7 > 4*uint64(n):
		return List
	case bitmapWords(span)*4 <= hashBytesPerRow*uint64(n):
		return Bitmap
	default:
		return Hash
	}
}

const (
	// shortList is the number of rows up to which halving a List touches few enough lines to need no index.
	shortList = 32
	// hashBytesPerRow is what Hash costs: 8 bytes an entry at a load of 5/8, and the sorted list of row vertices.
	hashBytesPerRow = 17
)

func bitmapWords(span uint64) uint64 { return (span + blockBits - 1) / blockBits * blockWords }

func hashBuckets(rows int) uint32 {
	return uint32((uint64(rows)*8/5 + bucketEntries - 1) / bucketEntries)
}

// buildLayer makes the index of sorted distinct row vertices. probes is how many buckets a Hash lookup may have to read.
func buildLayer(layer Layer, vertices []Vertex) (index []uint32, probes uint32) {
	switch layer {
	case Bitmap:
		return buildBitmap(vertices), 0
	case Hash:
		return buildHash(vertices)
	case Direct:
		return buildDirect(vertices), 0
	case Group:
		return buildGroups(vertices)
	}
	return nil, 0
}

func buildBitmap(vertices []Vertex) []uint32 {
	base, last := vertices[0], vertices[len(vertices)-1]
	index := make([]uint32, bitmapWords(uint64(last-base)+1))
	fillBitmap(index, base, vertices)
	return index
}

// fillBitmap sets the bits of vertices in a Bitmap that begins at base. Vertices of a damaged file that are not in their order may be
// outside it, and get none.
func fillBitmap(index []uint32, base Vertex, vertices []Vertex) {
	for _, v := range vertices {
		x := v - base
		bit := x % blockBits
		if at := uint64(x/blockBits)*blockWords + 1 + uint64(bit/32); at < uint64(len(index)) {
			index[at] |= 1 << (bit % 32)
		}
	}
	countBlocks(index)
}

// countBlocks fills in the running counts of a Bitmap.
func countBlocks(index []uint32) {
	count := uint32(0)
	for b := 0; b < len(index); b += blockWords {
		index[b] = count
		for _, w := range index[b+1 : b+blockWords] {
			count += uint32(bits.OnesCount32(w))
		}
	}
}

func buildHash(vertices []Vertex) (index []uint32, probes uint32) {
	buckets := hashBuckets(len(vertices))
	index = make([]uint32, uint64(buckets)*bucketWords)
	for i := range index {
		index[i] = noVertex
	}
	for row, v := range vertices {
		probes = max(probes, hashInsert(index, buckets, v, uint32(row)))
	}
	return index, probes
}

// hashInsert puts v into the first bucket with room and returns how many buckets it read.
func hashInsert(index []uint32, buckets uint32, v Vertex, row uint32) uint32 {
	b := hashVertex(v, buckets)
	for probe := uint32(1); ; probe++ {
		bucket := index[uint64(b)*bucketWords:][:bucketWords]
		for i := range bucketEntries {
			if bucket[i] == noVertex {
				bucket[i], bucket[bucketEntries+i] = v, row
				return probe
			}
		}
		if b++; b == buckets {
			b = 0
		}
	}
}

func buildDirect(vertices []Vertex) []uint32 {
	base, last := vertices[0], vertices[len(vertices)-1]
	index := make([]uint32, uint64(last-base)+1)
	for i := range index {
		index[i] = noVertex
	}
	for row, v := range vertices {
		index[v-base] = uint32(row)
	}
	return index
}

// buildGroups hashes n vertices into n groups; the vertices that a group has no room for go to an empty group, which
// there always is (SGSI, appendix A, claim 1), linked from the full one. probes is the longest chain.
func buildGroups(vertices []Vertex) (index []uint32, probes uint32) {
	groups := uint32(len(vertices))
	index = make([]uint32, uint64(groups)*groupWords)
	for i := range index {
		index[i] = noVertex
	}
	used := make([]uint32, groups)
	for _, v := range vertices {
		used[hashVertex(v, groups)]++
	}
	free := uint32(0)
	fill := make([]uint32, groups)
	tail := make([]uint32, groups)
	depth := make([]uint32, groups)
	for row, v := range vertices {
		home := hashVertex(v, groups)
		if depth[home] == 0 {
			tail[home], depth[home] = home, 1
		}
		g := tail[home]
		if fill[g] == groupEntries {
			for used[free] != 0 {
				free++
			}
			used[free] = 1
			index[uint64(g)*groupWords+2*groupEntries] = free
			g = free
			tail[home] = g
			depth[home]++
		}
		group := index[uint64(g)*groupWords:][:groupWords]
		group[2*fill[g]], group[2*fill[g]+1] = v, uint32(row)
		fill[g]++
		group[2*groupEntries+1] = fill[g]
		probes = max(probes, depth[home])
	}
	return index, probes
}

// find is Row for every layer but Range. It never trusts the index: one that was written wrong gives a wrong row or none.
func (p *Partition) find(v Vertex) (int, bool) {
	switch p.layer {
	case Bitmap:
		return p.findBitmap(v)
	case Hash:
		return p.findHash(v)
	case List:
		return p.findList(v)
	case Direct:
		x := v - p.base
		if uint64(x) >= uint64(len(p.index)) {
			return 0, false
		}
		if p.file.Unchecked() {
			p.checkIndex(uint64(x), 1)
		}
		row := p.index[x]
		return int(row), row < p.rows
	case Group:
		return p.findGroup(v)
	case Patched:
		return p.patch.row(v)
	}
	return 0, false
}

func (p *Partition) findBitmap(v Vertex) (int, bool) {
	x := v - p.base
	bit := x % blockBits
	at := uint64(x/blockBits) * blockWords
	if at+blockWords > uint64(len(p.index)) {
		return 0, false
	}
	if p.file.Unchecked() {
		p.checkIndex(at, blockWords)
	}
	block := (*[blockWords]uint32)(p.index[at:])
	if block[(1+bit/32)&7]>>(bit%32)&1 == 0 {
		return 0, false
	}
	row := block[0] + rankBlock(block, bit)
	return int(row), row < p.rows
}

// rankBlock counts the bits below bit in a block, without a branch: a shift by 64 or more leaves no bit.
func rankBlock(block *[blockWords]uint32, bit uint32) uint32 {
	at := bit + 32 // counted from the running count, which is masked out
	a := (uint64(block[0]) | uint64(block[1])<<32) &^ 0xFFFFFFFF & (1<<at - 1)
	b := (uint64(block[2]) | uint64(block[3])<<32) & (1<<(max(at, 64)-64) - 1)
	c := (uint64(block[4]) | uint64(block[5])<<32) & (1<<(max(at, 128)-128) - 1)
	d := (uint64(block[6]) | uint64(block[7])<<32) & (1<<(max(at, 192)-192) - 1)
	return uint32(bits.OnesCount64(a) + bits.OnesCount64(b) + bits.OnesCount64(c) + bits.OnesCount64(d))
}

func (p *Partition) findHash(v Vertex) (int, bool) {
	buckets := uint32(len(p.index) / bucketWords)
	if v == noVertex || buckets == 0 {
		return 0, false
	}
	b := hashVertex(v, buckets)
	for range p.probes {
		at := uint64(b) * bucketWords
		if p.file.Unchecked() {
			p.checkIndex(at, bucketWords)
		}
		bucket := (*[bucketWords]uint32)(p.index[at:])
		switch v {
		case bucket[0]:
			return int(bucket[4]), bucket[4] < p.rows
		case bucket[1]:
			return int(bucket[5]), bucket[5] < p.rows
		case bucket[2]:
			return int(bucket[6]), bucket[6] < p.rows
		case bucket[3]:
			return int(bucket[7]), bucket[7] < p.rows
		}
		if bucket[3] == noVertex {
			return 0, false
		}
		if b++; b == buckets {
			b = 0
		}
	}
	return 0, false
}

func (p *Partition) findList(v Vertex) (int, bool) {
	row := p.searchVertices(v)
	return row, row < len(p.vertices) && p.vertices[row] == v
}

func (p *Partition) findGroup(v Vertex) (int, bool) {
	groups := uint32(len(p.index) / groupWords)
	if v == noVertex || groups == 0 {
		return 0, false
	}
	g := hashVertex(v, groups)
	for range p.probes {
		if g >= groups {
			return 0, false
		}
		at := uint64(g) * groupWords
		if p.file.Unchecked() {
			p.checkIndex(at, groupWords)
		}
		group := (*[groupWords]uint32)(p.index[at:])
		for i := 0; i < 2*groupEntries; i += 2 {
			if group[i] == v {
				return int(group[i+1]), group[i+1] < p.rows
			}
		}
		g = group[2*groupEntries]
	}
	return 0, false
}

// selectBitmap is Vertex for a Bitmap: the block by the running counts, the bit by counting.
func (p *Partition) selectBitmap(row uint32) Vertex {
	b := p.blockOf(row)
	if p.file.Unchecked() {
		p.checkIndex(uint64(b)*blockWords, blockWords)
	}
	block := p.index[b*blockWords:][:blockWords]
	left := int(row - block[0])
	for i, w := range block[1:] {
		n := bits.OnesCount32(w)
		if left < n {
			for ; left > 0; left-- {
				w &= w - 1
			}
			return p.base + uint32(b*blockBits+i*32+bits.TrailingZeros32(w))
		}
		left -= n
	}
	return noVertex
}

// blockOf returns the block of a row: from where it would be, were the rows spread evenly, in growing steps.
func (p *Partition) blockOf(row uint32) int {
	blocks := len(p.index) / blockWords
	below := func(b int) bool {
		if p.file.Unchecked() {
			p.checkIndex(uint64(b)*blockWords, blockWords)
		}
		return p.index[b*blockWords] <= row
	}
	low := int(uint64(row) * uint64(blocks) / uint64(p.rows))
	high := low + 1
	for step := 1; low > 0 && !below(low); step *= 2 {
		low, high = max(low-step, 0), low
	}
	for step := 1; high < blocks && below(high); step *= 2 {
		low, high = high, min(high+step, blocks)
	}
	for high-low > 1 {
		if mid := (low + high) / 2; below(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
