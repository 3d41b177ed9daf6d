package expr

import (
	"cmp"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// equal is "=" (sections 17.3 and 17.4.1.7). Literals of datatypes without known values, and ill-typed ones, are
// equal to themselves, different from literals with a language tag, and an error beside all other literals.
func (c *run) equal(a, b *datum) tri {
	if !a.ok() || !b.ok() {
		return isError
	}
	sameID := a.known&b.known&hasID != 0
	if sameID && a.id == b.id {
		return truth(!c.valueOf(a).IsNaN())
	}
	x, y := c.valueOf(a), c.valueOf(b)
	switch {
	case x.Kind == y.Kind && x.Kind >= dictionary.String || x.Kind == dictionary.NoValue || y.Kind == dictionary.NoValue:
		return c.equalTerms(a, b, sameID)
	case x.Kind == dictionary.OtherLiteral || y.Kind == dictionary.OtherLiteral:
		if x.Kind == dictionary.LangString || y.Kind == dictionary.LangString {
			return isFalse
		}
		return isError
	case x.Kind != y.Kind && !(x.IsNumeric() && y.IsNumeric()):
		return isFalse
	}
	switch dictionary.Compare(*x, *y) {
	case dictionary.Equal:
		return isTrue
	case dictionary.Incomparable:
		return isError
	}
	return isFalse
}

// equalTerms compares two terms of the same sort by their text, or terms of which one is no literal. When both have
// IDs these are known to differ.
func (c *run) equalTerms(a, b *datum, differ bool) tri {
	switch c.valueOf(a).Kind {
	case dictionary.OtherLiteral:
		if c.valueOf(b).Kind == dictionary.OtherLiteral {
			if !differ && *c.termOf(a) == *c.termOf(b) {
				return isTrue
			}
			return isError
		}
	case dictionary.LangString:
		if c.valueOf(b).Kind == dictionary.LangString {
			s, t := c.termOf(a), c.termOf(b)
			return truth(s.Value == t.Value && strings.EqualFold(s.Language, t.Language))
		}
	}
	return truth(!differ && *c.termOf(a) == *c.termOf(b))
}

// same is sameTerm.
func (c *run) same(a, b *datum) tri {
	switch {
	case !a.ok() || !b.ok():
		return isError
	case a.known&b.known&hasID != 0:
		return truth(a.id == b.id)
	}
	return truth(*c.termOf(a) == *c.termOf(b))
}

// order compares two data for "<" and its like.
func (c *run) order(a, b *datum) dictionary.Order {
	if !a.ok() || !b.ok() {
		return dictionary.Incomparable
	}
	x, y := c.valueOf(a), c.valueOf(b)
	if x.Kind == dictionary.String && y.Kind == dictionary.String {
		return dictionary.Order(cmp.Compare(c.termOf(a).Value, c.termOf(b).Value))
	}
	return dictionary.Compare(*x, *y)
}

// operator is a comparison.
type operator uint8

const (
	opEqual operator = iota
	opNotEqual
	opLess
	opGreater
	opLessEqual
	opGreaterEqual
	opSame
)

var operators = map[string]operator{
	"=": opEqual, "!=": opNotEqual, "<": opLess, ">": opGreater, "<=": opLessEqual, ">=": opGreaterEqual,
	"SAMETERM": opSame,
}

// mirrored is the operator with its sides exchanged.
var mirrored = [...]operator{opEqual, opNotEqual, opGreater, opLess, opGreaterEqual, opLessEqual, opSame}

// holds reports whether an order satisfies an ordering operator; an error when the operands cannot be compared.
func (op operator) holds(o dictionary.Order) tri {
	if o == dictionary.Incomparable {
		return isError
	}
	switch op {
	case opEqual:
		return truth(o == dictionary.Equal)
	case opNotEqual:
		return truth(o != dictionary.Equal)
	case opLess:
		return truth(o == dictionary.Less)
	case opGreater:
		return truth(o == dictionary.Greater)
	case opLessEqual:
		return truth(o == dictionary.Less || o == dictionary.Equal)
	}
	return truth(o == dictionary.Greater || o == dictionary.Equal)
}

func (c *run) compare(op operator, a, b *datum) tri {
	switch op {
	case opEqual:
		return c.equal(a, b)
	case opNotEqual:
		t := c.equal(a, b)
		if t != isError {
			t = isTrue - t
		}
		return t
	case opSame:
		return c.same(a, b)
	}
	return op.holds(c.order(a, b))
}

// comparison applies an operator.
type comparison struct {
	op          operator
	left, right node
}

func (n *comparison) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *comparison) test(c *run, rows []uint32, out []tri) {
	if n.op != opSame && (computesNumbers(n.left) || computesNumbers(n.right)) {
		c.compareNumbers(n.op, n.left, n.right, rows, out)
		return
	}
	left, right := c.take()[:len(rows)], c.take()[:len(rows)]
	n.left.eval(c, rows, left)
	n.right.eval(c, rows, right)
	for i := range out {
		out[i] = c.compare(n.op, &left[i], &right[i])
	}
	c.dataTop -= 2
}

// columnTerm compares a variable with an IRI, whatever is bound to it: IDs decide.
type columnTerm struct {
	index  int
	id     dictionary.ID
	negate bool
}

func (n *columnTerm) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *columnTerm) test(c *run, rows []uint32, out []tri) {
	col := c.cols[n.index]
	for i, r := range rows {
		switch id := col[r]; {
		case id == dictionary.None:
			out[i] = isError
		default:
			out[i] = truth((id == n.id) != n.negate)
		}
	}
}

// columnValue compares a variable with a number, date or boolean, by values alone.
type columnValue struct {
	index int
	op    operator
	datum datum
}

func (n *columnValue) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *columnValue) test(c *run, rows []uint32, out []tri) {
	want := n.datum.value
	if want.IsNumeric() {
		c.compareNumbers(n.op, &column{n.index}, &constant{n.datum}, rows, out)
		return
	}
	col := c.cols[n.index]
	right := n.datum
	for i, r := range rows {
		id := col[r]
		if id == dictionary.None {
			out[i] = isError
			continue
		}
		v := c.env.Terms.Value(id)
		if v.Kind == want.Kind {
			out[i] = n.op.holds(dictionary.Compare(v, want))
			continue
		}
		left := datum{known: hasID | hasValue, id: id, value: v}
		out[i] = c.compare(n.op, &left, &right)
	}
}
