package exec

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
		"(^(<p>+))*": "^<p>*", "(<p>/<q>*)*": "(<p>/<q>*)*", "(<p>*/<q>)+": "(<p>*/<q>)+", "(<p>/(<q>*)*)+": "(<p>/<q>*)+",
		"(<p>?/<q>?)?": "(<p>?/<q>?)?", "(<p>+/<q>+)+": "(<p>+/<q>+)+", "(!<p>)*": "!(<p>)*",
	} {
		if got := pathText(simplerPath(pathOf(t, from))); got != to {
			t.Errorf("%s becomes %s, want %s", from, got, to)
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

// TestAnAutomatonGrowsWithItsPath, not with a power of its nesting: steps that cannot be dropped stand in each other.
func TestAnAutomatonGrowsWithItsPath(t *testing.T) {
	var step pathStep = &labelStep{}
	for range 60 {
		step = &closureStep{step: &sequenceStep{step, &labelStep{}}, more: true}
	}
	a := newAutomaton(step, 0)
	transitions := 0
	for _, s := range a.states {
		transitions += len(s)
	}
	if len(a.states) > 60*4 || transitions > 60*6 {
		t.Errorf("%d states and %d transitions for 60 repetitions", len(a.states), transitions)
	}
}
