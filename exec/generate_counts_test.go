package exec_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestCountsAnswerAsTheReferenceSays compares what is counted without rows with the reference evaluator: patterns with
// inequalities, OPTIONAL, EXISTS, MINUS, UNION and VALUES in each other, under all aggregates that repeats matter to.
func TestCountsAnswerAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).dataset, (*generator).counting)
}

// counting draws a query that asks how many solutions a pattern has, or for some of them.
func (g *generator) counting() string {
	g.narrow = true
	body, what := g.tree(2), g.tally()
	if g.chance(15) {
		body = g.denied()
	}
	if g.chance(20) {
		body = "{ " + body + "UNION " + g.tree(1) + g.oneOf("", "UNION "+g.tree(1)) + g.oneOf("", g.link(), g.table()) + "} "
	}
	prologue := "PREFIX : <" + exampleNS + ">\nSELECT "
	switch {
	case g.chance(5): // of each group one, whichever, that is there
		v := g.oneOf("?b", "?c", "?d")
		body = "{ " + body + "FILTER(BOUND(?a)) } "
		return prologue + "(COUNT(*) AS ?n) { { SELECT ?a (SAMPLE(" + v + ") AS ?s) " + body + "GROUP BY ?a } { SELECT DISTINCT ?a (" + v + " AS ?s) " + body + "} }"
	case g.chance(10):
		g.loose = true
		return prologue + g.oneOf("*", "?a", "?b ?c") + " " + body + fmt.Sprintf("LIMIT %d", 1+g.pick(4))
	case g.chance(15):
		return prologue + g.oneOf("*", "?a", "DISTINCT ?b", "?c ?d") + " " + body
	case g.chance(12): // what a device does on its columns
		return prologue + g.oneOf("DISTINCT ?a", "DISTINCT ?c", "DISTINCT ?a ?c", "DISTINCT ?d ?b", "(COUNT(DISTINCT *) AS ?n)") + " " + body
	case g.chance(30):
		key := g.oneOf("?a", "?b", "?c", "?a ?b")
		return prologue + key + " " + what + " " + body + "GROUP BY " + key
	}
	return prologue + what + " " + body
}

// tally draws aggregates.
func (g *generator) tally() string {
	var out []string
	for i := range 1 + g.pick(2)*g.pick(2) {
		v := g.oneOf("?a", "?b", "?c", "?d")
		what := []string{"COUNT(*)", "COUNT(*)", "COUNT(" + v + ")", "COUNT(DISTINCT " + v + ")", "MIN(" + v + ")"}
		if g.literals == nil { // the reference adds integers alone
			what = append(what, "SUM("+v+")", "SUM("+v+" + 1)", "SUM(DISTINCT "+v+")")
		}
		out = append(out, fmt.Sprintf("(%s AS ?n%d)", g.oneOf(what...), i))
	}
	return strings.Join(out, " ")
}

// tree draws edges with what hangs from them.
func (g *generator) tree(depth int) string {
	var sb strings.Builder
	sb.WriteString("{ ")
	for range 1 + g.pick(3) {
		sb.WriteString(g.link())
	}
	for g.chance(25) {
		sb.WriteString(g.arm())
	}
	for range g.pick(4) {
		sb.WriteString(g.hanging(depth))
	}
	sb.WriteString("} ")
	return sb.String()
}

// denied draws a path, or a fork of one, of which edges must not be there and vertices must differ.
func (g *generator) denied() string {
	ends := []string{"?a", "?b", "?c", "?d"}
	edge := func(from, to string) string {
		if g.chance(50) {
			from, to = to, from
		}
		return fmt.Sprintf("%s :p%d %s . ", from, g.pick(2), to)
	}
	var sb strings.Builder
	for i := range 2 + g.pick(2) {
		sb.WriteString(edge(ends[max(0, i-g.pick(2))], ends[i+1]))
	}
	for range 1 + g.pick(2) {
		a, b := g.oneOf(ends[:3]...), g.oneOf(ends[:3]...)
		sb.WriteString(g.oneOf("FILTER NOT EXISTS { ", "FILTER NOT EXISTS { ", "MINUS { ") + edge(a, b) + "} ")
	}
	for range g.pick(3) {
		sb.WriteString("FILTER(" + g.oneOf(ends[:3]...) + " != " + g.oneOf(ends...) + ") ")
	}
	return "{ " + sb.String() + "} "
}

