package parser

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Limits that hold when Options leaves them zero.
const (
	// DefaultLength is the longest query, in bytes.
	DefaultLength = 1 << 20
	// DefaultDepth is the deepest nesting of brackets of all sorts.
	DefaultDepth = 200
)

// Options set the surroundings of a query. The zero value is ready to use.
type Options struct {
	// Base is the IRI that relative IRIs are resolved against before any BASE of the query; "" leaves them as they are.
	Base string
	// Prefixes are declared before the query's own.
	Prefixes map[string]string
	// MaxLength and MaxDepth bound the query's bytes and its brackets; 0 means the defaults above.
	MaxLength, MaxDepth int
}

// Parse translates a SPARQL 1.1 query. Its error is always an *Error.
func Parse(text string, options Options) (*Query, error) {
	if options.MaxLength <= 0 {
		options.MaxLength = DefaultLength
	}
	if options.MaxDepth <= 0 {
		options.MaxDepth = DefaultDepth
	}
	if len(text) > options.MaxLength {
		return nil, &Error{Line: 1, Column: 1,
			Message: fmt.Sprintf("the query has %d bytes, more than the limit of %d", len(text), options.MaxLength)}
	}
	if !utf8.ValidString(text) {
		return nil, explain(text, nil, faultf(invalidByte(text), "the query is not valid UTF-8"))
	}
	plain, shifts, err := decodeEscapes(text)
	if err != nil {
		return nil, explain(text, nil, err)
	}
	q, err := parse(plain, options)
	if err != nil {
		return nil, explain(text, shifts, err)
	}
	return q, nil
}

func parse(text string, options Options) (*Query, error) {
	s := &scanner{text: text, maxDepth: options.MaxDepth}
	tokens, err := lexer.Upgrade(s)
	if err != nil {
		return nil, err
	}
	unit, err := grammar().unit.ParseFromLexer(tokens)
	if err != nil {
		return nil, diagnose(err, s)
	}
	return translate(unit, options)
}

func invalidByte(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
				return i
			}
		}
	}
	return len(text)
}

// diagnose turns an error of the grammar into a fault with what was expected and a hint.
func diagnose(err error, s *scanner) error {
	var f *fault
	var token *participle.UnexpectedTokenError
	switch {
	case errors.As(err, &f):
	case errors.As(err, &token):
		f = unexpected(&token.Unexpected, expectations(token.Message())...)
	default:
		f = faultf(0, "%v", err)
		var located participle.Error
		if errors.As(err, &located) {
			f = faultf(located.Position().Offset, "%s", located.Message())
		}
	}
	if f.hint == "" {
		f.hint = hint(f, s)
	}
	return f
}

// hint looks for a misspelt keyword at the fault or, at the end of the query, for a bracket that was not closed.
func hint(f *fault, s *scanner) string {
	if f.offset >= len(s.text) {
		if n := len(s.open); n > 0 {
			line, column := position(s.text, s.open[n-1])
			return fmt.Sprintf("the %q of line %d, column %d is not closed", s.text[s.open[n-1]], line, column)
		}
		return ""
	}
	end := f.offset
	for end < len(s.text) && is(s.text[end], isWord) {
		end++
	}
	word := strings.ToUpper(s.text[f.offset:end])
	if updates[word] {
		return "SPARQL Update is not supported"
	}
	if _, known := keywords[word]; known || len(word) < 3 || len(word) > 20 {
		return ""
	}
	best, distance := "", 3
	for k := range keywords {
		if d := editDistance(word, k); d < distance || d == distance && k < best {
			best, distance = k, d
		}
	}
	if best == "" || distance*2 >= len(word) {
		return ""
	}
	return "did you mean " + best + "?"
}

// updates are the words that an update begins with.
var updates = map[string]bool{
	"INSERT": true, "DELETE": true, "LOAD": true, "CLEAR": true, "CREATE": true, "DROP": true, "COPY": true, "MOVE": true,
	"ADD": true, "WITH": true,
}

// editDistance counts insertions, deletions and replacements.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// expectations reads what the grammar expected first out of its message.
func expectations(message string) []string {
	_, list, ok := strings.Cut(message, "(expected ")
	if !ok {
		return []string{"the end of the query"}
	}
	list = strings.TrimLeft(list, "(")
	if strings.HasPrefix(list, `"`) {
		literal := list[:strings.IndexByte(list[1:], '"')+2]
		if literal == `"}"` {
			return []string{"a triple pattern", "a keyword such as OPTIONAL or FILTER", literal}
		}
		return []string{literal}
	}
	end := strings.IndexFunc(list, func(r rune) bool { return !is(byte(r), isWord) && r != '<' })
	if end < 0 {
		end = len(list)
	}
	if words, ok := productions[list[:end]]; ok {
		return words
	}
	return nil
}

// productions names the parts of the grammar for people.
var productions = map[string][]string{
	"Group": {`"{"`}, "Body": {`"{"`}, "<var": {"a variable"}, "<integer": {"a number"},
	"term": {"a variable", "an IRI"}, "constraint": {"an expression in brackets", "a function call"},
	"SelectClause": {"SELECT"}, "UnitSyntax": {"SELECT", "ASK", "CONSTRUCT", "DESCRIBE"},
	"SelectSyntax":   {"SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "PREFIX", "BASE"},
	"SelectItem":     {"a variable", `"*"`, `"(" expression AS variable ")"`},
	"StarSyntax":     {"a variable", `"*"`, `"(" expression AS variable ")"`},
	"GroupCondition": {"a variable", "an expression in brackets", "a function call"},
	"OrderCondition": {"a variable", "ASC", "DESC", "an expression in brackets", "a function call"},
}

// explain places a fault of the decoded text in the text as it was given.
func explain(text string, shifts []shift, err error) *Error {
	var f *fault
	if !errors.As(err, &f) {
		f = faultf(0, "%v", err)
	}
	offset := f.offset
	for _, s := range shifts {
		if f.offset >= s.at {
			offset = f.offset + s.by
		}
	}
	e := &Error{Message: f.message, Expected: f.expected, Hint: f.hint}
	e.Line, e.Column = position(text, offset)
	return e
}
