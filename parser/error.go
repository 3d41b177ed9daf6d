package parser

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error says what is wrong with a query or an update and where.
type Error struct {
	// Line and Column count from 1; Column counts characters, not bytes.
	Line, Column int
	// Message says what was found, without the position: `unexpected "}"`.
	Message string
	// Expected lists what could have stood there instead; it may be empty.
	Expected []string
	// Hint is a suggestion, or "".
	Hint string
}

// Error returns the position, the message, what was expected and the hint, in one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d, column %d: %s", e.Line, e.Column, e.Message)
	for i, x := range e.Expected {
		switch {
		case i == 0:
			b.WriteString(", expected ")
		case i == len(e.Expected)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(x)
	}
	if e.Hint != "" {
		b.WriteString(" (")
		b.WriteString(e.Hint)
		b.WriteByte(')')
	}
	return b.String()
}

// fault is an error at a byte offset of the scanned text; Parse turns it into an Error.
type fault struct {
	offset   int
	message  string
	expected []string
	hint     string
}

func (f *fault) Error() string { return f.message }

func faultf(offset int, format string, args ...any) *fault {
	return &fault{offset: offset, message: fmt.Sprintf(format, args...)}
}

// locator finds the places of offsets that only grow, in one pass over the text.
type locator struct {
	text string
	// shifts are those that lie ahead; by is what the last one behind says.
	shifts []shift
	by     int
	offset int // of at
	at     Position
}

// locate returns the place of a byte offset of the decoded text, which is not before the last one that was asked for.
func (l *locator) locate(offset int) Position {
	for len(l.shifts) > 0 && offset >= l.shifts[0].at {
		l.by, l.shifts = l.shifts[0].by, l.shifts[1:]
	}
	line, column := position(l.text[l.offset:], offset+l.by-l.offset)
	if line > 1 {
		l.at = Position{l.at.Line + line - 1, column}
	} else {
		l.at.Column += column - 1
	}
	l.offset = offset + l.by
	return l.at
}

// position returns the line and the column of a byte offset of text, both from 1.
func position(text string, offset int) (line, column int) {
	offset = min(max(offset, 0), len(text))
	before := text[:offset]
	line = 1 + strings.Count(before, "\n")
	return line, 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}
