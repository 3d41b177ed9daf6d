package rules

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/parser"
)

// TestRepetitionsOfRepetitionsAreOne: each path becomes the one beside it.
func TestRepetitionsOfRepetitionsAreOne(t *testing.T) {
	for from, to := range map[string]string{
		"(<p>*)*": "<p>*", "(<p>+)*": "<p>*", "(<p>?)*": "<p>*", "(<p>*)+": "<p>*", "(<p>+)+": "<p>+", "(<p>?)+": "<p>*",
		"(<p>*)?": "<p>*", "(<p>+)?": "<p>*", "(<p>?)?": "<p>?", "((((<p>*)*)+)?)*": "<p>*",
		"(<p>*|<q>)*": "(<p>|<q>)*", "(<p>+|<q>)+": "(<p>|<q>)+", "(<p>*|<q>)+": "(<p>|<q>)*", "(<p>*/<q>?)*": "(<p>|<q>)*",
		"(^(<p>+))*": "(^<p>)*", "(<p>/<q>*)*": "(<p>/<q>*)*", "(<p>*/<q>)+": "(<p>*/<q>)+", "(<p>/(<q>*)*)+": "(<p>/<q>*)+",
		"(<p>?/<q>?)?": "(<p>?/<q>?)?", "(<p>+/<q>+)+": "(<p>+/<q>+)+", "(!<p>)*": "!(<p>)*",
	} {
		if got, want := formatPath(simplerPath(pathOf(t, from))), formatPath(pathOf(t, to)); got != want {
			t.Errorf("%s becomes %s, want %s", from, got, want)
		}
	}
}

// pathOf is the only path of a query.
func pathOf(t *testing.T, path string) parser.Path {
	q, err := parser.Parse("SELECT * { ?s "+path+" ?o }", parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var found parser.Path
	var look func(n parser.Node)
	look = func(n parser.Node) {
		switch n := n.(type) {
		case *parser.Project:
			look(n.Input)
		case *parser.PathPattern:
			found = n.Path
		}
	}
	look(q.Where)
	if found == nil {
		t.Fatalf("%s is no path", path)
	}
	return found
}

func formatPath(p parser.Path) string { return parser.FormatNode(&parser.PathPattern{Path: p}) }
