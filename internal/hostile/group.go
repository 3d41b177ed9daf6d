package hostile

import "strings"

// mixed draws a query of all constructs in each other.
func (g *Generator) mixed() (string, *Node) {
	depth := 1 + g.pick(6)
	switch g.pick(12) {
	case 0:
		return "ASK", &Node{Open: "ASK ", Parts: []*Node{g.group(depth)}}
	case 1:
		return "CONSTRUCT", &Node{Open: "CONSTRUCT { ?a <http://example.org/p> ?b . ?c ?b [ ?d ?a ] . _:b ?e ( ?a ?b ) } WHERE ", Parts: []*Node{g.group(depth)}}
	case 2:
		return "DESCRIBE", &Node{Open: "DESCRIBE " + g.oneOf("*", "?a ?b", g.resource()) + " WHERE ", Parts: []*Node{g.group(depth)}}
	}
	return "SELECT", g.selection(depth)
}

// selection draws a SELECT with modifiers and aggregates.
func (g *Generator) selection(depth int) *Node {
	n := &Node{Kind: Select, Parts: []*Node{g.group(depth)}}
	v, w := g.variable(), g.variable()
	switch g.pick(8) {
	case 0:
		n.Open = "SELECT (COUNT(*) AS " + g.freshVariable() + ") WHERE "
	case 1:
		n.Open = "SELECT " + v + " (" + g.aggregate() + " AS " + g.freshVariable() + ") WHERE "
		n.Close = " GROUP BY " + v + g.oneOf("", " HAVING (COUNT(*) > 1)")
	case 2:
		n.Open = "SELECT DISTINCT " + v + " " + w + " WHERE "
	case 3:
		n.Open = "SELECT REDUCED * WHERE "
	default:
		n.Open = "SELECT * WHERE "
	}
	if g.chance(25) {
		n.Close += " ORDER BY " + g.oneOf(v, "DESC("+v+") "+w, "RAND()", "STRLEN(STR("+v+"))", "MD5(STR("+v+"))")
	}
	if g.chance(25) {
		n.Close += " LIMIT " + g.oneOf("0", "1", "10", "1000", "1000000", "9223372036854775807")
	}
	if g.chance(10) {
		n.Close += " OFFSET " + g.oneOf("1", "1000", "1000000", "9223372036854775807")
	}
	return n
}

func (g *Generator) aggregate() string {
	v := g.variable()
	return g.oneOf("COUNT("+v+")", "COUNT(DISTINCT "+v+")", "COUNT(DISTINCT *)", "SUM("+v+")", "MIN("+v+")", "MAX(STR("+v+"))",
		"SAMPLE("+v+")", "GROUP_CONCAT("+v+")", "GROUP_CONCAT(DISTINCT STR("+v+"); SEPARATOR=\""+strings.Repeat("-", 1+g.pick(200))+"\")",
		"AVG(STRLEN(STR("+v+")))")
}

// group draws a group graph pattern.
func (g *Generator) group(depth int) *Node {
	g.left--
	n := &Node{Kind: Group, Open: "{ ", Close: "} ", List: true}
	for range 1 + g.pick(3) {
		n.Parts = append(n.Parts, g.triple())
	}
	for range g.pick(4) {
		n.Parts = append(n.Parts, g.element(depth))
	}
	return n
}

func (g *Generator) triple() *Node {
	subject, object := g.variable(), g.variable()
	switch g.pick(12) {
	case 0:
		subject = g.resource()
	case 1:
		object = g.resource()
	case 2:
		object = g.literal()
	}
	if g.chance(12) {
		return &Node{Open: subject + " ", Parts: []*Node{g.path(1 + g.pick(4))}, Close: " " + object + " . "}
	}
	if g.chance(15) {
		return text(subject + " " + g.oneOf(g.variable(), "?p") + " " + object + " . ")
	}
	return text(subject + " " + g.predicate() + " " + object + " . ")
}

// element draws what stands beside triples in a group.
func (g *Generator) element(depth int) *Node {
	if depth == 0 || g.left <= 0 {
		return g.triple()
	}
	inner := func(open string) *Node { return &Node{Open: open, Parts: []*Node{g.group(depth - 1)}} }
	switch g.pick(13) {
	case 0:
		return inner("")
	case 1, 2:
		return inner("OPTIONAL ")
	case 3:
		return g.union(depth)
	case 4:
		return inner("MINUS ")
	case 5:
		return inner("FILTER EXISTS ")
	case 6:
		return inner("FILTER NOT EXISTS ")
	case 7:
		return inner("GRAPH " + g.graph() + " ")
	case 8:
		return &Node{Open: "FILTER (", Parts: []*Node{g.condition(3)}, Close: ") "}
	case 9:
		return &Node{Open: "BIND (", Parts: []*Node{g.expression(3)}, Close: " AS " + g.freshVariable() + ") "}
	case 10:
		return g.values()
	}
	return &Node{Open: "{ ", Parts: []*Node{g.selection(depth - 1)}, Close: "} "}
}

func (g *Generator) union(depth int) *Node {
	n := &Node{Separator: "UNION ", List: true}
	for range 2 + g.pick(3) {
		n.Parts = append(n.Parts, g.group(depth-1))
	}
	return n
}

func (g *Generator) values() *Node {
	row := func() *Node {
		return text("(" + g.oneOf("UNDEF", g.resource()) + " " + g.oneOf("UNDEF", g.resource()) + ") ")
	}
	n := &Node{Open: "VALUES (" + g.oneOf("?a ?b", "?c ?e", "?b ?f") + ") { ", Close: "} ", List: true}
	for range 1 + g.pick(4) {
		n.Parts = append(n.Parts, row())
	}
	n.Copies = g.upTo(100)
	return n
}

// reading draws a way to ask for a pattern over ?a and ?b.
func (g *Generator) reading(pattern *Node) *Node {
	way := [][2]string{
		{"SELECT * ", ""}, {"SELECT (COUNT(*) AS ?n) ", ""}, {"SELECT DISTINCT ?b ", ""}, {"ASK ", ""}, {"SELECT * ", " LIMIT 1"},
		{"SELECT ?a (COUNT(DISTINCT ?b) AS ?n) ", " GROUP BY ?a"}, {"SELECT * ", " ORDER BY ?b ?a"},
		{"SELECT (GROUP_CONCAT(DISTINCT ?b) AS ?l) ", " GROUP BY ?a ORDER BY ?l"}, {"CONSTRUCT { ?a ?b ?a } WHERE ", ""},
	}[g.pick(9)]
	kind := Select
	if way[0] == "ASK " || way[0][0] == 'C' {
		kind = Text
	}
	return &Node{Kind: kind, Open: way[0], Parts: []*Node{pattern}, Close: way[1]}
}
