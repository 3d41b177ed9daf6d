package dictionary

import (
	"encoding/binary"
	"math/bits"
)

// A block holds blockTerms consecutive texts, front-coded against the first of them (its head), so that any of them is
// decoded by two copies, without those before it:
//
//	1 byte    flags: bits 0–1 the width of the numbers (1, 2 or 4 bytes: 0, 1, 2), bit 2 blockEscapes
//	n numbers the length of the head; for each other text the length of the prefix it shares with the head
//	n−1       for each other text the length of its suffix
//	bytes     the head, then the suffixes
//
// A text is "<iri", "_:label" or a lexical form. n is blockTerms, less in the last block of a dictionary.
//
// Where symbols make it shorter, a block of strings has each text on its own instead, in codes of a symbol table:
//
//	1 byte    flags, with blockSymbols set
//	2 bytes   number of the table
//	n numbers the length of each text's codes
//	bytes     the codes
const (
	blockShift = 4
	blockTerms = 1 << blockShift

	blockWidth   = 3
	blockEscapes = 4 // some text needs escapes in N-Triples
	blockSymbols = 8
)

// blockBuilder gathers the texts of one block.
type blockBuilder struct {
	count   int
	head    int // length
	texts   []byte
	prefix  [blockTerms]int
	suffix  [blockTerms]int
	largest int
	escapes bool
}

func (b *blockBuilder) add(text []byte, escapes *[256]bool) {
	shared := 0
	if b.count == 0 {
		b.head = len(text)
	} else {
		shared = sharedPrefix(b.texts[:b.head], text)
	}
	rest := text[shared:]
	b.prefix[b.count], b.suffix[b.count] = shared, len(rest)
	b.largest = max(b.largest, shared, len(rest))
	b.texts = append(b.texts, rest...)
	b.count++
	if !b.escapes {
		if shared == 0 && len(rest) > 0 {
			rest = rest[1:] // the mark of an IRI needs none
			b.escapes = escapes == &literalEscapes && escapes[text[0]]
		}
		for _, c := range rest {
			b.escapes = b.escapes || escapes[c]
		}
	}
}

// appendTo appends the block to dst and starts the next.
func (b *blockBuilder) appendTo(dst []byte) []byte {
	flags := widthOf(b.largest)
	width := 1 << flags
	if b.escapes {
		flags |= blockEscapes
	}
	dst = append(dst, flags)
	dst = appendNumber(dst, b.head, width)
	for _, n := range b.prefix[1:b.count] {
		dst = appendNumber(dst, n, width)
	}
	for _, n := range b.suffix[1:b.count] {
		dst = appendNumber(dst, n, width)
	}
	dst = append(dst, b.texts...)
	*b = blockBuilder{texts: b.texts[:0]}
	return dst
}

// widthOf is the width, in the flags of a block, of numbers up to the largest.
func widthOf(largest int) byte {
	switch {
	case largest > 0xffff:
		return 2
	case largest > 0xff:
		return 1
	}
	return 0
}

func appendNumber(dst []byte, n, width int) []byte {
	for range width {
		dst = append(dst, byte(n))
		n >>= 8
	}
	return dst
}

func sharedPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// blockText finds text i of a block of n texts: it is prefix + suffix. ok is false when the block is damaged.
func blockText(block []byte, i, n int) (prefix, suffix []byte, ok bool) {
	if len(block) < 2*n || block[0]&(blockWidth|blockSymbols) != 0 {
		return wideText(block, i, n)
	}
	head, body := int(block[1]), block[2*n:]
	if i == 0 {
		if head > len(body) {
			return nil, nil, false
		}
		return nil, body[:head], true
	}
	start := head
	if n == blockTerms {
		start += sumLengths(block, i)
	} else {
		for _, length := range block[n+1 : n+i] {
			start += int(length)
		}
	}
	shared, end := int(block[1+i]), start+int(block[n+i])
	if shared > head || end > len(body) {
		return nil, nil, false
	}
	return body[:shared], body[start:end], true
}

// sumLengths adds up bytes 17 to 15+i of a full narrow block, which are the lengths of the suffixes before the i-th.
func sumLengths(block []byte, i int) int {
	const even, ones = 0x00ff00ff00ff00ff, 0x0001000100010001
	x := binary.LittleEndian.Uint64(block[16:24]) >> 8 // 7 lengths
	y := binary.LittleEndian.Uint64(block[24:32])      // 8 lengths
	if k := i - 1; k <= 7 {
		x &= 1<<(8*k) - 1
		y = 0
	} else {
		y &= 1<<(8*(k-7)) - 1
	}
	sum := x&even + x>>8&even + y&even + y>>8&even
	return int(sum * ones >> 48)
}

func wideText(block []byte, i, n int) (prefix, suffix []byte, ok bool) {
	if len(block) == 0 || block[0]&blockWidth == 3 {
		return nil, nil, false
	}
	width := 1 << (block[0] & blockWidth)
	if len(block) < 1+(2*n-1)*width {
		return nil, nil, false
	}
	number := func(k int) int { return numberAt(block[1:], k, width) }
	head, body := number(0), block[1+(2*n-1)*width:]
	if i == 0 {
		if head > len(body) {
			return nil, nil, false
		}
		return nil, body[:head], true
	}
	start := head
	for k := 1; k < i; k++ {
		start += number(n - 1 + k)
	}
	shared, end := number(i), start+number(n-1+i)
	if shared > head || end > len(body) {
		return nil, nil, false
	}
	return body[:shared], body[start:end], true
}

func numberAt(b []byte, k, width int) int {
	switch width {
	case 2:
		return int(binary.LittleEndian.Uint16(b[2*k:]))
	case 4:
		return int(binary.LittleEndian.Uint32(b[4*k:]))
	}
	return int(b[k])
}

// symbolText finds the codes of text i of a block of n texts that has symbols, and the number of its table.
func symbolText(block []byte, i, n int) (codes []byte, table int, ok bool) {
	width := 1 << (block[0] & blockWidth)
	if block[0]&blockWidth == 3 || len(block) < 3+n*width {
		return nil, 0, false
	}
	start := 0
	for k := range i {
		start += numberAt(block[3:], k, width)
	}
	end, body := start+numberAt(block[3:], i, width), block[3+n*width:]
	if end > len(body) {
		return nil, 0, false
	}
	return body[start:end], int(binary.LittleEndian.Uint16(block[1:])), true
}

// The bytes that need an escape in N-Triples.
var iriEscapes, literalEscapes = func() (iri, literal [256]bool) {
	for c := range 0x21 {
		iri[c] = true
	}
	for _, c := range "<>\"{}|^`\\" {
		iri[c] = true
	}
	for _, c := range "\"\\\n\r" {
		literal[c] = true
	}
	return iri, literal
}()
