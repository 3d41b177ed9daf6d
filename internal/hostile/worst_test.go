//go:build !race

package hostile_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/hostile"
	"github.com/rdfgpu/rdfgpu/parser"
)

// nest writes opening and closing texts n times around a middle, the opening one with its number in place of each #.
func nest(n int, open, middle, end string) string {
	return repeated(n, open) + middle + strings.Repeat(end, n)
}

// worst are the queries that broke a limit once.
var worst = map[string]string{
	"counted sub-SELECTs in each other":           "SELECT * " + nest(25, "{ SELECT ?a (COUNT(*) AS ?n#) ", "{ ?a :next ?b }", " GROUP BY ?a }"),
	"counts of all in each other":                 "SELECT * " + nest(30, "{ SELECT (COUNT(*) AS ?n#) ", "{ ?a ?p ?b }", " }"),
	"stars of stars":                              "SELECT * { ?a " + nest(30, "(", ":next", ")*") + " ?b }",
	"plusses of options":                          "SELECT * { ?a " + nest(20, "((", ":next", ")?)+") + " ?b }",
	"sequences of stars in stars":                 "SELECT (COUNT(*) AS ?n) { ?a " + nest(25, "(:back*/", ":next", "/:next*)*") + " ?b }",
	"an alternative of 2,000 paths":               "SELECT * { ?a (:next" + repeated(2000, "|(:next/:p#?)") + ")* ?b }",
	"REPLACE in REPLACE":                          "SELECT * { ?a ?p ?b BIND (" + nest(6, "REPLACE(", `"aaaaaaaa"`, `, "a", "aaaaaaaaaaaaaaaaaaaa")`) + " AS ?v) }",
	"REPLACE in REPLACE over data":                "SELECT (MAX(" + nest(8, "REPLACE(", "STR(?b)", `, "(.)", "$1$1$1$1$1$1$1$1")`) + ") AS ?m) { ?a ?p ?b }",
	"150 CONCATs in each other":                   "SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h BIND (" + nest(150, `CONCAT("abc", `, "STR(?b)", ", STR(?d), STR(?f))") + " AS ?v) }",
	"texts that double":                           `SELECT * { ?a ?p ?b BIND ("ab" AS ?v0) ` + doubling(60, "CONCAT(?v#, ?v#)") + "}",
	"texts that double, of which none is read":    `SELECT (COUNT(*) AS ?n) { ?a ?p ?b BIND ("ab" AS ?v0) ` + doubling(40, "CONCAT(?v#, ?v#)") + "}",
	"numbers that square themselves":              "SELECT * { ?a ?p ?b BIND (123456789 AS ?v0) " + doubling(40, "?v# * ?v#") + "}",
	"decimals that square themselves":             "SELECT * { ?a ?p ?b BIND (1234567.89 AS ?v0) " + doubling(40, "?v# * ?v#") + "}",
	"addresses that double":                       `SELECT * { ?a ?p ?b BIND ("% é" AS ?v0) ` + doubling(40, "ENCODE_FOR_URI(CONCAT(?v#, ?v#))") + "}",
	"a regular expression of nested repetitions":  `SELECT * { ?a ?p ?b FILTER REGEX(CONCAT(STR(?b), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), "(((a{1,30}){1,30}){1,1})+$") }`,
	"a regular expression for each row":           "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f FILTER REGEX(STR(?a), CONCAT(STR(?b), STR(?d), STR(?f))) }",
	"hashes of a product":                         "SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h } ORDER BY SHA512(CONCAT(STR(?a), STR(?d), STR(?f), STR(?h)))",
	"a concatenation of a product":                "SELECT (GROUP_CONCAT(CONCAT(STR(?a), STR(?d), STR(?f), STR(?h))) AS ?l) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h }",
	"distinct rows of a product":                  "SELECT (COUNT(DISTINCT *) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h . ?i ?t ?j }",
	"a sorted product":                            "SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h . ?i ?t ?j } ORDER BY ?j ?h DESC(?a)",
	"600 OPTIONALs":                               "SELECT * { ?a ?p ?b " + repeated(600, "OPTIONAL { ?a :next ?b# } ") + "}",
	"1,000 OPTIONALs in a chain":                  "SELECT * { ?b0 ?p ?c " + repeated(1000, "OPTIONAL { ?b# :next ?c# } ") + "}",
	"48 patterns with variables as predicates":    "SELECT * { " + repeated(48, "?v# ?p# ?w# . ") + "} LIMIT 1",
	"1,000 patterns with variables as predicates": "SELECT * { " + repeated(1000, "?v# ?p# ?w# . ") + "} LIMIT 1",
	"48 patterns of one subject":                  "ASK { " + repeated(48, "?a ?p# ?b# . ") + "}",
	"1,000 patterns of one subject":               "SELECT (COUNT(*) AS ?n) { " + repeated(1000, "?a :next ?b# . ") + "}",
	"a UNION of 1,000":                            "SELECT * { { ?a :next ?b } " + repeated(1000, "UNION { ?a ?p ?b# } ") + "}",
	"100,000 rows of VALUES":                      "SELECT * { VALUES ?a { " + repeated(100_000, "# ") + "} ?a ?p ?b }",
	"two tables of 60,000 rows":                   "SELECT (COUNT(*) AS ?n) { VALUES ?a { " + repeated(60_000, "# ") + "} VALUES ?b { " + repeated(60_000, "# ") + "} FILTER (?a < ?b) }",
	"9,000 conditions":                            "SELECT * { ?a ?p ?b FILTER (?a != ?b" + repeated(9_000, " && ?b != #") + ") }",
	"EXISTS in each other":                        "SELECT * " + nest(60, "{ ?a ?p ?b FILTER EXISTS ", "{ ?a :next ?b }", " }"),
	"NOT EXISTS in each other":                    "SELECT (COUNT(*) AS ?n) " + nest(150, "{ ?a :next ?b FILTER NOT EXISTS ", "{ ?a :next ?b }", " }"),
	"a long text for each row":                    "SELECT (GROUP_CONCAT(" + nest(5, "REPLACE(", `"aaaaaaaa"`, `, "a", "aaaaaaaaaaaaaaaaaaaa")`) + ") AS ?l) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }",
	"MINUS in each other":                         "SELECT * " + nest(60, "{ ?a ?p ?b MINUS ", "{ ?a :next ?b }", " }"),
	"UNIONs in each other":                        "SELECT * " + nest(60, "{ { ?a ?p ?b } UNION { ?b ?p ?a } ", "{ ?a :next ?b }", " }"),
	"graphs in each other":                        "SELECT * " + nest(60, "{ GRAPH ?g ", "{ ?a ?p ?b }", " }"),
	"13 paths of one subject":                     "SELECT * { ?a ?p ?b . " + repeated(13, "?a :next* ?b# . ") + "} ORDER BY ?b ?a",
	"1,000 OPTIONALs apart":                       "SELECT * { ?a :next ?b " + repeated(1000, "OPTIONAL { ?a# :next ?b# } ") + "}",
	"a chain of 1,000 patterns":                   "ASK { " + chain(1000, "?b# :next ?b@ . ") + "}",
	"a chain of 250 patterns with variables":      "ASK { SELECT ?a (GROUP_CONCAT(STR(?b)) AS ?l) { " + chain(250, "?b# ?p# ?b@ . ") + "} GROUP BY ?a }",
	"80 patterns of blank nodes":                  "SELECT * { " + repeated(80, "[] ?p# [ :next [] ] . ") + "} ORDER BY ?b ?a",
	"400 tables of two rows":                      "SELECT * { ?a :next ?b " + repeated(400, "VALUES ?b# { 1 2 } ") + "}",
	"300 UNIONs joined":                           "SELECT * { " + repeated(300, "{ ?a :next ?b } UNION { ?b :back ?a } ") + "}",
	"CONCAT of 50,000 texts":                      "SELECT * { ?a ?p ?b . ?c ?q ?d BIND (CONCAT(STR(?b)" + repeated(50_000, ", \"#\"") + ") AS ?v) }",
	"NOT IN of 50,000 variables":                  "SELECT * { ?a ?p ?b FILTER (?b NOT IN (?c" + repeated(50_000, ", ?c#") + ")) }",
	"250 BINDs of texts":                          "SELECT * { ?a ?p ?b0 " + chain(250, "BIND (STR(?b#) AS ?b@) ") + "}",
	"a variable of a million letters":             "SELECT ?" + strings.Repeat("a", 500_000) + " { ?a ?p ?" + strings.Repeat("a", 500_000) + " }",
	"everything, ten times":                       "CONSTRUCT { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f } WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h . ?i ?t ?j }",
}

