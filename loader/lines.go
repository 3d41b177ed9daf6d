package loader

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Line is a line of a format whose lines have a keyword and then terms of N-Quads, like RDF Patch. It is read from left
// to right. Its errors are *SyntaxError without a file name. A blank node is one of a store: its label stays as it is, and
// may be in angle brackets.
type Line struct {
	scanner lineScanner
	text    []byte
	number  int64
	at      int // what is read next
	item    int // where what was read last began
}

// Lines gives the lines of a document that are neither empty nor comments. A line is valid until the next step. An error
// of reading, or a line that is not UTF-8, is the last step.
func Lines(r io.Reader) iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		blocks := newBlockReader(r)
		line := &Line{scanner: lineScanner{quads: true, store: true}}
		var buf []byte
		for {
			b, err := blocks.next(buf)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("loader: %w", err))
				return
			}
			if !line.each(b, yield) {
				return
			}
			buf = b.text
		}
	}
}

// each gives the lines of a block, and tells whether there is more to be read.
func (l *Line) each(b block, yield func(*Line, error) bool) bool {
	l.number = b.line
	for text := b.text; len(text) > 0; l.number++ {
		line, size := nextLine(text)
		text = text[size:]
		l.text, l.at = line, skipBlanks(line, 0)
		l.item = l.at
		if !utf8.Valid(line) {
			i := invalidUTF8(line)
			yield(nil, l.fault(fault(i, "expected UTF-8, found "+found(line[i:]))))
			return false
		}
		if l.at < len(line) && line[l.at] != '#' && !yield(l, nil) {
			return false
		}
	}
	return true
}

// fault gives an error its place.
func (l *Line) fault(e *lineError) error {
	if e == nil {
		return nil
	}
	return &SyntaxError{Line: l.number, Column: column(l.text, e.offset), Message: e.message}
}

// Number is that of the line, from 1.
func (l *Line) Number() int64 { return l.number }

// Expected is the error that something else was expected in the place of what was read last.
func (l *Line) Expected(what string) error {
	return l.fault(fault(l.item, "expected "+what+", found "+found(l.text[l.item:])))
}

// Word reads a word: letters, digits and what else a blank node label may have; "" where there is none.
func (l *Line) Word() string {
	l.item = l.at
	n, _ := labelEnd(l.text[l.at:])
	word := string(l.text[l.at : l.at+n])
	l.at = skipBlanks(l.text, l.at+n)
	return word
}

// Term reads a term of any kind.
func (l *Line) Term() (rdf.Term, error) {
	l.item = l.at
	if l.at == len(l.text) || !strings.ContainsRune("<_\"", rune(l.text[l.at])) {
		return rdf.Term{}, l.Expected("a term (<IRI>, _:label or \"literal\")")
	}
	l.scanner.slot = 0
	key, next, err := l.scanner.object(l.text, l.at)
	if err != nil {
		return rdf.Term{}, l.fault(err)
	}
	l.at = skipBlanks(l.text, next)
	return termOf(key), nil
}

// End reads '.' and what may follow it, a comment.
func (l *Line) End() error { return l.fault(lineEnd(l.text, l.at)) }

// Quad reads the rest of the line: a statement of N-Quads.
func (l *Line) Quad() (Quad, error) {
	var k keys
	if err := l.scanner.statement(l.text, l.at, &k); err != nil {
		return Quad{}, l.fault(err)
	}
	return Quad{Subject: termOf(k.subject), Predicate: termOf(k.predicate), Object: termOf(k.object), Graph: termOf(k.graph)}, nil
}
