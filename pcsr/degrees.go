package pcsr

import "math/bits"

// DegreesOf writes how many neighbours each of some vertices has.
func (p *Partition) DegreesOf(degrees []uint32, vertices []Vertex) {
	degrees = degrees[:len(vertices)]
	single := p.Single()
	switch {
	case p.file.Unchecked() || p.layer != Bitmap && p.layer != Range || p.offsets == nil && !single:
		for i, v := range vertices {
			degrees[i] = uint32(len(p.Neighbours(v)))
		}
	case p.layer == Range && single:
		for i, v := range vertices {
			degrees[i] = uint32(oneIf(v-p.base < p.rows))
		}
	case p.layer == Range:
		for i, v := range vertices {
			degrees[i] = 0
			if row := v - p.base; row < p.rows {
				degrees[i] = p.degreeAt(row)
			}
		}
	case single:
		p.degreesByBit(degrees, vertices)
	case closeTogether(vertices):
		p.degreesByWord(degrees, vertices)
	default:
		for i, v := range vertices {
			degrees[i] = 0
			if row, ok := p.findBitmap(v); ok {
				degrees[i] = p.degreeAt(uint32(row))
			}
		}
	}
}

// DegreesFrom writes how many neighbours the vertices of some rows have, one row after the other from the given one on.
func (p *Partition) DegreesFrom(degrees []uint32, row int) {
	switch {
	case p.file.Unchecked() || p.offsets == nil && !p.Single():
		for i := range degrees {
			degrees[i] = uint32(p.Degree(row + i))
		}
	case p.offsets == nil:
		for i := range degrees {
			degrees[i] = 1
		}
	default:
		for i := range degrees {
			degrees[i] = p.degreeAt(uint32(row + i))
		}
	}
}

// degreesByBit is DegreesOf for a Bitmap of rows with one neighbour each.
func (p *Partition) degreesByBit(degrees []uint32, vertices []Vertex) {
	for i, v := range vertices {
		x := v - p.base
		bit := x % blockBits
		if at := uint64(x/blockBits)*blockWords + 1 + uint64(bit/32); at < uint64(len(p.index)) {
			degrees[i] = p.index[at] >> (bit % 32) & 1
		} else {
			degrees[i] = 0
		}
	}
}

// closeTogether reports whether vertices ascend, as far as their ends tell, with several of them in each word of a Bitmap.
func closeTogether(vertices []Vertex) bool {
	n := len(vertices)
	return n > 1 && uint64(vertices[n-1]-vertices[0]) < uint64(n)*(32/leastInWord)
}

// leastInWord is how many vertices there must be for each word of 32 bits that is read once for all of them, and the row before it counted.
const leastInWord = 3

// degreesByWord is DegreesOf for vertices of which several lie in each word of a Bitmap.
func (p *Partition) degreesByWord(degrees []uint32, vertices []Vertex) {
	at, word, before := ^uint32(0), uint32(0), uint32(0)
	for i, v := range vertices {
		x := v - p.base
		if x/32 != at {
			at = x / 32
			word, before = p.wordOf(at)
		}
		bit := x % 32
		row := before + uint32(bits.OnesCount32(word&(1<<bit-1)))
		degrees[i] = p.degreeAt(row) & -(word >> bit & 1)
	}
}

// wordOf returns the bits of base+32·at and the 31 vertices behind it, and how many rows come before them.
func (p *Partition) wordOf(at uint32) (word, before uint32) {
	const words = blockWords - 1
	first := uint64(at/words) * blockWords
	if first+blockWords > uint64(len(p.index)) {
		return 0, 0
	}
	block := (*[blockWords]uint32)(p.index[first:])
	return block[1+at%words], block[0] + rankBlock(block, at%words*32)
}

// degreeAt is how long the list of a row is by its offsets; 0 where these are wrong.
func (p *Partition) degreeAt(row uint32) uint32 {
	if uint64(row)+1 >= uint64(len(p.offsets)) {
		return 0
	}
	low, high := p.offsets[row], p.offsets[row+1]
	if low > high || uint64(high) > uint64(len(p.neighbours)) {
		return 0
	}
	return uint32(high - low)
}
