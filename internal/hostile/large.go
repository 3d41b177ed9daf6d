package hostile

import (
	"fmt"
	"strings"
)

// products draws cartesian products and joins that select little.
func (g *Generator) products() (string, *Node) {
	part := g.oneOf("?a§ ?p§ ?b§ . ", "?a§ %p ?b§ . ", "?a§ %p ?b§ . ?b§ ?q§ ?c§ . ", "?a ?p§ ?b§ . ", "?a§ ?p§ ?b . ", "?a§ a ?t . ", "{ ?a§ %p ?b§ } UNION { ?b§ %p ?a§ } ",
		"OPTIONAL { ?a§ ?p§ ?b§ } ", "?a§ %p* ?b§ . ", "GRAPH ?g§ { ?a§ ?p§ ?b§ } ", "{ SELECT DISTINCT ?a§ { ?a§ ?p ?o } } ", "VALUES ?a§ { 1 2 3 4 5 6 7 8 9 10 } ")
	patterns := &Node{List: true, Parts: []*Node{text(g.Fill(part))}, Copies: 2 + g.pick(5)}
	filter := g.oneOf("", "", "FILTER (?a0 < ?a1) ", "FILTER (STR(?b0) > STR(?b1)) ", "FILTER (?b0 = ?b1) ", "FILTER NOT EXISTS { ?a0 %p ?b1 } ", "FILTER (RAND() > 2) ", "BIND (SHA512(STR(?a0)) AS ?h) ")
	way := [][2]string{
		{"SELECT * ", ""}, {"SELECT (COUNT(*) AS ?n) ", ""}, {"SELECT * ", "ORDER BY ?b0 DESC(?a1)"}, {"SELECT DISTINCT ?a0 ?b1 ", ""},
		{"SELECT ?a0 (COUNT(DISTINCT ?b1) AS ?n) ", "GROUP BY ?a0 ORDER BY DESC(?n)"}, {"SELECT (COUNT(DISTINCT *) AS ?n) ", ""}, {"ASK ", ""},
		{"SELECT * ", "ORDER BY ?b1 LIMIT 10"}, {"SELECT ?a0 ?a1 (GROUP_CONCAT(STR(?b1)) AS ?l) ", "GROUP BY ?a0 ?a1"}, {"SELECT (SUM(?b0) AS ?n) (MAX(?b1) AS ?m) (SAMPLE(?a1) AS ?o) ", ""},
		{"SELECT * ", "OFFSET 1000000000"}, {"CONSTRUCT { ?a0 ?b0 ?a1 . ?a1 ?p0 [] } WHERE ", ""}, {"SELECT * ", "ORDER BY RAND()"}, {"DESCRIBE ?a0 ?a1 ", ""},
	}[g.pick(14)]
	return "", &Node{Open: way[0] + "{ ", Parts: []*Node{patterns}, Close: g.Fill(filter) + "} " + way[1]}
}

// everything draws a query for the whole store.
func (g *Generator) everything() (string, *Node) {
	return "", text(g.Fill(g.oneOf(
		"SELECT * { ?a ?p ?b }", "SELECT * { ?a ?p ?b } ORDER BY ?b ?p ?a", "SELECT * { { ?a ?p ?b } UNION { GRAPH ?g { ?a ?p ?b } } }", "SELECT DISTINCT * { ?a ?p ?b }",
		"CONSTRUCT { ?a ?p ?b } WHERE { ?a ?p ?b }", "CONSTRUCT WHERE { ?a ?p ?b }", "CONSTRUCT { ?a ?p [ ?p ?b ] } WHERE { ?a ?p ?b }", "CONSTRUCT { ?b ?p ?a . ?a ?p ?b . ?c ?q ?a } WHERE { ?a ?p ?b . ?b ?q ?c }",
		"DESCRIBE *  { ?a ?p ?b }", "DESCRIBE ?a { ?a ?p ?b }", "DESCRIBE ?b { ?a a ?b }", "DESCRIBE %t %t %t %t",
		"SELECT * { ?a ?p ?b . ?b ?q ?c . ?c ?r ?d }", "SELECT (GROUP_CONCAT(STR(?b)) AS ?l) { ?a ?p ?b }", "SELECT (GROUP_CONCAT(DISTINCT CONCAT(STR(?a), STR(?b))) AS ?l) { ?a ?p ?b }",
		"SELECT ?a ?b (GROUP_CONCAT(?p) AS ?l) { ?a ?p ?b } GROUP BY ?a ?b ORDER BY ?l", "SELECT (COUNT(DISTINCT *) AS ?n) { ?a ?p ?b . ?b ?q ?c }",
		"SELECT * { ?a ?p ?b OPTIONAL { ?b ?q ?c OPTIONAL { ?c ?r ?d } } } ORDER BY DESC(?d)", "SELECT * { ?a (!())* ?b }", "SELECT * { ?a (%p|!%p|^%p|^(!%p))* ?b }",
		"SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?p ?d . ?e ?p ?f }", "SELECT * { ?a ?p ?b } ORDER BY SHA512(CONCAT(STR(?a), STR(?b)))",
	)))
}

