package exec

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Explain is one operator of a plan with its inputs, for people and for tests.
type Explain struct {
	Operator string `json:"operator"`
	// Detail says what it works on, in the query's words.
	Detail string `json:"detail,omitempty"`
	// Columns are the variables it binds.
	Columns []string `json:"columns,omitempty"`
	// EstimatedRows is what the planner expects; negative when it does not say.
	EstimatedRows float64 `json:"estimatedRows"`
	// Match is the vertex join of a basic graph pattern.
	Match *bgp.MatchPlan `json:"-"`
	// Steps describe Match.
	Steps []string `json:"steps,omitempty"`
	// Rows, Runs and Elapsed are what was measured, when the plan was run to be analysed. Elapsed includes the
	// inputs.
	Rows    uint64        `json:"rows,omitempty"`
	Runs    int           `json:"runs,omitempty"`
	Elapsed time.Duration `json:"elapsed,omitempty"`
	// Spilled is how many bytes the operator wrote to temporary files.
	Spilled int64 `json:"spilled,omitempty"`
	// Trace is what the matcher measured.
	Trace    *match.Trace `json:"trace,omitempty"`
	Children []*Explain   `json:"children,omitempty"`

	combines int // the step in which equal rows are combined; 0: none
	sifts    int // the step in which rows are left out; 0: none
}

// measured is what was measured of a node's operators.
func (p *Plan) measured(n planner.Node) (sum operator.Measures) {
	if m := p.measures[n]; m != nil {
		sum = *m
	}
	for _, besides := range p.besides {
		if m := besides[n]; m != nil {
			sum.Add(m)
		}
	}
	return sum
}

// explain describes a node of the plan, with what was measured of its operator, and those below it.
func (p *Plan) explain(n planner.Node) *Explain {
	if number, ok := n.(*planner.Number); ok {
		return p.explain(number.Input)
	}
	e := &Explain{Columns: n.Props().Columns, EstimatedRows: finite(n.Props().Rows)}
	e.Operator, e.Detail = n.Text()
	m := p.measured(n)
	e.Rows, e.Runs, e.Elapsed, e.Spilled, e.Trace = m.Rows, m.Runs, m.Elapsed, m.Spilled, m.Trace
	inputs := n.Inputs()
	switch n := n.(type) {
	case *planner.Match:
		if e.Match = n.Plan; m.Match != nil {
			e.Match = m.Match
		}
	case *planner.Product:
		if m.Whole {
			inputs = []planner.Node{n.Whole}
		}
	}
	for _, in := range inputs {
		e.Children = append(e.Children, p.explain(in))
	}
	if count, ok := n.(*planner.Count); ok {
		for i, t := range count.Terms {
			e.Children[i].Detail += describeDense(t.Match)
		}
	}
	return e
}

// describeDense says how a match is counted in neighbourhoods, by paths of two edges or by triples of neighbours, if it is.
func describeDense(m *planner.Match) string {
	if m.Plan.Empty || m.Graph == nil || m.Plan.Inputs > 0 {
		return ""
	}
	l := match.Lower(&match.Match{Graph: m.Graph, Plan: m.Plan}, true, match.Tuning{})
	switch {
	case l.Dense != nil:
		return " counted in neighbourhoods of ?" + m.Plan.Slots[l.Dense.Slots[0]].Variable
	case l.Squares != nil:
		return " counted by " + match.SquareVariant
	case l.Triangle != nil:
		return " counted by " + match.TriangleVariant
	}
	return ""
}

// WriteText writes the tree, an operator a line, inputs indented below what reads them.
func (e *Explain) WriteText(w io.Writer) error {
	var sb strings.Builder
	e.text(&sb, 0)
	_, err := io.WriteString(w, sb.String())
	return err
}

func (e *Explain) text(sb *strings.Builder, depth int) {
	indent := strings.Repeat("  ", depth)
	sb.WriteString(indent + e.line() + "\n")
	for i, s := range e.Steps {
		fmt.Fprintf(sb, "%s  %d. %s%s\n", indent, i+1, s, e.stepMeasured(i))
	}
	for _, c := range e.Children {
		c.text(sb, depth+1)
	}
}

func (e *Explain) line() string {
	s := e.Operator
	if e.Detail != "" {
		s += " " + e.Detail
	}
	if len(e.Columns) > 0 {
		s += " → " + strings.ReplaceAll("?"+strings.Join(e.Columns, " ?"), "?"+parser.BlankPrefix, parser.BlankPrefix)
	}
	if e.Match != nil {
		s += fmt.Sprintf("  (estimated %.0f rows)", e.EstimatedRows)
	}
	if e.Runs > 0 {
		s += fmt.Sprintf("  [%d rows, %v]", e.Rows, e.Elapsed.Round(time.Microsecond))
	}
	if t := e.Trace; t != nil && len(t.Steps) == 0 && e.Operator == "path" {
		s += fmt.Sprintf("  [searched on %s, %v in kernels]", t.Backend, t.Kernels.Round(time.Microsecond))
	}
	if e.Spilled > 0 {
		s += fmt.Sprintf("  [%d bytes on disk]", e.Spilled)
	}
	return s
}

func (e *Explain) stepMeasured(i int) string {
	if e.Trace != nil && i > 0 && (i == e.combines && e.Trace.Combined.Rows > 0 || i == e.sifts && e.Trace.Sifted.Rows > 0) {
		c := &e.Trace.Combined
		if i == e.sifts {
			c = &e.Trace.Sifted
		}
		return fmt.Sprintf("  [%d rows → %d, %v]", c.Rows, c.Groups, c.Elapsed.Round(time.Microsecond))
	}
	if e.Trace == nil || i >= len(e.Trace.Steps) {
		return ""
	}
	t := e.Trace.Steps[i]
	s := fmt.Sprintf("  [%d → %d candidates → %d rows, %v", t.RowsIn, t.Candidates, t.RowsOut, t.Elapsed.Round(time.Microsecond))
	if t.Bytes > 0 && t.Elapsed > 0 {
		s += fmt.Sprintf(", %.1f GB/s", float64(t.Bytes)/float64(t.Elapsed.Nanoseconds()))
	}
	if t.Variant != "" {
		s += ", " + t.Variant
	}
	return s + "]"
}

// finite is an estimate as JSON can carry it.
func finite(rows float64) float64 {
	if rows <= math.MaxFloat64 {
		return rows
	}
	return math.MaxFloat64
}
