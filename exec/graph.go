package exec

import (
	"context"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// graphOp matches its pattern in one named graph after another and binds the graph's name. A name that is in the seed
// picks the graphs.
type graphOp struct {
	base
	variable string
	names    []dictionary.ID
	// make returns the operator of the pattern in a graph, made when it is first reached.
	make func(ctx context.Context, name dictionary.ID) (operator, error)
	// nameInput is the seed's column of the name, -1 without; innerFrom are those of the pattern.
	nameInput int
	innerFrom []int
}

func (g *graphOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	if g.nameInput < 0 {
		for _, name := range g.names {
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
	for _, name := range g.names {
		if some := rows[name]; some != nil {
			if err := g.runGraph(x, name, seed, some, emit); err != nil {
				return err
			}
		}
	}
	return nil
}

// runGraph matches the pattern in one graph for some rows of the seed (nil: all).
func (g *graphOp) runGraph(x *execution, name dictionary.ID, seed *vector.Batch, rows []uint32, emit func(*vector.Batch) error) error {
	op, err := g.make(x.ctx, name)
	if err != nil {
		return err
	}
	bind := g.binder(op.columns(), name, emit)
	if seed == nil {
		return measured(op, x, nil, bind)
	}
	if len(g.innerFrom) == 0 {
		return crossRows(x, op, len(rows), rows, bind)
	}
	inner := &vector.Batch{N: seed.N}
	for _, c := range g.innerFrom {
		inner.Cols = append(inner.Cols, seed.Cols[c])
	}
	if rows == nil {
		return measured(op, x, inner, bind)
	}
	var origin []uint32
	return measured(op, x, vector.Select(&vector.Batch{}, inner, rows), func(b *vector.Batch) error {
		origin = vector.Gather(origin[:0], rows, b.Origin)
		return bind(&vector.Batch{Cols: b.Cols, N: b.N, Origin: origin})
	})
}

// binder adds the graph's name to batches of its pattern, whose own binding of the variable must agree.
func (g *graphOp) binder(columns []string, name dictionary.ID, emit func(*vector.Batch) error) func(*vector.Batch) error {
	from, own := indexes(columns, g.out), indexOf(columns, g.variable)
	names := make([]dictionary.ID, 0, vector.BatchRows)
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
			b = vector.Select(&work, b, keep)
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
