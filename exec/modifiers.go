package exec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
)

// projectOp picks columns.
type projectOp struct {
	input   operator
	out     []string
	explain *Explain
}

// project compiles a projection: a subquery, or the query's SELECT. Its input binds nothing else that is read.
func (c *compiler) project(n *parser.Project, r request) (operator, error) {
	in, err := c.compile(n.Input, r.with(setOf(c.outputColumns(n, r)...)))
	if err != nil {
		return nil, err
	}
	return c.narrowed(in, c.outputColumns(n, r)), nil
}

// narrowed puts a projection on an operator that has other columns than those asked for.
func (c *compiler) narrowed(in operator, out []string) operator {
	if strings.Join(in.columns(), "\n") == strings.Join(out, "\n") {
		return in
	}
	e := in.node()
	return &projectOp{input: in, out: out, explain: &Explain{
		Operator: "project", Columns: out, EstimatedRows: e.EstimatedRows, cost: e.cost, Children: []*Explain{e}}}
}

func (p *projectOp) columns() []string { return p.out }

func (p *projectOp) node() *Explain { return p.explain }

func (p *projectOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	return runStage(p, x, seed, emit)
}

func (p *projectOp) below() operator { return p.input }

func (p *projectOp) forks() bool { return true }

func (p *projectOp) fork() func(*execution, *Batch) (*Batch, error) {
	out := projection{from: indexes(p.input.columns(), p.out)}
	return func(_ *execution, b *Batch) (*Batch, error) { return out.of(b), nil }
}

// sliceOp skips and limits solutions.
type sliceOp struct {
	input         operator
	offset, limit int64
	explain       *Explain
}

func (c *compiler) slice(n *parser.Slice, r request) (operator, error) {
	r.distinct = false
	in, err := c.compile(n.Input, r)
	if err != nil {
		return nil, err
	}
	s := &sliceOp{input: in, offset: max(n.Offset, 0), limit: n.Limit}
	e := in.node()
	s.explain = &Explain{Operator: "slice", Columns: in.columns(), EstimatedRows: e.EstimatedRows, cost: e.cost, Children: []*Explain{e}}
	if n.Limit >= 0 {
		s.explain.Detail = fmt.Sprintf("limit %d", n.Limit)
		s.explain.EstimatedRows = min(e.EstimatedRows, float64(n.Limit))
		limitRows(in, uint64(s.offset+n.Limit))
	}
	if s.offset > 0 {
		s.explain.Detail = strings.TrimSpace(s.explain.Detail + fmt.Sprintf(" offset %d", s.offset))
	}
	return s, nil
}

// limitRows tells an operator how many of its solutions are read at most.
func limitRows(op operator, n uint64) {
	switch op := op.(type) {
	case *matchOp:
		op.limit = n
	case *productOp:
		op.undivide().limit = n
	case *sortOp:
		op.limit = n
	case *projectOp:
		limitRows(op.input, n)
	case *extendOp:
		limitRows(op.input, n)
	}
}

func (s *sliceOp) columns() []string { return s.input.columns() }

func (s *sliceOp) node() *Explain { return s.explain }

func (s *sliceOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	if s.limit == 0 {
		return nil
	}
	stop := errors.New("exec: limit reached")
	skip, left := s.offset, s.limit
	var out Batch
	err := measured(s.input, x, seed, func(b *Batch) error {
		from := min(skip, int64(b.N))
		skip -= from
		to := int64(b.N)
		if left >= 0 {
			to = min(to, from+left)
			left -= to - from
		}
		if from < to {
			out.Cols = out.Cols[:0]
			for _, col := range b.Cols {
				out.Cols = append(out.Cols, col[from:to])
			}
			out.N = int(to - from)
			if err := emit(&out); err != nil {
				return err
			}
		}
		if left == 0 {
			return stop
		}
		return nil
	})
	if err == stop {
		return nil
	}
	return err
}

// distinctOp drops repeated solutions. Past the memory limit, rows that it has not seen go to files, split by hash.
type distinctOp struct {
	input operator
	// sorted: the rows come in an order to be kept, which going on from disk would lose.
	sorted  bool
	explain *Explain
}

// distinct compiles DISTINCT: which rows are equal depends on all columns the input has, so that none is dropped.
func (c *compiler) distinct(n *parser.Distinct, r request) (operator, error) {
	want := c.outputColumns(n, r)
	r.need, r.distinct = c.scopes.of(n).vars, true
	in, err := c.compile(n.Input, r)
	if err != nil {
		return nil, err
	}
	e := in.node()
	d := &distinctOp{input: in, sorted: sorted(n.Input), explain: &Explain{
		Operator: "distinct", Columns: in.columns(), EstimatedRows: e.EstimatedRows, cost: e.cost, Children: []*Explain{e}}}
	return c.narrowed(d, want), nil
}

func (d *distinctOp) columns() []string { return d.input.columns() }

func (d *distinctOp) node() *Explain { return d.explain }

func (d *distinctOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	source := func(do func(*Batch) error) error { return measured(d.input, x, seed, do) }
	return d.level(x, source, len(d.columns()), 0, emit)
}

// level drops the repeats among the rows of one source.
func (d *distinctOp) level(x *execution, source func(func(*Batch) error) error, width, level int, emit func(*Batch) error) error {
	held := x.memory.open("distinct")
	defer held.close()
	seen := newRowSet(width)
	var parts *partitions
	defer func() {
		if parts != nil {
			parts.close()
		}
	}()
	key := allColumns(width)
	var hashes []uint64
	var keep []uint32
	var out Batch
	err := source(func(b *Batch) error {
		hashes = hashRows(hashes, b.Cols, key, b.N)
		keep = keep[:0]
		for r := range b.N {
			if parts != nil {
				if _, _, known := seen.find(b.Cols, r, hashes[r]); !known {
					if err := parts.of(hashes[r]).write(b.Cols, r); err != nil {
						return err
					}
				}
				continue
			}
			if _, fresh := seen.add(b.Cols, r, hashes[r]); fresh {
				keep = append(keep, uint32(r))
			}
		}
		if parts == nil && !held.hold(seen.bytes()) {
			if level > maxSpillLevel || width == 0 || d.sorted {
				return held.need(seen.bytes())
			}
			var err error
			if parts, err = createPartitions(x.options.TempDir, width, level); err != nil {
				return err
			}
		}
		if len(keep) == 0 {
			return nil
		}
		return emit(selectRows(&out, b, keep))
	})
	if err != nil || parts == nil {
		return err
	}
	seen = nil
	held.hold(0)
	for _, f := range parts.files {
		d.explain.Spilled += f.rows * int64(f.width) * 4
		if err := d.level(x, f.read, width, level+1, emit); err != nil {
			return err
		}
	}
	return nil
}

// sorted reports whether a pattern's solutions come in an order that DISTINCT has to keep.
func sorted(n parser.Node) bool {
	switch n := n.(type) {
	case *parser.OrderBy:
		return true
	case *parser.Project:
		return sorted(n.Input)
	case *parser.Slice:
		return sorted(n.Input)
	case *parser.Distinct:
		return sorted(n.Input)
	case *parser.Reduced:
		return sorted(n.Input)
	}
	return false
}
