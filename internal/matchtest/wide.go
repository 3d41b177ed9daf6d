package matchtest

import (
	"context"
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// CheckWide asks a matcher for one solution of a chain of n triple patterns with variables in all positions, which has
// more solutions than numbers can say, and looks whether it is one.
func CheckWide(m match.Matcher, n int) error {
	c := wide(n)
	run, err := c.Match()
	if err != nil {
		return err
	}
	run.Limit = 1
	rows := 0
	err = m.Match(context.Background(), run, func(b *match.Batch) error {
		rows += b.N
		for i := range n {
			e := pcsr.Edge{From: b.Cols[2*i][0], Label: b.Cols[2*i+1][0], To: b.Cols[2*i+2][0]}
			if !slices.Contains(c.Edges, e) {
				return fmt.Errorf("pattern %d of %d: the graph has no edge %v", i, n, e)
			}
		}
		return nil
	})
	if err == nil && rows != 1 {
		err = fmt.Errorf("%d patterns: %d solutions instead of one", n, rows)
	}
	return err
}

// wide is the chain ?v0 ?p0 ?v1 . ?v1 ?p1 ?v2 … over all edges of two labels among four vertices.
func wide(n int) *Case {
	c := &Case{Vertices: 4, Labels: 2, TypeLabel: -1, Limit: 1}
	for i := range 32 {
		c.Edges = append(c.Edges, pcsr.Edge{From: dictionary.ID(i / 8), Label: pcsr.Label(i % 2), To: dictionary.ID(i / 2 % 4)})
	}
	variable := func(prefix string, i int) parser.PatternTerm {
		name := fmt.Sprintf("%s%d", prefix, i)
		c.Options.Output = append(c.Options.Output, name)
		return parser.PatternTerm{Variable: name}
	}
	from := variable("v", 0)
	for i := range n {
		label := variable("p", i)
		to := variable("v", i+1)
		c.Patterns = append(c.Patterns, parser.TriplePattern{Subject: from, Predicate: label, Object: to})
		from = to
	}
	return c
}
