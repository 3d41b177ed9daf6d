package watch

import (
	"context"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// seed is a triple pattern of a leaf, for which a changed edge may stand. A match of the leaf with several changed edges belongs to the
// first pattern for which one stands, so that it is found once.
type seed struct {
	leaf     *leaf
	position int
	// inputs are the pattern's variables, output those that are read, read in number, and those that earlier patterns have.
	inputs, output []string
	read           int
	// repeats: a variable stands in the pattern twice.
	repeats bool
	// earlier are the earlier patterns, by place in output, and columns the leaf's columns likewise, -1 for the name of the graph.
	earlier []places
	columns []int
	// graphColumn is where the pattern itself binds the variable of GRAPH; -1 where it does not.
	graphColumn int

	// plans are those of the matches, with all of output, and with what is read alone.
	plans [2]lastingPlan
	// took is what an edge cost the last time that the processor matched many, in candidates; 0 where it has not yet.
	took float64
}

// lastingPlan is a plan, nil where there is none yet, and what the graph was like when it was made.
type lastingPlan struct {
	*bgp.MatchPlan
	over footing
}

// The plans of a seed.
const (
	whole = iota
	lean
)

// places say where the ends and the label of a pattern stand in a row; below 0 they are constants.
type places struct{ from, label, to int }

// footing is what a plan was made over.
type footing struct {
	edges uint64
	typed bool
}

// grown is by how much a graph has to grow, or shrink, before its seeds are planned again, and fewEdges from how many edges on.
const (
	grown    = 4
	fewEdges = 1000
)

// place finds the columns.
func (s *seed) place() {
	at := func(v string) int { return slices.Index(s.output, v) }
	for _, p := range s.leaf.node.Patterns[:s.position] {
		s.earlier = append(s.earlier, places{at(p.Subject.Variable), at(p.Predicate.Variable), at(p.Object.Variable)})
	}
	variables := 0
	for _, t := range [3]parser.PatternTerm{s.leaf.node.Patterns[s.position].Subject, s.leaf.node.Patterns[s.position].Predicate, s.leaf.node.Patterns[s.position].Object} {
		if t.IsVariable() {
			variables++
		}
	}
	s.repeats = variables > len(s.inputs)
	s.graphColumn = -1
	for _, v := range s.leaf.columns {
		s.columns = append(s.columns, at(v))
	}
	if v := s.leaf.graph.Variable; v != "" {
		s.graphColumn = at(v)
	}
}

// holdsFor reports whether a plan made over one graph is good for another. The label of rdf:type must be the same, because class
// patterns are no edges then.
func (f footing) holdsFor(g *pcsr.Graph) bool {
	_, typed := g.TypeLabel()
	edges := g.Edges()
	return f.typed == typed && edges <= grown*f.edges+fewEdges && f.edges <= grown*edges+fewEdges
}

// planFor is the plan of the leaf's matches around given edges, whole or lean.
func (s *seed) planFor(ctx context.Context, g *pcsr.Graph, lookup bgp.Lookup, kind int) (*bgp.MatchPlan, error) {
	output := s.output
	if kind == lean {
		output = output[:s.read]
	}
	if len(output) == len(s.output) {
		kind = whole
	}
	p := &s.plans[kind]
	if p.MatchPlan != nil && p.over.holdsFor(g) {
		return p.MatchPlan, nil
	}
	plan, err := bgp.Plan(ctx, s.leaf.node.Patterns, g, lookup, bgp.Options{
		Semantics: s.leaf.owner.semantics, Inputs: s.inputs, Output: output, Lasting: true,
	})
	if err != nil {
		return nil, err
	}
	_, typed := g.TypeLabel()
	*p = lastingPlan{plan, footing{g.Edges(), typed}}
	return plan, nil
}

// fits reports whether an edge may stand for the pattern.
func (s *seed) fits(e pcsr.Edge) bool {
	k := s.leaf.edges[s.position]
	p := &s.leaf.node.Patterns[s.position]
	return (k.From == wildcard || k.From == e.From) && (k.Label == wildcard || k.Label == e.Label) && (k.To == wildcard || k.To == e.To) &&
		(p.Subject.Variable == "" || (p.Subject.Variable != p.Object.Variable || e.From == e.To) && (p.Subject.Variable != p.Predicate.Variable || e.From == e.Label)) &&
		(p.Object.Variable == "" || p.Object.Variable != p.Predicate.Variable || e.To == e.Label)
}

// bindings appends what an edge binds to the columns of the inputs.
func (s *seed) bindings(cols [][]dictionary.ID, e pcsr.Edge) [][]dictionary.ID {
	p := &s.leaf.node.Patterns[s.position]
	for i, v := range s.inputs {
		id := e.To
		switch v {
		case p.Subject.Variable:
			id = e.From
		case p.Predicate.Variable:
			id = e.Label
		}
		if i == len(cols) {
			cols = append(cols, nil)
		}
		cols[i] = append(cols[i], id)
	}
	return cols
}

// hits are the edges of one side of a change that fit a seed.
type hits struct {
	seed *seed
	cols [][]dictionary.ID
	n    int
}

// share takes edges that all fit, of a pattern whose ends are two variables. The columns are others' too.
func (h *hits) share(from, to []dictionary.ID) {
	h.cols, h.n = [][]dictionary.ID{from, to}, len(from)
}

// add takes an edge that fits.
func (h *hits) add(e pcsr.Edge) {
	h.cols = h.seed.bindings(h.cols, e)
	h.n++
}

// rivals are the earlier patterns for which an edge of the side can stand.
func (s *seed) rivals(side *side) (list []int) {
	for i := range s.earlier {
		if l := s.leaf.edges[i].Label; l == wildcard || side.hasLabel(l) {
			list = append(list, i)
		}
	}
	return list
}

// belongsElsewhere reports whether a changed edge stands for an earlier pattern of a match.
func (s *seed) belongsElsewhere(b *match.Batch, row int, rivals []int, side *side) bool {
	for _, i := range rivals {
		at, e := s.earlier[i], s.leaf.edges[i]
		if at.from >= 0 {
			e.From = b.Cols[at.from][row]
		}
		if at.label >= 0 {
			e.Label = b.Cols[at.label][row]
		}
		if at.to >= 0 {
			e.To = b.Cols[at.to][row]
		}
		if side.has(e) {
			return true
		}
	}
	return false
}
