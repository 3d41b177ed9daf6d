package hostile

import "strings"

// nests are what a group can be nested in, the whole being a group again.
var nests = []struct{ name, open, close string }{
	{"group", "{ ", "} "},
	{"join", "{ ?a %p ?b . ", "} "},
	{"OPTIONAL", "{ ?a %p ?b§ OPTIONAL ", "} "},
	{"OPTIONAL of one", "{ OPTIONAL ", "} "},
	{"OPTIONAL, filtered", "{ ?a %p ?b OPTIONAL ", "FILTER (?a != ?b) } "},
	{"UNION", "{ { ?a %p ?b } UNION ", "} "},
	{"UNION joined", "{ { ?a %p ?b } UNION { ?b %p ?a } ", "} "},
	{"MINUS", "{ ?a %p ?b MINUS ", "} "},
	{"FILTER EXISTS", "{ ?a %p ?b FILTER EXISTS ", "} "},
	{"FILTER NOT EXISTS", "{ ?a %p ?b FILTER NOT EXISTS ", "} "},
	{"EXISTS in a condition", "{ ?a %p ?b FILTER (?a = ?c || EXISTS ", ") } "},
	{"EXISTS in BIND", "{ ?a %p ?b BIND (EXISTS ", " AS ?e§) } "},
	{"GRAPH", "{ GRAPH ?g ", "} "},
	{"GRAPH of its own", "{ GRAPH ?g§ { ?a ?p§ ?b } GRAPH %g ", "} "},
	{"SELECT", "{ SELECT * ", "} "},
	{"SELECT DISTINCT", "{ SELECT DISTINCT ?a ?b ", "} "},
	{"SELECT COUNT", "{ SELECT (COUNT(*) AS ?n§) ", "} "},
	{"SELECT COUNT by group", "{ SELECT ?a (COUNT(*) AS ?n§) ", "GROUP BY ?a } "},
	{"SELECT COUNT joined", "{ ?a %p ?b { SELECT ?a (COUNT(DISTINCT ?b) AS ?n§) ", "GROUP BY ?a } } "},
	{"SELECT with concatenation", "{ SELECT ?a (GROUP_CONCAT(STR(?b)) AS ?l§) ", "GROUP BY ?a } "},
	{"SELECT with order", "{ SELECT ?a ?b ", "ORDER BY ?b DESC(?a) } "},
	{"SELECT with limit", "{ SELECT * ", "LIMIT 1000 } "},
	{"SELECT with all", "{ ?a %p ?b { SELECT DISTINCT ?a (COUNT(*) AS ?n§) ", "GROUP BY ?a HAVING (COUNT(*) > 0) ORDER BY ?n§ LIMIT 10000 } } "},
	{"path beside", "{ ?a (%p|%p)* ?b ", "} "},
	{"VALUES beside", "{ VALUES ?a { %t %t } ", "} "},
	{"BIND beside", "{ BIND (STR(?a) AS ?s§) ", "} "},
	{"SERVICE SILENT", "{ SERVICE SILENT <http://127.0.0.1:9/> ", "} "},
}

// deep draws a group nested in one construct, or in a mix of them, as deep as parsers allow and deeper.
func (g *Generator) deep() (name string, tree *Node) {
	group := &Node{Kind: Group, Open: g.Fill(g.oneOf("{ ?a %p ?b } ", "{ ?a ?p ?b } ", "{ ?a %p ?b . ?b %p ?c } ", "{ ?a %p* ?b } "))}
	if g.chance(50) {
		kind := nests[g.pick(len(nests))]
		return kind.name, g.reading(&Node{Kind: Group, Open: g.Fill(kind.open), Close: g.Fill(kind.close), Parts: []*Node{group}, Wraps: g.depth(kind.open)})
	}
	group = g.nested(group, 2+g.pick(30))
	return "mixed", g.reading(group)
}

