package exec

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// graphOp matches its pattern in one named graph after another and binds the graph's name.
//
// The pattern is planned for each graph when it is first needed: statistics differ. A name that is in the seed
// picks the graphs.
type graphOp struct {
	compiler *compiler
	pattern  parser.Node
	variable string
	request  request
	// nameInput is the seed's column of the name, -1 without.
	nameInput int
	inner     []string // inputs of the pattern
	innerFrom []int
	out       []string
	plans     map[dictionary.ID]operator
	explain   *Explain
}

// graphPattern compiles GRAPH: over one graph, which may be missing, or over each.
func (c *compiler) graphPattern(n *parser.Graph, r request) (operator, error) {
	data := c.plan.dataset
	if !n.Name.IsVariable() {
		id := c.idOf(n.Name)
		g, ok := data.Named(id)
		if !ok {
			return &emptyOp{c.outputColumns(n, r), &Explain{Operator: "nothing", Detail: "no graph " + n.Name.Term.String()}}, nil
		}
		op, err := c.over(g).compile(n.Input, r)
		if err == nil {
			op.node().Detail += " in graph " + n.Name.Term.String()
		}
		return op, err
	}
	g := &graphOp{compiler: c, pattern: n.Input, variable: n.Name.Variable, request: r, plans: map[dictionary.ID]operator{}}
	g.out, g.nameInput = c.outputColumns(n, r), -1
	for i, v := range r.inputs {
		if v == g.variable {
			g.nameInput = i
		} else {
			g.inner, g.innerFrom = append(g.inner, v), append(g.innerFrom, i)
		}
	}
	graphs := data.NamedGraphs()
	g.explain = &Explain{Operator: "graph", Detail: fmt.Sprintf("?%s, %d graphs", g.variable, len(graphs)), Columns: g.out}
	if len(graphs) == 0 {
		return g, nil
	}
	op, err := g.plan(graphs[0])
	if err != nil {
		return nil, err
	}
	e := op.node()
	g.explain.Children = []*Explain{e}
	g.explain.cost, g.explain.EstimatedRows = e.cost*float64(len(graphs)), e.EstimatedRows*float64(len(graphs))
	return g, nil
}

// plan returns the operator for the pattern in one graph. The pattern may mention the graph's variable itself.
func (g *graphOp) plan(name dictionary.ID) (operator, error) {
	if op, ok := g.plans[name]; ok {
		return op, nil
	}
	graph, ok := g.compiler.plan.dataset.Named(name)
	if !ok {
		return nil, fmt.Errorf("exec: the data set has lost its graph %d", name)
	}
	need := union(g.request.need, setOf(g.variable))
	op, err := g.compiler.over(graph).compile(g.pattern, request{need: need, inputs: g.inner, distinct: g.request.distinct})
	if err == nil {
		g.plans[name] = op
	}
	return op, err
}

func (g *graphOp) columns() []string { return g.out }

func (g *graphOp) node() *Explain { return g.explain }

func (g *graphOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	if g.nameInput < 0 {
		for _, name := range g.compiler.plan.dataset.NamedGraphs() {
			if err := g.runGraph(x, name, seed, nil, emit); err != nil {
				return err
			}
		}
		return nil
	}
	rows := map[dictionary.ID][]uint32{}
	for r, name := range seed.Cols[g.nameInput] {
		rows[name] = append(rows[name], uint32(r))
	}
	for _, name := range g.compiler.plan.dataset.NamedGraphs() {
		if some := rows[name]; some != nil {
			if err := g.runGraph(x, name, seed, some, emit); err != nil {
				return err
			}
		}
	}
	return nil
}

// runGraph matches the pattern in one graph for some rows of the seed (nil: all).
func (g *graphOp) runGraph(x *execution, name dictionary.ID, seed *Batch, rows []uint32, emit func(*Batch) error) error {
	op, err := g.plan(name)
	if err != nil {
		return err
	}
	bind := g.binder(op.columns(), name, emit)
	if seed == nil {
		return measured(op, x, nil, bind)
	}
	if len(g.inner) == 0 {
		return crossRows(x, op, len(rows), rows, bind)
	}
	inner := &Batch{N: seed.N}
	for _, c := range g.innerFrom {
		inner.Cols = append(inner.Cols, seed.Cols[c])
	}
	if rows == nil {
		return measured(op, x, inner, bind)
	}
	var origin []uint32
	return measured(op, x, selectRows(&Batch{}, inner, rows), func(b *Batch) error {
		origin = gather(origin[:0], rows, b.Origin)
		return bind(&Batch{Cols: b.Cols, N: b.N, Origin: origin})
	})
}

// binder adds the graph's name to batches of its pattern, whose own binding of the variable must agree.
func (g *graphOp) binder(columns []string, name dictionary.ID, emit func(*Batch) error) func(*Batch) error {
	from, own := indexes(columns, g.out), indexOf(columns, g.variable)
	names := make([]dictionary.ID, 0, BatchRows)
	var keep []uint32
	var work, out Batch
	return func(b *Batch) error {
		if own >= 0 {
			keep = keep[:0]
			for r, id := range b.Cols[own] {
				if id == name || id == dictionary.None {
					keep = append(keep, uint32(r))
				}
			}
			b = selectRows(&work, b, keep)
		}
		for len(names) < b.N {
			names = append(names, name)
		}
		out.Cols = out.Cols[:0]
		for i, c := range from {
			if g.out[i] == g.variable {
				out.Cols = append(out.Cols, names[:b.N])
			} else {
				out.Cols = append(out.Cols, b.Cols[c])
			}
		}
		out.N, out.Origin = b.N, b.Origin
		return emit(&out)
	}
}

// emptyOp has no solutions.
type emptyOp struct {
	out     []string
	explain *Explain
}

func (e *emptyOp) columns() []string { return e.out }

func (e *emptyOp) node() *Explain { return e.explain }

func (e *emptyOp) run(*execution, *Batch, func(*Batch) error) error { return nil }
