package dictionary

import (
	"bytes"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// arrivals are the first terms of a tail, numbered from 0; none in a dictionary without one. Its methods give nothing for
// a number that no term has.
type arrivals struct {
	arena
	index *arrivalIndex
	count ID
}

// find is the number of a key, given its hash. A term that arrived later is not there.
func (a *arrivals) find(hash uint64, key []byte) (ID, bool) {
	if a.count == 0 {
		return None, false
	}
	return a.index.find(hash, func(n ID) bool { return n < a.count && bytes.Equal(a.key(n), key) })
}

func (a *arrivals) kind(n ID) rdf.Kind {
	if n >= a.count {
		return 0
	}
	switch a.key(n)[0] {
	case keyIRI:
		return rdf.IRI
	case keyBlank:
		return rdf.BlankNode
	}
	return rdf.Literal
}

func (a *arrivals) appendKey(dst []byte, n ID) []byte {
	if n >= a.count {
		return dst
	}
	return append(dst, a.key(n)...)
}

// term is the term of a number; its strings are the tail's bytes.
func (a *arrivals) term(n ID) rdf.Term {
	if n >= a.count {
		return rdf.Term{}
	}
	p, _ := cutKey(a.key(n))
	return p.term()
}

func (a *arrivals) appendNTriples(dst []byte, n ID) []byte {
	if n >= a.count {
		return dst
	}
	key, _, escapes := a.record(n)
	p, _ := cutKey(key)
	switch {
	case escapes:
		return rdf.AppendNTriples(dst, p.term())
	case p.mark == keyIRI:
		return append(append(dst, key...), '>')
	case p.mark == keyBlank:
		return append(dst, key...)
	}
	dst = append(append(dst, '"'), p.text...)
	switch p.mark {
	case keyLang:
		return append(append(dst, '"', '@'), p.qualifier...)
	case keyKnown:
		return append(dst, datatypeTable[p.datatype].tail...)
	case keyOther:
		return append(append(append(dst, `"^^<`...), p.qualifier...), '>')
	}
	return append(dst, '"')
}

// appendText appends the Value of a term, and returns the rest of it as rdf.Term.Sort does; its string is the tail's bytes.
func (a *arrivals) appendText(dst []byte, n ID) (text []byte, sort string) {
	if n >= a.count {
		return dst, ""
	}
	key := a.key(n)
	p, _ := cutKey(key)
	if p.mark == keyLang {
		return append(dst, p.text...), viewString(key[:1+len(p.qualifier)])
	}
	t := p.term()
	return append(dst, t.Value...), t.Sort()
}

func (a *arrivals) value(n ID) Value {
	if n >= a.count {
		return Value{Zone: NoZone}
	}
	return a.arena.value(n)
}
