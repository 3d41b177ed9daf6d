package exec_test

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// meshed draws a small graph of two predicates in which many pairs have common neighbours.
func (g *generator) meshed() (quads []quad, names []rdf.Term) {
	n := 4 + g.pick(8)
	for range 10 + g.even(50) {
		quads = append(quads, quad{subject: node(g.pick(n)), predicate: rdf.NewIRI(fmt.Sprintf("%sp%d", exampleNS, g.pick(2))), object: node(g.pick(n))})
	}
	return quads, nil
}

// hangingOn draws a pattern, of whose variables one is new, which lists of some of those that are there have in common.
func (g *generator) hangingOn(variables ...string) string {
	g.fresh++
	f := fmt.Sprintf("?f%d", g.fresh)
	body := ""
	for range 1 + g.even(3) {
		v, p := g.oneOf(variables...), g.oneOf(":p0", ":p1")
		if g.chance(10) {
			v = ":n1"
		}
		if g.chance(50) {
			body += v + " " + p + " " + f + " . "
		} else {
			body += f + " " + p + " " + v + " . "
		}
	}
	if g.chance(30) {
		body += "FILTER(" + f + " != " + g.oneOf(variables...) + ") "
	}
	return "{ " + body + "} "
}

// meeting draws a query over such a graph that counts, or asks for, rows on which such patterns hang.
func (g *generator) meeting() string {
	body, variables := "?a :p0 ?b . ", []string{"?a", "?b"}
	if g.chance(50) {
		body, variables = body+g.oneOf("?b :p1 ?c . ", "?c :p0 ?a . "), append(variables, "?c")
	}
	for range 1 + g.pick(2) {
		body += g.oneOf("OPTIONAL ", "MINUS ", "FILTER EXISTS ", "FILTER NOT EXISTS ") + g.hangingOn(variables...)
	}
	text := "PREFIX : <" + exampleNS + ">\nSELECT "
	switch g.pick(4) {
	case 0:
		return text + "?a ?b { " + body + "}"
	case 1:
		return text + "?b (COUNT(*) AS ?n) { " + body + "} GROUP BY ?b"
	}
	return text + "(COUNT(*) AS ?n) { " + body + "}"
}
