package parser

import "github.com/alecthomas/participle/v2/lexer"

// tokens is where the methods of the grammar read from: participle's lexer, which holds all tokens of a query or an
// operation, or a stream.
type tokens interface {
	// Peek returns the next token without consuming it, Next consumes it. It is good until the next but one is read.
	Peek() *lexer.Token
	Next() *lexer.Token
}

// stream reads the tokens of an update one by one, so that those of a long text are never all there. After an error
// there are no further tokens.
type stream struct {
	scanner *scanner
	// check is asked now and then whether to go on.
	check func() error
	token [2]lexer.Token
	count int  // tokens read
	ready bool // the last one is not consumed yet
	err   error
}

// streamCheck is after how many tokens a stream asks: some 100 microseconds.
const streamCheck = 1024

func (s *stream) Peek() *lexer.Token {
	if !s.ready {
		s.read()
	}
	return &s.token[s.count&1]
}

func (s *stream) Next() *lexer.Token {
	t := s.Peek()
	s.ready = t.EOF()
	return t
}

func (s *stream) read() {
	s.count++
	s.ready = true
	t, err := s.scanner.Next()
	if err == nil && s.count%streamCheck == 0 {
		err = s.check()
	}
	if err != nil {
		s.err = err
		t = lexer.Token{Type: tokenEOF, Pos: lexer.Position{Offset: s.scanner.at}}
	}
	s.token[s.count&1] = t
}

// segment is the tokens of a stream up to the ";" that ends an operation, for participle. The ";" is its end.
type segment struct {
	in *stream
	// first is the token that was consumed already.
	first lexer.Token
	// limit bounds the operation, in bytes.
	limit int
	// count is how many tokens were handed out; used counts what they take.
	count int
	used  *int64
}

// Next returns the next token, or an error of the stream.
func (s *segment) Next() (lexer.Token, error) {
	s.count++
	*s.used += tokenParsed
	if s.count == 1 {
		return s.first, nil
	}
	t := *s.in.Peek()
	switch {
	case s.in.err != nil:
		return t, s.in.err
	case t.Value == ";" && t.Type == tokenPunct && len(s.in.scanner.open) == 0:
		t.Type, t.Value = tokenEOF, `";"`
	case t.Pos.Offset-s.first.Pos.Offset > s.limit:
		return t, faultf(s.first.Pos.Offset, "this operation has more than %d bytes, the limit for all but INSERT DATA and DELETE DATA", s.limit)
	}
	if !t.EOF() {
		s.in.Next()
	}
	return t, nil
}
