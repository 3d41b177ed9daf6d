package parser

import (
	"strings"
	"testing"
)

const benchQuery = `PREFIX foaf: <http://xmlns.com/foaf/0.1/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX ex: <http://example.org/ns#>
SELECT ?person ?name ?friend WHERE {
  ?person rdf:type foaf:Person .
  ?person foaf:name ?name .
  ?person foaf:knows ?friend .
  ?friend ex:worksFor ?company .
  ?company ex:locatedIn ex:Berlin .
  ?company rdf:type ex:Startup .
}`

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(benchQuery, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTokensNeedNoSpaceBetweenThem: the longest token that fits is read, and keywords are tokens.
func TestTokensNeedNoSpaceBetweenThem(t *testing.T) {
	for joined, spaced := range map[string]string{
		"SELECT*{?s?p?o FILTERsameTerm(?s,?o)}":                        "SELECT * { ?s ?p ?o FILTER sameTerm(?s, ?o) }",
		"SELECTDISTINCT?s{?s a?o}ORDERBYASC(?s)DESC(?o)LIMIT10OFFSET2": "SELECT DISTINCT ?s { ?s a ?o } ORDER BY ASC(?s) DESC(?o) LIMIT 10 OFFSET 2",
		"SELECT?s(COUNT(*)AS?n){?s?p?o}GROUPBY?s HAVING(?s>1)":         "SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s HAVING (?s > 1)",
		"ASKWHERE{?s?p 1FILTERNOTEXISTS{?s a<x:c>}MINUS{}}":            "ASK WHERE { ?s ?p 1 FILTER NOT EXISTS { ?s a <x:c> } MINUS {} }",
		"ASK{?s?p?o.FILTER(?o NOTIN(1,2)||!(?o IN(true)))}":            "ASK { ?s ?p ?o . FILTER(?o NOT IN (1, 2) || !(?o IN (true))) }",
		"ASK{?s?p true,false.VALUES?s{UNDEFUNDEF 1UNDEF}}":             "ASK { ?s ?p true , false . VALUES ?s { UNDEF UNDEF 1 UNDEF } }",
		"ASK{VALUES?s{truefalse}?s a1,atrue}":                          "",
		"ASK{VALUES?s{truefalse}?s a1,true}":                           "ASK { VALUES ?s { true false } ?s a 1 , true }",
		"ASKFROM<g:>FROMNAMED<g:h>{SERVICESILENT<e:>{?s?p?o}}":         "ASK FROM <g:> FROM NAMED <g:h> { SERVICE SILENT <e:> { ?s ?p ?o } }",
		"SELECT(GROUP_CONCAT(DISTINCT?s;SEPARATOR=\",\")AS?n){}":       "SELECT (GROUP_CONCAT(DISTINCT ?s ; SEPARATOR = \",\") AS ?n) {}",
		"SELECTREDUCED?s{{?s?p?o}UNION{}}LIMIT 1OFFSET 2":              "SELECT REDUCED ?s { { ?s ?p ?o } UNION {} } LIMIT 1 OFFSET 2",
		"DESCRIBE?s{?s?p?o}ORDERBYSTRLEN(?s)":                          "DESCRIBE ?s { ?s ?p ?o } ORDER BY STRLEN(?s)",
		"ASK{FILTER1}":                                                 "",
		"ASK{FILTERx:f(1)}":                                            "",
		"ASK{FILTERsameTermo(1)}":                                      "",
		"PREFIX:<x:>ASK{}":                                             "",
		"SELECT ?s{} ORDERED BY ?s":                                    "",
	} {
		a, err := Parse(joined, Options{})
		if spaced == "" {
			if err == nil {
				t.Errorf("%s: accepted", joined)
			}
			continue
		}
		b, wrong := Parse(spaced, Options{})
		if err != nil || wrong != nil {
			t.Errorf("%s: %v; %s: %v", joined, err, spaced, wrong)
		} else if x, y := FormatNode(a.Where), FormatNode(b.Where); x != y && !strings.Contains(x, "service") {
			t.Errorf("%s:\n%s, but\n%s:\n%s", joined, x, spaced, y)
		}
	}
	if _, err := Parse("SELECT ?s {} ORDERED BY ?s", Options{}); err == nil || !strings.Contains(err.Error(), "ORDER") {
		t.Errorf("a misspelt keyword is not recognised: %v", err)
	}
}
