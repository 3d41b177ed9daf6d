package expr

import (
	"encoding/binary"
	"math/bits"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
	"unsafe"
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
	return indexFold(s, r.text) >= 0
}

const (
	eachByte = 0x0101010101010101
	eachCase = 0x20 * eachByte // the bit by which letters differ in case
	eachSign = 0x80 * eachByte
)

// indexFold is the place of an ASCII text of lower case in s, in any case; -1 where it is not. Eight places at a time are looked at
// for its first two bytes.
func indexFold(s, text string) int {
	first, second := uint64(text[0]|0x20)*eachByte, uint64(text[min(1, len(text)-1)]|0x20)*eachByte
	offset := min(1, len(text)-1)
	bytes := unsafe.Slice(unsafe.StringData(s), len(s))
	i, last := 0, len(s)-len(text)
	for ; i+offset+8 <= len(s) && i <= last; i += 8 {
		x := (binary.LittleEndian.Uint64(bytes[i:]) | eachCase) ^ first
		y := (binary.LittleEndian.Uint64(bytes[i+offset:]) | eachCase) ^ second
		for hits := zeroBytes(x | y); hits != 0; hits &= hits - 1 {
			if at := i + bits.TrailingZeros64(hits)/8; at <= last && strings.EqualFold(s[at:at+len(text)], text) {
				return at
			}
		}
	}
	for ; i <= last; i++ {
		if s[i]|0x20 == text[0]|0x20 && strings.EqualFold(s[i:i+len(text)], text) {
			return i
		}
	}
	return -1
}

// zeroBytes has the sign of each byte of x that is 0, and of no other.
func zeroBytes(x uint64) uint64 { return ^((x&^eachSign + ^uint64(eachSign)) | x) & eachSign }

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
