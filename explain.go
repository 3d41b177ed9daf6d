package rdfgpu

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Explanation is how a query is answered: the operators, each basic graph pattern's query graph and vertex order, and
// estimates beside what was measured. Its JSON form is stable.
type Explanation struct {
	Semantics string `json:"semantics"`
	// Device is where the patterns were, or would be, matched.
	Device string `json:"device"`
	// Plan is the tree of operators.
	Plan *exec.Explain `json:"plan"`
	// Graphs are the query graphs of the basic graph patterns, in the order of the plan's text.
	Graphs []PatternGraph `json:"graphs"`
	// Rows and Milliseconds were measured, when the query was analysed.
	Rows         uint64             `json:"rows,omitempty"`
	Milliseconds map[string]float64 `json:"milliseconds,omitempty"`
	Analyzed     bool               `json:"analyzed"`
}

// PatternGraph is a basic graph pattern as a labelled graph.
type PatternGraph struct {
	Vertices []PatternVertex `json:"vertices"`
	Edges    []PatternEdge   `json:"edges"`
	// Order lists the vertices in the order the join binds them.
	Order []int `json:"order"`
	// Empty says why the pattern cannot match; "" when it may.
	Empty string `json:"empty,omitempty"`
}

// PatternVertex is a variable or a constant.
type PatternVertex struct {
	Label    string   `json:"label"`
	Variable bool     `json:"variable"`
	Classes  []string `json:"classes,omitempty"`
}

// PatternEdge is a triple pattern; From and To index PatternGraph.Vertices.
type PatternEdge struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Label string `json:"label"`
	// Variable reports that the predicate is a variable.
	Variable bool `json:"variable,omitempty"`
}

// Explain plans a query and, with options.Analyze, runs it and counts its solutions.
func (s *Store) Explain(ctx context.Context, text string, options QueryOptions) (*Explanation, error) {
	r, err := s.Query(ctx, text, options)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	e := &Explanation{Semantics: options.Semantics.String(), Analyzed: options.Analyze}
	if err := section.Guard(func() error { return e.describe(r) }); err != nil {
		return nil, err
	}
	return e, nil
}

// describe explains a query that has been planned, and runs it where that is asked for.
func (e *Explanation) describe(r *Result) (err error) {
	e.Plan = r.plan.Explain()
	if e.Analyzed {
		if e.Rows, err = r.drain(); err != nil {
			return err
		}
		e.Milliseconds = r.timings.milliseconds()
	}
	e.Device = r.device.String()
	e.addGraphs(r.store, e.Plan)
	return nil
}

// drain runs the result as a reader would, without keeping anything.
func (r *Result) drain() (rows uint64, err error) {
	if r.Kind() == Boolean {
		_, err := r.Boolean()
		return 1, err
	}
	for batch, err := range r.Batches() {
		if err != nil {
			return rows, err
		}
		rows += uint64(batch.N)
	}
	return rows, nil
}

func (t Timings) milliseconds() map[string]float64 {
	ms := map[string]float64{}
	for _, p := range t.parts() {
		if p.spent > 0 {
			ms[p.name] = float64(p.spent.Nanoseconds()) / 1e6
		}
	}
	return ms
}

func (e *Explanation) addGraphs(s *Store, node *exec.Explain) {
	if node.Match != nil && node.Match.Query != nil {
		e.Graphs = append(e.Graphs, s.patternGraph(node.Match))
	}
	for _, child := range node.Children {
		e.addGraphs(s, child)
	}
}

func (s *Store) patternGraph(plan *bgp.MatchPlan) PatternGraph {
	g := PatternGraph{Vertices: []PatternVertex{}, Edges: []PatternEdge{}, Order: []int{}, Empty: plan.Reason}
	for _, v := range plan.Query.Vertices {
		vertex := PatternVertex{Label: "?" + v.Variable, Variable: v.Variable != ""}
		if !vertex.Variable {
			vertex.Label = s.label(v.Constant)
		}
		for _, c := range v.Classes {
			vertex.Classes = append(vertex.Classes, s.label(c))
		}
		g.Vertices = append(g.Vertices, vertex)
	}
	for _, edge := range plan.Query.Edges {
		p := PatternEdge{From: edge.From, To: edge.To, Variable: edge.LabelVertex >= 0}
		if p.Variable {
			p.Label = "?" + plan.Query.Vertices[edge.LabelVertex].Variable
		} else {
			p.Label = s.label(edge.Label)
		}
		g.Edges = append(g.Edges, p)
	}
	for _, slot := range plan.Slots {
		g.Order = append(g.Order, slot.Vertex)
	}
	return g
}

func (s *Store) label(id ID) string {
	if id >= ID(s.store.Dictionary.Len()) {
		return "(not in the store)"
	}
	return s.store.Dictionary.Term(id).String()
}

// WriteText writes the explanation as an indented tree.
func (e *Explanation) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "semantics %s, device %s\n\n", e.Semantics, e.Device)
	if err := e.Plan.WriteText(&b); err != nil {
		return err
	}
	if e.Analyzed {
		fmt.Fprintf(&b, "\n%d rows", e.Rows)
		for _, part := range sortedKeys(e.Milliseconds) {
			fmt.Fprintf(&b, ", %s %.3f ms", part, e.Milliseconds[part])
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteDot writes the query graphs for Graphviz, vertices numbered in the order the join binds them.
func (e *Explanation) WriteDot(w io.Writer) error {
	var b strings.Builder
	b.WriteString("digraph query {\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n")
	for i, g := range e.Graphs {
		g.writeDot(&b, i)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (g PatternGraph) writeDot(b *strings.Builder, number int) {
	fmt.Fprintf(b, "  subgraph cluster_%d {\n    label=%q;\n", number, fmt.Sprintf("pattern %d", number+1))
	position := map[int]int{}
	for i, v := range g.Order {
		position[v] = i + 1
	}
	for i, v := range g.Vertices {
		label, shape := v.Label, "box"
		if v.Variable {
			shape = "ellipse"
		}
		if n, ok := position[i]; ok {
			label = fmt.Sprintf("%d: %s", n, label)
		}
		for _, c := range v.Classes {
			label += "\na " + c
		}
		fmt.Fprintf(b, "    g%dv%d [label=%q, shape=%s];\n", number, i, label, shape)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(b, "    g%dv%d -> g%dv%d [label=%q];\n", number, e.From, number, e.To, e.Label)
	}
	b.WriteString("  }\n")
}
