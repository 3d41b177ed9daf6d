package exec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestExplain compares plans with those in testdata/explain; go test -rewrite writes them anew.
//
//	data                         Turtle or TriG; replaces the data set
//	arrived                      Turtle or TriG; comes to the data set, its new terms to a tail
//	plan [semantics=…] [parts] [distributed]
//	                             a query; prints its plan without the numbers that depend on estimates; with parts, single
//	                             IDs are taken for many, and patterns for costly; with distributed, counts are distributed
func TestExplain(t *testing.T) {
	datadriven.Walk(t, "testdata/explain", func(t *testing.T, path string) {
		var m *memory
		var data []quad
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "data", "arrived":
				quads, err := readQuads(d.Input)
				if err == nil && d.Cmd == "data" {
					data, quads = quads, nil
				}
				if err == nil {
					m, err = newGrown([][]quad{data}, quads)
				}
				if err != nil {
					return err.Error() + "\n"
				}
				return ""
			case "plan":
				return explainText(t, m, d)
			}
			t.Fatalf("%s: no such command %s", d.Pos, d.Cmd)
			return ""
		})
	})
}

func readTriG(text string) (*memory, error) {
	quads, err := readQuads(text)
	if err != nil {
		return nil, err
	}
	return newMemory(quads)
}

func readQuads(text string) (quads []quad, err error) {
	err = loader.Read(strings.NewReader("@prefix : <"+exampleNS+"> .\n"+text), loader.TriG, exampleNS, func(q loader.Quad) error {
		quads = append(quads, quad{q.Subject, q.Predicate, q.Object, q.Graph})
		return nil
	})
	return quads, err
}

func explainText(t *testing.T, m *memory, d *datadriven.TestData) string {
	q := parse(t, "PREFIX : <"+exampleNS+">\n"+d.Input)
	o := onProcessor()
	if d.HasArg("semantics") {
		var name string
		d.ScanArgs(t, "semantics", &name)
		o.Semantics = map[string]bgp.Semantics{"isomorphism": bgp.Isomorphism, "edge-isomorphism": bgp.EdgeIsomorphism, "induced": bgp.Induced}[name]
	}
	if d.HasArg("parts") {
		o.Tuning.MaxListed, o.Tuning.PartsGain, o.Tuning.ProductCost = 1, math.Inf(1), 1e-9
	}
	if d.HasArg("distributed") {
		o.Tuning.DifferenceCost, o.Tuning.DistributedGain = 1e-9, math.Inf(1)
	}
	p, err := exec.Prepare(t.Context(), q, m, m.dict, o)
	if err != nil {
		return err.Error() + "\n"
	}
	var sb strings.Builder
	outline(&sb, p.Explain(), 0)
	return strings.ReplaceAll(strings.ReplaceAll(sb.String(), exampleNS, ":"), rdf.XSD, "xsd:")
}

// outline prints a plan without estimates and steps.
func outline(sb *strings.Builder, e *exec.Explain, depth int) {
	fmt.Fprintf(sb, "%s%s", strings.Repeat("  ", depth), e.Operator)
	if e.Detail != "" {
		sb.WriteString(" " + e.Detail)
	}
	if len(e.Columns) > 0 {
		sb.WriteString(" → ?" + strings.Join(e.Columns, " ?"))
	}
	sb.WriteString("\n")
	for _, c := range e.Children {
		outline(sb, c, depth+1)
	}
}

func TestExplainIsWrittenAsTextAndJSON(t *testing.T) {
	m, err := readTriG(":a :p :b , :c . :b :q :c .")
	if err != nil {
		t.Fatal(err)
	}
	p, err := exec.Prepare(t.Context(), parse(t, "PREFIX : <"+exampleNS+"> SELECT * { ?x :p ?y OPTIONAL { ?y :q ?z } }"), m, m.dict, onProcessor())
	if err != nil {
		t.Fatal(err)
	}
	p.Analyze()
	if err := p.Run(t.Context(), func(*vector.Batch) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"left join by ?y, seeded": func(b *bytes.Buffer) error { return p.Explain().WriteText(b) },
		`"operator":"left join"`:  func(b *bytes.Buffer) error { return json.NewEncoder(b).Encode(p.Explain()) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil || !strings.Contains(b.String(), name) {
			t.Errorf("%q is not in\n%s(%v)", name, b.String(), err)
		}
	}
	if e := p.Explain(); e.Rows != 2 || e.Runs != 1 {
		t.Errorf("measured %d rows in %d runs, want 2 in 1", e.Rows, e.Runs)
	}
}
