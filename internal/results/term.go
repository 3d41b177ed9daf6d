package results

import (
	"bytes"
	"unicode/utf8"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// ID is the number of a term; dictionary.None marks an unbound variable.
type ID = dictionary.ID

// Decoder turns IDs into terms. It is called from several goroutines at once.
type Decoder interface {
	// AppendNTriples appends the term in N-Triples syntax to dst.
	AppendNTriples(dst []byte, id ID) []byte
	// AppendText appends the term's Value to dst, and returns its Sort.
	AppendText(dst []byte, id ID) (text []byte, sort string)
}

// cell is a term taken apart without copying: slices of its N-Triples form, unescaped.
type cell struct {
	kind                      rdf.Kind
	value, datatype, language []byte
}

var xsdStringIRI = []byte(rdf.XSDString)

// plainText reports a literal in N-Triples syntax without a datatype in which nothing is escaped, nor would be if tabs were.
func plainText(nt []byte) bool {
	end := bytes.LastIndexByte(nt, '"')
	return end > 0 && (end == len(nt)-1 || nt[end+1] == '@') && bytes.IndexByte(nt, '\\') < 0 && bytes.IndexByte(nt, '\t') < 0
}

// parse takes an N-Triples term apart. scratch receives what had to be unescaped and is returned, perhaps grown.
func parse(nt, scratch []byte) (cell, []byte) {
	if len(nt) < 2 {
		return cell{}, scratch
	}
	switch nt[0] {
	case '<':
		value, scratch := unescape(nt[1:len(nt)-1], scratch[:0])
		return cell{kind: rdf.IRI, value: value}, scratch
	case '_':
		return cell{kind: rdf.BlankNode, value: nt[2:]}, scratch
	}
	end := bytes.LastIndexByte(nt, '"')
	if end < 1 {
		return cell{}, scratch
	}
	value, scratch := unescape(nt[1:end], scratch[:0])
	c := cell{kind: rdf.Literal, value: value}
	switch rest := nt[end+1:]; {
	case len(rest) > 1 && rest[0] == '@':
		c.language = rest[1:]
	case len(rest) > 4 && rest[0] == '^':
		datatype, grown := unescape(rest[3:len(rest)-1], scratch)
		scratch = grown
		if !bytes.Equal(datatype, xsdStringIRI) {
			c.datatype = datatype
		}
	}
	return c, scratch
}

// unescape resolves the escapes of N-Triples. Without any it returns s itself and leaves scratch alone; otherwise the
// text is appended to scratch.
func unescape(s, scratch []byte) (value, grown []byte) {
	i := bytes.IndexByte(s, '\\')
	if i < 0 {
		return s, scratch
	}
	at := len(scratch)
	for {
		scratch = append(scratch, s[:i]...)
		s = s[i:]
		if len(s) < 2 {
			scratch, s = append(scratch, s...), nil
			break
		}
		n := 2
		switch s[1] {
		case 't':
			scratch = append(scratch, '\t')
		case 'b':
			scratch = append(scratch, '\b')
		case 'n':
			scratch = append(scratch, '\n')
		case 'r':
			scratch = append(scratch, '\r')
		case 'f':
			scratch = append(scratch, '\f')
		case 'u', 'U':
			r, size := hexRune(s)
			scratch, n = utf8.AppendRune(scratch, r), size
		default:
			scratch = append(scratch, s[1])
		}
		s = s[n:]
		if i = bytes.IndexByte(s, '\\'); i < 0 {
			break
		}
	}
	scratch = append(scratch, s...)
	return scratch[at:], scratch
}

// hexRune reads \uXXXX or \UXXXXXXXX at the start of s and returns its length; a broken escape is U+FFFD.
func hexRune(s []byte) (rune, int) {
	n := 6
	if s[1] == 'U' {
		n = 10
	}
	if len(s) < n {
		return utf8.RuneError, len(s)
	}
	var r rune
	for _, c := range s[2:n] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return utf8.RuneError, n
		}
	}
	return r, n
}
