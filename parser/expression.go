package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

type exprKind uint8

const (
	exprTerm      exprKind = iota // term
	exprCall                      // op applied to args: an operator or builtin
	exprFunction                  // term (an IRI) applied to args
	exprAggregate                 // op applied to args (none: COUNT(*))
	exprExists                    // EXISTS group; op is "NOT EXISTS" when negated
)

// exprSyntax is an expression as written.
type exprSyntax struct {
	kind      exprKind
	offset    int
	op        string
	term      term
	args      []*exprSyntax
	distinct  bool
	separator string
	group     *group
}

// expression is an Expression (rule 110) inside the grammar.
type expression struct{ root *exprSyntax }

// Parse reads an Expression.
func (e *expression) Parse(lex *lexer.PeekingLexer) (err error) {
	e.root, err = readExpression(lex)
	return err
}

// constraint is a Constraint (rule 69): a bracketed expression, a builtin call or a function call.
type constraint struct{ root *exprSyntax }

// Parse reads a Constraint.
func (c *constraint) Parse(lex *lexer.PeekingLexer) (err error) {
	switch t := lex.Peek(); {
	case next(lex, "("):
		c.root, err = readBrackets(lex)
	case isIRIToken(t):
		c.root, err = readIRIOrFunction(lex)
		if err == nil && c.root.kind != exprFunction {
			err = unexpected(lex.Peek(), `"("`)
		}
	case t.Type == tokenKeyword:
		call, err := readCall(lex)
		if err == nil && call == nil {
			return participle.NextMatch
		}
		c.root = call
		return err
	default:
		return participle.NextMatch
	}
	return err
}

// level is one level of binary operators that associate to the left.
var (
	orOperators       = []string{"||"}
	andOperators      = []string{"&&"}
	comparisons       = []string{"=", "!=", "<", ">", "<=", ">="}
	additiveOperators = []string{"+", "-"}
	productOperators  = []string{"*", "/"}
)

func readExpression(lex *lexer.PeekingLexer) (*exprSyntax, error) {
	return readLeft(lex, orOperators, readAnd)
}

func readAnd(lex *lexer.PeekingLexer) (*exprSyntax, error) {
	return readLeft(lex, andOperators, readRelational)
}

// readLeft reads operands of a level joined by any of ops.
func readLeft(lex *lexer.PeekingLexer, ops []string,
	operand func(*lexer.PeekingLexer) (*exprSyntax, error)) (*exprSyntax, error) {
	left, err := operand(lex)
	for n := 1; err == nil; n++ {
		op, offset := acceptAny(lex, ops)
		if op == "" {
			break
		}
		if n > maxOperators {
			return nil, tooMany(offset)
		}
		var right *exprSyntax
		right, err = operand(lex)
		left = call(offset, op, left, right)
	}
	return left, err
}

// maxOperators bounds the operators of one level that follow each other: each makes the expression one level deeper.
const maxOperators = 10_000

func tooMany(offset int) *fault {
	f := faultf(offset, "more than %d operators follow each other", maxOperators)
	f.hint = "use IN or VALUES"
	return f
}

func acceptAny(lex *lexer.PeekingLexer, ops []string) (string, int) {
	t := lex.Peek()
	if t.Type == tokenPunct {
		for _, op := range ops {
			if t.Value == op {
				lex.Next()
				return op, t.Pos.Offset
			}
		}
	}
	return "", 0
}

func call(offset int, op string, args ...*exprSyntax) *exprSyntax {
	return &exprSyntax{kind: exprCall, offset: offset, op: op, args: args}
}

// readRelational reads at most one comparison: comparisons do not chain.
func readRelational(lex *lexer.PeekingLexer) (*exprSyntax, error) {
	left, err := readAdditive(lex)
	if err != nil {
		return nil, err
	}
	t := lex.Peek()
	if op, offset := acceptAny(lex, comparisons); op != "" {
		right, err := readAdditive(lex)
		return call(offset, op, left, right), err
	}
	op := "IN"
	switch {
	case accept(lex, "IN"):
	case t.Value == "NOT" && t.Type == tokenKeyword:
		lex.Next()
		if err := expect(lex, "IN"); err != nil {
			return nil, err
		}
		op = "NOT IN"
	default:
		return left, nil
	}
	items, err := readList(lex)
	return call(t.Pos.Offset, op, append([]*exprSyntax{left}, items...)...), err
}

