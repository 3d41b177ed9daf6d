package parser

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// shift says that text from offset at on lay by bytes further right before its escapes were decoded.
type shift struct{ at, by int }

// decodeEscapes replaces the codepoint escapes \uXXXX and \UXXXXXXXX (section 19.2), which may stand anywhere. A
// backslash that is itself escaped begins none.
func decodeEscapes(text string) (string, []shift, error) {
	if !strings.Contains(text, `\u`) && !strings.Contains(text, `\U`) {
		return text, nil, nil
	}
	var b strings.Builder
	var shifts []shift
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			i++
			continue
		}
		digits := 0
		switch text[i+1] {
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		default:
			b.WriteString(text[i : i+2])
			i += 2
			continue
		}
		end := i + 2 + digits
		if end > len(text) {
			return "", nil, faultf(i, "a codepoint escape needs %d hexadecimal digits", digits)
		}
		r, err := strconv.ParseUint(text[i+2:end], 16, 32)
		if err != nil {
			return "", nil, faultf(i, "a codepoint escape needs %d hexadecimal digits", digits)
		}
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return "", nil, faultf(i, "%s is no character", text[i:end])
		}
		b.WriteRune(rune(r))
		i = end
		shifts = append(shifts, shift{at: b.Len(), by: end - b.Len()})
	}
	return b.String(), shifts, nil
}
