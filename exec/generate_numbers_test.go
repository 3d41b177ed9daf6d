package exec_test

import (
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// numberTerms are exact numbers of all sizes, or floats beside exact numbers whose sums no rounding changes, so that it does not matter in which order they are
// added, and what is no number among them.
func (g *generator) numberTerms() []rdf.Term {
	if g.chance(60) {
		return append(g.plainNumbers(), exactNumbers()...)
	}
	return append(g.plainNumbers(), floatNumbers()...)
}

// typed are literals of one of XML Schema's datatypes.
func typed(datatype string, lexicals ...string) (list []rdf.Term) {
	for _, l := range lexicals {
		list = append(list, rdf.NewTyped(l, rdf.XSD+datatype))
	}
	return list
}

// exactNumbers are large ones and those with many decimals.
func exactNumbers() []rdf.Term {
	return append(typed("integer", "9223372036854775807", "-9223372036854775808", "3037000500", "4294967296", "100000000000000000000"),
		typed("decimal", "0.1", "0.000000000000000001", "123456789.123456789", "-9.223372036854775807", "0.00000000000000000000001", "99999999999999999999.9")...)
}

func floatNumbers() []rdf.Term {
	return append(typed("double", "0.5", "1", "-2.25", "-0", "INF", "NaN"), typed("float", "0.5", "3", "-INF")...)
}

// plainNumbers are small exact ones, dates at times, and what is no number.
func (g *generator) plainNumbers() (list []rdf.Term) {
	list = slices.Concat(typed("integer", "0", "1", "2", "-3", "01", "7", "7"), typed("byte", "7", "-3"), typed("decimal", "0.5", "2.25", "1.0", "-0.125", "7.00"))
	if g.chance(40) {
		list = append(list, typed("date", "2006-08-23", "2006-01-31Z", "0044-03-15")...)
		list = append(list, typed("dateTime", "2006-08-23T23:30:00-05:00", "2007-01-01T00:30:00+01:00", "1999-12-31T23:59:59Z")...)
	}
	if g.chance(30) {
		list = append(list, rdf.NewString("7"), rdf.NewTyped("x", rdf.XSDInteger), rdf.NewTyped("true", rdf.XSDBoolean))
	}
	return list
}

// numbers draws quads most of whose objects are numbers, often the same ones.
func (g *generator) numbers() (quads []quad, names []rdf.Term) {
	return g.objects(g.numberTerms()), nil
}

// mixedNumbers draws such whose objects are of one sort each time, or of all.
func (g *generator) mixedNumbers() (quads []quad, names []rdf.Term) {
	list := g.plainNumbers()
	if g.chance(50) {
		list = append(list, exactNumbers()...)
	}
	if g.chance(40) {
		list = append(list, floatNumbers()...)
	}
	return g.objects(list), nil
}

func (g *generator) objects(list []rdf.Term) (quads []quad) {
	for range 5 + g.even(40) {
		q := quad{subject: node(g.pick(8)), predicate: rdf.NewIRI(fmt.Sprintf("%sp%d", exampleNS, g.pick(2))), object: list[g.even(len(list))]}
		if g.chance(5) {
			q.object = node(g.pick(8))
		}
		quads = append(quads, q)
	}
	return quads
}

// numeric draws an expression over ?v, ?w and what is bound.
func (g *generator) numeric(depth int, bound string) string {
	if depth == 0 {
		return g.oneOf("?v", "?v", "?v", "?w", bound, "2", "2.5", "0", "-10")
	}
	sub := func() string { return g.numeric(depth-1, bound) }
	switch g.pick(8) {
	case 0, 1, 2:
		return "(" + sub() + g.oneOf(" + ", " - ", " * ") + sub() + ")"
	case 3:
		return g.oneOf("ABS", "CEIL", "FLOOR", "ROUND", "-", "+") + "(" + sub() + ")"
	case 4:
		return "IF(" + g.numericCondition(depth-1, bound) + ", " + sub() + ", " + sub() + ")"
	case 5:
		return "COALESCE(" + sub() + ", " + sub() + ")"
	case 6:
		return g.oneOf("YEAR", "MONTH", "DAY") + "(?v)"
	}
	return sub()
}

func (g *generator) numericCondition(depth int, bound string) string {
	return "(" + g.numeric(depth, bound) + g.oneOf(" < ", " = ", " >= ", " != ") + g.numeric(depth, bound) + g.oneOf("", " / 3 ") + ")"
}

// calculated draws a query that computes numbers: binds, compares, groups by, adds up and looks for the extremes of them.
func (g *generator) calculated() string {
	body, bound := g.calculatedGroup()
	prologue := "PREFIX : <" + exampleNS + ">\n"
	switch g.pick(8) {
	case 0, 1:
		return prologue + "SELECT * " + body
	case 2:
		return prologue + "SELECT DISTINCT " + g.oneOf("", "?w ", "?a ") + "(" + g.oneOf(g.numeric(1, bound), "FLOOR("+bound+" / 10)") + " AS ?key) " + body
	}
	key := g.oneOf("", "?a", "?a", "?w", bound, "("+g.numeric(1, bound)+" AS ?key)", "("+g.numeric(1, bound)+" / 10 AS ?key)")
	argument := g.numeric(2, "?v")
	text := prologue + "SELECT "
	if key != "" && key[0] == '(' {
		text += "?key "
	} else {
		text += key + " "
	}
	for i := range 1 + g.pick(3) {
		function := g.oneOf("SUM", "AVG", "MIN", "MAX", "COUNT")
		of := g.oneOf(argument, argument, g.numeric(1, "?v"), "?v")
		if function == "MIN" || function == "MAX" || function == "COUNT" {
			of = g.oneOf(of, bound, "("+of+" / 3)")
		}
		text += fmt.Sprintf("(%s(%s%s) AS ?r%d) ", function, g.oneOf("", "", "", "DISTINCT "), of, i)
	}
	if key != "" {
		body += "GROUP BY " + key
	}
	return text + body
}

// calculatedGroup draws a pattern that binds numbers, and the last variable that it binds.
func (g *generator) calculatedGroup() (body, bound string) {
	body, bound = "{ ?a :p0 ?v . "+g.oneOf("", "?a :p1 ?w . ", "OPTIONAL { ?a :p1 ?w } "), "?v"
	for i := range g.pick(3) {
		quotient := g.oneOf("", "", " / "+g.numeric(1, bound), " / 7")
		body += fmt.Sprintf("BIND (%s%s AS ?x%d) ", g.numeric(1+g.pick(2), bound), quotient, i)
		bound = fmt.Sprintf("?x%d", i)
	}
	if g.chance(40) {
		body += "FILTER " + g.numericCondition(1, bound) + " "
	}
	return body + "} ", bound
}

// orderedByNumbers draws a query that sorts by numbers that it computes, and then by all else.
func (g *generator) orderedByNumbers() string {
	g.ordered = true
	body, bound := g.calculatedGroup()
	text := "PREFIX : <" + exampleNS + ">\nSELECT " + g.oneOf("* ", "* ", "?a ?v ?w ", "DISTINCT ?a ?v ?w ")
	computed := ""
	if text[len(text)-2] != '*' && g.chance(40) {
		text, computed = text+"("+g.numeric(1, bound)+" AS ?y) ", "?y"
	}
	text += body + "ORDER BY"
	for range 1 + g.pick(3) {
		key := g.oneOf(bound, computed, computed, "("+g.numeric(1, bound)+")", "("+g.numeric(2, bound)+")", "("+g.numeric(1, bound)+" / 7)", "YEAR(?v)")
		if key == "" {
			key = "?w"
		}
		text += g.oneOf(" "+"("+key+")", " DESC("+key+")", " "+"("+key+")")
	}
	text += " STR(?v) DATATYPE(?v) LANG(?v) ?a STR(?w) DATATYPE(?w) LANG(?w)"
	if g.chance(50) {
		text += fmt.Sprintf(" LIMIT %d OFFSET %d", 1+g.pick(8), g.pick(3))
	}
	return text
}
