package hostile

import (
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Generator draws hostile queries.
type Generator struct {
	source     Source
	vocabulary *Vocabulary
	fresh      int
	left       int // nodes that the query under way may still have
}

// New makes a generator of queries over a vocabulary.
func New(source Source, vocabulary *Vocabulary) *Generator {
	return &Generator{source: source, vocabulary: vocabulary}
}

// Query is one request: a query and how it is sent.
type Query struct {
	// Shape names what was drawn, for grouping.
	Shape string
	Tree  *Node
	Request
}

// Text is the query's text.
func (q *Query) Text() string { return q.Tree.String() }

// nodes bounds a query that is mixed of everything.
const nodes = 60

// shapes are the kinds of queries with their weights, the tamest first.
var shapes = []struct {
	name   string
	weight int
	draw   func(*Generator) (detail string, tree *Node)
}{
	{"mixed", 34, (*Generator).mixed},
	{"deep", 13, (*Generator).deep},
	{"wide", 11, (*Generator).wide},
	{"path", 10, (*Generator).paths},
	{"expression", 12, (*Generator).expressions},
	{"product", 8, (*Generator).products},
	{"everything", 4, (*Generator).everything},
	{"table", 4, (*Generator).tables},
	{"term", 1, (*Generator).terms},
	{"broken", 3, (*Generator).broken},
}

// Query draws the next query.
func (g *Generator) Query() *Query {
	shape, tree := g.draw()
	q := &Query{Shape: shape, Tree: &Node{List: true, Parts: []*Node{text(prologue), tree}}}
	q.Request = g.request(tree.form())
	return q
}

const prologue = "PREFIX xsd: <" + rdf.XSD + ">\n"

func (g *Generator) draw() (shape string, tree *Node) {
	g.fresh, g.left = 0, nodes
	total := 0
	for _, s := range shapes {
		total += s.weight
	}
	drawn := g.pick(total)
	for _, s := range shapes {
		if drawn -= s.weight; drawn < 0 {
			detail, tree := s.draw(g)
			return strings.TrimSuffix(s.name+" "+detail, " "), tree
		}
	}
	panic("unreachable: the weights add up to the total")
}

func (g *Generator) pick(n int) int { return g.source.IntN(n) }

func (g *Generator) chance(percent int) bool { return g.pick(100) >= 100-percent }

func (g *Generator) oneOf(list ...string) string { return list[g.pick(len(list))] }

// upTo draws a number from 1 to most, each order of magnitude as likely as the others.
func (g *Generator) upTo(most int) int {
	magnitude := 1
	for range g.pick(len(strconv.Itoa(most))) {
		magnitude *= 10
	}
	return min(most, magnitude+g.pick(9*magnitude))
}

func (g *Generator) variable() string { return g.oneOf("?a", "?b", "?c", "?d", "?e") }

func (g *Generator) freshVariable() string {
	g.fresh++
	return "?x" + strconv.Itoa(g.fresh)
}

func (g *Generator) predicate() string { return g.oneOf(g.vocabulary.Predicates...) }

func (g *Generator) resource() string { return g.oneOf(g.vocabulary.Terms...) }

func (g *Generator) literal() string { return g.oneOf(g.vocabulary.Literals...) }

func (g *Generator) graph() string {
	return g.oneOf("?g", g.variable(), g.oneOf(g.vocabulary.Graphs...))
}

// Fill puts terms of the store into a template: %p a predicate, %c a class, %t a term, %l a literal, %g a graph.
func (g *Generator) Fill(template string) string {
	var sb strings.Builder
	for {
		before, after, found := strings.Cut(template, "%")
		sb.WriteString(before)
		if !found {
			return sb.String()
		}
		switch after[0] {
		case 'p':
			sb.WriteString(g.predicate())
		case 'c':
			sb.WriteString(g.oneOf(g.vocabulary.Classes...))
		case 't':
			sb.WriteString(g.resource())
		case 'l':
			sb.WriteString(g.literal())
		case 'g':
			sb.WriteString(g.oneOf(g.vocabulary.Graphs...))
		}
		template = after[1:]
	}
}