// maxLength is how long a query may be for our parser, in bytes, less what stands around a table.
const maxLength = 1_000_000

// tables draws long VALUES, IN and argument lists.
func (g *Generator) tables() (string, *Node) {
	rows := g.upTo(100_000)
	long := func(open, part, separator, close string) *Node {
		part = g.Fill(part)
		if !g.chance(5) {
			rows = min(rows, maxLength/(len(part)+4))
		}
		return &Node{Open: g.Fill(open), Parts: []*Node{{List: true, Separator: separator, Parts: []*Node{text(part)}, Copies: rows}}, Close: g.Fill(close)}
	}
	switch g.pick(9) {
	case 0:
		return "VALUES", long("SELECT * { VALUES ?a { ", "<http://example.org/§>", " ", " } ?a ?p ?b }")
	case 1:
		return "VALUES of pairs", long("SELECT * { ?a %p ?b VALUES (?a ?c) { ", "(%t §)", " ", " } } ORDER BY ?c")
	case 2:
		return "VALUES of UNDEF", long("SELECT (COUNT(*) AS ?n) { ?a ?p ?b . VALUES (?a ?b) { ", "(UNDEF %t) (%t UNDEF) (<http://e/§> UNDEF)", " ", " } }")
	case 3:
		return "VALUES behind", long("SELECT * { ?a %p ?b . ?c %p ?d } VALUES (?a ?d) { ", "(%t %t)", " ", " }")
	case 4:
		return "IN", long("SELECT * { ?a ?p ?b FILTER (?b IN (", "\"§\"", ", ", ")) }")
	case 5:
		return "NOT IN of variables", long("SELECT * { ?a ?p ?b FILTER (?b NOT IN (?c, ", "?c§", ", ", ")) }")
	case 6:
		return "CONCAT", long("SELECT * { ?a ?p ?b BIND (CONCAT(STR(?b), ", "\"§\"", ", ", ") AS ?v) }")
	case 7:
		return "conjunction", long("SELECT * { ?a ?p ?b FILTER (?a != ?b && ", g.oneOf("?b != \"§\"", "EXISTS { ?a %p ?c§ }", "REGEX(STR(?b), \"[^§]*\")"), g.oneOf(" && ", " || "), ") }")
	}
	return "two VALUES", &Node{Open: "SELECT (COUNT(*) AS ?n) { VALUES ?a { ", Parts: []*Node{{List: true, Parts: []*Node{text("§ ")}, Copies: rows}, text("} VALUES ?b { "), {List: true, Parts: []*Node{text("§ ")}, Copies: rows}}, Close: "} FILTER (?a < ?b) }"}
}

// terms draws queries with huge terms, names and spaces.
func (g *Generator) terms() (string, *Node) {
	long := strings.Repeat(g.oneOf("a", "é", "\\n", "ab "), g.upTo(1_000_000))
	word := strings.Repeat("a", len(long))
	return "", text(g.oneOf(
		"SELECT * { ?a ?p \""+long+"\" }", "SELECT * { ?a ?p ?b FILTER (STR(?b) != \""+long+"\") }", "SELECT (CONCAT(\""+long+"\", STR(?b)) AS ?c) { ?a ?p ?b }",
		"SELECT * { <http://e/"+word+"> ?p ?b }", "SELECT ?"+word+" { ?a ?p ?"+word+" }", "SELECT * { ?a ?p 1"+strings.Repeat("0", len(word))+" }",
		"SELECT * { ?a ?p ?b FILTER REGEX(STR(?b), \""+word+"\") }", "SELECT * { ?a ?p ?b FILTER (?b < 0."+strings.Repeat("1", len(word))+") }",
		"SELECT * "+strings.Repeat(" ", len(word))+" { ?a ?p ?b } #"+word, "SELECT (REPLACE(STR(?b), \".\", \""+word+"\") AS ?c) { ?a ?p ?b }",
		"SELECT (xsd:decimal(\"1"+strings.Repeat("0", len(word))+"\") * xsd:decimal(\"1"+strings.Repeat("0", len(word))+"\") AS ?c) { }",
		fmt.Sprintf("PREFIX %s: <http://e/> SELECT * { ?a %s:b ?c }", word, word),
	))
}
