package parser

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Limits that hold when Options leaves them zero.
const (
	// DefaultLength is the longest query, in bytes, and the longest operation of an update that is not of data.
	DefaultLength = 1 << 20
	// DefaultUpdate is the longest update, in bytes.
	DefaultUpdate = 64 << 20
	// DefaultDepth is the deepest nesting of brackets of all sorts.
	DefaultDepth = 200
)

// Options set the surroundings of a query or an update. The zero value is ready to use.
type Options struct {
	// Base is the IRI that relative IRIs are resolved against before any BASE of the text; "" leaves them as they are.
	Base string
	// Prefixes are declared before the text's own.
	Prefixes map[string]string
	// MaxLength and MaxDepth bound the query's bytes and its brackets; 0 means the defaults above. Of an update, MaxLength
	// bounds each operation but INSERT DATA and DELETE DATA.
	MaxLength, MaxDepth int
	// MaxUpdate bounds an update's bytes, up to 2 GiB; 0 means the default above.
	MaxUpdate int
	// Charge, where it is not nil, is told while an update is parsed about how many bytes more it takes, or less where they are
	// negative; an error ends the parsing.
	Charge func(bytes int64) error
}

func (o Options) withDefaults() Options {
	if o.MaxLength <= 0 {
		o.MaxLength = DefaultLength
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = DefaultDepth
	}
	if o.MaxUpdate <= 0 {
		o.MaxUpdate = DefaultUpdate
	}
	return o
}

// Parse translates a SPARQL 1.1 query. Its error is always an *Error.
func Parse(text string, options Options) (*Query, error) {
	options = options.withDefaults()
	plain, shifts, err := prepare(text, "query", options.MaxLength)
	if err != nil {
		return nil, err
	}
	q, err := parse(plain, options)
	if err != nil {
		return nil, explain(text, shifts, err)
	}
	return q, nil
}

// prepare checks a text and decodes its escapes. Its error is an *Error.
func prepare(text, name string, limit int) (plain string, shifts []shift, err error) {
	switch {
	case len(text) > limit:
		return "", nil, &Error{Line: 1, Column: 1,
			Message: fmt.Sprintf("the %s has %d bytes, more than the limit of %d", name, len(text), limit)}
	case !utf8.ValidString(text):
		return "", nil, explain(text, nil, faultf(invalidByte(text), "the %s is not valid UTF-8", name))
	}
	if plain, shifts, err = decodeEscapes(text); err != nil {
		return "", nil, explain(text, nil, err)
	}
	return plain, shifts, nil
}

func parse(text string, options Options) (*Query, error) {
	s := &scanner{text: text, name: "query", maxDepth: options.MaxDepth}
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
		f = unexpected(&token.Unexpected, expectations(token.Message(), s.name)...)
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
	if end-f.offset < 3 || end-f.offset > maxKeyword {
		return ""
	}
	word := strings.ToUpper(s.text[f.offset:end])
	if s.name == "query" && updateWords[word] {
		return "an update is sent apart from queries"
	}
	if s.knows(word) {
		return ""
	}
	best, distance := "", 3
	for k := range keywords {
		if !s.knows(k) {
			continue
		}
		if d := EditDistance(word, k); d < distance || d == distance && k < best {
			best, distance = k, d
		}
	}
	if best == "" || distance*2 >= len(word) {
		return ""
	}
	return "did you mean " + best + "?"
}

// knows reports whether a word is a keyword of what s scans.
func (s *scanner) knows(word string) bool {
	_, known := keywords[word]
	_, update := updateWords[word]
	return known && (s.name == "update" || !update)
}

// EditDistance is the least number of bytes inserted, removed and replaced that makes b of a.
func EditDistance(a, b string) int {
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
func expectations(message, name string) []string {
	_, list, ok := strings.Cut(message, "(expected ")
	switch {
	case !ok && name == "update":
		return []string{`";"`, "the end of the update"}
	case !ok:
		return []string{"the end of the query"}
	}
	var words []string
	for _, item := range firstItems(list) {
		spoken, known := productions[item]
		if !known && item[0] == '"' {
			spoken = []string{item}
		}
		for _, word := range spoken {
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// firstItems returns the items of an expression of the grammar that may come first: "A" and "B" of `("A" x | ("B" y)) z`.
func firstItems(list string) (items []string) {
	depth, at, wanted := 0, 0, true // at is how deep the last item stood
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth <= 0 {
				return items
			}
		case c == '|':
			wanted = wanted || depth <= at
		case c == '"' || c == '<' || is(c, isWord):
			end := i + 1
			for end < len(list) && (c == '"' && list[end] != '"' || c != '"' && is(list[end], isWord)) {
				end++
			}
			if c == '"' {
				end = min(end+1, len(list))
			}
			if wanted {
				items, at, wanted = append(items, list[i:end]), depth, false
			}
			if i = end - 1; depth == 0 {
				return items
			}
		}
	}
	return items
}

// productions names the parts of the grammar for people.
var productions = map[string][]string{
	`"}"`: {"a triple pattern", "a keyword such as OPTIONAL or FILTER", `"}"`}, `"WHERE"`: {`"USING"`, `"WHERE"`},
	"Group": {`"{"`}, "Body": {`"{"`}, "Quads": {`"{"`}, "quads": {`"{"`}, "QuadsBody": {`"{"`}, "<var": {"a variable"},
	"<integer": {"a number"}, "GraphSyntax": {"a variable", "an IRI"},
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
