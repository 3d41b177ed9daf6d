package loader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// turtleLexer is a window on a Turtle or TriG document. The token at hand starts at pos; all indices are relative to
// it and stay right when the window moves on.
type turtleLexer struct {
	r    io.Reader
	buf  []byte
	pos  int
	eof  bool
	err  error // of the reader
	text []byte
	// Where buf[0] lies in the document: lines before it, and characters before it in its line.
	line   int64
	column int
}

const eof = -1

// at returns the byte i places into the token, or eof.
func (l *turtleLexer) at(i int) int {
	if l.pos+i < len(l.buf) {
		return int(l.buf[l.pos+i])
	}
	for l.fill() {
		if l.pos+i < len(l.buf) {
			return int(l.buf[l.pos+i])
		}
	}
	return eof
}

// fill reads more of the document, dropping what lies before the token. It reports whether something came.
func (l *turtleLexer) fill() bool {
	if l.eof {
		return false
	}
	l.drop()
	if len(l.buf) == cap(l.buf) {
		l.buf = append(l.buf, make([]byte, max(64<<10, len(l.buf)))...)[:len(l.buf)]
	}
	n, err := l.r.Read(l.buf[len(l.buf):cap(l.buf)])
	l.buf = l.buf[:len(l.buf)+n]
	if err != nil {
		l.eof = true
		if err != io.EOF {
			l.err = err
		}
	}
	return n > 0 || !l.eof
}

func (l *turtleLexer) drop() {
	l.line, l.column = l.place(l.pos)
	l.buf = l.buf[:copy(l.buf, l.buf[l.pos:])]
	l.pos = 0
}

// place gives the line and the characters before the byte at index i of the window.
func (l *turtleLexer) place(i int) (line int64, column int) {
	seen := l.buf[:min(i, len(l.buf))]
	line, column = l.line+lineEnds(seen), l.column
	if last := bytes.LastIndexAny(seen, "\n\r"); last >= 0 {
		seen, column = seen[last+1:], 0
	}
	return line, column + utf8.RuneCount(seen)
}

// fail is the error for the byte i places into the token.
func (l *turtleLexer) fail(i int, format string, arguments ...any) error {
	if l.err != nil {
		return fmt.Errorf("loader: %w", l.err)
	}
	line, column := l.place(l.pos + i)
	return &SyntaxError{Line: line + 1, Column: column + 1, Message: fmt.Sprintf(format, arguments...)}
}

// expected is the error of a token other than the one that was expected.
func (l *turtleLexer) expected(i int, what string) error {
	if l.at(i) == eof {
		return l.fail(i, "expected %s, found the end of the document", what)
	}
	l.at(i + 3)
	return l.fail(i, "expected %s, found %s", what, found(l.buf[l.pos+i:]))
}

// bytes returns the bytes i … j-1 of the token, which at or runeAt has seen.
func (l *turtleLexer) bytes(i, j int) []byte { return l.buf[l.pos+i : l.pos+j] }

// runeAt decodes the character i places into the token; size is 0 at the end and for what is not UTF-8.
func (l *turtleLexer) runeAt(i int) (r rune, size int) {
	c := l.at(i)
	if c < utf8.RuneSelf {
		return rune(c), min(c+1, 1)
	}
	l.at(i + 3)
	r, size = utf8.DecodeRune(l.buf[l.pos+i:])
	if r == utf8.RuneError && size == 1 {
		return r, 0
	}
	return r, size
}

