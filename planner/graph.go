package planner

import (
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// graphPattern plans GRAPH: over one graph, which may be missing, or over each.
func (p *planner) graphPattern(n *parser.Graph, r request) (Node, error) {
	if n.Name.IsVariable() {
		return p.eachGraph(n, r)
	}
	id, _ := p.options.Lookup(n.Name.Term)
	g, ok := p.catalog.Named(id)
	if _, known := p.options.Lookup(n.Name.Term); !known || !ok {
		return &Empty{leaf{p.made(p.outputColumns(n, r), r.inputs)}, "no graph " + n.Name.Term.String()}, nil
	}
	in, err := p.over(g).lower(n.Input, r)
	if err != nil {
		return nil, err
	}
	in.Props().note += " in graph " + n.Name.Term.String()
	return in, nil
}

// eachGraph plans a pattern for each named graph: statistics differ. A name that is in the seed picks the graphs.
func (p *planner) eachGraph(n *parser.Graph, r request) (Node, error) {
	g := &EachGraph{Variable: n.Name.Variable, Name: -1, Graphs: p.catalog.NamedGraphs()}
	g.Properties = p.made(p.outputColumns(n, r), r.inputs)
	own := request{need: r.need.Or(p.scopes.Set(g.Variable)), distinct: r.distinct}
	for i, v := range r.inputs {
		if v == g.Variable {
			g.Name = i
		} else {
			own.inputs, g.Seeded = append(own.inputs, v), append(g.Seeded, i)
		}
	}
	atOnce := p.options.Lasting && len(g.Graphs) <= maxGraphsAtOnce
	for _, name := range g.Graphs {
		plan, err := p.subplan(atOnce, func() (Node, error) { return p.inGraph(n.Input, name, own) })
		if err != nil {
			return nil, err
		}
		g.Plans = append(g.Plans, plan)
	}
	if len(g.Plans) == 0 {
		return g, nil
	}
	first, err := g.Plans[0].Node(p.ctx)
	if err != nil {
		return nil, err
	}
	e, graphs := first.Props(), float64(len(g.Graphs))
	g.Cost, g.Rows = e.Cost*graphs, e.Rows*graphs
	return g, nil
}

func (p *planner) inGraph(n parser.Node, name dictionary.ID, r request) (Node, error) {
	graph, ok := p.catalog.Named(name)
	if !ok {
		return nil, fmt.Errorf("planner: the data set has lost its graph %d", name)
	}
	return p.over(graph).lower(n, r)
}

// Plan is the plan of the pattern in a graph; nil where there is no such graph.
func (g *EachGraph) Plan(name dictionary.ID) *Subplan {
	if i, ok := slices.BinarySearch(g.Graphs, name); ok {
		return g.Plans[i]
	}
	return nil
}
