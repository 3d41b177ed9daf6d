package planner

import (
	"context"
	"fmt"

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
	lists := p.lists()
	if _, _, ok := p.searchable(n.Name, n.Input); !ok && lists > 0.5 {
		if apart := p.graphsApart(n.Name, n.Input, false); apart != nil {
			return p.lower(apart, r)
		}
	}
	g := &EachGraph{Variable: n.Name.Variable, Name: -1, Graphs: p.catalog.NamedGraphs()}
	g.Properties = p.made(p.outputColumns(n, r), r.inputs)
	own := request{need: r.need.Or(p.scopes.Set(g.Variable)), outer: r.outer.Without(p.scopes.Set(g.Variable)), distinct: r.distinct, first: r.first}
	for i, v := range r.inputs {
		if v == g.Variable {
			g.Name = i
		} else {
			own.inputs, g.Seeded = append(own.inputs, v), append(g.Seeded, i)
		}
	}
	if lists > 0 {
		g.Search, g.Lists = p.listSearch(n, own.inputs), p.catalog.(Lister)
	}
	g.names = p.scopes.Of(n.Input).May.Has(p.scopes.Number(g.Variable))
	g.plans = map[dictionary.ID]*Subplan{}
	atOnce := p.options.Lasting && len(g.Graphs) <= maxGraphsAtOnce
	g.plan = func(name dictionary.ID) (*Subplan, error) {
		return p.subplan(atOnce, func() (Node, error) { return p.inGraph(n.Input, name, own) })
	}
	for _, name := range g.Graphs {
		var err error
		if g.plans[name], err = g.plan(name); err != nil {
			return nil, err
		}
		if !atOnce {
			break
		}
	}
	if len(g.plans) == 0 {
		return g, nil
	}
	return g, p.expectGraphs(g)
}

// expectGraphs expects the graphs to be like the first, and like some of those that are lists, which differ most and are planned soonest.
func (p *planner) expectGraphs(g *EachGraph) error {
	first, err := g.plans[g.Graphs[0]].Node(p.ctx)
	if err != nil {
		return err
	}
	e := first.Props()
	g.Cost, g.Rows = e.Cost, e.Rows
	some := 1.
	for _, name := range sampled(g.Graphs)[1:] {
		if g.Search == nil {
			break
		}
		if _, ok := g.Lists.Listed(name); !ok {
			continue
		}
		n, err := g.Plan(p.ctx, name, true)
		if err != nil {
			return err
		}
		some++
		g.Cost, g.Rows = g.Cost+n.Props().Cost, g.Rows+n.Props().Rows
	}
	searched, known := g.searched()
	if g.Cost, g.Rows = g.Cost/some*searched, g.Rows/some*searched; known {
		g.Rows = max(g.Rows, searched)
	}
	return nil
}

func (p *planner) inGraph(n parser.Node, name dictionary.ID, r request) (Node, error) {
	graph, ok := p.catalog.Named(name)
	if !ok {
		return nil, fmt.Errorf("planner: the data set has lost its graph %d", name)
	}
	if p.running {
		defer delete(p.graphs, graph) // there may be very many
	}
	return p.over(graph).lower(n, r)
}

// limit limits the rows of a graph whose plan is made, where all of them are the node's.
func (g *EachGraph) limit(s *Subplan) {
	if s.node != nil && g.Limit > 0 && !g.names {
		s.node = limited(s.node, g.Limit)
	}
}

// Plan is the plan of the pattern in one of the graphs, and keeps it, or only returns it. It is not safe for concurrent use.
func (g *EachGraph) Plan(ctx context.Context, name dictionary.ID, keep bool) (Node, error) {
	if s := g.plans[name]; s != nil {
		return s.Node(ctx)
	}
	s, err := g.plan(name)
	if err != nil {
		return nil, err
	}
	_, err = s.Node(ctx)
	g.limit(s)
	if keep {
		g.plans[name] = s
	}
	return s.node, err
}
