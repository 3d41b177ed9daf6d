package rules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/rules"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

const (
	prologue = "PREFIX : <http://e/>\n"
	integers = "^^<http://www.w3.org/2001/XMLSchema#integer>"
)

// TestRules compares what each rule makes of a pattern with the file of its name in testdata; -rewrite writes them anew.
//
//	rule [semantics=other]   a group graph pattern or subquery; this rule alone (and those that always hold)
//	all                               the same by all rules
//	substitute given=(…)              what EXISTS makes of a pattern with some variables given
//	common                            a union's common part
//	distributed                       what a pattern is distributed into
//	languages stored=(…)              where the data have a text with these tags
func TestRules(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			where := pattern(t, d.Input)
			s := scope.New()
			var out parser.Node
			switch d.Cmd {
			case "rule":
				out = alone(t, s, filepath.Base(path), !d.HasArg("semantics")).Rewrite(where)
			case "all":
				out = rules.New(t.Context(), s, true).Rewrite(where)
			case "substitute":
				for _, a := range d.CmdArgs {
					out = rules.Substitute(s, where, a.Vals...)
				}
			case "common":
				return common(where)
			case "distributed":
				return distributed(s, where)
			case "languages":
				return languages(d, where)
			default:
				t.Fatalf("%s: no such command %s", d.Pos, d.Cmd)
			}
			return short(parser.FormatNode(out))
		})
	})
}

func pattern(t *testing.T, text string) parser.Node {
	t.Helper()
	q, err := parser.Parse(prologue+"ASK {"+text+"}", parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q.Where
}

// alone is a rewriter that leaves out every rule but one.
func alone(t *testing.T, s *scope.Scopes, name string, homomorphism bool) *rules.Rewriter {
	var off []string
	for _, r := range rules.List() {
		if r.Name != name {
			off = append(off, r.Name)
		}
	}
	return rules.New(t.Context(), s, homomorphism, off...)
}

func common(n parser.Node) string {
	part, rest, ok := rules.CommonPart(n.(*parser.Union))
	if !ok {
		return "none\n"
	}
	return short(parser.FormatNode(&parser.Join{Left: part, Right: rules.United(rest)}))
}

func distributed(s *scope.Scopes, n parser.Node) (text string) {
	for _, p := range rules.Distributed(s, n) {
		text += short(parser.FormatNode(p))
	}
	if text == "" {
		return "none\n"
	}
	return text
}

func languages(d *datadriven.TestData, n parser.Node) string {
	out, oneOf := rules.Languages(n.(*parser.BGP), func(t rdf.Term) bool {
		for _, a := range d.CmdArgs {
			for _, tag := range a.Vals {
				if tag == t.Language {
					return true
				}
			}
		}
		return false
	})
	text := short(parser.FormatNode(out))
	for v, list := range oneOf {
		text += v + " is one of"
		for _, t := range list {
			text += " " + t.String()
		}
		text += "\n"
	}
	return text
}

func short(text string) string {
	return strings.NewReplacer("<http://e/", "<", integers, "").Replace(text) + "\n"
}

func TestEveryRuleHasItsTest(t *testing.T) {
	for _, r := range rules.List() {
		if _, err := os.Stat(filepath.Join("testdata", r.Name)); err != nil {
			t.Error(err)
		}
	}
}