// skip passes over white space and comments.
func (l *turtleLexer) skip() error {
	for {
		switch c := l.at(0); c {
		case ' ', '\t', '\n', '\r':
			l.pos++
		case '#':
			if err := l.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (l *turtleLexer) comment() error {
	i := 1
	for c := l.at(i); c != '\n' && c != '\r' && c != eof; c = l.at(i) {
		i++
	}
	if err := l.checkUTF8(0, i); err != nil {
		return err
	}
	l.pos += i
	return nil
}

func (l *turtleLexer) checkUTF8(i, j int) error {
	b := l.bytes(i, j)
	if utf8.Valid(b) {
		return nil
	}
	return l.expected(i+invalidUTF8(b), "UTF-8")
}

var errNoBase = errors.New("expected an absolute IRI (no base IRI is known)")

// iriRef reads <…> without the brackets, escapes undone.
func (l *turtleLexer) iriRef() (string, error) {
	i := 1
	for c := l.at(i); c != '>'; c = l.at(i) {
		if c == '\\' {
			return l.escapedIRI()
		}
		if c == eof || ascii[c]&charIRI == 0 {
			return "", l.expected(i, "'>' or a character of an IRI")
		}
		i++
	}
	if err := l.checkUTF8(1, i); err != nil {
		return "", err
	}
	iri := string(l.bytes(1, i))
	l.pos += i + 1
	return iri, nil
}

func (l *turtleLexer) escapedIRI() (string, error) {
	i := 1
	for c := l.at(i); c != '>' && c != '\n' && c != eof; c = l.at(i) {
		i++
	}
	l.at(i)
	end := min(i+1, len(l.buf)-l.pos)
	var err *lineError
	l.text, _, err = unescapeIRI(l.text[:0], l.bytes(0, end), 0)
	if err != nil {
		return "", l.fail(err.offset, "%s", err.message)
	}
	if err := l.checkUTF8(0, end); err != nil {
		return "", err
	}
	l.pos += i + 1
	return string(l.text[1:]), nil
}

// quoted reads a string in one of the four quotations.
func (l *turtleLexer) quoted() (string, error) {
	quote := l.at(0)
	if l.at(1) != quote {
		return l.stringBody(quote, 1, false)
	}
	if l.at(2) != quote {
		l.pos += 2
		return "", nil
	}
	return l.stringBody(quote, 3, true)
}

// stringBody reads a string from its first character, at i, through its closing quotes.
func (l *turtleLexer) stringBody(quote, i int, long bool) (string, error) {
	l.text = l.text[:0]
	from := i
	for {
		c := l.at(i)
		switch {
		case c == eof || !long && (c == '\n' || c == '\r'):
			return "", l.expected(i, "the closing quote of the string")
		case c == '\\':
			l.text = append(l.text, l.bytes(from, i)...)
			n, err := l.stringEscape(i)
			if err != nil {
				return "", err
			}
			i += n
			from = i
		case c == quote && (!long || l.at(i+1) == quote && l.at(i+2) == quote):
			if err := l.checkUTF8(0, i); err != nil {
				return "", err
			}
			l.text = append(l.text, l.bytes(from, i)...)
			l.pos += i + 1
			if long {
				l.pos += 2
			}
			return string(l.text), nil
		default:
			i++
		}
	}
}

// stringEscape appends what the escape at i stands for to text, and returns its length.
func (l *turtleLexer) stringEscape(i int) (int, error) {
	c := l.at(i + 1)
	if c != eof && escapedChar[c] != 0 {
		l.text = append(l.text, escapedChar[c])
		return 2, nil
	}
	l.at(i + 9)
	r, size := numericEscape(l.buf[l.pos+i:])
	if size == 0 {
		return 0, l.fail(i, `expected \t \b \n \r \f \" \' \\ or \uXXXX or \UXXXXXXXX with a code point that is no surrogate`)
	}
	l.text = utf8.AppendRune(l.text, r)
	return size, nil
}

// wordEnd returns the index after the longest run of name characters and dots at the token that does not end in a dot.
func (l *turtleLexer) wordEnd() int {
	last := 0
	for i := 0; ; {
		r, size := l.runeAt(i)
		if size == 0 || r != '.' && !isName(r) {
			return last
		}
		i += size
		if r != '.' {
			last = i
		}
	}
}

// localEnd returns the index after the local part (PN_LOCAL) that starts at i; escaped says it has backslashes.
func (l *turtleLexer) localEnd(i int) (end int, escaped bool, err error) {
	end = i
	for first := true; ; first = false {
		r, size := l.runeAt(i)
		switch {
		case r == '%':
			if !l.hexAt(i+1) || !l.hexAt(i+2) {
				return 0, false, l.expected(i, "two hexadecimal digits after '%'")
			}
			size = 3
		case r == '\\':
			if c := l.at(i + 1); c == eof || bytes.IndexByte([]byte("_~.-!$&'()*+,;=/?#@%"), byte(c)) < 0 {
				return 0, false, l.expected(i+1, `a character that a local name may escape`)
			}
			size, escaped = 2, true
		case size == 0 || r != ':' && !localChar(r, first):
			return end, escaped, nil
		}
		i += size
		if r != '.' {
			end = i
		}
	}
}

func localChar(r rune, first bool) bool {
	if first {
		return isNameU(r) || r >= '0' && r <= '9'
	}
	return r == '.' || isName(r)
}

func (l *turtleLexer) hexAt(i int) bool {
	c := l.at(i)
	return c != eof && ascii[c]&charHex != 0
}

func (l *turtleLexer) digits(i int) int {
	for c := l.at(i); c >= '0' && c <= '9'; c = l.at(i) {
		i++
	}
	return i
}

// exponentEnd returns the index after the exponent at i, or i where there is none.
func (l *turtleLexer) exponentEnd(i int) int {
	if c := l.at(i); c != 'e' && c != 'E' {
		return i
	}
	j := i + 1
	if c := l.at(j); c == '+' || c == '-' {
		j++
	}
	if end := l.digits(j); end > j {
		return end
	}
	return i
}
