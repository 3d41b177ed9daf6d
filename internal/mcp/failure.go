package mcp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu"
)

// hints say what to do about errors that are no mistakes of the text.
var hints = []struct {
	err  error
	hint string
}{
	{rdfgpu.ErrTimeout, "ask for less: add a LIMIT, a class or a constant, or count with COUNT(*); explain shows what is large"},
	{rdfgpu.ErrRowLimit, "add a LIMIT, or count with COUNT(*)"},
	{rdfgpu.ErrMemoryLimit, "ask for less: sort, group or join fewer rows"},
	{rdfgpu.ErrSpillLimit, "ask for less: sort, group or join fewer rows"},
}

// failure is an error as a model reads it: what is wrong with the text, and where, what was expected, and what may help.
func failure(err error, text string) error {
	var syntax *rdfgpu.SyntaxError
	if errors.As(err, &syntax) {
		return errors.New(describeSyntax(syntax, text))
	}
	for _, h := range hints {
		if errors.Is(err, h.err) {
			return fmt.Errorf("%w\nhint: %s", err, h.hint)
		}
	}
	return err
}

// describeSyntax shows the place in the text.
func describeSyntax(e *rdfgpu.SyntaxError, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "malformed query at line %d, column %d: %s\n", e.Line, e.Column, e.Message)
	if lines := strings.Split(text, "\n"); e.Line >= 1 && e.Line <= len(lines) {
		b.WriteString(pointAt(strings.TrimSuffix(lines[e.Line-1], "\r"), e.Column))
	}
	if len(e.Expected) > 0 {
		fmt.Fprintf(&b, "expected: %s\n", strings.Join(e.Expected, ", "))
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "hint: %s\n", e.Hint)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// shownAround is how much of a long line is shown on either side of a mistake, in characters.
const shownAround = 60

// pointAt is a line, or the part of it around a column (from 1, in characters), and a mark below the column.
func pointAt(line string, column int) string {
	runes := []rune(line)
	at := min(max(column-1, 0), len(runes))
	from, to := max(at-shownAround, 0), min(at+shownAround, len(runes))
	blank := []rune(strings.Repeat(" ", at-from))
	for i, r := range runes[from:at] {
		if r == '\t' {
			blank[i] = r
		}
	}
	return fmt.Sprintf("  %s\n  %s^\n", string(runes[from:to]), string(blank))
}
