package parser

import (
	"io"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Token types. Keywords carry their upper-case form as value, all other tokens their text.
const (
	tokenEOF     = lexer.EOF
	tokenIRI     = lexer.TokenType(-2 - iota) // <…>
	tokenPName                                // prefix:local
	tokenPNameNS                              // prefix:
	tokenBlank                                // _:label
	tokenVar                                  // ?name, $name
	tokenLang                                 // @tag
	tokenInteger                              // unsigned numbers
	tokenDecimal                              //
	tokenDouble                               //
	tokenSigned                               // a number with its sign
	tokenString                               // quoted, in any of the four forms
	tokenKeyword                              // a word of the language
	tokenWord                                 // any other word
	tokenPunct                                // operators and brackets
)

// definition is the lexer of the SPARQL grammar.
type definition struct{}

var symbols = map[string]lexer.TokenType{
	"EOF": tokenEOF, "IRI": tokenIRI, "PName": tokenPName, "PNameNS": tokenPNameNS, "Blank": tokenBlank,
	"Var": tokenVar, "Lang": tokenLang, "Integer": tokenInteger, "Decimal": tokenDecimal, "Double": tokenDouble,
	"Signed": tokenSigned, "String": tokenString, "Keyword": tokenKeyword, "Word": tokenWord, "Punct": tokenPunct,
}

// Symbols names the token types for the grammar.
func (definition) Symbols() map[string]lexer.TokenType { return symbols }

// Lex reads r whole and scans it with the default limits.
func (definition) Lex(_ string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return &scanner{text: string(text), name: "query", maxDepth: DefaultDepth}, nil
}

// scanner cuts a query or an update into tokens. Token positions carry the byte offset only: lines are counted when an
// error needs them.
type scanner struct {
	text     string
	name     string // "query" or "update"
	at       int
	open     []int // offsets of the brackets that are open
	maxDepth int
}

// Next returns the next token, or a *fault.
func (s *scanner) Next() (lexer.Token, error) {
	s.skipSpace()
	start := s.at
	if start >= len(s.text) {
		return lexer.Token{Type: tokenEOF, Value: "end of the " + s.name, Pos: lexer.Position{Offset: start}}, nil
	}
	kind, value, err := s.scan()
	if err != nil {
		return lexer.Token{}, err
	}
	if value == "" {
		value = s.text[start:s.at]
	}
	return lexer.Token{Type: kind, Value: value, Pos: lexer.Position{Offset: start}}, nil
}

func (s *scanner) skipSpace() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case is(c, isSpace):
			s.at++
		case c == '#':
			n := strings.IndexAny(s.text[s.at:], "\n\r")
			if n < 0 {
				n = len(s.text) - s.at
			}
			s.at += n
		default:
			return
		}
	}
}

// scan consumes one token; an empty value means the text consumed.
func (s *scanner) scan() (lexer.TokenType, string, error) {
	switch c := s.text[s.at]; c {
	case '<':
		return s.scanLess()
	case '?', '$':
		return s.scanVariable()
	case '"', '\'':
		return s.scanString()
	case '@':
		return s.scanLanguage()
	case '_':
		return s.scanBlank()
	case '(', '[', '{', ')', ']', '}':
		return s.scanBracket(c)
	case '.':
		if is(s.peek(1), isDigit) {
			return s.scanNumber(tokenDecimal)
		}
		return s.punct(1)
	case '+', '-':
		if is(s.peek(1), isDigit) || s.peek(1) == '.' && is(s.peek(2), isDigit) {
			s.at++
			_, _, err := s.scanNumber(tokenInteger)
			return tokenSigned, "", err
		}
		return s.punct(1)
	case '!', '>', '=':
		return s.operator(c != '=', '=')
	case '&', '|', '^':
		return s.operator(true, c)
	case '*', '/', ',', ';':
		return s.punct(1)
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.scanNumber(tokenInteger)
	}
	return s.scanName()
}

// peek returns the byte n places on, 0 beyond the end.
func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.text) {
		return s.text[s.at+n]
	}
	return 0
}

func (s *scanner) punct(n int) (lexer.TokenType, string, error) {
	s.at += n
	return tokenPunct, "", nil
}

// operator consumes one character, or two when second follows and pairs are allowed.
func (s *scanner) operator(pairs bool, second byte) (lexer.TokenType, string, error) {
	if pairs && s.peek(1) == second {
		return s.punct(2)
	}
	return s.punct(1)
}

