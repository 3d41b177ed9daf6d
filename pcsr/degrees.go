package pcsr

import (
	"math"
	"math/bits"
)

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
	case len(vertices) <= spanMost/spanOfVertex && lieWithin(vertices, spanOfVertex):
		p.degreesBySpan(degrees, vertices)
	case lieWithin(vertices, 32/leastInWord):
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
		degreesBetween(degrees, p.offsets[min(row, len(p.offsets)):], uint32(len(p.neighbours)))
	}
}

// degreesBetween writes how far each offset is from the one before; 0 where they are wrong: they descend, end too early or lie behind the end of the neighbours.
func degreesBetween(degrees, offsets []uint32, end uint32) {
	if len(offsets) <= len(degrees) {
		clear(degrees[max(len(offsets), 1)-1:])
		degrees = degrees[:max(len(offsets), 1)-1]
	}
	if len(degrees) == 0 {
		return
	}
	low := offsets[0]
	for i, high := range offsets[1 : len(degrees)+1] {
		degrees[i] = between(low, high, end)
		low = high
	}
}

// between is how long a list is that begins and ends there; 0 where that is wrong.
func between(low, high, end uint32) uint32 {
	if low > high || high > end {
		return 0
	}
	return high - low
}

// DegreesOfSpan writes how many neighbours each of consecutive vertices has, the first first, 0 for those that are no rows and the greatest T for more than a T holds, and returns the
// least and the most that a row has; those of no rows are MaxUint32 and 0. It is false, and nothing is written, of any partition but a Bitmap with offsets that has been checked.
func DegreesOfSpan[T uint8 | uint32](p *Partition, degrees []T, first Vertex) (least, most uint32, ok bool) {
	if p.file.Unchecked() || p.layer != Bitmap || p.offsets == nil {
		return 0, 0, false
	}
	least, most = spanDegrees(p, degrees, first)
	return least, most, true
}

// spanDegrees is DegreesOfSpan of a Bitmap with offsets: word after word, bit after bit, row after row.
func spanDegrees[T uint8 | uint32](p *Partition, degrees []T, first Vertex) (least, most uint32) {
	clear(degrees)
	least = math.MaxUint32
	if first < p.base {
		degrees = degrees[min(uint64(p.base-first), uint64(len(degrees))):]
		first = p.base
	}
	if len(degrees) == 0 {
		return least, most
	}
	x := first - p.base
	at := x / 32
	word, row := p.wordOf(at)
	row += uint32(bits.OnesCount32(word & (1<<(x%32) - 1)))
	if uint64(row)+1 >= uint64(len(p.offsets)) {
		return least, most
	}
	word = word >> (x % 32) << (x % 32)
	offsets, end := p.offsets[row+1:], uint32(len(p.neighbours))
	low := p.offsets[row]
	// Of the words, those of a block come one after the other, behind the block's count.
	const words = blockWords - 1
	block, within := uint64(at/words)*blockWords, uint64(at%words)
	for start := int(at)*32 - int(x); start < len(degrees); start += 32 {
		if start+32 > len(degrees) {
			word &= 1<<(len(degrees)-start) - 1
		}
		n := bits.OnesCount32(word)
		if n > len(offsets) {
			break
		}
		for _, high := range offsets[:n] {
			degree := between(low, high, end)
			least, most, low = min(least, degree), max(most, degree), high
			degrees[start+bits.TrailingZeros32(word)] = T(min(degree, uint32(^T(0))))
			word &= word - 1
		}
		offsets = offsets[n:]
		if within++; within == words {
			block, within = block+blockWords, 0
		}
		if block+blockWords > uint64(len(p.index)) {
			break
		}
		word = p.index[block+1+within]
	}
	return least, most
}

// degreesBySpan is DegreesOf for vertices of which several lie in each word of a Bitmap, and not much else: those of all vertices between the first and the last are found.
func (p *Partition) degreesBySpan(degrees []uint32, vertices []Vertex) {
	var room [spanMost]uint32
	first := vertices[0]
	span := room[:vertices[len(vertices)-1]-first+1]
	spanDegrees(p, span, first)
	for i, v := range vertices {
		if at := v - first; uint64(at) < uint64(len(span)) {
			degrees[i] = span[at]
		} else { // they do not ascend
			degrees[i] = uint32(p.degreeOf(v))
		}
	}
}

// Of up to spanMost vertices between the first and the last those of all are found, where there are no more than spanOfVertex for each that is asked for.
const spanMost, spanOfVertex = 1 << 10, 2

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

// lieWithin reports whether vertices ascend, as far as their ends tell, and lie within so many places for each of them.
func lieWithin(vertices []Vertex, places uint64) bool {
	n := len(vertices)
	return n > 1 && uint64(vertices[n-1]-vertices[0]) < uint64(n)*places
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
	return between(p.offsets[row], p.offsets[row+1], uint32(len(p.neighbours)))
}
