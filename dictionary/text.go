package dictionary

import (
	"bytes"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// storedText is a text as it lies in its block: prefix + suffix or, where there is a table, the suffix in its codes.
// The table is viewed as numbers: files are little-endian, and so are the machines that read them (section.Open).
type storedText struct {
	prefix, suffix []byte
	table          symbolTable
	escapes        bool // some text of the block needs escapes in N-Triples
}

// text finds the text of a local ID; ok is false where there is none, or where it is damaged.
func (s *Segment) text(id ID) (t storedText, ok bool) {
	count := s.starts[SectionCount]
	if id >= count {
		return t, false
	}
	b := int(id >> blockShift)
	if s.files[0].Unchecked() {
		s.checkBlock(b)
	}
	start, end := s.offsets[b], s.offsets[b+1]
	if start >= end || end > uint64(len(s.blocks)) {
		s.broken.Store(true)
		return t, false
	}
	block := s.blocks[start:end]
	n, i := min(blockTerms, int(count)-b<<blockShift), int(id)&(blockTerms-1)
	t.escapes = block[0]&blockEscapes != 0
	if block[0]&blockSymbols != 0 {
		return s.symbolText(t, block, i, n)
	}
	t.prefix, t.suffix, ok = blockText(block, i, n)
	if !ok {
		s.broken.Store(true)
	}
	return t, ok
}

func (s *Segment) symbolText(t storedText, block []byte, i, n int) (storedText, bool) {
	codes, number, ok := symbolText(block, i, n)
	start := number * symbolTableLen
	if !ok || start >= len(s.symbols) {
		s.broken.Store(true)
		return t, false
	}
	t.suffix, t.table = codes, viewSymbols(s.symbols[start:])
	return t, true
}

func (t *storedText) append(dst []byte) []byte {
	if t.table.words != nil {
		return appendSymbols(dst, t.suffix, t.table)
	}
	return append(append(dst, t.prefix...), t.suffix...)
}

// appendFrom is append without the text's first bytes.
func (t *storedText) appendFrom(dst []byte, skip int) []byte {
	if n := len(t.prefix); n >= skip && t.table.words == nil {
		return append(append(dst, t.prefix[skip:]...), t.suffix...)
	}
	return append(dst, t.string(skip)...)
}

// string is the text as a string, without its first bytes.
func (t *storedText) string(skip int) string {
	if t.table.words != nil {
		var buffer [512]byte
		text := appendSymbols(buffer[:0], t.suffix, t.table)
		return string(text[min(skip, len(text)):])
	}
	if n := len(t.prefix); n < skip {
		return string(t.prefix[n:]) + string(t.suffix[min(skip-n, len(t.suffix)):])
	}
	return string(t.prefix[skip:]) + string(t.suffix)
}

// first is the first byte of the text of a resource; 0 when it has none.
func (t *storedText) first() byte {
	switch {
	case t.table.words != nil:
		return append(appendSymbols(nil, t.suffix, t.table), 0)[0]
	case len(t.prefix) > 0:
		return t.prefix[0]
	case len(t.suffix) > 0:
		return t.suffix[0]
	}
	return 0
}

func (t *storedText) equal(text []byte) bool {
	if t.table.words != nil {
		var buffer [512]byte
		// A code stands for 0 to 8 bytes: most texts of another length need no decoding.
		return len(text) <= symbolBytes*len(t.suffix) && bytes.Equal(appendSymbols(buffer[:0], t.suffix, t.table), text)
	}
	n := len(t.prefix)
	return len(text) == n+len(t.suffix) && string(text[n:]) == string(t.suffix) && string(text[:n]) == string(t.prefix)
}

// openSymbols reads the symbol tables and checks that no symbol is longer than its place.
func openSymbols(f *section.File) ([]byte, error) {
	tables, err := f.Bytes("symbols")
	if err != nil {
		return nil, err
	}
	if len(tables)%symbolTableLen != 0 {
		return nil, f.Damaged("the symbol tables have %d bytes", len(tables))
	}
	for start := 0; start < len(tables); start += symbolTableLen {
		for _, length := range tables[start+256*symbolBytes : start+symbolTableLen] {
			if length > symbolBytes {
				return nil, f.Damaged("a symbol has %d bytes", length)
			}
		}
	}
	return tables, nil
}
