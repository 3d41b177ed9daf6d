package loader

import "unicode/utf8"

// Character classes of the Turtle family of grammars (RDF 1.1 Turtle, section 6.5), one bit each, for ASCII.
const (
	charIRI      = 1 << iota // allowed inside <>
	charNameBase             // PN_CHARS_BASE
	charNameU                // PN_CHARS_U
	charName                 // PN_CHARS
	charDigit
	charHex
	charAlpha
)

var ascii = func() (t [256]uint8) {
	for c := 0x21; c < 0x80; c++ {
		t[c] |= charIRI
	}
	for _, c := range `<>"{}|^` + "`\\" {
		t[c] &^= charIRI
	}
	for c := 0x80; c < 0x100; c++ {
		t[c] |= charIRI // the encoding itself is checked apart
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c] |= charNameBase | charNameU | charName | charAlpha
		t[c-32] |= charNameBase | charNameU | charName | charAlpha
	}
	t['_'] |= charNameU | charName
	t['-'] |= charName
	for c := '0'; c <= '9'; c++ {
		t[c] |= charName | charDigit | charHex
	}
	for c := 'a'; c <= 'f'; c++ {
		t[c] |= charHex
		t[c-32] |= charHex
	}
	return t
}()

// nameBaseRanges are the characters of PN_CHARS_BASE beyond ASCII, in order.
var nameBaseRanges = [...][2]rune{
	{0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D}, {0x37F, 0x1FFF}, {0x200C, 0x200D},
	{0x2070, 0x218F}, {0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
}

func isNameBase(r rune) bool {
	if r < utf8.RuneSelf {
		return ascii[r]&charNameBase != 0
	}
	for _, x := range nameBaseRanges {
		if r <= x[1] {
			return r >= x[0]
		}
	}
	return false
}

// isNameU reports whether r is in PN_CHARS_U.
func isNameU(r rune) bool { return r == '_' || isNameBase(r) }

// isName reports whether r is in PN_CHARS.
func isName(r rune) bool {
	if r < utf8.RuneSelf {
		return ascii[r]&charName != 0
	}
	return r == 0xB7 || r >= 0x300 && r <= 0x36F || r == 0x203F || r == 0x2040 || isNameBase(r)
}

// labelEnd returns the length of the blank node label (without "_:") at the start of b, 0 where there is none.
// A label may hold dots but does not end in one. more reports that b ended before the label surely did.
func labelEnd(b []byte) (n int, more bool) {
	last := 0
	for i := 0; i < len(b); {
		c := b[i]
		size, ok := 1, false
		switch {
		case c < utf8.RuneSelf:
			ok = ascii[c]&charName != 0 && (i > 0 || c != '-') || c == '.' && i > 0
		default:
			if !utf8.FullRune(b[i:]) {
				return last, true
			}
			var r rune
			r, size = utf8.DecodeRune(b[i:])
			ok = !(r == utf8.RuneError && size == 1) && (i > 0 && isName(r) || isNameU(r))
		}
		if !ok {
			return last, false
		}
		i += size
		if c != '.' {
			last = i
		}
	}
	return last, true
}

// languageEnd returns the length of the language tag (without "@") at the start of b: [a-zA-Z]+ ('-' [a-zA-Z0-9]+)*;
// 0 where there is none.
func languageEnd(b []byte) int {
	i := 0
	for i < len(b) && ascii[b[i]]&charAlpha != 0 {
		i++
	}
	if i == 0 {
		return 0
	}
	for i+1 < len(b) && b[i] == '-' && ascii[b[i+1]]&(charAlpha|charDigit) != 0 {
		i++
		for i < len(b) && ascii[b[i]]&(charAlpha|charDigit) != 0 {
			i++
		}
	}
	return i
}

// schemeEnd returns the length of the scheme and its colon at the start of an IRI (RFC 3987, section 2.2); 0 where the
// IRI has none, that is, where it is relative.
func schemeEnd[T string | []byte](iri T) int {
	if len(iri) == 0 || ascii[iri[0]]&charAlpha == 0 {
		return 0
	}
	for i := 1; i < len(iri); i++ {
		switch c := iri[i]; {
		case c == ':':
			return i + 1
		case ascii[c]&(charAlpha|charDigit) == 0 && c != '+' && c != '-' && c != '.':
			return 0
		}
	}
	return 0
}

// badIRIByte returns the index of the first byte that IRIREF forbids, -1 where there is none.
func badIRIByte[T string | []byte](iri T) int {
	for i := 0; i < len(iri); i++ {
		if ascii[iri[i]]&charIRI == 0 {
			return i
		}
	}
	return -1
}

// hexRune reads n hexadecimal digits at the start of b as a code point; ok is false where they are missing or stand
// for a surrogate or for nothing in Unicode.
func hexRune(b []byte, n int) (r rune, ok bool) {
	if len(b) < n {
		return 0, false
	}
	var v uint32
	for _, c := range b[:n] {
		if ascii[c]&charHex == 0 {
			return 0, false
		}
		d := uint32(c & 15)
		if c > '9' {
			d += 9
		}
		v = v<<4 | d
	}
	if v > utf8.MaxRune || v >= 0xD800 && v <= 0xDFFF {
		return 0, false
	}
	return rune(v), true
}

// escapedChar is what \t, \b and the like stand for; 0 for letters that escape nothing.
var escapedChar = [256]byte{'t': '\t', 'b': '\b', 'n': '\n', 'r': '\r', 'f': '\f', '"': '"', '\'': '\'', '\\': '\\'}
