package exec_test

import (
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// alikeTerms are numbers and texts of which small sums and functions are others of them.
func alikeTerms() []rdf.Term {
	list := append(typed("integer", "0", "1", "2", "3", "03", "-1", "268435455", "268435456", "-268435457"), typed("decimal", "0.5", "1.0", "1.5", "2.50", "67108863.9", "0.125", "-0.5", "1.234567890123456789", "-1.234567890123456789", "-9.223372036854775808")...)
	list = append(list, typed("double", "INF", "NaN")...) // which no rounding makes depend on the order in which they are added
	for _, text := range []string{"a", "A", "b", "AB", "ab", "1", "abc", ""} {
		list = append(list, rdf.NewString(text), rdf.NewLangString(text, "en"))
	}
	return list
}

// alike draws quads whose objects are such terms.
func (g *generator) alike() (quads []quad, names []rdf.Term) { return g.objects(alikeTerms()), nil }

// made draws an expression that makes terms of a variable's, many of which are terms of the data.
func (g *generator) made(variable string) string {
	f := g.oneOf("UCASE(STR(%s))", "LCASE(%s)", "SUBSTR(STR(%s), 1, 1)", "STRAFTER(STR(%s), \"a\")", "CONCAT(STR(%s), \"b\")", "REPLACE(STR(%s), \"a\", \"A\")", "STRBEFORE(%s, \"b\")",
		"(%s + 1)", "(%s * 2)", "(%s / 2)", "(%s - 0.5)", "FLOOR(%s)", "ABS(%s)", "(%s + 268435455)", "(%s / 7)", "(-%s)", "STR(%s)", "STRLEN(STR(%s))", "IF(%[1]s < 2, %[1]s, %[1]s + 1)",
		"COALESCE(%[1]s + 1, UCASE(%[1]s), %[1]s)")
	return fmt.Sprintf(strings.ReplaceAll(f, "%s", "%[1]s"), variable)
}

// madeRows draws a pattern that binds ?a, ?v, ?k and often ?m, of which the latter two are computed.
func (g *generator) madeRows() string {
	body := "{ ?a :p0 ?v . " + g.oneOf("", "", "?a :p1 ?w . ", "OPTIONAL { ?a :p1 ?w } ") + "BIND (" + g.made("?v") + " AS ?k) "
	if g.chance(60) {
		body += "BIND (" + g.made(g.oneOf("?k", "?v", "?w")) + " AS ?m) "
	}
	switch g.pick(12) {
	case 0:
		body += "FILTER (?k " + g.oneOf("=", "!=", "<") + " " + g.oneOf("?m", "?v", "1", "\"A\"") + ") "
	case 1:
		body += "FILTER (sameTerm(?k, " + g.oneOf("?m", "?w", "?v", "\"A\"", "2") + ")) "
	case 2:
		body += "FILTER (?k IN (1, 2, \"A\", 1.5, ?w)) "
	case 3:
		body += "FILTER " + g.oneOf("", "NOT ") + "EXISTS { ?z :p1 ?k } "
	case 4:
		body += "OPTIONAL { ?z :p1 ?k } "
	case 5:
		body += "MINUS { ?z :p1 ?k } "
	case 6:
		body += "VALUES ?k { 1 2 1.5 \"A\" \"b\" \"\" } "
	}
	body += "} "
	switch g.pick(8) {
	case 0:
		return "{ " + body + "UNION { ?a :p1 ?k } } "
	case 1:
		return "{ " + body + "UNION { ?a :p1 ?v BIND (" + g.made("?v") + " AS ?k) } } "
	case 2:
		return "{ " + body + "?z :p1 ?k } "
	case 3:
		return "{ { SELECT " + g.oneOf("", "DISTINCT ") + "?a ?k " + body + "} " + g.oneOf("", "?z :p1 ?k ", "FILTER (?k != 1) ", "BIND ("+g.made("?k")+" AS ?m) ") + "} "
	case 4:
		return "{ { SELECT ?k (" + g.ofMade() + " AS ?m) (MIN(?a) AS ?v) " + body + "GROUP BY ?k } " + g.oneOf("", "?z :p1 ?m ", "?z :p1 ?k ", "FILTER (?m != 1) ") + "} "
	}
	return body
}

// ofMade draws an aggregate of what was made.
func (g *generator) ofMade() string {
	v := g.oneOf("?k", "?k", "?m", "?v")
	of := g.oneOf(v, v, g.made(v))
	switch f := g.oneOf("COUNT", "COUNT", "SUM", "AVG", "MIN", "MAX"); f {
	case "COUNT":
		return "COUNT(" + g.oneOf("", "DISTINCT ", "DISTINCT ") + of + ")"
	case "SUM", "AVG":
		return f + "(" + g.oneOf("", "", "DISTINCT ") + of + ")"
	default:
		return f + "(" + of + ")"
	}
}

// identified draws a query in which computed terms are told apart, grouped by, ordered by, compared with others and shown.
func (g *generator) identified() string {
	prologue := "PREFIX : <" + exampleNS + ">\n"
	body := g.madeRows()
	switch g.pick(6) {
	case 0:
		return prologue + "SELECT * " + body
	case 1:
		return prologue + "SELECT ?a (" + g.made(g.oneOf("?k", "?v")) + " AS ?y) " + body + g.oneOf("", "ORDER BY ?y")
	case 2:
		return prologue + "SELECT DISTINCT " + g.oneOf("", "?a ", "?v ") + g.oneOf("?k ", "?k ?m ", "("+g.made("?k")+" AS ?y) ", "?k ("+g.made("?v")+" AS ?y) ") + body
	case 3:
		return prologue + "SELECT (" + g.ofMade() + " AS ?r) (" + g.ofMade() + " AS ?s) " + body
	}
	key := g.oneOf("?k", "?k", "?m", "?k ?m", "("+g.made("?k")+" AS ?y)", "("+g.made("?v")+" AS ?y)")
	shown := key
	if key[0] == '(' {
		shown = "?y"
	}
	text := prologue + "SELECT " + g.oneOf("", "DISTINCT ") + g.oneOf(shown+" ", shown+" ", "") + "(" + g.ofMade() + " AS ?r) " + g.oneOf("", "(COUNT(*) AS ?n) ", "("+g.ofMade()+" / 2 AS ?n) ") + body + "GROUP BY " + key
	switch g.pick(4) {
	case 0:
		text += " HAVING (" + g.ofMade() + g.oneOf(" > 1", " = 1", " != 2", " IN (1, 2)") + ")"
	case 1:
		text += " ORDER BY " + g.oneOf("DESC(?r)", "?r", "DESC("+g.ofMade()+")")
	}
	return text
}
