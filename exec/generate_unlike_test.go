package exec_test

import (
	"fmt"
	"testing"
)

// TestWhatDiffersEachTimeIsAsOftenAsTheReferenceSays compares queries over terms that are others for each solution (RAND, UUID, STRUUID, BNODE) with the
// reference evaluator, in what does not depend on the terms: how many there are, how often each comes, and of which kind they are.
func TestWhatDiffersEachTimeIsAsOftenAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).dataset, (*generator).unlike)
}

// unlikeTerm draws an expression whose value is another one each time, or is so for some solutions.
func (g *generator) unlikeTerm() string {
	g.fresh++
	f := g.oneOf("UUID()", "STRUUID()", "RAND()", "BNODE()", fmt.Sprintf("BNODE(\"l%d\")", g.fresh))
	switch g.pick(6) {
	case 0:
		return "IF(" + g.variable() + " = " + g.resource() + ", " + f + ", " + g.resource() + ")"
	case 1:
		return "COALESCE(" + g.variable() + ", " + f + ")"
	case 2:
		return "CONCAT(STR(" + g.variable() + "), STRUUID())"
	}
	return f
}

// surely draws a condition on such a term that always holds, or never.
func (g *generator) surely() string {
	return g.oneOf("isIRI(UUID())", "RAND() >= 0", "RAND() < 1", "isBlank(BNODE())", "isLiteral(STRUUID())", "UUID() != "+g.variable(), "!sameTerm(BNODE(), "+g.variable()+")",
		"isIRI(BNODE())", "RAND() > 1", "UUID() = "+g.variable()+" || "+g.variable()+" != "+g.resource())
}

// unlikeRows draws a pattern with ?r, a term that is another one each time.
func (g *generator) unlikeRows(depth int) string {
	bind := "BIND(" + g.unlikeTerm() + " AS ?r) "
	if depth == 0 {
		return "{ " + g.edge() + g.oneOf("", g.edge(), "FILTER("+g.surely()+") ") + bind + "} "
	}
	below := func() string { return g.unlikeRows(depth - 1) }
	edge := g.edge()
	switch g.pick(14) {
	case 0:
		return "{ " + g.tree(1) + bind + g.oneOf("", edge, "FILTER("+g.surely()+") ") + "} "
	case 1:
		return "{ " + below() + "UNION " + below() + "} "
	case 2:
		same := below()
		return "{ " + same + "UNION " + same + g.oneOf("", edge) + "} "
	case 3:
		return "{ " + edge + "OPTIONAL " + below() + "} "
	case 4:
		return "{ " + edge + below() + "} "
	case 5:
		return "{ " + below() + g.oneOf("MINUS ", "FILTER EXISTS ", "FILTER NOT EXISTS ", "OPTIONAL ", "") + "{ " + edge + "} } "
	case 6:
		return "{ " + below() + "FILTER(" + g.surely() + ") } "
	case 7:
		return "{ { SELECT " + g.oneOf("", "DISTINCT ", "REDUCED ") + g.oneOf("?r ", "?a ?r ", "?b ?r ", "* ") + below() + "} " + g.oneOf("", edge) + "} "
	case 8:
		return "{ { SELECT " + g.oneOf("?a ", "?b ", "") + "(" + g.unlikeTerm() + " AS ?r) " + g.tree(1) + "} " + g.oneOf("", edge) + "} "
	case 9:
		return "{ { SELECT ?r (COUNT(*) AS ?b) " + below() + "GROUP BY ?r } " + g.oneOf("", edge) + "} "
	case 10:
		return "{ { SELECT ?a (" + g.oneOf("MIN(?r)", "MAX(RAND())", "MIN("+g.unlikeTerm()+")") + " AS ?r) " + below() + "GROUP BY ?a } " + g.oneOf("", edge) + "} "
	case 11:
		return "{ { SELECT ?r { " + g.edge() + "} GROUP BY (" + g.unlikeTerm() + " AS ?r) } " + g.oneOf("", edge) + "} "
	case 12:
		return "{ " + edge + "MINUS " + below() + bind + "} "
	}
	return "{ " + below() + g.table() + "} "
}

// unlike draws a query that tells how many such terms there are, how often they come, or of which kind they are.
func (g *generator) unlike() string {
	g.narrow = true
	prologue := "PREFIX : <" + exampleNS + ">\nSELECT "
	body := g.unlikeRows(g.pick(3))
	v, term := g.variable(), g.unlikeTerm()
	counts := g.oneOf("(COUNT(DISTINCT ?r) AS ?n)", "(COUNT(DISTINCT ?r) AS ?n) (COUNT(*) AS ?m)", "(COUNT(DISTINCT "+term+") AS ?n)", "(COUNT(DISTINCT *) AS ?n)",
		"(COUNT(?r) AS ?n) (COUNT(DISTINCT "+v+") AS ?m)", "(COUNT("+term+") AS ?n)", "(isBlank(MIN(?r)) AS ?n) (COUNT(DISTINCT ?r) AS ?m)", "(COUNT(DISTINCT STR(?r)) AS ?n)")
	switch g.pick(8) {
	case 0:
		return prologue + v + " " + counts + " " + body + "GROUP BY " + v + g.oneOf("", " HAVING(RAND() < 1)")
	case 1: // how often terms come as often
		return prologue + "?n (COUNT(*) AS ?m) { SELECT ?r (COUNT(" + g.oneOf("*", "DISTINCT "+v, v) + ") AS ?n) " + body + "GROUP BY ?r } GROUP BY ?n"
	case 2:
		return prologue + "(COUNT(*) AS ?n) { SELECT " + g.oneOf("", "DISTINCT ", "DISTINCT ") + g.oneOf("?r ", "?r "+v+" ", "("+term+" AS ?t) ", "* ") + body + "}"
	case 3:
		return prologue + "?n (COUNT(*) AS ?m) { SELECT ?t (COUNT(*) AS ?n) " + body + "GROUP BY (" + term + " AS ?t) } GROUP BY ?n"
	case 4:
		return prologue + g.oneOf("", "DISTINCT ") + g.oneOf("", v+" ") + "(isIRI(?r) AS ?t) (isNumeric(?r) AS ?u) " + body
	case 5:
		return prologue + v + " " + body + "ORDER BY " + g.oneOf("RAND()", "?r", "UUID() "+v)
	}
	return prologue + counts + " " + body
}
