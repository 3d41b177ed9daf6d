package scope_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// TestWhatIsBoundTogether lists which of the variables a to e the solutions of a pattern may bind at once.
func TestWhatIsBoundTogether(t *testing.T) {
	for text, want := range map[string]string{
		"?a <p> ?b": "ab",
		"?a <p> ?b OPTIONAL { ?b <q> ?c . ?c <r> ?d }":                                                         "ab abcd",
		"?a <p> 1 OPTIONAL { ?a <p> ?b } OPTIONAL { ?a <q> ?c }":                                               "a ab abc ac",
		"?a <p> 1 OPTIONAL { ?a <p> ?b OPTIONAL { ?b <q> ?c } }":                                               "a ab abc",
		"{ ?a <p> ?b } UNION { ?a <p> ?c . ?c <q> ?d }":                                                        "ab acd",
		"?a <p> 1 BIND(1/?x AS ?b) MINUS { ?a <q> ?c }":                                                        "a ab",
		"?a <p> 1 VALUES (?b ?c) { (1 2) (UNDEF 3) (4 UNDEF) }":                                                "ab abc ac",
		"{ SELECT ?a { ?a <p> 1 OPTIONAL { ?a <p> ?b } } }":                                                    "a",
		"{ SELECT ?a (SUM(?x) AS ?b) { ?a <p> ?x } GROUP BY ?a }":                                              "a ab",
		"?a <p> 1 OPTIONAL { ?a <p> ?b } OPTIONAL { ?a <q> ?c } OPTIONAL { ?a <q> ?d } OPTIONAL { ?a <q> ?e }": "many",
	} {
		q, err := parser.Parse("ASK {"+text+"}", parser.Options{Base: "http://e/"})
		if err != nil {
			t.Fatal(err)
		}
		s := scope.New()
		list, ok := s.Bound(q.Where, s.Set("a", "b", "c", "d", "e"), 8)
		var got []string
		for _, set := range list {
			got = append(got, strings.Join(s.Names(set), ""))
		}
		slices.Sort(got)
		if text2 := strings.Join(got, " "); ok && text2 != want || !ok && want != "many" {
			t.Errorf("%s: %s instead of %s", text, text2, want)
		}
	}
}
