package scope_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// TestSetsAreSets compares the operations with those on lists.
func TestSetsAreSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scope.New()
		for i := range 200 {
			s.Number(fmt.Sprintf("v%03d", i))
		}
		draw := func(name string) ([]string, scope.Set) {
			list := rapid.SliceOfDistinct(rapid.IntRange(0, 199), rapid.ID[int]).Draw(t, name)
			var names []string
			for _, i := range list {
				names = append(names, fmt.Sprintf("v%03d", i))
			}
			slices.Sort(names)
			return names, s.Set(names...)
		}
		a, as := draw("a")
		b, bs := draw("b")
		in := func(list []string) func(string) bool { return func(v string) bool { return slices.Contains(list, v) } }
		union := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(a), b...))))
		both := slices.DeleteFunc(slices.Clone(a), func(v string) bool { return !in(b)(v) })
		rest := slices.DeleteFunc(slices.Clone(a), in(b))
		for name, c := range map[string]struct {
			got  scope.Set
			want []string
		}{"or": {as.Or(bs), union}, "and": {as.And(bs), both}, "without": {as.Without(bs), rest}} {
			if !slices.Equal(s.Names(c.got), c.want) || c.got.Key() != s.Set(c.want...).Key() || c.got.Len() != len(c.want) {
				t.Fatalf("%v %s %v is %v", a, name, b, s.Names(c.got))
			}
		}
		if as.Meets(bs) != (len(both) > 0) || as.Within(bs) != (len(rest) == 0) || as.Empty() != (len(a) == 0) {
			t.Fatalf("%v and %v: meets %v, within %v", a, b, as.Meets(bs), as.Within(bs))
		}
	})
}

func TestScopes(t *testing.T) {
	for text, want := range map[string]string{
		"?x <p> _:b . ?x ?p 1":                                       "may ub p x, must ub p x, used ub p x",
		"?x <p> ?y OPTIONAL { ?y <q> ?z FILTER(?z > ?w) }":           "may x y z, must x y, used w x y z",
		"{ ?x <p> ?y } UNION { ?x <q> ?z }":                          "may x y z, must x, used x y z",
		"?x <p> ?y MINUS { ?x <q> ?z }":                              "may x y, must x y, used x y z",
		"?x <p> ?y BIND(1 AS ?a) BIND(?y AS ?b) BIND(?y + 1 AS ?c)":  "may a b c x y, must a b x y, used a b c x y",
		"VALUES (?x ?y) { (1 2) (UNDEF 3) }":                         "may x y, must y, used x y",
		"GRAPH ?g { ?x <p>* ?y } FILTER EXISTS { ?y <q> ?z }":        "may g x y, must g x y, used g x y z",
		"{ SELECT ?x (COUNT(*) AS ?n) { ?x <p> ?y } GROUP BY ?x }":   "may n x, must n x, used n x",
		"{ SELECT ?x { ?x <p> ?y OPTIONAL { ?x <q> ?z } } LIMIT 1 }": "may x, must x, used x",
		"{ SELECT (SUM(?y) AS ?n) { ?x <p> ?y } }":                   "may n, must , used n",
		"?x <p> ?y FILTER(STRLEN(?v) > 1 && !EXISTS { ?w <q> 1 })":   "may x y, must x y, used v w x y",
	} {
		q, err := parser.Parse("ASK {"+text+"}", parser.Options{Base: "http://e/"})
		if err != nil {
			t.Fatal(err)
		}
		s := scope.New()
		names := func(set scope.Set) string {
			return strings.ReplaceAll(strings.Join(s.Names(set), " "), parser.BlankPrefix, "")
		}
		of := s.Of(q.Where)
		if got := fmt.Sprintf("may %s, must %s, used %s", names(of.May), names(of.Must), names(s.Used(q.Where))); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestParametersAreNoVariables(t *testing.T) {
	given := scope.Parameter("x")
	s := scope.New()
	pattern := &parser.BGP{Patterns: []parser.TriplePattern{{
		Subject: parser.PatternTerm{Variable: given}, Predicate: parser.PatternTerm{Variable: "p"}, Object: parser.PatternTerm{Variable: "y"}}}}
	if got := s.Names(s.Of(pattern).May); !slices.Equal(got, []string{"p", "y"}) {
		t.Errorf("the pattern binds %v", got)
	}
	e := &parser.Call{Function: "=", Args: []parser.Expr{&parser.Var{Name: given}, &parser.Exists{Pattern: pattern}}}
	if got := scope.Parameters(e); !slices.Equal(got, []string{given}) {
		t.Errorf("parameters %v", got)
	}
	if got := s.Names(s.Reads(e)); !slices.Equal(got, []string{"p", "y"}) {
		t.Errorf("reads %v", got)
	}
}
