package dictionary

import "encoding/binary"

const (
	stringBufferBytes = 4 << 20 // of text that shares a symbol table
	minTrained        = 1 << 14 // of text that a symbol table is worth its bytes for
	maxSymbolTables   = 1 << 16
)

// stringBuffer holds strings back until there are enough to make a symbol table from. It holds whole blocks, but for the
// last of a dictionary.
type stringBuffer struct {
	text   []byte
	ends   []int
	tables []byte
	codes  []byte
	lens   [blockTerms]int
}

func (b *stringBuffer) add(text []byte) {
	b.text = append(b.text, text...)
	b.ends = append(b.ends, len(b.text))
}

func (b *stringBuffer) full() bool {
	return len(b.text) >= stringBufferBytes && len(b.ends)%blockTerms == 0
}

// at is text i.
func (b *stringBuffer) at(i int) []byte {
	if i == 0 {
		return b.text[:b.ends[0]]
	}
	return b.text[b.ends[i-1]:b.ends[i]]
}

// encode hands every block to write, in the shorter of its two forms, and empties the buffer.
func (b *stringBuffer) encode(write func([]byte)) {
	var coder *symbolCoder
	number := len(b.tables) / symbolTableLen
	if len(b.text) >= minTrained && number < maxSymbolTables {
		coder = trainSymbols(b.sample())
	}
	used := false
	var plain blockBuilder
	var front []byte
	for i := 0; i < len(b.ends); i += blockTerms {
		end := min(i+blockTerms, len(b.ends))
		for k := i; k < end; k++ {
			plain.add(b.at(k), &literalEscapes)
		}
		escapes := plain.escapes
		front = plain.appendTo(front[:0])
		block := front
		if coder != nil {
			if short := b.symbols(coder, number, i, end, escapes); len(short) < len(front)-len(front)/8 {
				block, used = short, true
			}
		}
		write(block)
	}
	if used {
		b.tables = append(b.tables, coder.table()...)
	}
	b.text, b.ends = b.text[:0], b.ends[:0]
}

// sample is texts from all over the buffer.
func (b *stringBuffer) sample() [][]byte {
	var texts [][]byte
	step := max(1, len(b.text)/symbolSample)
	for i, size := 0, 0; i < len(b.ends) && size < symbolSample; i += step {
		text := b.at(i)
		text = text[:min(len(text), symbolSample/16)]
		texts = append(texts, text)
		size += len(text)
	}
	return texts
}

// symbols is the block with symbols of the texts from i to end, valid until the next.
func (b *stringBuffer) symbols(coder *symbolCoder, number, i, end int, escapes bool) []byte {
	const room = 3 + 4*blockTerms // for the largest header
	codes := append(b.codes[:0], make([]byte, room)...)
	largest := 0
	for k := i; k < end; k++ {
		start := len(codes)
		codes = coder.append(codes, b.at(k))
		b.lens[k-i] = len(codes) - start
		largest = max(largest, b.lens[k-i])
	}
	flags := widthOf(largest)
	width := 1 << flags
	if escapes {
		flags |= blockEscapes
	}
	start := room - 3 - width*(end-i)
	head := append(codes[start:start], flags|blockSymbols) // over the room
	head = binary.LittleEndian.AppendUint16(head, uint16(number))
	for _, n := range b.lens[:end-i] {
		head = appendNumber(head, n, width)
	}
	b.codes = codes
	return codes[start:]
}
