package dictionary

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// A key is a term as bytes: equal terms have equal keys and different terms different ones. The first byte says what
// it is:
//
//	<iri               an IRI
//	_:label            a blank node
//	"lexical           a plain literal
//	@tag NUL lexical   a literal with a language tag
//	#code lexical      a literal of a datatype with values; code is the byte 0x20 + Datatype
//	^iri NUL lexical   a literal of another datatype
const (
	keyIRI    = '<'
	keyBlank  = '_'
	keyString = '"'
	keyLang   = '@'
	keyKnown  = '#'
	keyOther  = '^'
	codeBase  = 0x20
)

// ErrTerm says that bytes are no key, or that a term cannot have one (a NUL in a datatype IRI or language tag).
var ErrTerm = errors.New("not a term of a dictionary")

// AppendKey appends the key of t, in normal form, to dst. The zero Term, and one whose datatype IRI or language tag
// holds a NUL byte, has no key: ok is false and dst is returned as it was.
func AppendKey(dst []byte, t rdf.Term) (key []byte, ok bool) {
	switch t.Kind {
	case rdf.IRI:
		dst = append(dst, keyIRI)
	case rdf.BlankNode:
		dst = append(dst, keyBlank, ':')
	case rdf.Literal:
		return appendLiteralKey(dst, t)
	default:
		return dst, false
	}
	return append(dst, t.Value...), true
}

func appendLiteralKey(dst []byte, t rdf.Term) ([]byte, bool) {
	mark, qualifier := byte(keyLang), t.Language
	if t.Language == "" {
		if t.Datatype == "" || t.Datatype == rdf.XSDString {
			dst = append(dst, keyString)
			return append(dst, t.Value...), true
		}
		if d := DatatypeOf(t.Datatype); d != OtherDatatype {
			dst = append(dst, keyKnown, codeBase+byte(d))
			return append(dst, t.Value...), true
		}
		mark, qualifier = keyOther, t.Datatype
	}
	if strings.IndexByte(qualifier, 0) >= 0 {
		return dst, false
	}
	dst = append(dst, mark)
	dst = append(dst, qualifier...)
	dst = append(dst, 0)
	return append(dst, t.Value...), true
}

// parts is a key taken apart; its slices are those of the key.
type parts struct {
	mark      byte
	datatype  Datatype
	qualifier []byte // language tag, or IRI of another datatype
	text      []byte // what is stored: "<iri", "_:label" or the lexical form
}

func splitKey(key []byte) (parts, error) {
	if len(key) == 0 {
		return parts{}, fmt.Errorf("%w: no bytes", ErrTerm)
	}
	p, ok := cutKey(key)
	if !ok || p.mark == keyOther && (datatypeByIRI[string(p.qualifier)] != OtherDatatype || string(p.qualifier) == rdf.XSDString) {
		return parts{}, fmt.Errorf("%w: %q", ErrTerm, string(key)) // a copy, so that keys may lie on the stack
	}
	return p, nil
}

// cutKey is splitKey for bytes that may be no key only where ok is false, or by the datatype of another literal.
func cutKey(key []byte) (p parts, ok bool) {
	p = parts{mark: key[0], text: key[1:]}
	switch p.mark {
	case keyIRI:
		p.text = key
		return p, true
	case keyBlank:
		p.text = key
		return p, len(key) >= 2 && key[1] == ':'
	case keyString:
		return p, true
	case keyKnown:
		if len(key) >= 2 && key[1] > codeBase && key[1] < codeBase+byte(datatypes) {
			p.datatype, p.text = Datatype(key[1]-codeBase), key[2:]
			return p, true
		}
	case keyLang, keyOther:
		if i := bytes.IndexByte(p.text, 0); i > 0 {
			p.qualifier, p.text = p.text[:i], p.text[i+1:]
			return p, true
		}
	}
	return p, false
}

// escapes is 1 where the term needs escapes in N-Triples, else 0.
func (p *parts) escapes() uint64 {
	text, table := p.text, &literalEscapes
	switch p.mark {
	case keyIRI:
		text, table = text[1:], &iriEscapes
	case keyBlank:
		return 0
	case keyOther:
		if slices.ContainsFunc(p.qualifier, func(c byte) bool { return iriEscapes[c] }) {
			return 1
		}
	}
	if slices.ContainsFunc(text, func(c byte) bool { return table[c] }) {
		return 1
	}
	return 0
}

// ParseKey is the term of a key.
func ParseKey(key []byte) (rdf.Term, error) {
	p, err := splitKey(bytes.Clone(key))
	if err != nil {
		return rdf.Term{}, err
	}
	return p.term(), nil
}

// term is the term of a key; its strings are the key's bytes, which must never change.
func (p *parts) term() rdf.Term {
	switch p.mark {
	case keyIRI:
		return rdf.NewIRI(viewString(p.text[1:]))
	case keyBlank:
		return rdf.NewBlank(viewString(p.text[2:]))
	}
	t := rdf.Term{Kind: rdf.Literal, Value: viewString(p.text)}
	switch p.mark {
	case keyLang:
		t.Language = viewString(p.qualifier)
	case keyKnown:
		t.Datatype = p.datatype.IRI()
	case keyOther:
		t.Datatype = viewString(p.qualifier)
	}
	return t
}

// viewString is bytes that never change as a string.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
