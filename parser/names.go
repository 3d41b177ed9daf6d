package parser

import (
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// scanBlank consumes a blank node label.
func (s *scanner) scanBlank() (lexer.TokenType, string, error) {
	if s.peek(1) != ':' {
		return s.scanName()
	}
	i := s.at + 2
	n := scanRune(s.text, i, isWord, isBaseRune)
	if n == 0 {
		return 0, "", faultf(s.at, `a blank node label must follow "_:"`)
	}
	s.at = s.dotted(i+n, isWord|isDash)
	return tokenBlank, "", nil
}

// dotted consumes name characters and points from i on and returns the end, before trailing points.
func (s *scanner) dotted(i int, class uint8) int {
	end := i
	for i < len(s.text) {
		if s.text[i] == '.' {
			i++
			continue
		}
		n := scanRune(s.text, i, class, isNameRune)
		if n == 0 {
			break
		}
		i += n
		end = i
	}
	return end
}

// scanName consumes a prefixed name, a keyword or a word.
func (s *scanner) scanName() (lexer.TokenType, string, error) {
	start := s.at
	if s.text[start] == ':' {
		return s.scanLocal(start + 1)
	}
	n := scanRune(s.text, start, isBase, isBaseRune)
	if n > 0 {
		if end := s.dotted(start+n, isWord|isDash); end < len(s.text) && s.text[end] == ':' {
			return s.scanLocal(end + 1)
		}
	}
	end := start
	for end < len(s.text) && is(s.text[end], isWord) {
		end++
	}
	if end == start {
		r, _ := utf8.DecodeRuneInString(s.text[start:])
		f := faultf(start, "unexpected character %q", r)
		if r == '‘' || r == '’' || r == '“' || r == '”' {
			f.hint = `use the straight quotes " and '`
		}
		return 0, "", f
	}
	s.at = start + firstKeyword(s.text[start:end])
	return keyword(s.text[start:s.at])
}

// firstKeyword returns the length of the longest keyword that a word begins with, where a number or another keyword
// follows ("LIMIT10", "FILTERsameTerm"): the grammar asks for no space between tokens. It is the length of the word
// otherwise.
func firstKeyword(word string) int {
	if len(word) > maxJoined {
		return len(word)
	}
	for n := min(len(word), maxKeyword); n > 0; n-- {
		if _, known := keywordOf(word[:n]); known && (n == len(word) || is(word[n], isDigit) || beginsKeyword(word[n:])) {
			return n
		}
	}
	return len(word)
}

// maxJoined bounds the words that are taken apart: what is left of one is looked at again behind each keyword.
const maxJoined = 200

func beginsKeyword(word string) bool {
	for n := min(len(word), maxKeyword); n > 0; n-- {
		if _, known := keywordOf(word[:n]); known {
			return true
		}
	}
	return false
}

// scanLocal consumes the local part of a prefixed name that begins at i.
func (s *scanner) scanLocal(i int) (lexer.TokenType, string, error) {
	first, end := i, i
	for i < len(s.text) {
		switch c := s.text[i]; {
		case c == ':':
			i++
		case c == '.' && i > first:
			i++
			continue
		case c == '%':
			if i+2 >= len(s.text) || !is(s.text[i+1], isHex) || !is(s.text[i+2], isHex) {
				return 0, "", faultf(i, `two hexadecimal digits must follow "%%" in a prefixed name`)
			}
			i += 3
		case c == '\\':
			if i+1 >= len(s.text) || !is(s.text[i+1], isEscape) && s.text[i+1] != '_' {
				return 0, "", faultf(i, "a bad escape in a prefixed name")
			}
			i += 2
		default:
			class, wide := isWord|isDash, isNameRune
			if i == first {
				class, wide = isWord, isBaseRune
			}
			n := scanRune(s.text, i, class, wide)
			if n == 0 {
				s.at = end
				return pname(end > first)
			}
			i += n
		}
		end = i
	}
	s.at = end
	return pname(end > first)
}

func pname(local bool) (lexer.TokenType, string, error) {
	if local {
		return tokenPName, "", nil
	}
	return tokenPNameNS, "", nil
}

// keyword classifies a bare word.
func keyword(word string) (lexer.TokenType, string, error) {
	if k, ok := keywordOf(word); ok {
		return tokenKeyword, k, nil
	}
	return tokenWord, "", nil
}

// maxKeyword is more than the length of every keyword.
const maxKeyword = 20

// keywordOf returns the keyword that a word is, in upper case except for "a".
func keywordOf(word string) (k string, ok bool) {
	if word == "a" {
		return "a", true
	}
	var upper [maxKeyword]byte
	if len(word) > len(upper) {
		return "", false
	}
	for i := range len(word) {
		c := word[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper[i] = c
	}
	k, ok = keywords[string(upper[:len(word)])]
	return k, ok
}

// updateWords are the keywords that stand in updates only; those that are true begin an operation.
var updateWords = map[string]bool{
	"INSERT": true, "DELETE": true, "WITH": true, "LOAD": true, "CLEAR": true, "DROP": true, "CREATE": true, "ADD": true,
	"MOVE": true, "COPY": true, "DATA": false, "USING": false, "INTO": false, "TO": false, "DEFAULT": false, "ALL": false,
}

// keywords maps every keyword and function name to itself.
var keywords = func() map[string]string {
	m := map[string]string{}
	for _, k := range []string{
		"BASE", "PREFIX", "SELECT", "DISTINCT", "REDUCED", "AS", "CONSTRUCT", "WHERE", "DESCRIBE", "ASK", "FROM",
		"NAMED", "GROUP", "BY", "HAVING", "ORDER", "ASC", "DESC", "LIMIT", "OFFSET", "VALUES", "UNDEF", "OPTIONAL",
		"GRAPH", "SERVICE", "SILENT", "BIND", "MINUS", "UNION", "FILTER", "IN", "NOT", "EXISTS", "SEPARATOR", "TRUE",
		"FALSE",
	} {
		m[k] = k
	}
	for k := range updateWords {
		m[k] = k
	}
	for k := range builtins {
		m[k] = k
	}
	for k := range aggregates {
		m[k] = k
	}
	return m
}()
