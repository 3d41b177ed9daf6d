package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// Languages lets the language-tagged constants of a pattern match whatever the case of the tag in the data: tags
// compare without regard to case (RFC 5646, section 2.1.1), terms of the data with. The cases looked for are that of the
// query, lower case, upper case and the recommended one (en-GB). A constant of which the data have several becomes a
// variable; oneOf says which terms it may be. stored reports whether the data have a term.
func Languages(n *parser.BGP, stored func(rdf.Term) bool) (out *parser.BGP, oneOf map[string][]rdf.Term) {
	out = n
	for i, t := range n.Patterns {
		if t.Object.IsVariable() || t.Object.Term.Language == "" {
			continue
		}
		variants := languageVariants(t.Object.Term, stored)
		if len(variants) == 0 || len(variants) == 1 && variants[0] == t.Object.Term {
			continue
		}
		if out == n {
			out = &parser.BGP{Patterns: slices.Clone(n.Patterns)}
		}
		if len(variants) == 1 {
			out.Patterns[i].Object.Term = variants[0]
			continue
		}
		v := fmt.Sprintf("%slanguage%d", parser.BlankPrefix, i)
		out.Patterns[i].Object = parser.PatternTerm{Variable: v}
		if oneOf == nil {
			oneOf = map[string][]rdf.Term{}
		}
		oneOf[v] = variants
	}
	return out, oneOf
}

// languageVariants are the terms of the data that differ from t at most by the case of the language tag.
func languageVariants(t rdf.Term, stored func(rdf.Term) bool) (out []rdf.Term) {
	for _, tag := range []string{t.Language, strings.ToLower(t.Language), strings.ToUpper(t.Language), recommendedCase(t.Language)} {
		if u := rdf.NewLangString(t.Value, tag); !slices.Contains(out, u) && stored(u) {
			out = append(out, u)
		}
	}
	return out
}

// recommendedCase writes a tag as RFC 5646 recommends: regions in upper case, scripts with a capital.
func recommendedCase(tag string) string {
	parts := strings.Split(strings.ToLower(tag), "-")
	for i, p := range parts {
		switch {
		case i == 0:
		case len(p) == 2:
			parts[i] = strings.ToUpper(p)
		case len(p) == 4:
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "-")
}
