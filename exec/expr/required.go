package expr

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// required is a text that every match of a regular expression contains; looking for it is much cheaper than matching.
type required struct {
	text string
	// fold: in any case. The text is ASCII then, in lower case, and without k and s, which are equal to letters beyond
	// ASCII in any case (the Kelvin sign and the long s).
	fold bool
}

func (r *required) in(s string) bool {
	if !r.fold {
		return r.text == "" || strings.Contains(s, r.text)
	}
	first, last := r.text[0], len(s)-len(r.text)
	upper := first
	if 'a' <= first && first <= 'z' {
		upper -= 'a' - 'A'
	}
	for i := 0; i <= last; i++ {
		if c := s[i]; (c == first || c == upper) && strings.EqualFold(s[i:i+len(r.text)], r.text) {
			return true
		}
	}
	return false
}

// longestText returns the longest text that a regular expression requires; the empty one for none.
func longestText(re *syntax.Regexp) (best required) {
	switch re.Op {
	case syntax.OpLiteral:
		return literalText(re)
	case syntax.OpCapture, syntax.OpPlus:
		return longestText(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if r := longestText(sub); len(r.text) > len(best.text) {
				best = r
			}
		}
	}
	return best
}

// literalText is what a literal requires: for one in any case, its longest part of plain letters.
func literalText(re *syntax.Regexp) required {
	if re.Flags&syntax.FoldCase == 0 {
		return required{text: string(re.Rune)}
	}
	beyond := func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r) }
	best := required{}
	for _, part := range strings.FieldsFunc(string(re.Rune), beyond) {
		if len(part) > len(best.text) {
			best = required{text: strings.ToLower(part), fold: true}
		}
	}
	return best
}
