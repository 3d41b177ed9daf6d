package dictionary

import (
	"cmp"
	"encoding/binary"
	"slices"
	"unsafe"
)

// Texts that share no prefixes are shortened by a table of up to 255 symbols of 1 to 8 bytes, each written as one byte;
// what no symbol covers is written as the byte 255 and itself. Any text is so decoded on its own, a few bytes a step.
// (The idea is that of P. Boncz, T. Neumann and V. Leis, FSST: Fast Random Access String Compression, VLDB 2020.)
//
// A stored table is 256 symbols of 8 bytes, padded with zeros, then their 256 lengths, 0 where there is no symbol.
const (
	symbolEscape   = 255
	symbolBytes    = 8
	symbolTableLen = 256 * (symbolBytes + 1)
	symbolRounds   = 5
	symbolSample   = 1 << 16 // bytes of text that a table is made from
)

// symbol is 1 to 8 bytes, the first in the lowest bits.
type symbol struct {
	word   uint64
	length int
}

// symbolMask has ones where a symbol of a length has bytes.
var symbolMask = [symbolBytes + 1]uint64{0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, 0xffffffffffffffff}

func (a symbol) join(b symbol) symbol {
	return symbol{a.word | b.word<<(8*a.length), a.length + b.length}
}

// symbolCoder turns texts into codes.
type symbolCoder struct {
	symbols []symbol
	// byFirst are the codes of the symbols by their first byte, longest first.
	byFirst [256][]uint8
}

func newSymbolCoder(symbols []symbol) *symbolCoder {
	c := &symbolCoder{symbols: symbols}
	order := make([]int, len(symbols))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(symbols[j].length, symbols[i].length) })
	for _, i := range order {
		first := byte(symbols[i].word)
		c.byFirst[first] = append(c.byFirst[first], uint8(i))
	}
	return c
}

// next is the code of the longest symbol that text starts with; symbolEscape when there is none.
func (c *symbolCoder) next(text []byte) (code uint8, length int) {
	var word uint64
	if len(text) >= symbolBytes {
		word = binary.LittleEndian.Uint64(text)
	} else {
		for i, b := range text {
			word |= uint64(b) << (8 * i)
		}
	}
	for _, code := range c.byFirst[text[0]] {
		s := c.symbols[code]
		if word&symbolMask[s.length] == s.word && s.length <= len(text) {
			return code, s.length
		}
	}
	return symbolEscape, 1
}

func (c *symbolCoder) append(dst, text []byte) []byte {
	for len(text) > 0 {
		code, length := c.next(text)
		dst = append(dst, code)
		if code == symbolEscape {
			dst = append(dst, text[0])
		}
		text = text[length:]
	}
	return dst
}

// table is the stored form.
func (c *symbolCoder) table() []byte {
	b := make([]byte, symbolTableLen)
	for i, s := range c.symbols {
		binary.LittleEndian.PutUint64(b[i*symbolBytes:], s.word)
		b[256*symbolBytes+i] = byte(s.length)
	}
	return b
}

// trainSymbols makes a table for texts like those of sample. Each round writes the sample with the table so far and
// makes the next one from the symbols and the pairs of symbols that covered the most bytes.
func trainSymbols(sample [][]byte) *symbolCoder {
	coder := newSymbolCoder(nil)
	pairs := make([]uint32, 512*512)
	for range symbolRounds {
		clear(pairs)
		var single [512]uint32
		for _, text := range sample {
			coder.count(text, &single, pairs)
		}
		coder = newSymbolCoder(coder.best(&single, pairs))
	}
	return coder
}

// count counts the codes and their pairs; an escaped byte b counts as code 256 + b.
func (c *symbolCoder) count(text []byte, single *[512]uint32, pairs []uint32) {
	last := -1
	for len(text) > 0 {
		code, length := c.next(text)
		this := int(code)
		if code == symbolEscape {
			this = 256 + int(text[0])
		}
		single[this]++
		if last >= 0 {
			pairs[last*512+this]++
		}
		last, text = this, text[length:]
	}
}

// best is the up to 255 symbols, of those and their pairs, that cover the most bytes.
func (c *symbolCoder) best(single *[512]uint32, pairs []uint32) []symbol {
	gains := make(map[symbol]int)
	for a, n := range single {
		if n == 0 {
			continue
		}
		first := c.symbolOf(a)
		gains[first] += int(n) * first.length
		for b, n := range pairs[a*512 : a*512+512] {
			if second := c.symbolOf(b); n > 1 && first.length+second.length <= symbolBytes {
				s := first.join(second)
				gains[s] += int(n) * s.length
			}
		}
	}
	symbols := make([]symbol, 0, len(gains))
	for s := range gains {
		symbols = append(symbols, s)
	}
	slices.SortFunc(symbols, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(gains[b], gains[a]), cmp.Compare(a.length, b.length), cmp.Compare(a.word, b.word))
	})
	return symbols[:min(len(symbols), symbolEscape)]
}

func (c *symbolCoder) symbolOf(code int) symbol {
	if code >= 256 {
		return symbol{uint64(code - 256), 1}
	}
	if code < len(c.symbols) {
		return c.symbols[code]
	}
	return symbol{}
}

// symbolTable is the stored form as it is read.
type symbolTable struct {
	words   *[256]uint64
	lengths *[256]uint8
}

// viewSymbols views a stored table, which starts at a multiple of 8 bytes.
func viewSymbols(b []byte) symbolTable {
	b = b[:symbolTableLen]
	return symbolTable{
		words:   (*[256]uint64)(unsafe.Pointer(unsafe.SliceData(b))),
		lengths: (*[256]uint8)(b[256*symbolBytes:]),
	}
}

// appendSymbols decodes codes.
func appendSymbols(dst, codes []byte, t symbolTable) []byte {
	n := len(dst)
	dst = slices.Grow(dst, symbolBytes*(len(codes)+1))
	out := dst[:cap(dst)]
	for i := 0; i < len(codes); i++ {
		code := codes[i]
		if code == symbolEscape {
			if i++; i < len(codes) {
				out[n] = codes[i]
				n++
			}
			continue
		}
		binary.LittleEndian.PutUint64(out[n:], t.words[code])
		n += int(t.lengths[code])
	}
	return out[:n]
}
