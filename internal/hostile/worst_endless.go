package hostile

import "strings"

// product is eight tables of ten numbers: a product of 100 million rows in any store.
const product = `VALUES ?z { 1 2 3 4 5 6 7 8 9 10 } VALUES ?y { 1 2 3 4 5 6 7 8 9 10 } VALUES ?x { 1 2 3 4 5 6 7 8 9 10 }
	VALUES ?w { 1 2 3 4 5 6 7 8 9 10 } VALUES ?v { 1 2 3 4 5 6 7 8 9 10 } VALUES ?u { 1 2 3 4 5 6 7 8 9 10 } VALUES ?t { 1 2 3 4 5 6 7 8 9 10 } VALUES ?r { 1 2 3 4 5 6 7 8 9 10 } `

// growingText binds texts to ?s0 … ?s9, each of four times the letters of the one before.
var growingText = `BIND(CONCAT("aaaaaaaaaaaaaaaaaaaa", STR(?z)) AS ?s0) ` + repeated(9, "BIND(CONCAT(?s§, ?s§, ?s§, ?s§) AS ?s¶) ")

// pairs are n subqueries that no variable joins.
func pairs(n int) string {
	return repeated(n, "{ SELECT ?a§ { ?a§ ?p§ ?b§ } OFFSET 1 } ")
}

// endless are queries that take far longer than anybody would wait, each in a stage or an operator of its own.
var endless = []Worst{
	{"parsing groups", "SELECT * {" + strings.Repeat("{}", 400_000) + "}", EndsInTime},
	{"parsing a GROUP BY", "SELECT ?a {} GROUP BY " + strings.Repeat("?a ", 300_000), EndsInTime},
	{"planning many patterns", "SELECT * {" + repeated(8_000, "?a§ next: ?b§ . ") + "}", EndsInTime},
	{"planning a long chain", "SELECT * {" + repeated(5_000, "?a§ next: ?a¶ . ") + "}", EndsInTime},
	{"planning many joins", "SELECT * {" + strings.Repeat("{ SELECT ?a { ?a next: ?b } LIMIT 9 }", 8_000) + "}", EndsInTime},
	{"planning nested counts", "SELECT * " + nested(60, "{ SELECT (COUNT(*) AS ?n§) ", "{ ?a next: ?b } ", " }"), EndsInTime},
	{"folding replacements", "SELECT (" + nested(6, "REPLACE(", `"aaaaaaaaaaaaaaaaaaaa"`, `, "a", "aaaaaaaaaaaaaaaaaaaa")`) + " AS ?r) {}", EndsInTime},
	{"nested concatenations", "SELECT * { " + product + "BIND(STRLEN(" + nested(150, "CONCAT(?u, ", `"aaaaaaaaaaaaaaaa"`, ")") + ") AS ?n) FILTER(?n < 0) }", EndsInTime},
	{"replacing", "SELECT * { " + product + growingText + `FILTER(STRLEN(REPLACE(?s9, "a.*b|a", "b")) < 0) }`, EndsInTime},
	{"a regular expression", "SELECT * { " + product + growingText + `FILTER REGEX(?s9, "(a|aa|aaa)+b[0-9]{1,100}$") }`, EndsInTime},
	{"a large regular expression", "SELECT * { " + product + growingText + `FILTER REGEX(?s9, "(a?){1000}b") }`, EndsInTime},
	{"upper case", "SELECT * { " + product + growingText + `FILTER(UCASE(?s9) = "a") }`, EndsInTime},
	{"encoding", "SELECT * { " + product + growingText + `FILTER(ENCODE_FOR_URI(?s9) = "a") }`, EndsInTime},
	{"hashing", "SELECT * { " + product + growingText + `FILTER(SHA512(?s9) = "a") }`, EndsInTime},
	{"searching", "SELECT * { " + product + growingText + `FILTER(CONTAINS(?s9, CONCAT(?s5, "b"))) }`, EndsInTime},
	{"large numbers", "SELECT * { " + product + "BIND(?z*9999999999 AS ?v0) " + doubling(10, "?v§*?v§") + "FILTER(?v9/7 = 1) }", EndsInTime},
	{"a call of many arguments", "SELECT * { " + product + `BIND(CONCAT(STR(?z), ` + repeated(6_000, `"§", `) + `"") AS ?s) FILTER(?s = "a") }`, EndsInTime},
	{"many filters on one variable", "SELECT * { ?a next: ?b . ?c ?p ?b . " + repeated(1_400, `FILTER(STR(?b) != "§") `) + "FILTER(?c = 1) }", EndsInTime},
	{"concatenating groups", "SELECT (GROUP_CONCAT(STR(?z)) AS ?c) { " + product + "}", EndsInTime},
	{"products", "SELECT * { " + pairs(8) + "FILTER(?a0 = 1) }", EndsInTime},
	{"counting products", "SELECT (COUNT(DISTINCT *) AS ?n) { " + pairs(8) + "}", EndsInTime},
	{"sorting", "SELECT * { " + product + "} ORDER BY RAND() ?z", EndsInTime},
	{"distinct rows", "SELECT DISTINCT * { " + product + "BIND(RAND() AS ?d) FILTER(?d < 2) }", EndsInTime},
	{"groups", "SELECT ?g (SUM(?z) AS ?n) { " + product + "} GROUP BY (?z + ?y * 10 + ?x * 100 + ?w * 1000 + ?v * 10000 + ?u * 100000 AS ?g)", EndsInTime},
	{"EXISTS of a product", "SELECT * { " + product + "FILTER EXISTS { ?a ?p ?b . ?c ?q ?d . ?e ?f ?h FILTER(?a = ?z || ?c = ?y || ?e = ?x) } }", EndsInTime},
	{"MINUS of products", "SELECT * { " + product + "MINUS { " + product + "FILTER(?z < 0) } }", EndsInTime},
	{"OPTIONAL of a product", "SELECT * { " + product + "OPTIONAL { ?a ?p ?b . ?c ?q ?d . ?e ?f ?h FILTER(?a = ?z && ?z < 0) } FILTER(BOUND(?a)) }", EndsInTime},
	{"constructing", "CONSTRUCT { " + strings.Repeat("?z ?y ?x . ", 50) + "} { " + product + "}", EndsInTime},
	{"paths in paths", "SELECT * { ?s " + nested(30, "(", "next:", ")*") + " ?o . ?s2 " + nested(20, "(", "!:q/!:q*", ")*") + " ?o2 . ?o3 !:q+ ?o4 FILTER(?s = ?o4 && ?o = 1) }", EndsInTime},
	{"long paths", "SELECT (COUNT(*) AS ?n) { ?s (" + strings.Repeat("(next:|^next:)/", 40) + ":q)+ ?o . " + pairs(7) + "}", EndsInTime},
	{"unions", "SELECT * { { " + strings.Repeat("{ "+product+"FILTER(?z < 0) } UNION ", 20) + " {} } FILTER(?z = 5) }", EndsInTime},
	{"subqueries", "SELECT * { " + product + "{ SELECT ?z (COUNT(*) AS ?n) { " + product + "} GROUP BY ?z } }", EndsInTime},
	{"describing", "DESCRIBE * { " + product + "}", EndsInTime},
}
