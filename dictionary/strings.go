package dictionary

import (
	"encoding/binary"
	"runtime"
	"sync"
)

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
	shares []stringShare
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

// encode hands every block to write, in the shorter of its two forms, and empties the buffer. All cores take a share.
func (b *stringBuffer) encode(write func([]byte)) {
	if len(b.ends) == 0 {
		return
	}
	var coder *symbolCoder
	number := len(b.tables) / symbolTableLen
	if len(b.text) >= minTrained && number < maxSymbolTables {
		coder = trainSymbols(b.sample())
	}
	if b.shares == nil {
		b.shares = make([]stringShare, runtime.GOMAXPROCS(0))
	}
	blocks := (len(b.ends) + blockTerms - 1) / blockTerms
	step := (blocks + len(b.shares) - 1) / len(b.shares) * blockTerms
	var wait sync.WaitGroup
	for i := range b.shares {
		wait.Go(func() { b.shares[i].encode(b, coder, number, i*step, min((i+1)*step, len(b.ends))) })
	}
	wait.Wait()
	used := false
	for i := range b.shares {
		b.shares[i].each(write)
		used = used || b.shares[i].used
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

// stringShare is the blocks that one goroutine encodes.
type stringShare struct {
	plain  blockBuilder
	front  []byte
	codes  []byte
	blocks []byte
	ends   []int
	used   bool // some block has symbols
}

// each hands the blocks on, in order.
func (s *stringShare) each(write func([]byte)) {
	start := 0
	for _, end := range s.ends {
		write(s.blocks[start:end])
		start = end
	}
}

// encode makes the blocks of the texts from first to end.
func (s *stringShare) encode(b *stringBuffer, coder *symbolCoder, number, first, end int) {
	s.blocks, s.ends, s.used = s.blocks[:0], s.ends[:0], false
	for i := first; i < end; i += blockTerms {
		last := min(i+blockTerms, end)
		for k := i; k < last; k++ {
			s.plain.add(b.at(k), &literalEscapes)
		}
		escapes := s.plain.escapes
		s.front = s.plain.appendTo(s.front[:0])
		block := s.front
		if coder != nil {
			if short := s.symbols(b, coder, number, i, last, escapes); len(short) < len(block)-len(block)/8 {
				block, s.used = short, true
			}
		}
		s.blocks = append(s.blocks, block...)
		s.ends = append(s.ends, len(s.blocks))
	}
}

// symbols is the block with symbols of the texts from i to end, valid until the next.
func (s *stringShare) symbols(b *stringBuffer, coder *symbolCoder, number, i, end int, escapes bool) []byte {
	const room = 3 + 4*blockTerms // for the largest header
	var lengths [blockTerms]int
	codes := append(s.codes[:0], make([]byte, room)...)
	largest := 0
	for k := i; k < end; k++ {
		start := len(codes)
		codes = coder.append(codes, b.at(k))
		lengths[k-i] = len(codes) - start
		largest = max(largest, lengths[k-i])
	}
	flags := widthOf(largest)
	width := 1 << flags
	if escapes {
		flags |= blockEscapes
	}
	start := room - 3 - width*(end-i)
	head := append(codes[start:start], flags|blockSymbols) // over the room
	head = binary.LittleEndian.AppendUint16(head, uint16(number))
	for _, n := range lengths[:end-i] {
		head = appendNumber(head, n, width)
	}
	s.codes = codes
	return codes[start:]
}
