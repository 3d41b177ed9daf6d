package planner

import (
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// path plans the walk of a path: one of * + ? and negated property sets (SPARQL 1.1 section 9); the others are triple
// patterns, joins and unions by now.
func (p *planner) path(n *parser.PathPattern, r request) (Node, error) {
	if parser.PathSize(n.Path) > maxPath {
		return nil, fmt.Errorf("planner: a path of more than %d steps: %w", maxPath, ErrUnsupported)
	}
	out := &Path{leaf: leaf{p.made(p.outputColumns(n, r), r.inputs)}, Graph: p.graph, Step: n.Path}
	out.Subject, out.Object = p.pathEnd(n.Subject, r), p.pathEnd(n.Object, r)
	switch path := n.Path.(type) {
	case *parser.PathZeroOrOne:
		out.Kind, out.Step = ZeroOrOne, path.Path
	case *parser.PathZeroOrMore:
		out.Kind, out.Step = ZeroOrMore, path.Path
	case *parser.PathOneOrMore:
		out.Kind, out.Step = OneOrMore, path.Path
	}
	if out.Kind == OneOrMore && parser.Nullable(out.Step) {
		out.Kind = ZeroOrMore
	}
	out.text = termText(n.Subject) + " " + pathText(n.Path) + " " + termText(n.Object)
	out.Rows, out.Cost = p.pathRows(out)
	return out, nil
}

func (p *planner) pathEnd(t parser.PatternTerm, r request) PathEnd {
	if !t.IsVariable() {
		return PathEnd{Term: t.Term, Seed: -1}
	}
	e := PathEnd{Variable: t.Variable, Seed: slices.Index(r.inputs, t.Variable)}
	e.Given = e.Seed >= 0 && (r.outer.Has(p.scopes.Number(t.Variable)) || scope.IsParameter(t.Variable))
	return e
}

// countsEnds reports whether nobody reads one of the ends that the path binds, so that how many there are is enough.
func (n *Path) countsEnds() bool {
	if n.Kind == Once || len(n.Seeds) > 0 || n.Subject.Variable == n.Object.Variable {
		return false
	}
	unread := func(e PathEnd) bool { return e.Free() && !slices.Contains(n.Columns, e.Variable) }
	return unread(n.Subject) || unread(n.Object)
}

// pathRows estimates the solutions of a path and what finding them costs, in edges.
func (p *planner) pathRows(n *Path) (rows, cost float64) {
	edges, ends := p.pathBounds(n)
	subject, object := n.Subject.Free(), n.Object.Free()
	switch {
	case subject && object && n.Kind == ZeroOrOne: // each vertex with itself, and the steps
		if steps, _, ok := p.starts(n.Step, pcsr.Out); ok {
			edges = ends + steps
		}
		return max(edges, ends), max(edges, ends)
	case subject && object && n.Kind == OneOrMore:
		return max(edges, ends), max(edges, ends)
	case subject && object:
		return ends, max(edges, ends)
	case !subject && !object:
		return 1, edges
	}
	from, d := n.Subject, pcsr.Out
	if subject {
		from, d = n.Object, pcsr.In
	}
	if from.Variable == "" {
		w := pathWalk{planner: p, seen: map[pcsr.Vertex]bool{}}
		if w.reach(n, from.Term, d) {
			return float64(len(w.seen)), float64(w.walked + 1)
		}
	}
	return ends, edges
}

// pathBounds are the edges that the step can walk, at its beginning, and the vertices that a walk can end at.
func (p *planner) pathBounds(n *Path) (edges, ends float64) {
	edges, ends = float64(p.graph.Edges()), float64(p.graph.Vertices())
	first, _, ok := p.starts(n.Step, pcsr.Out)
	if !ok || n.Kind == ZeroOrMore || n.Kind == ZeroOrOne {
		return edges, ends
	}
	if _, reachable, ok := p.starts(n.Step, pcsr.In); ok {
		ends = min(ends, reachable)
	}
	return first, ends
}

// starts adds up the edges and the rows of the partitions that a path begins in; false where it may begin anywhere.
func (p *planner) starts(path parser.Path, d pcsr.Direction) (edges, rows float64, ok bool) {
	switch path := path.(type) {
	case *parser.PathIRI:
		if label, known := p.label(rdf.NewIRI(path.IRI)); known {
			part := p.graph.Partition(label, d)
			return float64(part.Edges()), float64(part.Rows()), true
		}
		return 0, 0, true
	case *parser.PathInverse:
		return p.starts(path.Path, d.Reverse())
	case *parser.PathSequence:
		if d == pcsr.In {
			return p.starts(path.Right, d)
		}
		return p.starts(path.Left, d)
	case *parser.PathAlternative:
		edges, rows, ok = p.starts(path.Left, d)
		more, others, both := p.starts(path.Right, d)
		return edges + more, rows + others, ok && both
	case *parser.PathOneOrMore:
		if !parser.Nullable(path.Path) {
			return p.starts(path.Path, d)
		}
	}
	return 0, 0, false
}

// pathWalk follows a path from a constant, as long as that takes few edges.
type pathWalk struct {
	*planner
	seen   map[pcsr.Vertex]bool
	walked int
}

// reach collects the vertices that the path leads to; false where it is far from done after walkedEdges, or where one walk
// of the step is not cheap.
func (w *pathWalk) reach(n *Path, from rdf.Term, d pcsr.Direction) bool {
	v, ok := w.options.Lookup(from)
	zero := n.Kind == ZeroOrMore || n.Kind == ZeroOrOne
	if !flat(n.Step) {
		return false
	}
	if !ok || int64(v) >= int64(w.graph.Vertices()) {
		if zero {
			w.seen[dictionary.None] = true
		}
		return true
	}
	if zero {
		w.seen[v] = true
	}
	queue := []pcsr.Vertex{v}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		near := w.neighbours(n.Step, u, d, func(next pcsr.Vertex) bool {
			if !w.seen[next] {
				w.seen[next] = true
				queue = append(queue, next)
			}
			return true
		})
		if !near {
			return false
		}
		if n.Kind == Once || n.Kind == ZeroOrOne {
			break
		}
	}
	return true
}

// flat reports whether a step has no closure and no negated set inside: one walk of it is cheap.
func flat(p parser.Path) bool {
	switch p := p.(type) {
	case *parser.PathIRI:
		return true
	case *parser.PathInverse:
		return flat(p.Path)
	case *parser.PathSequence:
		return flat(p.Left) && flat(p.Right)
	case *parser.PathAlternative:
		return flat(p.Left) && flat(p.Right)
	}
	return false
}

// neighbours calls visit with every vertex that one walk of a flat step ends at, until it says false.
func (w *pathWalk) neighbours(step parser.Path, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) bool) bool {
	switch step := step.(type) {
	case *parser.PathIRI:
		label, ok := w.label(rdf.NewIRI(step.IRI))
		if !ok {
			return true
		}
		for _, u := range w.graph.Partition(label, d).Neighbours(v) {
			if w.walked++; w.walked > walkedEdges || !visit(u) {
				return false
			}
		}
	case *parser.PathInverse:
		return w.neighbours(step.Path, v, d.Reverse(), visit)
	case *parser.PathSequence:
		first, second := step.Left, step.Right
		if d == pcsr.In {
			first, second = second, first
		}
		return w.neighbours(first, v, d, func(u pcsr.Vertex) bool { return w.neighbours(second, u, d, visit) })
	case *parser.PathAlternative:
		return w.neighbours(step.Left, v, d, visit) && w.neighbours(step.Right, v, d, visit)
	}
	return true
}
