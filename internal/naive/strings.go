package naive

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// onStrings are the functions on strings (section 17.4.3), of which REPLACE takes a text in place of a pattern and SUBSTR whole numbers.
func onStrings(function string, args []rdf.Term) (t rdf.Term, ok bool) {
	first := args[0]
	of := func(text string) rdf.Term { // of the first one's sort
		if first.Language != "" {
			return rdf.NewLangString(text, first.Language)
		}
		return rdf.NewString(text)
	}
	if !isString(first) {
		return rdf.Term{}, false
	}
	switch function {
	case "STRLEN":
		return rdf.NewTyped(strconv.Itoa(utf8.RuneCountInString(first.Value)), rdf.XSDInteger), true
	case "UCASE":
		return of(strings.ToUpper(first.Value)), true
	case "LCASE":
		return of(strings.ToLower(first.Value)), true
	case "CONCAT":
		text, language := "", first.Language
		for _, a := range args {
			if !isString(a) {
				return rdf.Term{}, false
			}
			if text += a.Value; a.Language != language {
				language = ""
			}
		}
		if first.Language != language {
			return rdf.NewString(text), true
		}
		return of(text), true
	case "SUBSTR":
		from, ok := wholeNumber(args[1])
		to := len(first.Value) + 1
		if ok && len(args) == 3 {
			var n int
			n, ok = wholeNumber(args[2])
			to = from + n
		}
		text := ""
		for i, r := range []rune(first.Value) {
			if i+1 >= from && i+1 < to {
				text += string(r)
			}
		}
		return of(text), ok
	case "REPLACE":
		return of(strings.ReplaceAll(first.Value, args[1].Value, args[2].Value)), true
	}
	part := args[1] // STRBEFORE, STRAFTER
	if !isString(part) || part.Language != "" && part.Language != first.Language {
		return rdf.Term{}, false
	}
	before, after, found := strings.Cut(first.Value, part.Value)
	switch {
	case !found:
		return rdf.NewString(""), true
	case function == "STRBEFORE":
		return of(before), true
	}
	return of(after), true
}

// isString reports a string literal (section 17.4.3.1).
func isString(t rdf.Term) bool {
	return t.Kind == rdf.Literal && (t.Language != "" || t.DatatypeIRI() == rdf.XSDString)
}

func wholeNumber(t rdf.Term) (int, bool) {
	n, err := strconv.Atoi(t.Value)
	return n, err == nil && t.Datatype == rdf.XSDInteger
}

// isPlain reports whether a term is a string without a language tag.
func isPlain(t rdf.Term) bool { return isString(t) && t.Language == "" }
