package results

import (
	"unicode/utf8"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// encoder appends one bound term in a format's syntax.
type encoder func(dst []byte, c cell) []byte

// encodeJSON is a binding of SPARQL 1.1 Query Results JSON, section 3.2.2.
func encodeJSON(dst []byte, c cell) []byte {
	switch c.kind {
	case rdf.IRI:
		dst = append(dst, `{"type":"uri","value":"`...)
	case rdf.BlankNode:
		dst = append(dst, `{"type":"bnode","value":"`...)
	default:
		dst = append(dst, `{"type":"literal","value":"`...)
	}
	dst = appendJSONText(dst, c.value)
	if c.language != nil {
		dst = append(dst, `","xml:lang":"`...)
		dst = append(dst, c.language...)
	} else if c.datatype != nil {
		dst = append(dst, `","datatype":"`...)
		dst = appendJSONText(dst, c.datatype)
	}
	return append(dst, `"}`...)
}

const hexDigits = "0123456789abcdef"

// appendJSONText appends s as the inside of a JSON string; bytes that are no UTF-8 become U+FFFD.
func appendJSONText[T string | []byte](dst []byte, s T) []byte {
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b >= ' ' && b != '"' && b != '\\' && b < utf8.RuneSelf {
			i++
			continue
		}
		if b >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch b {
		case '"', '\\':
			dst = append(dst, '\\', b)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
		}
		i++
		start = i
	}
	return append(dst, s[start:]...)
}

// encodeXML is the inside of a binding of SPARQL Query Results XML, section 2.3.1.
func encodeXML(dst []byte, c cell) []byte {
	switch c.kind {
	case rdf.IRI:
		dst = append(dst, "<uri>"...)
		return append(appendXMLText(dst, c.value), "</uri>"...)
	case rdf.BlankNode:
		dst = append(dst, "<bnode>"...)
		return append(appendXMLText(dst, c.value), "</bnode>"...)
	}
	switch {
	case c.language != nil:
		dst = append(dst, `<literal xml:lang="`...)
		dst = append(dst, c.language...)
		dst = append(dst, `">`...)
	case c.datatype != nil:
		dst = append(dst, `<literal datatype="`...)
		dst = appendXMLText(dst, c.datatype)
		dst = append(dst, `">`...)
	default:
		dst = append(dst, "<literal>"...)
	}
	return append(appendXMLText(dst, c.value), "</literal>"...)
}

// appendXMLText appends s as character data or the inside of an attribute. Characters that XML 1.0 cannot carry, not
// even as references, become U+FFFD.
func appendXMLText[T string | []byte](dst []byte, s T) []byte {
	start := 0
	for i := 0; i < len(s); {
		b, n := s[i], 1
		var escape string
		switch {
		case b == '&':
			escape = "&amp;"
		case b == '<':
			escape = "&lt;"
		case b == '>':
			escape = "&gt;"
		case b == '"':
			escape = "&quot;"
		case b == '\r':
			escape = "&#xD;"
		case b < ' ' && b != '\t' && b != '\n':
			escape = "\uFFFD"
		case b >= utf8.RuneSelf:
			var r rune
			r, n = utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			if r == utf8.RuneError && n == 1 || r == 0xFFFE || r == 0xFFFF {
				escape = "\uFFFD"
			}
		}
		if escape != "" {
			dst = append(append(dst, s[start:i]...), escape...)
			start = i + n
		}
		i += n
	}
	return append(dst, s[start:]...)
}

// encodeCSV is a field of SPARQL 1.1 Query Results CSV, section 3: the bare value, quoted where RFC 4180 asks for it.
func encodeCSV(dst []byte, c cell) []byte {
	if c.kind == rdf.BlankNode {
		return append(append(dst, '_', ':'), c.value...)
	}
	return appendCSVText(dst, c.value)
}

func appendCSVText[T string | []byte](dst []byte, s T) []byte {
	quotes, special := 0, false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			quotes++
		case ',', '\n', '\r':
			special = true
		}
	}
	if quotes == 0 && !special {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}

// encodeTSV is a field of SPARQL 1.1 Query Results TSV, section 4: Turtle on one line, without prefixes.
func encodeTSV(dst []byte, c cell) []byte {
	if bareNumber(c) {
		return append(dst, c.value...)
	}
	return appendNT(dst, c)
}

// appendNT appends a term in N-Triples syntax with tabs escaped too.
func appendNT(dst []byte, c cell) []byte {
	switch c.kind {
	case rdf.IRI:
		return append(rdf.AppendIRI(append(dst, '<'), c.value), '>')
	case rdf.BlankNode:
		return append(append(dst, '_', ':'), c.value...)
	}
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(c.value); i++ {
		b := c.value[i]
		switch b {
		case '"', '\\':
		case '\n':
			b = 'n'
		case '\r':
			b = 'r'
		case '\t':
			b = 't'
		default:
			continue
		}
		dst = append(append(dst, c.value[start:i]...), '\\', b)
		start = i + 1
	}
	dst = append(append(dst, c.value[start:]...), '"')
	switch {
	case c.language != nil:
		dst = append(append(dst, '@'), c.language...)
	case c.datatype != nil:
		dst = append(rdf.AppendIRI(append(dst, '^', '^', '<'), c.datatype), '>')
	}
	return dst
}

// bareNumber reports whether Turtle may write the literal without quotes and datatype and read the same term back.
// Not every reader takes a point behind a sign (+.7), though the grammar does.
func bareNumber(c cell) bool {
	if len(c.value) > 1 && c.value[1] == '.' && c.value[0]-'0' > 9 {
		return false
	}
	switch string(c.datatype) {
	case rdf.XSDInteger:
		return numberShape(c.value) == rdf.XSDInteger
	case rdf.XSDDecimal:
		return numberShape(c.value) == rdf.XSDDecimal
	case rdf.XSDDouble:
		return numberShape(c.value) == rdf.XSDDouble
	}
	return false
}

// numberShape names the datatype that Turtle gives to an unquoted number (RDF 1.1 Turtle, section 6.5: INTEGER,
// DECIMAL, DOUBLE), "" when s is none.
func numberShape(s []byte) string {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	digits := func() int {
		from := i
		for i < len(s) && s[i]-'0' <= 9 {
			i++
		}
		return i - from
	}
	whole, fraction, point := digits(), 0, false
	if i < len(s) && s[i] == '.' {
		point = true
		i++
		fraction = digits()
	}
	if i == len(s) {
		switch {
		case whole > 0 && !point:
			return rdf.XSDInteger
		case point && fraction > 0:
			return rdf.XSDDecimal
		}
		return ""
	}
	if whole+fraction == 0 || s[i]|0x20 != 'e' {
		return ""
	}
	i++
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	if digits() == 0 || i < len(s) {
		return ""
	}
	return rdf.XSDDouble
}
