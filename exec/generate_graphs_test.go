package exec_test

import (
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// inGraphs draws quads most of which are in named graphs, some in both.
func (g *generator) inGraphs() (quads []quad, names []rdf.Term) {
	drawn, names := g.dataset()
	for _, q := range drawn {
		if q.graph.IsZero() && g.chance(80) {
			q.graph = names[g.pick(len(names))]
		}
		if quads = append(quads, q); g.chance(25) {
			q.graph = names[g.pick(len(names))]
			quads = append(quads, q)
		}
	}
	return quads, names
}

// fromGraphs draws a query with FROM or FROM NAMED, or both.
func (g *generator) fromGraphs() string {
	text := ""
	switch g.pick(4) {
	case 0:
		text = g.counting()
	case 1:
		text = g.nested()
	default:
		text = g.query()
	}
	var clauses []string
	for len(clauses) == 0 || g.chance(40) {
		clauses = append(clauses, g.oneOf("FROM ", "FROM ", "FROM NAMED ")+g.oneOf(":n0", ":g1", ":n0", ":g1", ":none"))
	}
	if g.chance(50) {
		clauses = []string{"FROM :n0", "FROM :g1"}
	}
	at := strings.Index(text, "{") // of the pattern: what SELECT computes has no braces, but for EXISTS
	if strings.Contains(text[:at], "EXISTS") {
		return text
	}
	return text[:at] + strings.Join(clauses, " ") + " WHERE " + text[at:]
}

// manyGraphs draws quads of which most lie in five named graphs.
func (g *generator) manyGraphs() (quads []quad, names []rdf.Term) {
	drawn, names := g.dataset()
	for i := range 3 {
		names = append(names, rdf.NewIRI(fmt.Sprint(exampleNS, "n", i+1)))
	}
	for _, q := range drawn {
		for n := 1 + g.pick(3); n > 0; n-- {
			if q.graph = names[g.even(len(names))]; g.chance(10) {
				q.graph = rdf.Term{}
			}
			quads = append(quads, q)
		}
	}
	return quads, names
}

// eachGraph draws a query most of whose patterns stand in GRAPH, many of them of the same graph; some have the graph's name in them.
func (g *generator) eachGraph() string {
	g.narrow = g.chance(50)
	name := func() string { return g.oneOf("?g", "?g", "?g", "?h", "?a", ":n1") }
	inside := func() string {
		pattern := g.group(2)
		if g.chance(50) {
			pattern = "{ " + g.edge() + g.oneOf("", "OPTIONAL "+g.group(0), "FILTER "+g.expression(1)+" ", "{ "+g.edge()+"} UNION "+g.group(1), "BIND("+g.derived(g.variable())+" AS ?x) ", g.edge(),
				"MINUS "+g.group(g.pick(2)), "MINUS { "+g.variable()+" :p0 "+g.oneOf("?g", "?b")+" } ", "FILTER "+g.exists(1), "VALUES "+g.variable()+" { :n0 :n1 :n2 } ", "FILTER("+g.variable()+" IN (:n0, "+g.oneOf(":n1", ":none", "'a'")+")) ", "FILTER("+g.variable()+" IN (:none, 'no')) ", g.term()+" "+g.path(2)+" "+g.object()+" . ") + "} "
		}
		if v := g.variable(); g.chance(15) {
			pattern = strings.Replace(pattern, v, "?g", 1)
		} else if at := strings.LastIndex(pattern, v); at >= 0 && g.chance(15) && !strings.Contains(pattern, "AS "+v) && !strings.Contains(pattern, "SELECT") {
			pattern = pattern[:at] + "?g" + pattern[at+len(v):]
		}
		return "GRAPH " + name() + " " + pattern
	}
	body := g.oneOf("", "", g.edge()) + inside()
	switch g.pick(7) {
	case 0:
		body += inside()
	case 1:
		body += "OPTIONAL { " + inside() + "} "
	case 2:
		body += "FILTER " + g.oneOf("EXISTS { ", "NOT EXISTS { ") + inside() + "} "
	case 3:
		body = "{ " + body + "} UNION { " + inside() + "} "
	case 4:
		body += "MINUS { " + inside() + "} "
	case 5:
		body = "VALUES ?g { :n0 :n1 :g1 } " + body
	}
	prologue := "PREFIX : <" + exampleNS + ">\n"
	switch g.pick(6) {
	case 0:
		return prologue + "SELECT ?g (COUNT(*) AS ?n) { " + body + "} GROUP BY ?g"
	case 1:
		return prologue + "SELECT DISTINCT ?g ?a { " + body + "}"
	case 2:
		g.loose = true
		return prologue + "SELECT * { " + body + fmt.Sprintf("} LIMIT %d OFFSET %d", g.pick(6), g.pick(3))
	case 3:
		return prologue + "SELECT (COUNT(*) AS ?n) { " + body + "}"
	}
	return prologue + "SELECT * { " + body + "}"
}

// walkedInGraphs draws a query of a path in GRAPH ?g, by itself or joined with something outside.
func (g *generator) walkedInGraphs() string {
	end := func() string { return g.oneOf("?a", "?b", ":n0", ":n1", "?g") }
	path := g.path(2)
	if g.chance(60) {
		path = "(" + path + ")" + g.oneOf("+", "+", "*", "?")
	}
	body := g.oneOf("", "", "", "VALUES ?a { :n0 :n1 :none } ", "?a :p0 ?c . ", "?b :p1 ?g . ") + "GRAPH ?g { " + end() + " " + path + " " + end() + " } "
	if g.chance(20) {
		body += g.oneOf("FILTER(?a != ?b) ", "OPTIONAL { GRAPH ?g { ?b "+g.path(1)+" ?d } } ", "FILTER NOT EXISTS { GRAPH ?g { ?a "+g.path(1)+" ?b } } ",
			g.oneOf("FILTER EXISTS { ", "OPTIONAL { ", "MINUS { ")+"GRAPH ?g { ?a :p0 ?d FILTER(?a IN ("+g.oneOf(":n0", ":n1", "'a'")+", :none)) } } ")
	}
	what := g.oneOf("*", "*", "DISTINCT ?g", "(COUNT(*) AS ?n)", "(COUNT(?b) AS ?n)")
	return "PREFIX : <" + exampleNS + ">\nSELECT " + what + " { " + body + "}"
}

// countedInGraphs draws a count, or sums, of the solutions of a few triple patterns in GRAPH ?g: chains, stars and what is not connected.
func (g *generator) countedInGraphs() string {
	pattern := ""
	for range 1 + g.even(4) {
		pattern += fmt.Sprintf("%s %s %s . ", g.oneOf("?a", "?a", "?b", "?c", "?g", ":n1"), g.oneOf(":p0", ":p0", ":p1", "?p", "?b"), g.oneOf("?b", "?c", "?d", "?a", "?e", ":n0"))
	}
	pattern += g.oneOf("", "", "", "FILTER(?a != ?b) ", "BIND(STR(?c) AS ?x) ")
	what := g.oneOf("(COUNT(*) AS ?n)", "(COUNT(*) AS ?n)", "(COUNT(?c) AS ?n)", "(COUNT(*) AS ?n) (COUNT(DISTINCT ?b) AS ?m)", "(COUNT(*) AS ?n) (SUM(?d) AS ?s)")
	body := "GRAPH " + g.oneOf("?g", "?g", "?g", "?h", ":n1") + " { " + pattern + "} "
	if g.chance(15) {
		body = "{ " + body + "} UNION { GRAPH ?g { ?a :p1 ?c } } "
	}
	key := g.oneOf("", "", "?g ", "?a ", "?c ?g ")
	text := "PREFIX : <" + exampleNS + ">\nSELECT " + key + what + " { " + body + "}"
	if key != "" {
		text += " GROUP BY " + key
	}
	return text
}
