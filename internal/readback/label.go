package readback

import (
	"slices"
	"strings"
)

// Characters of a label, from Turtle's grammar (section 6.5): PN_CHARS_BASE, '_' and digits anywhere, the others of PN_CHARS
// not at the beginning.
var (
	labelBase = [][2]rune{
		{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF}, {0x370, 0x37D}, {0x37F, 0x1FFF},
		{0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD},
		{0x10000, 0xEFFFF},
	}
	labelInside = [][2]rune{{'-', '-'}, {'.', '.'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}}
)

// labelled reports whether s is what stands behind the "_:" of a BLANK_NODE_LABEL.
func labelled(s string) bool {
	for i, r := range s {
		if !within(r, labelBase) && (i == 0 || !within(r, labelInside)) {
			return false
		}
	}
	return s != "" && !strings.HasSuffix(s, ".")
}

func within(r rune, ranges [][2]rune) bool {
	return slices.ContainsFunc(ranges, func(span [2]rune) bool { return span[0] <= r && r <= span[1] })
}
