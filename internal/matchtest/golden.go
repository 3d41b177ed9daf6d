package matchtest

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// RunNamed compares the cases of a file with what run makes of them (-rewrite writes them anew). A case "graph" is the graph of
// those after it, as ReadNamed reads it.
func RunNamed(t *testing.T, file string, run func(*testing.T, *Named, *datadriven.TestData) string) {
	var d *Named
	datadriven.RunTest(t, file, func(t *testing.T, td *datadriven.TestData) string {
		if td.Cmd != "graph" {
			return run(t, d, td)
		}
		var err error
		if d, err = ReadNamed(td.Input); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%d triples\n", d.Graph.Edges())
	})
}

// Plan plans the patterns of a case, with what its arguments say beside options; own takes those that are the test's alone.
func (d *Named) Plan(t *testing.T, td *datadriven.TestData, options bgp.Options, own func(key string) bool) (*bgp.MatchPlan, error) {
	for _, arg := range td.CmdArgs {
		switch arg.Key {
		case "isomorphism":
			options.Semantics = bgp.Isomorphism
		case "edge-isomorphism":
			options.Semantics = bgp.EdgeIsomorphism
		case "induced":
			options.Semantics = bgp.Induced
		case "count":
			options.CountOnly = true
		case "weights":
			options.WeightGain = math.Inf(1)
		case "distinct":
			options.Distinct = true
		case "signatures":
			options.Signatures = bgp.AlwaysSignatures
		case "inputs":
			options.Inputs = arg.Vals
		case "unequal":
			options.Unequal = append(options.Unequal, bgp.Inequality{A: arg.Vals[0], B: arg.Vals[1]})
		case "output":
			options.Output = arg.Vals
		default:
			if own == nil || !own(arg.Key) {
				t.Fatalf("%s: what is %s?", td.Pos, arg.Key)
			}
		}
	}
	return bgp.Plan(context.Background(), NamedPatterns(td.Input), d.Graph, d.Lookup, options)
}

// Named is a graph of names, for golden tests.
type Named struct {
	Graph *pcsr.Graph
	ids   map[string]dictionary.ID
	names []string
}

// ReadNamed makes a graph of lines of three names; "a" is rdf:type. A line "x* p y* 3" stands for 3 lines with the stars
// numbered; in "x* p y 3" the objects are the same.
func ReadNamed(text string) (*Named, error) {
	d := &Named{ids: make(map[string]dictionary.ID)}
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
	var err error
	d.Graph, err = pcsr.Build(len(d.names), labels, edges, options...)
	return d, err
}

func (d *Named) id(name string) dictionary.ID {
	id, ok := d.ids[name]
	if !ok {
		id = dictionary.ID(len(d.names))
		d.ids[name] = id
		d.names = append(d.names, name)
	}
	return id
}

// Name is the name of an ID.
func (d *Named) Name(id dictionary.ID) string { return d.names[id] }

// Lookup finds the ID of a name.
func (d *Named) Lookup(t rdf.Term) (dictionary.ID, bool) {
	id, ok := d.ids[t.Value]
	return id, ok
}

// NamedPatterns reads lines as ReadNamed does; names that begin with ? are variables.
func NamedPatterns(text string) (patterns []parser.TriplePattern) {
	for _, f := range triplesOf(text) {
		patterns = append(patterns, parser.TriplePattern{Subject: namedTerm(f[0]), Predicate: namedTerm(f[1]), Object: namedTerm(f[2])})
	}
	return patterns
}

func namedTerm(name string) parser.PatternTerm {
	if variable, ok := strings.CutPrefix(name, "?"); ok {
		return parser.PatternTerm{Variable: variable}
	}
	return parser.PatternTerm{Term: rdf.NewIRI(name)}
}

func triplesOf(text string) (out [][]string) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
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