// readAdditive reads sums. A number with its sign that follows an operand is an operator and a number.
func readAdditive(lex *lexer.PeekingLexer) (*exprSyntax, error) {
	left, err := readProduct(lex, nil)
	for n := 1; err == nil; n++ {
		var right *exprSyntax
		t := lex.Peek()
		op, offset := acceptAny(lex, additiveOperators)
		switch {
		case op != "":
			right, err = readProduct(lex, nil)
		case t.Type == tokenSigned:
			lex.Next()
			op, offset = t.Value[:1], t.Pos.Offset
			number := term{kind: termNumber, offset: offset + 1, text: t.Value[1:], number: numberType(t)}
			right, err = readProduct(lex, &exprSyntax{kind: exprTerm, offset: offset + 1, term: number})
		default:
			return left, nil
		}
		if n > maxOperators {
			return nil, tooMany(offset)
		}
		left = call(offset, op, left, right)
	}
	return left, err
}

// readProduct reads products; first is the first factor when it is read already.
func readProduct(lex *lexer.PeekingLexer, first *exprSyntax) (left *exprSyntax, err error) {
	left = first
	if left == nil {
		if left, err = readUnary(lex); err != nil {
			return nil, err
		}
	}
	for n := 1; ; n++ {
		op, offset := acceptAny(lex, productOperators)
		if op == "" {
			return left, nil
		}
		if n > maxOperators {
			return nil, tooMany(offset)
		}
		right, err := readUnary(lex)
		if err != nil {
			return nil, err
		}
		left = call(offset, op, left, right)
	}
}

func readUnary(lex *lexer.PeekingLexer) (*exprSyntax, error) {
	offset := lex.Peek().Pos.Offset
	for _, op := range [...][2]string{{"!", "!"}, {"-", "unary-"}, {"+", "unary+"}} {
		if accept(lex, op[0]) {
			operand, err := readPrimary(lex)
			return call(offset, op[1], operand), err
		}
	}
	return readPrimary(lex)
}

func readBrackets(lex *lexer.PeekingLexer) (*exprSyntax, error) {
	if err := expect(lex, "("); err != nil {
		return nil, err
	}
	e, err := readExpression(lex)
	if err != nil {
		return nil, err
	}
	return e, expect(lex, ")", "an operator")
}

func readPrimary(lex *lexer.PeekingLexer) (*exprSyntax, error) {
	t := lex.Peek()
	switch {
	case next(lex, "("):
		return readBrackets(lex)
	case isIRIToken(t):
		return readIRIOrFunction(lex)
	case t.Type == tokenBlank:
		f := unexpected(t, "an expression")
		f.hint = "an expression cannot hold a blank node; use a variable"
		return nil, f
	}
	leaf, ok, err := readTerm(lex)
	if err != nil {
		return nil, err
	}
	if ok {
		return &exprSyntax{kind: exprTerm, offset: leaf.offset, term: leaf}, nil
	}
	e, err := readCall(lex)
	if err == nil && e == nil {
		return nil, unexpected(t, "an expression")
	}
	return e, err
}

func readIRIOrFunction(lex *lexer.PeekingLexer) (*exprSyntax, error) {
	t := lex.Next()
	e := &exprSyntax{kind: exprTerm, offset: t.Pos.Offset, term: term{kind: termIRI, offset: t.Pos.Offset, iri: newIRI(t)}}
	if !next(lex, "(") {
		return e, nil
	}
	e.kind = exprFunction
	lex.Next()
	if accept(lex, ")") {
		return e, nil
	}
	e.distinct = accept(lex, "DISTINCT")
	args, err := readItems(lex)
	e.args = args
	return e, err
}

// readList reads ExpressionList.
func readList(lex *lexer.PeekingLexer) ([]*exprSyntax, error) {
	if err := expect(lex, "("); err != nil {
		return nil, err
	}
	if accept(lex, ")") {
		return nil, nil
	}
	return readItems(lex)
}

// readItems reads expressions and commas up to and with ")".
func readItems(lex *lexer.PeekingLexer) ([]*exprSyntax, error) {
	var list []*exprSyntax
	for {
		e, err := readExpression(lex)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		if !accept(lex, ",") {
			return list, expect(lex, ")", `","`)
		}
	}
}

// unquote returns what a string token stands for.
func unquote(s string) string {
	width := 1
	if len(s) >= 6 && s[1] == s[0] && s[2] == s[0] {
		width = 3
	}
	s = s[width : len(s)-width]
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' {
			i++
			c = s[i]
			if j := strings.IndexByte("tbnrf", c); j >= 0 {
				c = "\t\b\n\r\f"[j]
			}
		}
		b = append(b, c)
	}
	return string(b)
}
