package dictionary

import "github.com/rdfgpu/rdfgpu/internal/rdf"

// AppendNTriples appends the term of an ID in N-Triples syntax, as rdf.AppendNTriples does; nothing where there is none.
func (d *Dictionary) AppendNTriples(dst []byte, id ID) []byte {
	s := d.base
	if id >= d.end {
		if s, id = d.locate(id); s == nil {
			return d.tail.appendNTriples(dst, id)
		}
	}
	if id >= s.starts[Numbers] {
		return s.appendLiteral(dst, id)
	}
	prefix, suffix, ok := s.narrowText(id)
	if !ok {
		return s.appendResource(dst, id)
	}
	at := len(dst)
	dst = append(append(dst, prefix...), suffix...)
	if at < len(dst) && dst[at] == keyIRI {
		dst = append(dst, '>')
	}
	return dst
}

// narrowText is the text of an IRI or a blank node in a block of the narrow form without escapes: nearly all are, and they need no
// storedText.
func (s *Segment) narrowText(id ID) (prefix, suffix []byte, ok bool) {
	b := int(id >> blockShift)
	if s.files[0].Unchecked() {
		s.checkBlock(b)
	}
	start, end := s.offsets[b], s.offsets[b+1]
	if start >= end || end > uint64(len(s.blocks)) || s.blocks[start] != 0 || end-start < 2*blockTerms {
		return nil, nil, false
	}
	n, i := min(blockTerms, int(s.starts[SectionCount])-b<<blockShift), int(id)&(blockTerms-1)
	return blockText(s.blocks[start:end], i, n)
}

// appendResource is AppendNTriples for IRIs and blank nodes in any block.
func (s *Segment) appendResource(dst []byte, id ID) []byte {
	t, ok := s.text(id)
	if !ok {
		return dst
	}
	mark := t.first()
	if t.escapes && mark == keyIRI {
		dst = rdf.AppendIRI(append(dst, keyIRI), t.string(1))
	} else {
		dst = t.append(dst)
	}
	if mark == keyIRI {
		dst = append(dst, '>')
	}
	return dst
}

func (s *Segment) appendLiteral(dst []byte, id ID) []byte {
	t, ok := s.text(id)
	if !ok {
		return dst
	}
	dst = append(dst, '"')
	if t.escapes {
		dst = rdf.AppendEscaped(dst, t.string(0))
	} else {
		dst = t.append(dst)
	}
	return append(dst, s.literalTail(id)...)
}

// literalTail is what follows the lexical form of a literal.
func (s *Segment) literalTail(id ID) string {
	switch {
	case id < s.starts[Strings]:
		if t := s.datatype(id); t < datatypes {
			return datatypeTable[t].tail
		}
		return `"`
	case id < s.starts[LangStrings]:
		return `"`
	}
	return s.qualifierOf(id).tail
}

// Warm reads the blocks of some hundred IDs that are about to be decoded, so that the processor waits for all of them
// at once instead of for one after the other. It pays when the IDs lie far apart. The result means nothing.
func (d *Dictionary) Warm(ids []ID) byte {
	if len(d.segments) == 1 {
		return d.base.warm(ids)
	}
	var x byte
	for i, id := range ids {
		if id < d.end {
			x ^= d.base.warm(ids[i : i+1])
		} else if s, local := d.locate(id); s != nil {
			x ^= s.warm([]ID{local})
		}
	}
	return x
}

func (s *Segment) warm(ids []ID) byte {
	var x byte
	for _, id := range ids {
		if b := int(id >> blockShift); b < len(s.offsets)-1 {
			if at := s.offsets[b]; at < uint64(len(s.blocks)) {
				x ^= s.blocks[at]
			}
		}
	}
	return x
}