// link draws a triple pattern over few variables, so that patterns are connected.
func (g *generator) link() string {
	end := func() string {
		if g.chance(6) {
			return g.resource()
		}
		return g.oneOf("?a", "?b", "?c", "?d", "?a", "?b", "?e")
	}
	switch {
	case g.chance(6):
		return fmt.Sprintf("%s ?p %s . ", end(), end())
	case g.chance(6):
		return fmt.Sprintf("%s a %s . ", end(), g.resource())
	}
	return fmt.Sprintf("%s :p%d %s . ", end(), g.pick(2), end())
}

// arm draws a path, or a small tree, of variables that nothing else names: what may be counted by weights.
func (g *generator) arm() string {
	var sb strings.Builder
	at := g.oneOf("?a", "?b", "?c", "?d", "?e")
	for range 1 + g.pick(3) {
		g.fresh++
		next := fmt.Sprintf("?w%d", g.fresh)
		sb.WriteString(g.oneOf(fmt.Sprintf("%s :p%d %s . ", at, g.pick(2), next), fmt.Sprintf("%s :p%d %s . ", next, g.pick(2), at)))
		if g.chance(15) {
			sb.WriteString(g.oneOf("FILTER("+next+" != "+g.resource()+") ", next+" a "+g.resource()+" . ", next+" :p0 "+next+" . ", "FILTER("+next+" > 0) ", g.resource()+" :p1 "+next+" . "))
		}
		if !g.chance(25) {
			at = next
		}
	}
	return sb.String()
}

// hanging draws what may be counted beside a pattern.
func (g *generator) hanging(depth int) string {
	switch n := g.pick(14); {
	case n < 4 || depth == 0:
		return "FILTER(" + g.unequal() + ") "
	case n < 6:
		return "OPTIONAL " + g.trees(depth-1)
	case n < 8:
		return "FILTER NOT EXISTS " + g.trees(depth-1)
	case n < 9:
		return "FILTER EXISTS " + g.trees(depth-1)
	case n < 10:
		return "MINUS " + g.trees(depth-1)
	case n < 11:
		return g.tree(depth-1) + g.oneOf("UNION "+g.tree(depth-1), "")
	case n < 12:
		return g.tree(depth-1) + "UNION " + g.tree(depth-1)
	}
	return g.table()
}

// trees draws a tree, or a union of two.
func (g *generator) trees(depth int) string {
	if g.chance(75) {
		return g.tree(depth)
	}
	return "{ " + g.tree(depth) + "UNION " + g.tree(depth) + "} "
}

// table draws an inline table, of which some rows are equal, or leave something open.
func (g *generator) table() string {
	term := func() string {
		switch {
		case g.chance(15):
			return "UNDEF"
		case g.chance(15):
			return g.constant()
		}
		return g.resource()
	}
	if g.chance(50) {
		return fmt.Sprintf("VALUES ?%s { %s %s } ", g.oneOf("a", "b", "c"), g.resource(), g.oneOf(term(), g.resource()))
	}
	var rows strings.Builder
	for range 1 + g.pick(3) {
		row := fmt.Sprintf("(%s %s) ", term(), term())
		rows.WriteString(row + g.oneOf("", "", "", row))
	}
	return fmt.Sprintf("VALUES (?%s ?%s) { %s} ", g.oneOf("a", "b"), g.oneOf("c", "d"), rows.String())
}

// unequal draws a comparison of variables, most of them inequalities.
func (g *generator) unequal() string {
	v := func() string { return g.oneOf("?a", "?b", "?c", "?d", "?e") }
	a, b := v(), v()
	return g.oneOf(a+" != "+b, a+" != "+b, a+" != "+b+" && "+v()+" != "+v(), "!sameTerm("+a+", "+b+")", a+" = "+b, "sameTerm("+a+", "+b+")",
		a+" != "+g.resource(), a+" NOT IN ("+g.resource()+", "+g.resource()+")", "!("+a+" = "+b+")", a+" != "+b+" || "+a+" = "+g.resource())
}
