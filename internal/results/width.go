package results

import "unicode/utf8"

// wideRunes are the ranges that a terminal shows two columns wide (Unicode TR 11, classes W and F, the blocks in use).
var wideRunes = [][2]rune{
	{0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0x33FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xA000, 0xA4CF},
	{0xA960, 0xA97F}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6},
	{0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD},
}

// emptyRunes are the ranges that take no column of their own: combining marks, joiners, controls.
var emptyRunes = [][2]rune{
	{0x0000, 0x001F}, {0x007F, 0x009F}, {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
	{0x064B, 0x065F}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
	{0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
	{0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
}

func inRanges(r rune, ranges [][2]rune) bool {
	for _, span := range ranges {
		if r < span[0] {
			return false
		}
		if r <= span[1] {
			return true
		}
	}
	return false
}

func runeWidth(r rune) int {
	switch {
	case r >= 0x20 && r < 0x7F:
		return 1
	case inRanges(r, emptyRunes):
		return 0
	case inRanges(r, wideRunes):
		return 2
	}
	return 1
}

// displayWidth is how many columns of a terminal s takes.
func displayWidth(s []byte) int {
	width := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			width += runeWidth(rune(s[i]))
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