// rows are what a group can have many of.
var rows = []struct{ name, open, part string }{
	{"star", "", "?a %p ?b§ . "},
	{"chain", "", "?b§ %p ?b¶ . "},
	{"star of variables", "", "?a ?p§ ?b§ . "},
	{"chain of variables", "", "?b§ ?p§ ?b¶ . "},
	{"triangles", "?a ?p ?b . ", "?a %p ?b§ . ?b§ %p ?b . "},
	{"same pattern", "", "?a %p ?b . "},
	{"OPTIONAL", "?a %p ?b . ", "OPTIONAL { ?a %p ?b§ } "},
	{"OPTIONAL chain", "?b0 %p ?c . ", "OPTIONAL { ?b§ %p ?b¶ } "},
	{"OPTIONAL apart", "?a %p ?b . ", "OPTIONAL { ?a§ %p ?b§ } "},
	{"OPTIONAL filtered", "?a %p ?b . ", "OPTIONAL { ?a %p ?b§ FILTER (?b§ != ?b) } "},
	{"OPTIONAL path", "?a %p ?b . ", "OPTIONAL { ?a %p* ?b§ } "},
	{"UNION", "{ ?a %p ?b } ", "UNION { ?a %p ?b } "},
	{"UNION of variables", "{ ?a %p ?b } ", "UNION { ?a ?p§ ?b } "},
	{"UNION of constants", "{ ?a %p ?b } ", "UNION { ?a %p ?b FILTER (?b != <http://e/§>) } "},
	{"UNIONs joined", "", "{ ?a %p ?b } UNION { ?b %p ?a } "},
	{"MINUS", "?a %p ?b . ", "MINUS { ?a %p ?b§ } "},
	{"FILTER", "?a %p ?b . ", "FILTER (STR(?b) != \"§\") "},
	{"FILTER EXISTS", "?a %p ?b . ", "FILTER EXISTS { ?a %p ?b§ } "},
	{"FILTER NOT EXISTS", "?a %p ?b . ", "FILTER NOT EXISTS { ?b§ %p ?a . ?b§ %p ?b } "},
	{"BIND", "?a %p ?b . ", "BIND (CONCAT(STR(?b), \"§\") AS ?b§) "},
	{"BIND chain", "?a %p ?b0 . ", "BIND (STR(?b§) AS ?b¶) "},
	{"VALUES", "?a %p ?b . ", "VALUES ?b§ { 1 2 } "},
	{"GRAPH", "?a %p ?b . ", "GRAPH ?g§ { ?a ?p ?b } "},
	{"sub-SELECT", "?a %p ?b . ", "{ SELECT ?a (COUNT(*) AS ?n§) { ?a %p ?b } GROUP BY ?a } "},
	{"sub-SELECT of all", "", "{ SELECT (COUNT(*) AS ?n§) { ?a ?p ?b } } "},
	{"path", "?a %p ?b . ", "?a %p* ?b§ . "},
	{"blank nodes", "", "[] ?p§ [ %p [] ] . "},
	{"list", "", "(?b§ 1 [] ()) %p ?a . "},
}

// wide draws a group of up to 1,000 elements of a kind.
func (g *Generator) wide() (name string, tree *Node) {
	row := rows[g.pick(len(rows))]
	part := &Node{List: true, Parts: []*Node{text(g.Fill(row.part))}, Copies: g.upTo(1000)}
	if g.chance(30) && !strings.Contains(row.part, " AS ") {
		part.Parts = append(part.Parts, text(g.Fill(row.part)))
	}
	group := &Node{Kind: Group, Open: g.Fill("{ " + row.open), Parts: []*Node{part}, Close: "} "}
	return row.name, g.reading(g.nested(group, g.pick(3)))
}

// nested puts a group into constructs of all kinds, one in another.
func (g *Generator) nested(group *Node, levels int) *Node {
	for level := range levels {
		kind := nests[g.pick(len(nests))]
		group = &Node{Kind: Group, Open: numbered(g.Fill(kind.open), level), Close: numbered(g.Fill(kind.close), level), Parts: []*Node{group}}
	}
	return group
}

// bracketDepth is how deep brackets may be nested in most parsers, ours included.
const bracketDepth = 190

// depth draws how often something that opens these brackets is nested in itself: mostly as deep as parsers allow.
func (g *Generator) depth(open string) int {
	most := 3 * bracketDepth
	if !g.chance(5) {
		brackets := strings.Count(open, "{") - strings.Count(open, "}") + strings.Count(open, "(") - strings.Count(open, ")")
		most = bracketDepth / max(1, brackets)
	}
	return g.upTo(most)
}
