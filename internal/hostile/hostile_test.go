package hostile_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/hostile"
	"github.com/rdfgpu/rdfgpu/parser"
)

var vocabulary = &hostile.Vocabulary{
	Predicates: []string{"<http://example.org/next>", "<http://example.org/name>"}, Classes: []string{"<http://example.org/Node>"},
	Terms: []string{"<http://example.org/a>", "<http://example.org/b>"}, Literals: []string{`"a"`, "1"}, Graphs: []string{"<http://example.org/g>"},
}

// prologue speaks of the tiny data set.
var prologue = hostile.Prologue("http://example.org/next", "http://example.org/name")

func TestTheSameSeedGivesTheSameQueries(t *testing.T) {
	for i := range uint64(200) {
		one := hostile.New(hostile.Random(1, i), vocabulary).Query()
		two := hostile.New(hostile.Random(1, i), vocabulary).Query()
		if one.Text() != two.Text() || one.Shape != two.Shape || one.Method != two.Method {
			t.Fatalf("query %d differs", i)
		}
	}
}

func TestMostQueriesParse(t *testing.T) {
	const drawn = 500
	parsed := 0
	for i := range uint64(drawn) {
		q := hostile.New(hostile.Random(2, i), vocabulary).Query()
		if _, err := parser.Parse(q.Text(), parser.Options{}); err == nil {
			parsed++
		} else if testing.Verbose() {
			t.Logf("%s: %v: %.200s", q.Shape, err, q.Text())
		}
	}
	if parsed < drawn*8/10 {
		t.Errorf("%d of %d queries parse", parsed, drawn)
	}
}

func TestEveryShapeIsDrawn(t *testing.T) {
	seen := map[string]bool{}
	for i := range uint64(5000) {
		shape := hostile.New(hostile.Random(3, i), vocabulary).Query().Shape
		first, _, _ := strings.Cut(shape, " ")
		seen[first] = true
	}
	for _, shape := range []string{"mixed", "deep", "wide", "path", "expression", "product", "everything", "table", "term", "broken"} {
		if !seen[shape] {
			t.Errorf("no query of shape %s", shape)
		}
	}
}

// TestKeptQueriesParse: what is wrong with them comes after the parser, and no two have one name.
func TestKeptQueriesParse(t *testing.T) {
	names := map[string]bool{}
	for _, kept := range hostile.Kept(hostile.EndsInTime | hostile.StaysSmall | hostile.KeepsBudget) {
		if names[kept.Name] {
			t.Errorf("two queries are named %s", kept.Name)
		}
		names[kept.Name] = true
		if _, err := parser.Parse(prologue+kept.Query, parser.Options{}); err != nil {
			t.Errorf("%s: %.300s", kept.Name, err)
		}
	}
}

// TestAnyBytesGiveAQuery: whatever the bytes, the grammar ends.
func TestAnyBytesGiveAQuery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 4000).Draw(t, "bytes")
		q := hostile.New(hostile.Bytes(b), vocabulary).Query()
		if _, err := q.HTTP("http://127.0.0.1/sparql"); err != nil || q.Text() == "" {
			t.Fatalf("%v: %s", err, q.Text())
		}
	})
}

func TestMinimizeFindsWhatFails(t *testing.T) {
	tree := &hostile.Node{Open: "SELECT * ", Parts: []*hostile.Node{{
		Kind: hostile.Group, Open: "{ ", Close: "} ", Wraps: 40, Parts: []*hostile.Node{{
			Kind: hostile.Group, Open: "{ ", Close: "} ", List: true, Parts: []*hostile.Node{
				{Open: "?a ?p ?b . "}, {Open: "OPTIONAL { ?a ?q ?c§ } "}, {Open: "?c ?r ?d . "},
			}, Copies: 100,
		}},
	}}}
	fails := func(query string) bool {
		return strings.Count(query, "OPTIONAL") >= 5 && strings.Count(query, "{") == strings.Count(query, "}")
	}
	got := hostile.Minimize(tree, fails, 1000)
	words := strings.Fields(got)
	if n := strings.Count(got, "OPTIONAL"); n != 5 || len(words) > 30 || slices.Contains(words, "?r") {
		t.Errorf("%d OPTIONALs in %s", n, got)
	}
}
