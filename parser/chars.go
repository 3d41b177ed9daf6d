package parser

import "unicode/utf8"

// Character classes of the terminals (section 19.8), one bit each.
const (
	isBase   uint8 = 1 << iota // PN_CHARS_BASE
	isDigit                    // [0-9]
	isUnder                    // _
	isDash                     // -
	isSpace                    // WS
	isHex                      // [0-9A-Fa-f]
	isIRIBad                   // not allowed in IRIREF
	isEscape                   // may follow the backslash of PN_LOCAL_ESC
)

// A word is what a keyword or a variable name is made of, in ASCII.
const isWord = isBase | isDigit | isUnder

var classes = func() (t [utf8.RuneSelf]uint8) {
	set := func(chars string, class uint8) {
		for _, c := range chars {
			t[c] |= class
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		set(string([]rune{c, c + 'a' - 'A'}), isBase)
	}
	set("0123456789", isDigit|isHex)
	set("ABCDEFabcdef", isHex)
	set("_", isUnder)
	set("-", isDash)
	set(" \t\r\n", isSpace)
	for c := rune(0); c <= ' '; c++ {
		t[c] |= isIRIBad
	}
	set("<>\"{}|^`\\", isIRIBad)
	set("_~.-!$&'()*+,;=/?#@%", isEscape)
	return t
}()

func is(c byte, class uint8) bool { return c < utf8.RuneSelf && classes[c]&class != 0 }

// isBaseRune reports PN_CHARS_BASE beyond ASCII.
func isBaseRune(r rune) bool {
	switch {
	case r < 0xC0:
		return false
	case r <= 0x2FF:
		return r != 0xD7 && r != 0xF7
	case r <= 0x1FFF:
		return r >= 0x370 && r != 0x37E
	case r <= 0x218F:
		return r == 0x200C || r == 0x200D || r >= 0x2070
	case r <= 0x2FEF:
		return r >= 0x2C00
	case r <= 0xD7FF:
		return r >= 0x3001
	case r <= 0xFFFD:
		return r >= 0xF900 && r <= 0xFDCF || r >= 0xFDF0
	}
	return r >= 0x10000 && r <= 0xEFFFF
}

// isNameRune reports PN_CHARS beyond ASCII.
func isNameRune(r rune) bool {
	return isBaseRune(r) || r == 0xB7 || r >= 0x300 && r <= 0x36F || r == 0x203F || r == 0x2040
}

// scanRune returns the length of the character at s[i] when it has one of the ASCII classes, or, beyond ASCII, when
// wide accepts it; 0 otherwise.
func scanRune(s string, i int, class uint8, wide func(rune) bool) int {
	if i >= len(s) {
		return 0
	}
	if s[i] < utf8.RuneSelf {
		if classes[s[i]]&class != 0 {
			return 1
		}
		return 0
	}
	if r, n := utf8.DecodeRuneInString(s[i:]); wide(r) {
		return n
	}
	return 0
}
