package expr

import (
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// TestLargeExpressionsStaySmall runs expressions as large as the parser lets through.
func TestLargeExpressionsStaySmall(t *testing.T) {
	env := newEnv(t, rdf.NewString("a"), rdf.NewTyped("1", rdf.XSDInteger))
	a, _ := env.Terms.Find(rdf.NewString("a"))
	one, _ := env.Terms.Find(rdf.NewTyped("1", rdf.XSDInteger))
	const n = 100
	cols := [][]dictionary.ID{make([]dictionary.ID, n), make([]dictionary.ID, n)}
	for i := range n {
		cols[0][i], cols[1][i] = a, one
	}
	start := time.Now()
	for name, c := range map[string][2]string{
		"sum":     {"?y" + strings.Repeat(" + ?y", 9999), "10000"},
		"or":      {"?x = 1" + strings.Repeat(" || ?x = 1", 9998) + " || ?y = 1", "true"},
		"and":     {"?y = 1" + strings.Repeat(" && ?y = 1", 9999), "true"},
		"concat":  {"STRLEN(CONCAT(?x" + strings.Repeat(", ?x", 99999) + "))", "100000"},
		"in":      {"?y IN (0" + strings.Repeat(", ?x", 9999) + ", 1)", "true"},
		"nesting": {strings.Repeat("-(", 150) + "?y" + strings.Repeat(")", 150), "1"},
	} {
		p, err := Compile(parseExpr(t, c[0]), map[string]int{"x": 0, "y": 1}, env)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		out := make([]dictionary.ID, n)
		p.IDs(cols, n, out)
		if got := env.Terms.Term(out[n-1]).Value; got != c[1] {
			t.Errorf("%s: got %s, want %s", name, got, c[1])
		}
		if kept := p.Filter(cols, n, nil); len(kept) != n {
			t.Errorf("%s: %d rows are kept", name, len(kept))
		}
	}
	if took := time.Since(start); took > 60*time.Second {
		t.Errorf("took %v", took)
	}
}
