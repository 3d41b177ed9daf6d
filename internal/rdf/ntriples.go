package rdf

import "unicode/utf8"

// AppendNTriples appends t in N-Triples syntax (RDF 1.1 N-Triples, section 2) to dst.
// The zero Term appends nothing.
func AppendNTriples(dst []byte, t Term) []byte {
	switch t.Kind {
	case IRI:
		dst = append(dst, '<')
		dst = AppendIRI(dst, t.Value)
		return append(dst, '>')
	case BlankNode:
		dst = append(dst, '_', ':')
		return append(dst, t.Value...)
	case Literal:
		dst = append(dst, '"')
		dst = AppendEscaped(dst, t.Value)
		dst = append(dst, '"')
		switch {
		case t.Language != "":
			dst = append(dst, '@')
			dst = append(dst, t.Language...)
		case t.Datatype != "":
			dst = append(dst, '^', '^', '<')
			dst = AppendIRI(dst, t.Datatype)
			dst = append(dst, '>')
		}
	}
	return dst
}

// AppendEscaped appends a literal's lexical form with the escapes that canonical N-Triples asks for
// (backslash, quote, line feed, carriage return); all other characters stay as they are.
func AppendEscaped(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); i++ {
		var esc byte
		switch s[i] {
		case '"', '\\':
			esc = s[i]
		case '\n':
			esc = 'n'
		case '\r':
			esc = 'r'
		default:
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = append(dst, '\\', esc)
		start = i + 1
	}
	return append(dst, s[start:]...)
}

// AppendIRI appends an IRI, writing the characters that the IRIREF production forbids as \u escapes.
func AppendIRI[T string | []byte](dst []byte, iri T) []byte {
	start := 0
	for i := 0; i < len(iri); i++ {
		if c := iri[i]; c < utf8.RuneSelf && iriForbidden[c] {
			dst = append(dst, iri[start:i]...)
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			start = i + 1
		}
	}
	return append(dst, iri[start:]...)
}

const hexDigits = "0123456789ABCDEF"

var iriForbidden = func() (t [utf8.RuneSelf]bool) {
	for c := range t[:0x21] {
		t[c] = true
	}
	for _, c := range "<>\"{}|^`\\" {
		t[c] = true
	}
	return t
}()
