package rdfgpu

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/drawing"
	"github.com/rdfgpu/rdfgpu/internal/section"
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

// A PatternGraph is a basic graph pattern as a labelled graph, of vertices and edges.
type (
	PatternGraph  = drawing.Graph
	PatternVertex = drawing.Vertex
	PatternEdge   = drawing.Edge
)

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
	if e.Analyzed {
		if e.Rows, err = r.drain(); err != nil {
			return err
		}
		e.Milliseconds = r.timings.milliseconds()
	}
	e.Plan = r.plan.Explain()
	e.Device = r.device.String()
	e.addGraphs(r, e.Plan)
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

func (e *Explanation) addGraphs(r *Result, node *exec.Explain) {
	if node.Match != nil && node.Match.Query != nil {
		e.Graphs = append(e.Graphs, drawing.New(node.Match, r.label))
	}
	for _, child := range node.Children {
		e.addGraphs(r, child)
	}
}

func (r *Result) label(id ID) string {
	if id >= ID(r.data.Dictionary().Len()) {
		return "(not in the store)"
	}
	return r.data.Dictionary().Term(id).String()
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
func (e *Explanation) WriteDot(w io.Writer) error { return drawing.WriteDot(w, e.Graphs) }
