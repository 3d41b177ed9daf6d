//go:build oxigraph

package exec_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

var (
	oxigraphCases = flag.Int("cases", 1000, "how many cases to write")
	oxigraphOut   = flag.String("out", "cases.jsonl", "the file to write")
	oxigraphSeed  = flag.Int("first", 0, "the seed of the first case")
)

// oxigraphCase is one line of the file that tools/oxigraph/compare.py reads.
type oxigraphCase struct {
	Data      string      `json:"data"`
	Graphs    []string    `json:"graphs"`
	Query     string      `json:"query"`
	Variables []string    `json:"variables"`
	Rows      [][]*string `json:"rows"`
}

type drawnCase struct {
	quads []quad
	names []rdf.Term
	text  string
}

// TestWriteOxigraphCases answers generated queries and writes them down for a comparison with another engine.
func TestWriteOxigraphCases(t *testing.T) {
	f, err := os.Create(*oxigraphOut)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	gen := rapid.Custom(func(t *rapid.T) drawnCase {
		g := &generator{t: t, wide: true}
		quads, names := g.dataset()
		return drawnCase{quads, names, g.query()}
	})
	for i := range *oxigraphCases {
		d := gen.Example(*oxigraphSeed + i)
		q, err := parser.Parse(d.text, parser.Options{})
		if err != nil || len(q.Variables) == 0 {
			continue
		}
		m, err := newMemory(d.quads, d.names...)
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.run(q, onProcessor())
		if err != nil {
			t.Fatalf("%v\n%s", err, reproduce([]edits{{added: d.quads}}, nil, d.text))
		}
		c := oxigraphCase{Query: d.text, Variables: a.variables, Rows: [][]*string{}}
		for _, q := range d.quads {
			line := q.subject.String() + " " + q.predicate.String() + " " + q.object.String()
			if !q.graph.IsZero() {
				line += " " + q.graph.String()
			}
			c.Data += line + " .\n"
		}
		for _, n := range d.names {
			c.Graphs = append(c.Graphs, n.Value)
		}
		for _, row := range a.rows {
			out := make([]*string, len(row))
			for i, term := range row {
				if !term.IsZero() {
					s := term.String()
					out[i] = &s
				}
			}
			c.Rows = append(c.Rows, out)
		}
		if err := enc.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
}
