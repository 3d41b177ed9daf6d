package rdf

import "strings"

// LanguageMatches reports whether a language tag matches a range by basic filtering (RFC 4647, section 3.3.1), "*" matching all tags but "".
func LanguageMatches(tag, span string) bool {
	if span == "*" {
		return tag != ""
	}
	return len(tag) >= len(span) && strings.EqualFold(tag[:len(span)], span) && (len(tag) == len(span) || tag[len(span)] == '-')
}
