package bunzip

import (
	"encoding/binary"
)

// bits are size bits of bytes, from one of the first eight on.
type bits struct {
	bytes []byte
	first uint
	size  int64
}

// word is the 32 bits from a place on.
func (b *bits) word(at int64) (word uint32) {
	for i := range int64(32) {
		bit := int64(b.first) + at + i
		word = word<<1 | uint32(b.bytes[bit>>3]>>(7-bit&7)&1)
	}
	return word
}

// aligned returns the bits from the first bit of a byte on, and room for more; those behind the last are 0.
func (b *bits) aligned(room int) []byte {
	out := make([]byte, (b.size+7)/8, (b.size+7)/8+int64(room))
	for i := range out {
		out[i] = b.bytes[i] << b.first
		if b.first > 0 && i+1 < len(b.bytes) {
			out[i] |= b.bytes[i+1] >> (8 - b.first)
		}
	}
	if extra := uint(b.size & 7); extra > 0 {
		out[len(out)-1] &= 0xFF << (8 - extra)
	}
	return out
}

// append adds bits behind the last.
func (b *bits) append(other bits) {
	out, at := b.aligned(len(other.bytes)+8), b.size
	for i := range other.size {
		bit := int64(other.first) + i
		if at&7 == 0 {
			out = append(out, 0)
		}
		out[at>>3] |= other.bytes[bit>>3] >> (7 - bit&7) & 1 << (7 - at&7)
		at++
	}
	*b = bits{bytes: out, size: at}
}

// stream returns the bits of a block as a stream by itself.
func (b *bits) stream(level byte) []byte {
	var end [10]byte
	for i, shift := 0, 40; shift >= 0; i, shift = i+1, shift-8 {
		end[i] = byte(uint64(endMagic) >> shift)
	}
	binary.BigEndian.PutUint32(end[6:], b.word(magicBits))
	stream := bits{bytes: b.aligned(len(end) + 1), size: b.size}
	stream.append(bits{bytes: end[:], size: 8 * int64(len(end))})
	return append([]byte{'B', 'Z', 'h', level}, stream.bytes...)
}
