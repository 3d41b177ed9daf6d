package bgp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestPlans compares plans with those in testdata/plans (-rewrite writes them anew). A graph is given by lines of
// three names; "a" is rdf:type, n..m in a name stands for one line for each number.
func TestPlans(t *testing.T) {
	var d data
	datadriven.RunTest(t, "testdata/plans", func(t *testing.T, td *datadriven.TestData) string {
		if td.Cmd == "graph" {
			d = readGraph(t, td.Input)
			return fmt.Sprintf("%d triples\n", d.graph.Edges())
		}
		return d.plan(t, td)
	})
}

type data struct {
	graph *pcsr.Graph
	ids   map[string]dictionary.ID
	names []string
}

func (d *data) id(name string) dictionary.ID {
	id, ok := d.ids[name]
	if !ok {
		id = dictionary.ID(len(d.names))
		d.ids[name] = id
		d.names = append(d.names, name)
	}
	return id
}

func readGraph(t *testing.T, text string) data {
	d := data{ids: make(map[string]dictionary.ID)}
	triples := triplesOf(text)
	for _, f := range triples {
		d.id(f[1])
	}
	labels := len(d.names)
	var edges []pcsr.Edge
	for _, f := range triples {
		edges = append(edges, pcsr.Edge{From: d.id(f[0]), Label: d.id(f[1]), To: d.id(f[2])})
	}
	var options []pcsr.Option
	if l, ok := d.ids["a"]; ok {
		options = append(options, pcsr.WithTypeLabel(l))
	}
	g, err := pcsr.Build(len(d.names), labels, edges, options...)
	if err != nil {
		t.Fatal(err)
	}
	d.graph = g
	return d
}

// triplesOf splits lines into names. A line "x* p y* 3" stands for 3 lines with the stars numbered; in "x* p y 3"
// the objects are the same.
func triplesOf(text string) (out [][]string) {
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		n := 1
		if len(f) == 4 {
			fmt.Sscan(f[3], &n)
		}
		for i := range n {
			number := func(s string) string { return strings.ReplaceAll(s, "*", fmt.Sprint(i)) }
			out = append(out, []string{number(f[0]), number(f[1]), number(f[2])})
		}
	}
	return out
}

func (d *data) plan(t *testing.T, td *datadriven.TestData) string {
	options := bgp.Options{}
	for _, arg := range td.CmdArgs {
		switch arg.Key {
		case "isomorphism":
			options.Semantics = bgp.Isomorphism
		case "edge-isomorphism":
			options.Semantics = bgp.EdgeIsomorphism
		case "count":
			options.CountOnly = true
		case "distinct":
			options.Distinct = true
		case "signatures":
			options.Signatures = bgp.AlwaysSignatures
		case "inputs":
			options.Inputs = arg.Vals
		case "output":
			options.Output = arg.Vals
		default:
			t.Fatalf("%s: what is %s?", td.Pos, arg.Key)
		}
	}
	var patterns []parser.TriplePattern
	if td.Input != "" {
		for _, f := range triplesOf(td.Input) {
			patterns = append(patterns, parser.TriplePattern{Subject: term(f[0]), Predicate: term(f[1]), Object: term(f[2])})
		}
	}
	plan, err := bgp.Plan(context.Background(), patterns, d.graph, d.lookup, options)
	if err != nil {
		return err.Error() + "\n"
	}
	return plan.Format(func(id dictionary.ID) string { return d.names[id] })
}

func term(name string) parser.PatternTerm {
	if variable, ok := strings.CutPrefix(name, "?"); ok {
		return parser.PatternTerm{Variable: variable}
	}
	return parser.PatternTerm{Term: rdf.NewIRI(name)}
}

func (d *data) lookup(t rdf.Term) (dictionary.ID, bool) {
	id, ok := d.ids[t.Value]
	return id, ok
}
