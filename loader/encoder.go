package loader

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// predicates numbers the predicates in the order in which they are met.
type predicates struct {
	mu     sync.RWMutex
	number map[string]uint32
	keys   []string
}

func newPredicates() *predicates {
	p := &predicates{number: map[string]uint32{}}
	p.id([]byte("<" + rdf.RDFType)) // number 0, whether it is used or not
	return p
}

// typeNumber is the number of rdf:type.
const typeNumber = 0

func (p *predicates) id(key []byte) uint32 {
	p.mu.RLock()
	n, ok := p.number[text(key)]
	p.mu.RUnlock()
	if ok {
		return n
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n, ok = p.number[text(key)]; !ok {
		n = uint32(len(p.keys))
		p.keys = append(p.keys, string(key))
		p.number[p.keys[n]] = n
	}
	return n
}

// encoder turns statements into rows of provisional IDs. One worker owns it.
//
// Most lines take a short way: the ends of the terms are found, and a term that the table knows needs no further look,
// since its bytes are those of a term that passed every check. All other lines, and every fault, go through lineScanner.
type encoder struct {
	terms   *termTable
	names   *predicates
	triples *tripleList
	scanner lineScanner

	rows    []uint32
	classes map[uint32]uint32 // class → members, by provisional ID
	uses    []uint64          // triples by predicate number

	base         uint32 // of the term table when the following were remembered
	subject      []byte // the last subject as it stands in the text, with "> " behind
	subjectID    uint32
	recent       [recentPredicates]recentPredicate
	datatype     []byte // the last datatype as it stands in the text, with ">" behind
	datatypeMark []byte // the start of its keys
	key          []byte
}

// recentPredicate remembers the number of a predicate by its text, without "<" and with ">".
type recentPredicate struct {
	text   []byte
	number uint32
}

const recentPredicates = 256

// begin makes the encoder ready for text of one input: its blank node scope, and whether a fourth term may follow.
// What it remembers of the term table is forgotten when the table started anew.
func (e *encoder) begin(scope string, quads bool) {
	e.scanner.scope, e.scanner.quads = scope, quads
	if e.base != e.terms.base {
		e.base, e.subject = e.terms.base, e.subject[:0]
	}
}

// add appends a row.
func (e *encoder) add(subject, predicate, object, graph uint32) error {
	if predicate == typeNumber {
		e.classes[object]++
	}
	if int(predicate) >= len(e.uses) {
		e.uses = append(e.uses, make([]uint64, int(predicate)+1-len(e.uses))...)
	}
	e.uses[predicate]++
	if e.triples.width == 3 {
		e.rows = append(e.rows, subject, predicate, object)
	} else {
		e.rows = append(e.rows, subject, predicate, object, graph)
	}
	if len(e.rows) < cap(e.rows) {
		return nil
	}
	return e.flush()
}

// flush hands the rows over to the list.
func (e *encoder) flush() (err error) {
	if err := e.triples.add(e.rows); err != nil {
		return err
	}
	e.rows, err = e.triples.fresh()
	return err
}

// line encodes the statement of a line that the short way understands: terms and the final dot with one space between,
// no escapes, no blank nodes, no graph. done is false for any other line; nothing has been added then.
func (e *encoder) line(line []byte) (done bool, err error) {
	var s, p, o uint32
	var ok bool
	at := len(e.subject)
	if at > 0 && len(line) > at && string(line[:at]) == string(e.subject) {
		s = e.subjectID
	} else {
		if at, s, ok, err = e.resource(line, 0); !ok || err != nil || at == len(line) || line[at] != ' ' {
			return false, err
		}
		at++
		e.subject, e.subjectID = append(e.subject[:0], line[:at]...), s
	}
	if at, p, ok = e.predicate(line, at); !ok || at == len(line) || line[at] != ' ' {
		return false, nil
	}
	at++
	if at == len(line) {
		return false, nil
	}
	if line[at] == '"' {
		at, o, ok, err = e.literal(line, at)
	} else {
		at, o, ok, err = e.resource(line, at)
	}
	if !ok || err != nil || string(line[at:]) != " ." {
		return false, err
	}
	return true, e.add(s, p, o, defaultGraph)
}

// resource encodes the IRI at an index and returns the index after it.
func (e *encoder) resource(line []byte, at int) (next int, id uint32, ok bool, err error) {
	if at == len(line) || line[at] != '<' {
		return at, 0, false, nil
	}
	n := bytes.IndexByte(line[at:], '>')
	if n < 0 {
		return at, 0, false, nil
	}
	key := line[at : at+n]
	hash := hashKey(key)
	if id, ok = e.terms.find(hash, key); !ok {
		if !plainIRI(key[1:]) {
			return at, 0, false, nil
		}
		id, err = e.terms.add(hash, key)
	}
	return at + n + 1, id, err == nil, err
}

// plainIRI reports whether an IRI needs no unescaping and passes all checks.
func plainIRI(iri []byte) bool { return schemeEnd(iri) > 0 && badIRIByte(iri) < 0 && utf8.Valid(iri) }

func (e *encoder) predicate(line []byte, at int) (next int, number uint32, ok bool) {
	if at >= len(line) || line[at] != '<' {
		return at, 0, false
	}
	n := bytes.IndexByte(line[at:], '>')
	if n < 8 {
		return at, 0, false
	}
	key := line[at : at+n]
	slot := &e.recent[(uint(n)*31+uint(line[at+n-1])*7+uint(line[at+n-2])*17+uint(line[at+n-4])*5)%recentPredicates]
	if string(slot.text) == string(key) {
		return at + n + 1, slot.number, true
	}
	if !plainIRI(key[1:]) {
		return at, 0, false
	}
	slot.text, slot.number = append(slot.text[:0], key...), e.names.id(key)
	return at + n + 1, slot.number, true
}

// literal encodes the literal at an index and returns the index after it.
func (e *encoder) literal(line []byte, at int) (next int, id uint32, ok bool, err error) {
	n := bytes.IndexByte(line[at+1:], '"')
	if n < 0 || bytes.IndexByte(line[at+1:at+1+n], '\\') >= 0 {
		return at, 0, false, nil
	}
	key, lexical := line[at:at+1+n], line[at+1:at+1+n]
	next = at + n + 2
	if next < len(line) && line[next] != ' ' {
		if key, next, ok = e.suffix(line, next, lexical); !ok {
			return at, 0, false, nil
		}
	}
	hash := hashKey(key)
	if id, ok = e.terms.find(hash, key); !ok {
		if !utf8.Valid(lexical) {
			return at, 0, false, nil
		}
		id, err = e.terms.add(hash, key)
	}
	return next, id, err == nil, err
}

// suffix makes the key of a literal with a language tag or datatype, which starts at an index.
func (e *encoder) suffix(line []byte, at int, lexical []byte) (key []byte, next int, ok bool) {
	switch {
	case line[at] == '@':
		n := languageEnd(line[at+1:])
		if n == 0 {
			return nil, at, false
		}
		next = at + 1 + n
		e.key = append(e.key[:0], line[at:next]...)
		e.key = append(e.key, 0)
	case len(line) > at+3 && string(line[at:at+3]) == "^^<":
		n := bytes.IndexByte(line[at+3:], '>')
		if n < 0 || !e.knowDatatype(line[at+3:at+3+n]) {
			return nil, at, false
		}
		next = at + 4 + n
		e.key = append(e.key[:0], e.datatypeMark...)
	default:
		return nil, at, false
	}
	e.key = append(e.key, lexical...)
	return e.key, next, true
}

// knowDatatype makes datatypeMark that of a datatype; false for one that the scanner must look at.
func (e *encoder) knowDatatype(iri []byte) bool {
	if len(iri) == 0 || string(iri) == string(e.datatype) {
		return len(iri) > 0
	}
	if !plainIRI(iri) || text(iri) == rdf.RDFLangString {
		return false
	}
	e.datatype = append(e.datatype[:0], iri...)
	e.datatypeMark, _ = dictionary.AppendKey(e.datatypeMark[:0], rdf.Term{Kind: rdf.Literal, Datatype: text(e.datatype)})
	return true
}

// statement encodes a line by the long way.
func (e *encoder) statement(line []byte) (fault *lineError, err error) {
	var k keys
	ok, fault := e.scanner.scan(line, &k)
	if fault != nil || !ok {
		return fault, nil
	}
	s, err := e.terms.id(k.subject)
	if err != nil {
		return nil, err
	}
	o, err := e.terms.id(k.object)
	if err != nil {
		return nil, err
	}
	g := defaultGraph
	if len(k.graph) > 0 {
		if g, err = e.terms.id(k.graph); err != nil {
			return nil, err
		}
	}
	return nil, e.add(s, e.names.id(k.predicate), o, g)
}

// quad encodes a statement of terms.
func (e *encoder) quad(q Quad) error {
	g := defaultGraph
	s, err := e.term(q.Subject)
	if err != nil {
		return err
	}
	o, err := e.term(q.Object)
	if err != nil {
		return err
	}
	if !q.Graph.IsZero() {
		if g, err = e.term(q.Graph); err != nil {
			return err
		}
	}
	e.key, _ = dictionary.AppendKey(e.key[:0], q.Predicate)
	return e.add(s, e.names.id(e.key), o, g)
}

func (e *encoder) term(t rdf.Term) (uint32, error) {
	e.key, _ = dictionary.AppendKey(e.key[:0], t)
	return e.terms.id(e.key)
}

// block encodes the lines of a block. bad is told of each faulty line and decides whether to go on.
func (e *encoder) block(b block, bad func(SyntaxError) error) error {
	number := b.line
	returns := bytes.IndexByte(b.text, '\r') >= 0
	for rest := b.text; len(rest) > 0; number++ {
		if !returns {
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			done, err := e.line(rest[:end])
			if err != nil {
				return err
			}
			if done {
				rest = rest[min(end+1, len(rest)):]
				continue
			}
		}
		line, size := nextLine(rest)
		fault, err := e.statement(line)
		if err != nil {
			return err
		}
		if fault != nil {
			if err := bad(SyntaxError{Line: number, Column: column(line, fault.offset), Message: fault.message}); err != nil {
				return err
			}
		}
		rest = rest[size:]
	}
	return nil
}

// sortedPredicates gives every predicate its label, by the order of their keys.
func (p *predicates) sorted(uses []uint64) (labels []uint32, keys []string) {
	for n, k := range p.keys {
		if n < len(uses) && uses[n] > 0 {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	labels = slices.Repeat([]uint32{math.MaxUint32}, len(p.keys))
	for label, k := range keys {
		labels[p.number[k]] = uint32(label)
	}
	return labels, keys
}

// mergeCounts adds the counts of one worker to those of all.
func mergeCounts(all, one map[uint32]uint32) map[uint32]uint32 {
	if all == nil {
		return maps.Clone(one)
	}
	for k, n := range one {
		all[k] += n
	}
	return all
}
