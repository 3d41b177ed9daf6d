package drawing

import (
	"strings"
	"testing"
)

func TestGraphsAreDrawnAsClusters(t *testing.T) {
	graphs := []Graph{{
		Vertices: []Vertex{{Label: "?x", Variable: true, Classes: []string{"<http://e/C>"}}, {Label: `"say \"hi\""`}},
		Edges:    []Edge{{From: 0, To: 1, Label: "<http://e/p>"}},
		Order:    []int{0},
	}, {}}
	const want = `digraph query {
  node [fontname="sans-serif"];
  edge [fontname="sans-serif"];
  subgraph cluster_0 {
    label="pattern 1";
    g0v0 [label="1: ?x\na <http://e/C>", shape=ellipse];
    g0v1 [label="\"say \\\"hi\\\"\"", shape=box];
    g0v0 -> g0v1 [label="<http://e/p>"];
  }
  subgraph cluster_1 {
    label="pattern 2";
  }
}
`
	var b strings.Builder
	if err := WriteDot(&b, graphs); err != nil || b.String() != want {
		t.Errorf("error %v, got\n%s", err, b.String())
	}
}
