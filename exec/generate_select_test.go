package exec_test

import (
	"fmt"
	"strings"
)

// subquery draws a SELECT for a group, or for a whole query.
func (g *generator) subquery(depth int) string {
	switch {
	case g.chance(45):
		return g.grouped(depth)
	case g.chance(15):
		return "SELECT " + g.oneOf("", "DISTINCT ") + "* " + g.body(depth) + g.allOrNone()
	}
	vars := g.oneOf("?a", "?b", "?d", "?a ?b", "?c ?a", "?b ?d ?a")
	if g.narrow {
		vars = g.variable()
	}
	head := vars
	if g.chance(20) {
		g.fresh++
		head += fmt.Sprintf(" (%s AS ?x%d)", g.oneOf("?a", g.derived("?b"), g.expression(1)), g.fresh)
		vars += fmt.Sprintf(" ?x%d", g.fresh)
	}
	return "SELECT " + g.oneOf("", "DISTINCT ", "REDUCED ") + head + " " + g.body(depth) + g.slice(vars)
}

// grouped draws a SELECT with aggregates.
func (g *generator) grouped(depth int) string {
	g.fresh++
	count := fmt.Sprintf("?x%d", g.fresh)
	body := g.body(depth)
	if g.chance(10) {
		return "SELECT (" + g.aggregate() + " AS " + count + ") " + body + g.allOrNone()
	}
	keys := g.oneOf(g.variable(), g.variable(), g.variable(), "?a ?b")
	by := keys
	if g.chance(10) {
		g.fresh++
		keys = fmt.Sprintf("?x%d", g.fresh)
		by = fmt.Sprintf("(%s AS %s)", g.expression(0), keys)
	}
	text := "SELECT " + g.oneOf("", "", "DISTINCT ") + keys + " (" + g.aggregate() + " AS " + count + ") " + body + "GROUP BY " + by + " "
	if g.chance(30) {
		key := strings.Fields(keys)[0]
		sum := "SUM"
		if g.literals != nil {
			sum = "COUNT"
		}
		text += "HAVING (" + g.oneOf("COUNT(*) > 1", "COUNT(DISTINCT ?b) < 2", key+" != :n1", key+" = :n2", sum+"(?b) > 0 || BOUND("+key+")", "EXISTS { "+key+" :p1 [] }") + ") "
	}
	return text + g.slice(keys+" "+count)
}

func (g *generator) aggregate() string {
	function := g.oneOf("COUNT", "COUNT", "SUM", "MIN", "MAX")
	if g.wide {
		function = g.oneOf("MIN", "MAX", "AVG", "SUM", "COUNT", "COUNT")
	}
	if g.literals != nil && function == "SUM" {
		function = "MAX"
	}
	if !g.wide && g.chance(10) { // whose text depends on the order
		return "STRLEN(GROUP_CONCAT(" + g.oneOf("", "DISTINCT ") + g.oneOf(g.variable(), g.variable(), g.expression(1)) + g.oneOf("", "; SEPARATOR=\"\"", "; SEPARATOR=\", \"") + "))"
	}
	if function == "COUNT" && g.chance(40) {
		return g.oneOf("COUNT(*)", "COUNT(DISTINCT *)")
	}
	argument := g.oneOf(g.variable(), g.variable(), g.variable(), g.expression(1))
	if g.wide {
		argument = g.oneOf(g.variable(), g.scalar(1))
	}
	return function + g.oneOf("(", "(DISTINCT ") + argument + ")"
}

// body draws the pattern of a SELECT.
func (g *generator) body(depth int) string {
	if g.narrow || g.chance(25) {
		return g.correlated(depth)
	}
	return g.group(depth)
}

// allOrNone draws a LIMIT and OFFSET that take all solutions or none, or nothing.
func (g *generator) allOrNone() string {
	if g.chance(75) {
		return ""
	}
	return g.oneOf("LIMIT 1000 ", "LIMIT 1000 ", "LIMIT 1000 OFFSET 0 ", "OFFSET 1000 ", "LIMIT 0 ", "LIMIT 2 OFFSET 500 ")
}

// slice draws solution modifiers that leave no choice: LIMIT and OFFSET take all solutions, none, or some by an order
// that tells apart all solutions that differ in vars.
func (g *generator) slice(vars string) string {
	if g.wide || g.chance(60) {
		return g.allOrNone()
	}
	if g.chance(20) {
		return "ORDER BY " + strings.Fields(vars)[0] + " " + g.allOrNone()
	}
	order := "ORDER BY "
	for _, v := range strings.Fields(vars) {
		order += g.oneOf(v, "DESC("+v+")") + " "
		if g.literals != nil { // 1 and 1.0 are equal
			order += fmt.Sprintf("STR(%s) LANG(%s) DATATYPE(%s) ", v, v, v)
		}
	}
	return order + g.oneOf("", fmt.Sprintf("LIMIT %d ", g.pick(4)), fmt.Sprintf("LIMIT %d OFFSET %d ", 1+g.pick(3), g.pick(3)), fmt.Sprintf("OFFSET %d ", g.pick(3)))
}

// exists draws an EXISTS whose pattern mixes what hides variables with what reads them.
func (g *generator) exists(depth int) string {
	if g.inner > 2 {
		return "BOUND(" + g.variable() + ")"
	}
	g.inner++
	defer func() { g.inner-- }()
	return g.oneOf("EXISTS ", "NOT EXISTS ") + g.correlated(depth)
}

// correlated draws a group of sub-SELECTs, filters and EXISTS beside one another, in whatever may hold them.
func (g *generator) correlated(depth int) string {
	var sb strings.Builder
	sb.WriteString("{ ")
	if depth <= 0 || g.chance(50) {
		sb.WriteString(g.triples())
	}
	for range 1 + g.pick(2) {
		sb.WriteString(g.member(depth))
	}
	sb.WriteString("} ")
	return sb.String()
}

func (g *generator) member(depth int) string {
	kind := g.pick(12)
	if depth <= 0 {
		kind = 8 + g.pick(6)
	}
	switch kind {
	case 0, 1:
		return "{ " + g.subquery(depth-1) + "} "
	case 2, 12:
		return "FILTER " + g.exists(depth-1) + " "
	case 3:
		return "OPTIONAL " + g.correlated(depth-1)
	case 4:
		return g.correlated(depth-1) + "UNION " + g.correlated(depth-1)
	case 5:
		return "MINUS " + g.correlated(depth-1)
	case 6:
		return "GRAPH " + g.oneOf(":n0", ":g1", "?a", "?g") + " " + g.correlated(depth-1)
	case 8:
		g.fresh++
		return fmt.Sprintf("BIND(%s AS ?x%d) ", g.exists(depth-1), g.fresh)
	case 7:
		return g.correlated(depth - 1)
	case 9, 10:
		return g.triples()
	}
	return "FILTER " + g.expression(1) + " "
}
