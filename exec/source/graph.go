package source

import (
	"context"
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/sideways"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/planner"
)

// EachGraph matches its pattern in one named graph after another and binds the graph's name. A name that is in the seed
// picks the graphs.
type EachGraph struct {
	operator.Base
	Variable string
	Names    []dictionary.ID
	// Make returns the operator of the pattern in a graph, which it keeps; or one that it does not, and done, to be called when that is used no more.
	Make func(ctx context.Context, name dictionary.ID) (op operator.Operator, done func(), err error)
	// NameInput is the seed's column of the name, -1 without; innerFrom are those of the pattern.
	NameInput int
	InnerFrom []int
	// Search is how the pattern is searched for in graphs that are lists, of Lists; nil: as in all others.
	Search *planner.ListSearch
	Lists  planner.Lister
	// Weighted: the consumer reads Batch.Weights, which rows of lists may have.
	Weighted bool
}

func (g *EachGraph) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	run := func(name dictionary.ID, rows []uint32) error { return g.runGraph(x, name, seed, rows, emit) }
	switch {
	case g.Search == nil:
		return g.eachName(seed, run)
	case g.Search.Never:
		return nil
	}
	s := g.newSearch(x, seed, emit)
	found := false
	if g.NameInput < 0 {
		var err error
		if found, err = s.found(); err != nil {
			return err
		}
	}
	if found {
		for _, name := range g.Lists.Unlisted() {
			if err := run(name, nil); err != nil {
				return err
			}
		}
		return s.flush()
	}
	err := g.eachName(seed, func(name dictionary.ID, rows []uint32) error {
		if triples, ok := g.Lists.Listed(name); ok {
			return s.graph(name, triples, rows)
		}
		return run(name, rows)
	})
	if err != nil {
		return err
	}
	return s.flush()
}

// eachName calls do for each graph, with the rows of the seed that name it (nil: all).
func (g *EachGraph) eachName(seed *vector.Batch, do func(name dictionary.ID, rows []uint32) error) error {
	if g.NameInput < 0 {
		for _, name := range g.Names {
			if err := do(name, nil); err != nil {
				return err
			}
		}
		return nil
	}
	rows := map[dictionary.ID][]uint32{}
	for r, name := range seed.Cols[g.NameInput] {
		rows[name] = append(rows[name], uint32(r))
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if _, ok := slices.BinarySearch(g.Names, name); ok {
			if err := do(name, rows[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// runGraph matches the pattern in one graph for some rows of the seed (nil: all).
func (g *EachGraph) runGraph(x *operator.Execution, name dictionary.ID, seed *vector.Batch, rows []uint32, emit func(*vector.Batch) error) error {
	op, done, err := g.Make(x.Ctx, name)
	if err != nil {
		return err
	}
	run := func(x *operator.Execution) error { return g.runOperator(x, op, name, seed, rows, emit) }
	if done == nil {
		return run(x)
	}
	defer done()
	return x.Briefly(run)
}

// runOperator is runGraph with the operator of the pattern in the graph.
func (g *EachGraph) runOperator(x *operator.Execution, op operator.Operator, name dictionary.ID, seed *vector.Batch, rows []uint32, emit func(*vector.Batch) error) error {
	bind := g.binder(op.Columns(), name, emit)
	if seed == nil {
		return operator.Run(op, x, nil, bind)
	}
	if len(g.InnerFrom) == 0 {
		return sideways.Cross(x, op, len(rows), rows, bind)
	}
	inner := &vector.Batch{N: seed.N}
	for _, c := range g.InnerFrom {
		inner.Cols = append(inner.Cols, seed.Cols[c])
	}
	if rows == nil {
		return operator.Run(op, x, inner, bind)
	}
	var origin []uint32
	return operator.Run(op, x, vector.Select(&vector.Batch{}, inner, rows), func(b *vector.Batch) error {
		origin = vector.Gather(origin[:0], rows, b.Origin)
		return bind(&vector.Batch{Cols: b.Cols, N: b.N, Origin: origin})
	})
}

// binder adds the graph's name to batches of its pattern, whose own binding of the variable must agree.
func (g *EachGraph) binder(columns []string, name dictionary.ID, emit func(*vector.Batch) error) func(*vector.Batch) error {
	from, own := operator.Indexes(columns, g.Out), operator.IndexOf(columns, g.Variable)
	var names []dictionary.ID
	var keep []uint32
	var work, out vector.Batch
	return func(b *vector.Batch) error {
		if own >= 0 {
			keep = keep[:0]
			for r, id := range b.Cols[own] {
				if id == name || id == dictionary.None {
					keep = append(keep, uint32(r))
				}
			}
			if len(keep) == 0 {
				return nil
			}
			b = vector.Select(&work, b, keep)
		}
		for len(names) < b.N {
			names = append(names, name)
		}
		out.Cols = out.Cols[:0]
		for i, c := range from {
			if g.Out[i] == g.Variable {
				out.Cols = append(out.Cols, names[:b.N])
			} else {
				out.Cols = append(out.Cols, b.Cols[c])
			}
		}
		out.N, out.Origin = b.N, b.Origin
		return emit(&out)
	}
}