func (s *scanner) scanBracket(c byte) (lexer.TokenType, string, error) {
	switch c {
	case '(', '[', '{':
		if len(s.open) >= s.maxDepth {
			return 0, "", faultf(s.at, "brackets are nested more than %d deep", s.maxDepth)
		}
		s.open = append(s.open, s.at)
	default:
		if len(s.open) > 0 {
			s.open = s.open[:len(s.open)-1]
		}
	}
	return s.punct(1)
}

// scanLess decides between an IRI and the operators that begin with "<": the longest match wins.
func (s *scanner) scanLess() (lexer.TokenType, string, error) {
	for i := s.at + 1; i < len(s.text); i++ {
		c := s.text[i]
		if c == '>' {
			s.at = i + 1
			return tokenIRI, "", nil
		}
		if is(c, isIRIBad) {
			break
		}
	}
	return s.operator(true, '=')
}

func (s *scanner) scanVariable() (lexer.TokenType, string, error) {
	i := s.at + 1
	for first := true; ; first = false {
		wide := isNameRune
		if first {
			wide = isBaseRune
		}
		n := scanRune(s.text, i, isWord, wide)
		if n == 0 {
			break
		}
		i += n
	}
	if i == s.at+1 {
		if s.text[s.at] == '?' {
			return s.punct(1)
		}
		return 0, "", faultf(s.at, `a variable name must follow "$"`)
	}
	s.at = i
	return tokenVar, "", nil
}

func (s *scanner) scanLanguage() (lexer.TokenType, string, error) {
	i := s.at + 1
	for i < len(s.text) && is(s.text[i], isBase) {
		i++
	}
	if i == s.at+1 {
		return 0, "", faultf(s.at, `a language tag such as "en" must follow "@"`)
	}
	for i < len(s.text) && s.text[i] == '-' {
		j := i + 1
		for j < len(s.text) && is(s.text[j], isBase|isDigit) {
			j++
		}
		if j == i+1 {
			break
		}
		i = j
	}
	s.at = i
	return tokenLang, "", nil
}

// scanNumber consumes an unsigned number; kind is tokenDecimal when it begins with a point.
func (s *scanner) scanNumber(kind lexer.TokenType) (lexer.TokenType, string, error) {
	s.digits()
	if s.peek(0) == '.' {
		switch {
		case is(s.peek(1), isDigit):
			s.at++
			s.digits()
			kind = tokenDecimal
		case s.exponent(1) > 0:
			s.at++
		}
	}
	if n := s.exponent(0); n > 0 {
		s.at += n
		s.digits()
		kind = tokenDouble
	}
	return kind, "", nil
}

func (s *scanner) digits() {
	for is(s.peek(0), isDigit) {
		s.at++
	}
}

// exponent returns the length of "e", "e+" or "e-" at offset n when a digit follows, 0 otherwise.
func (s *scanner) exponent(n int) int {
	if c := s.peek(n); c != 'e' && c != 'E' {
		return 0
	}
	length := 1
	if c := s.peek(n + 1); c == '+' || c == '-' {
		length = 2
	}
	if is(s.peek(n+length), isDigit) {
		return length
	}
	return 0
}

// scanString consumes a literal in one of the four quoted forms and checks its escapes.
func (s *scanner) scanString() (lexer.TokenType, string, error) {
	quote, start := s.text[s.at], s.at
	long := s.peek(1) == quote && s.peek(2) == quote
	width := 1
	if long {
		width = 3
	}
	for i := s.at + width; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\\':
			i++
			if i == len(s.text) || !strings.ContainsRune(`tbnrf\"'`, rune(s.text[i])) {
				f := faultf(i-1, "a bad escape in a string")
				f.hint = `escapes are \t \b \n \r \f \\ \" \' \uXXXX and \UXXXXXXXX`
				return 0, "", f
			}
		case c == quote && (!long || strings.HasPrefix(s.text[i:], s.text[start:start+3])):
			s.at = i + width
			return tokenString, "", nil
		case !long && (c == '\n' || c == '\r'):
			f := faultf(start, "this string is not closed on its line")
			f.hint = `a string over several lines is quoted by """`
			return 0, "", f
		}
	}
	return 0, "", faultf(start, "this string is not closed")
}
