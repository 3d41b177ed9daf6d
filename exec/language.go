package exec

import (
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// withLanguages lets the language-tagged constants of a pattern match whatever the case of the tag in the data: tags
// compare without regard to case (RFC 5646, section 2.1.1), terms of the dictionary with. The cases looked for are
// that of the query, lower case, upper case and the recommended one (en-GB).
func (c *compiler) withLanguages(n *parser.BGP, pushed *pushedFilters) (*parser.BGP, *pushedFilters) {
	var out *parser.BGP
	for i, t := range n.Patterns {
		if t.Object.Term.Language == "" || t.Object.IsVariable() {
			continue
		}
		variants := c.languageVariants(t.Object.Term)
		if len(variants) == 0 || len(variants) == 1 && variants[0] == t.Object.Term {
			continue
		}
		if out == nil {
			out = &parser.BGP{Patterns: append([]parser.TriplePattern(nil), n.Patterns...)}
		}
		if len(variants) == 1 {
			out.Patterns[i].Object.Term = variants[0]
			continue
		}
		if pushed == nil {
			pushed = newPushedFilters()
		}
		v := fmt.Sprintf("%slanguage%d", parser.BlankPrefix, i)
		out.Patterns[i].Object = parser.PatternTerm{Variable: v}
		pushed.narrow(v, c.storedIDs(variants))
	}
	if out == nil {
		return n, pushed
	}
	return out, pushed
}

// languageVariants are the terms of the data that differ from t at most by the case of the language tag.
func (c *compiler) languageVariants(t rdf.Term) []rdf.Term {
	var out []rdf.Term
	seen := map[dictionary.ID]bool{}
	for _, tag := range []string{t.Language, strings.ToLower(t.Language), strings.ToUpper(t.Language), recommendedCase(t.Language)} {
		u := rdf.NewLangString(t.Value, tag)
		if id, ok := c.plan.dict.Lookup(u); ok && !seen[id] {
			seen[id] = true
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
