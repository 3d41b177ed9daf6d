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
	// Walker walks the path that the pattern is in those graphs; nil: it is done as in all others.
	Walker func(ctx context.Context) (Walker, error)
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
	case !g.Search.Path:
		s := g.newSearch(x, seed, emit)
		return g.inLists(&s.listFinder, s.graph, s.flush, run)
	}
	walker, err := g.Walker(x.Ctx)
	if err != nil {
		return err
	}
	if walker == nil {
		return g.eachName(seed, run)
	}
	w := g.newWalk(x, walker, seed, emit)
	return g.inLists(&w.listFinder, w.graph, w.flush, run)
}

// inLists searches the graphs that are lists, and runs the pattern in the others; flush emits what has been found in lists.
func (g *EachGraph) inLists(f *listFinder, search searchList, flush func() error, run func(name dictionary.ID, rows []uint32) error) error {
	if g.NameInput < 0 {
		found, err := f.found(search)
		if err != nil {
			return err
		}
		if found {
			for _, name := range g.Lists.Unlisted() {
				if err := run(name, nil); err != nil {
					return err
				}
			}
			return flush()
		}
	}
	err := g.eachName(f.seed, func(name dictionary.ID, rows []uint32) error {
		if triples, ok := g.Lists.Listed(name); ok {
			return search(name, triples, rows)
		}
		return run(name, rows)
	})
	if err != nil {
		return err
	}
	return flush()
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
	run := func(x *operator.Execution) error {
		return g.runOperator(x, op, g.newBinder(op, emit), name, seed, rows)
	}
	if done == nil {
		return run(x)
	}
	defer done()
	return x.Briefly(run)
}

// runOperator is runGraph with the operator of the pattern in the graph, and what adds the name to its rows.
func (g *EachGraph) runOperator(x *operator.Execution, op operator.Operator, to *binder, name dictionary.ID, seed *vector.Batch, rows []uint32) error {
	bind := func(b *vector.Batch) error { return to.bind(name, b) }
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

// binder adds a graph's name to batches of its pattern, whose own binding of the variable must agree.
type binder struct {
	g    *EachGraph
	emit func(*vector.Batch) error
	// from are the pattern's columns of those of the graph's, own is the variable's among them, -1 where it is none.
	from      []int
	own       int
	names     []dictionary.ID
	keep      []uint32
	work, out vector.Batch
}

func (g *EachGraph) newBinder(op operator.Operator, emit func(*vector.Batch) error) *binder {
	columns := op.Columns()
	return &binder{g: g, emit: emit, from: operator.Indexes(columns, g.Out), own: operator.IndexOf(columns, g.Variable)}
}

func (n *binder) bind(name dictionary.ID, b *vector.Batch) error {
	if n.own >= 0 {
		n.keep = n.keep[:0]
		for r, id := range b.Cols[n.own] {
			if id == name || id == dictionary.None {
				n.keep = append(n.keep, uint32(r))
			}
		}
		if len(n.keep) == 0 {
			return nil
		}
		b = vector.Select(&n.work, b, n.keep)
	}
	n.names = n.names[:0]
	for range b.N {
		n.names = append(n.names, name)
	}
	n.out.Cols = n.out.Cols[:0]
	for i, c := range n.from {
		if n.g.Out[i] == n.g.Variable {
			n.out.Cols = append(n.out.Cols, n.names)
		} else {
			n.out.Cols = append(n.out.Cols, b.Cols[c])
		}
	}
	n.out.N, n.out.Origin = b.N, b.Origin
	return n.emit(&n.out)
}
