package loader

import (
	"bytes"
	"maps"
	"unicode/utf8"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// encoder turns statements into rows of provisional IDs. One worker owns it.
//
// Most lines take a short way: the ends of the terms are found, and a term that the table knows needs no further look,
// since its bytes are those of a term that passed every check. All other lines, and every fault, go through lineScanner.
type encoder struct {
	terms   *termTable
	names   *predicates
	triples *tripleList
	scanner lineScanner

	into    uint32 // the graph of statements that name none: provisional
	rows    []uint32
	classes map[uint32]uint32 // class → members, by provisional ID
	uses    []uint64          // triples by predicate number

	base         uint32 // of the term table when the following were remembered
	subject      []byte // the last subject as it stands in the text, with "> " behind
	subjectID    uint32
	subjectOK    bool
	recent       [recentPredicates]recentPredicate
	datatype     []byte // the last datatype as it stands in the text, with ">" behind
	datatypeMark []byte // the start of its keys
	key          []byte

	batch   [batchLines]pendingLine
	pending int
	text    []byte // keys of the batch that are not in the text as they are
	touched byte   // keeps the reads of fetch alive
}

// recentPredicate remembers the number of a predicate by its text, without "<" and with ">".
type recentPredicate struct {
	text   []byte
	number uint32
}

const recentPredicates = 256

// begin makes the encoder ready for text of one input: its blank node scope, and whether a fourth term may follow.
// The last subject is forgotten where it may have another ID now.
func (e *encoder) begin(scope string, quads bool) {
	if e.base != e.terms.base || e.scanner.scope != scope {
		e.base, e.subject = e.terms.base, e.subject[:0]
	}
	e.scanner.scope, e.scanner.quads = scope, quads
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

// line takes a line for the batch if the short way understands it: terms and the final dot with one space between, no
// escapes, no graph. Nothing has been done with any other line.
func (e *encoder) line(line []byte, number int64) bool {
	p := &e.batch[e.pending]
	at := len(e.subject)
	p.subject = nil
	if at == 0 || len(line) <= at || string(line[:at]) != string(e.subject) {
		p.subject, at = e.resource(line, 0)
		if at == 0 || at >= len(line) || line[at] != ' ' {
			return false
		}
		at++
	}
	next, predicate, ok := e.predicate(line, at)
	if !ok || next+1 >= len(line) || line[next] != ' ' {
		return false
	}
	if p.object, next = e.object(line, next+1); next == 0 || string(line[next:]) != " ." {
		return false
	}
	if p.subject != nil {
		e.subject = append(e.subject[:0], line[:at]...)
		p.subjectHash = hashKey(p.subject)
	}
	p.objectHash = hashKey(p.object)
	p.line, p.number, p.predicate = line, number, predicate
	e.pending++
	return true
}

// iriEnd returns the index of the '>' of the IRI at an index; 0 where there is none.
func iriEnd(line []byte, at int) int {
	if at >= len(line) || line[at] != '<' {
		return 0
	}
	n := bytes.IndexByte(line[at:], '>')
	if n < 0 {
		return 0
	}
	return at + n
}

// object finds the key of the object at an index and the index after it, 0 where the short way does not understand it.
func (e *encoder) object(line []byte, at int) (key []byte, next int) {
	if line[at] == '"' {
		return e.literal(line, at)
	}
	return e.resource(line, at)
}

// resource finds the key of the IRI or blank node at an index and the index after it, 0 where there is none.
func (e *encoder) resource(line []byte, at int) (key []byte, next int) {
	if end := iriEnd(line, at); end > 0 {
		return line[at:end], end + 1
	}
	if len(line) < at+3 || line[at] != '_' || line[at+1] != ':' {
		return nil, 0
	}
	n, _ := labelEnd(line[at+2:])
	next = at + 2 + n
	switch label := line[at+2 : next]; {
	case n == 0:
		return nil, 0
	case e.scanner.scope == "" && !scoped(label):
		return line[at:next], next
	default:
		start := len(e.text)
		e.text = appendLabel(append(e.text, "_:"...), e.scanner.scope, label)
		return e.text[start:len(e.text):len(e.text)], next
	}
}

// pendingLine is a line whose terms are still to be looked up. subject is nil where it is that of the line before.
type pendingLine struct {
	line                    []byte
	number                  int64
	subject, object         []byte
	subjectHash, objectHash uint64
	predicate               uint32
}

// batchLines is how many lines are looked up together, so that the memory reads of one do not wait for those of another.
const batchLines = 48

// resolve looks the terms of the batch up and adds its rows. odd is called for lines whose terms are not plain.
func (e *encoder) resolve(odd func(line []byte, number int64) error) error {
	batch := e.batch[:e.pending]
	e.pending, e.text = 0, e.text[:0]
	e.fetch(batch)
	for i := range batch {
		p := &batch[i]
		var err error
		ok := true
		if p.subject != nil {
			e.subjectID, ok, err = e.known(p.subjectHash, p.subject)
			e.subjectOK = ok
		}
		var object uint32
		if ok = e.subjectOK && err == nil; ok {
			object, ok, err = e.known(p.objectHash, p.object)
		}
		switch {
		case err != nil:
			return err
		case ok:
			err = e.add(e.subjectID, p.predicate, object, e.into)
		default:
			err = odd(p.line, p.number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetch reads what the lookups of a batch will read: first all slots, then all records.
func (e *encoder) fetch(batch []pendingLine) {
	var slots [2 * batchLines]uint64
	for i := range batch {
		p := &batch[i]
		slots[2*i] = e.terms.peek(p.objectHash)
		if p.subject != nil {
			slots[2*i+1] = e.terms.peek(p.subjectHash)
		}
	}
	sum := byte(0)
	for i := range batch {
		p := &batch[i]
		sum += e.terms.touch(p.objectHash, slots[2*i])
		if p.subject != nil {
			sum += e.terms.touch(p.subjectHash, slots[2*i+1])
		}
	}
	e.touched += sum
}

// known returns the ID of a key that the table has, or that passes the checks; ok is false for one that does not.
func (e *encoder) known(hash uint64, key []byte) (id uint32, ok bool, err error) {
	if id, ok = e.terms.find(hash, key); ok {
		return id, true, nil
	}
	switch key[0] {
	case '<':
		ok = plainIRI(key[1:])
	case '_':
		ok = true // labels are checked when they are found
	default:
		ok = utf8.Valid(key)
	}
	if ok {
		id, err = e.terms.add(hash, key)
	}
	return id, ok, err
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

// literal finds the key of the literal at an index and the index after it.
func (e *encoder) literal(line []byte, at int) (key []byte, next int) {
	n := bytes.IndexByte(line[at+1:], '"')
	if n < 0 || bytes.IndexByte(line[at+1:at+1+n], '\\') >= 0 {
		return nil, 0
	}
	next = at + n + 2
	if next < len(line) && line[next] != ' ' {
		return e.suffix(line, next, line[at+1:at+1+n])
	}
	return line[at : at+1+n], next
}

// suffix makes the key of a literal with a language tag or datatype, which starts at an index.
func (e *encoder) suffix(line []byte, at int, lexical []byte) (key []byte, next int) {
	start := len(e.text)
	switch {
	case line[at] == '@':
		n := languageEnd(line[at+1:])
		if n == 0 {
			return nil, 0
		}
		next = at + 1 + n
		e.text = append(e.text, line[at:next]...)
		e.text = append(e.text, 0)
	case len(line) > at+3 && string(line[at:at+3]) == "^^<":
		n := bytes.IndexByte(line[at+3:], '>')
		if n < 0 || !e.knowDatatype(line[at+3:at+3+n]) {
			return nil, 0
		}
		next = at + 4 + n
		e.text = append(e.text, e.datatypeMark...)
	default:
		return nil, 0
	}
	e.text = append(e.text, lexical...)
	return e.text[start:len(e.text):len(e.text)], next
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
	g := e.into
	if len(k.graph) > 0 {
		if g, err = e.terms.id(k.graph); err != nil {
			return nil, err
		}
	}
	return nil, e.add(s, e.names.id(k.predicate), o, g)
}

// quad encodes a statement of terms.
func (e *encoder) quad(q Quad) error {
	g := e.into
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
	odd := func(line []byte, number int64) error {
		fault, err := e.statement(line)
		if fault != nil {
			return bad(SyntaxError{Line: number, Column: column(line, fault.offset), Message: fault.message})
		}
		return err
	}
	number := b.line
	returns := bytes.IndexByte(b.text, '\r') >= 0
	for rest := b.text; len(rest) > 0; number++ {
		line, size := rest, len(rest)
		if returns {
			line, size = nextLine(rest)
		} else if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line, size = rest[:end], end+1
		}
		rest = rest[size:]
		if !e.line(line, number) {
			// Lines before this one come first, lest a later fault be reported in place of theirs.
			if err := e.resolve(odd); err != nil {
				return err
			}
			if err := odd(line, number); err != nil {
				return err
			}
		} else if e.pending == batchLines {
			if err := e.resolve(odd); err != nil {
				return err
			}
		}
	}
	return e.resolve(odd)
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
