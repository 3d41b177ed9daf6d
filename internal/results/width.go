package results

import (
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// runeWidths tells wide characters (Unicode TR 11) from narrow ones, whatever the locale: the rule below a table's head is
// of characters that a terminal of another locale may draw wide.
var runeWidths = runewidth.Condition{StrictEmojiNeutral: true}

// runeWidth is how many columns of a terminal r takes. go-runewidth gives some marks a column and counts on its
// StringWidth, which counts clusters of characters; it is not used because most terminals add up characters, and show Thai or
// Devanagari, whose vowels have columns, wider than their clusters.
func runeWidth(r rune) int {
	if printable(r) {
		return 1
	}
	width := runeWidths.RuneWidth(r)
	if width == 1 && r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	return width
}

// printable reports whether r is a character of ASCII that takes a column.
func printable(r rune) bool { return r >= 0x20 && r < 0x7F }

// displayWidth is how many columns of a terminal s takes.
func displayWidth(s []byte) int {
	width := 0
	for i := 0; i < len(s); {
		if printable(rune(s[i])) {
			width++
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		width += runeWidth(r)
		i += n
	}
	return width
}

// cutText cuts s to at most width columns, the last of them an ellipsis, and returns its width.
func cutText(s []byte, width int) ([]byte, int) {
	used, end := 0, 0
	for end < len(s) {
		r, n := utf8.DecodeRune(s[end:])
		if used+runeWidth(r) > width-1 {
			break
		}
		used += runeWidth(r)
		end += n
	}
	return append(s[:end:end], "…"...), used + 1
}
