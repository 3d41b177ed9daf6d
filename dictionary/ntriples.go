package dictionary

import "github.com/rdfgpu/rdfgpu/internal/rdf"

// AppendNTriples appends the term of an ID in N-Triples syntax, as rdf.AppendNTriples does; nothing where there is none.
func (d *Dictionary) AppendNTriples(dst []byte, id ID) []byte {
	if id >= d.starts[Numbers] {
		return d.appendLiteral(dst, id)
	}
	// Blocks in the narrow form without escapes are nearly all that there are of resources; they need no storedText.
	b := int(id >> blockShift)
	start, end := d.offsets[b], d.offsets[b+1]
	if start >= end || end > uint64(len(d.blocks)) || d.blocks[start] != 0 || end-start < 2*blockTerms {
		return d.appendResource(dst, id)
	}
	n, i := min(blockTerms, int(d.starts[SectionCount])-b<<blockShift), int(id)&(blockTerms-1)
	prefix, suffix, ok := blockText(d.blocks[start:end], i, n)
	if !ok {
		return d.appendResource(dst, id)
	}
	at := len(dst)
	dst = append(append(dst, prefix...), suffix...)
	if at < len(dst) && dst[at] == keyIRI {
		dst = append(dst, '>')
	}
	return dst
}

// appendResource is AppendNTriples for IRIs and blank nodes in any block.
func (d *Dictionary) appendResource(dst []byte, id ID) []byte {
	t, ok := d.text(id)
	switch {
	case !ok:
		return dst
	case t.escapes:
		return rdf.AppendNTriples(dst, d.Term(id))
	}
	dst = t.append(dst)
	if t.first() == keyIRI {
		dst = append(dst, '>')
	}
	return dst
}

func (d *Dictionary) appendLiteral(dst []byte, id ID) []byte {
	t, ok := d.text(id)
	switch {
	case !ok:
		return dst
	case t.escapes:
		return rdf.AppendNTriples(dst, d.Term(id))
	}
	dst = append(dst, '"')
	dst = t.append(dst)
	return append(dst, d.literalTail(id)...)
}

// literalTail is what follows the lexical form of a literal.
func (d *Dictionary) literalTail(id ID) string {
	switch {
	case id < d.starts[Strings]:
		if t := d.datatype(id); t < datatypes {
			return datatypeTable[t].tail
		}
		return `"`
	case id < d.starts[LangStrings]:
		return `"`
	}
	return d.qualifierOf(id).tail
}

// Warm reads the blocks of some hundred IDs that are about to be decoded, so that the processor waits for all of them
// at once instead of for one after the other. It pays when the IDs lie far apart. The result means nothing.
func (d *Dictionary) Warm(ids []ID) byte {
	var x byte
	for _, id := range ids {
		if b := int(id >> blockShift); b < len(d.offsets)-1 {
			if at := d.offsets[b]; at < uint64(len(d.blocks)) {
				x ^= d.blocks[at]
			}
		}
	}
	return x
}
