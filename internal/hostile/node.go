package hostile

import (
	"strconv"
	"strings"
)

// Kind says what may stand in a node's place.
type Kind uint8

const (
	// Text is a part that nothing else can replace.
	Text Kind = iota
	// Select is a SELECT without braces around it.
	Select
	// Group is a group graph pattern with its braces.
	Group
	// Expression is one expression, as a function's argument.
	Expression
	// Path is one property path, as an operand.
	Path
)

// simplest is the shortest text of a kind; "" where there is none.
var simplest = [...]string{Text: "", Select: "SELECT * { }", Group: "{ }", Expression: "1", Path: "a"}

// Marks in the text of repeated nodes: the number of the repetition, from 0, and the one after it.
const (
	number = "§"
	next   = "¶"
)

// Node is a part of a query: Open, the parts with Separator between them, Close.
type Node struct {
	Kind                   Kind
	Open, Separator, Close string
	Parts                  []*Node
	// List says that parts may be left out.
	List bool
	// Copies is how often all parts are written, one after another; 0 is once.
	Copies int
	// Wraps is how often Open and Close are written around the parts, nested; 0 is once.
	Wraps int
}

func text(s string) *Node { return &Node{Open: s} }

// String is the query's text.
func (n *Node) String() string {
	var sb strings.Builder
	n.write(&sb)
	return numbered(sb.String(), 0)
}

func (n *Node) write(sb *strings.Builder) {
	for i := range max(1, n.Wraps) {
		sb.WriteString(n.numbered(n.Open, i))
	}
	if n.Copies > 1 {
		n.writeCopies(sb)
	} else {
		n.writeParts(sb)
	}
	for i := max(1, n.Wraps) - 1; i >= 0; i-- {
		sb.WriteString(n.numbered(n.Close, i))
	}
}

func (n *Node) writeParts(sb *strings.Builder) {
	for i, part := range n.Parts {
		if i > 0 {
			sb.WriteString(n.Separator)
		}
		part.write(sb)
	}
}

func (n *Node) writeCopies(sb *strings.Builder) {
	var once strings.Builder
	n.writeParts(&once)
	for i := range n.Copies {
		if i > 0 {
			sb.WriteString(n.Separator)
		}
		sb.WriteString(numbered(once.String(), i))
	}
}

// numbered is one of the texts that are written Wraps times; where they are written once, the marks are left to what is
// repeated around.
func (n *Node) numbered(s string, i int) string {
	if n.Wraps <= 1 {
		return s
	}
	return numbered(s, i)
}

// numbered puts the number of a repetition in place of its marks.
func numbered(s string, i int) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, number, strconv.Itoa(i)), next, strconv.Itoa(i+1))
}