// chain writes a text n times, with its number in place of each # and the one after it in place of each @.
func chain(n int, text string) string {
	var sb strings.Builder
	for i := range n {
		sb.WriteString(strings.NewReplacer("#", strconv.Itoa(i), "@", strconv.Itoa(i+1)).Replace(text))
	}
	return sb.String()
}

// doubling is a chain of n BINDs of an expression over the value before, ?v#.
func doubling(n int, expression string) string {
	return chain(n, "BIND ("+expression+" AS ?v@) ")
}

// TestTheWorstEndAtTheirLimits: the limits hold for the queries that broke them.
func TestTheWorstEndAtTheirLimits(t *testing.T) {
	for name, query := range worst {
		t.Run(name, func(t *testing.T) {
			if _, err := parser.Parse(example+query, parser.Options{}); err != nil {
				t.Fatal(err)
			}
			newSession(t).check(name, sent(http.MethodPost, "*/*", query))
		})
	}
}

const example = "PREFIX : <http://example.org/>\n"

// sent is a query and how it is sent.
func sent(method, accept, query string) *hostile.Query {
	return &hostile.Query{Tree: &hostile.Node{Open: example + query}, Request: hostile.Request{Method: method, Header: http.Header{"Accept": {accept}}}}
}

// TestEveryRequestGetsAStatus, whatever it asks for.
func TestEveryRequestGetsAStatus(t *testing.T) {
	s := newSession(t)
	s.check("the head of an answer that meets a limit", sent(http.MethodHead, "text/csv", "SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h . ?i ?t ?j }"))
	s.check("a predicate that RDF/XML has no name for", sent(http.MethodPost, "application/rdf+xml", "CONSTRUCT { ?a <http://example.org/1> ?b } WHERE { ?a ?p ?b }"))
}
