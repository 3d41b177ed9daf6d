package expr

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// TestScratchHasABound: programs of few nodes and of many hold no more than scratchRows values at once.
func TestScratchHasABound(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	for _, depth := range []int{1, 100, 1000, 5000} {
		var e parser.Expr = &parser.Var{Name: "v"}
		for range depth {
			e = &parser.Call{Function: "CONCAT", Args: []parser.Expr{e, &parser.Const{Term: rdf.NewString("a")}}}
		}
		p, err := Compile(e, map[string]int{"v": 0}, env)
		if err != nil {
			t.Fatal(err)
		}
		c := p.runs.Get().(*run)
		for range depth + 2 {
			c.take()
		}
		values := 0
		for _, d := range c.data {
			values += cap(d)
		}
		if values > scratchRows+2*chunkRows {
			t.Errorf("%d nested calls hold %d values, want %d at most", depth, values, scratchRows)
		}
		p.end(c)
	}
}
