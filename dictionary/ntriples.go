package dictionary

import "github.com/rdfgpu/rdfgpu/internal/rdf"

// AppendNTriples appends the term of an ID in N-Triples syntax, as rdf.AppendNTriples does; nothing where there is none.
func (d *Dictionary) AppendNTriples(dst []byte, id ID) []byte {
	t, ok := d.text(id)
	if !ok {
		return dst
	}
	if t.escapes {
		return rdf.AppendNTriples(dst, d.Term(id))
	}
	if id < d.starts[Numbers] {
		dst = t.append(dst)
		if t.first() == keyIRI {
			dst = append(dst, '>')
		}
		return dst
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
