package loader

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/radix"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// edgeWriter turns the triple list into graph files: it gathers the edges of one cell (a graph and a label) as 64-bit
// keys, sorts them both ways, drops repeats and hands them to the graph's writer.
//
// When not all keys fit the budget, the list is read several times, for some of the cells each time; a cell that does
// not fit alone is cut into ranges of row vertices. Nothing but the graph files is ever written.
type edgeWriter struct {
	triples *tripleList
	final   []uint32 // ID by provisional ID
	labels  []uint32 // by predicate number
	cells   []cell   // by graph, then label
	budget  int64    // bytes of keys at one time

	vertices   int
	labelCount int
	options    []pcsr.Option
	path       func(graph int) string
	listed     string // the file that small named graphs share, where there are so many
	listFrom   int
	lists      *pcsr.ListsWriter
	graphs     []*graphFile
	step       func(n int) // told of keys that have been written
}

// cell is the edges of one label in one graph.
type cell struct {
	graph int
	label uint32
	count uint64
}

// graphFile is a graph that is being written.
type graphFile struct {
	writer *pcsr.Writer
	cells  int    // not yet written
	keys   uint64 // of all its cells, repeats among them
	edges  uint64
	first  uint64 // the place of its first edge in the lists, from 1 on; 0: it has a file of its own
}

// listFrom is of how many named graphs on the small ones share a file: those that have no more than pcsr.MostListed triples, repeats among them.
const listFrom = 256

// piece is the edges that are gathered for one cell at a time: all of them, or, of a cell that is cut, those of one
// direction whose row vertices are from ≤ v < to.
type piece struct {
	cell      int
	direction pcsr.Direction
	whole     bool
	from, to  uint64
	count     uint64
}

// write writes all graphs. names gives their number.
func (e *edgeWriter) write(ctx context.Context, names *graphNames) (err error) {
	e.graphs = make([]*graphFile, 1+len(names.ids))
	for i := range e.graphs {
		e.graphs[i] = &graphFile{}
	}
	for _, c := range e.cells {
		e.graphs[c.graph].cells++
		e.graphs[c.graph].keys += c.count
	}
	defer func() {
		for _, g := range e.graphs {
			if err != nil && g.writer != nil {
				err = errors.Join(err, g.writer.Abort())
			}
		}
		if err != nil && e.lists != nil {
			err = errors.Join(err, e.lists.Abort())
		}
	}()
	if e.graphs[0].cells == 0 { // a base has a default graph, if an empty one
		if err := e.finish(0); err != nil {
			return err
		}
	}
	rounds, err := e.plan(ctx, names)
	if err != nil {
		return err
	}
	for _, round := range rounds {
		if err := e.round(ctx, names, round); err != nil {
			return err
		}
	}
	if e.lists == nil {
		return nil
	}
	if e.lists.Next() <= uint64(max(0, e.budget))/pcsr.IndexBytes {
		if err := e.lists.Index(); err != nil {
			return err
		}
	}
	return e.lists.Finish()
}

// list appends the sorted keys of a cell to the edges of a small graph, whose cells come one after the other, by label.
func (e *edgeWriter) list(c cell, keys []uint64) (err error) {
	if e.lists == nil {
		if e.lists, err = pcsr.CreateLists(e.listed, e.vertices, e.labelCount, e.options...); err != nil {
			return err
		}
	}
	g := e.graphs[c.graph]
	if g.first == 0 {
		g.first = e.lists.Next() + 1
	}
	g.edges += uint64(len(keys))
	e.step(len(keys))
	return e.lists.Append(c.label, keys)
}

// plan cuts the work into rounds that fit the budget. The order of all pieces does not depend on it.
func (e *edgeWriter) plan(ctx context.Context, names *graphNames) (rounds [][]piece, err error) {
	limit := max(uint64(e.budget)/24, 1024) // keys and twice their scratch space
	var round []piece
	room := limit
	end := func() {
		if len(round) > 0 {
			rounds = append(rounds, round)
		}
		round, room = nil, limit
	}
	for _, i := range e.inOrder() {
		c := e.cells[i]
		if c.count > limit {
			cut, err := e.cut(ctx, names, i, limit)
			if err != nil {
				return nil, err
			}
			end()
			rounds = append(rounds, cut...)
			continue
		}
		if c.count > room {
			end()
		}
		round = append(round, piece{cell: i, whole: true, count: c.count})
		room -= c.count
	}
	end()
	return rounds, nil
}

// inOrder tells in which order the cells are written: the largest first, so that the cores end together; or, where
// graphs are many, graph by graph.
func (e *edgeWriter) inOrder() []int {
	order := make([]int, len(e.cells))
	for i := range order {
		order[i] = i
	}
	if len(e.graphs) <= min(maxOpenGraphs, e.listFrom) {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(e.cells[b].count, e.cells[a].count) })
	}
	return order
}

// cutBits says into how many ranges of vertices a cell can be cut: 2 to so many.
const cutBits = 14

// cut cuts a cell into pieces of at most limit edges, as far as no single range has more.
func (e *edgeWriter) cut(ctx context.Context, names *graphNames, number int, limit uint64) (rounds [][]piece, err error) {
	shift := 0
	for uint64(e.vertices)>>shift >= 1<<cutBits {
		shift++
	}
	var counts [2][1 << cutBits]uint64
	err = e.each(ctx, names, func(_, cell int, key uint64) {
		if cell == number {
			atomic.AddUint64(&counts[pcsr.Out][key>>32>>shift], 1)
			atomic.AddUint64(&counts[pcsr.In][uint64(uint32(key))>>shift], 1)
		}
	})
	for d := range counts {
		p := piece{cell: number, direction: pcsr.Direction(d)}
		for i, n := range counts[d] {
			if p.count > 0 && p.count+n > limit {
				rounds = append(rounds, []piece{p})
				p.from, p.count = p.to, 0
			}
			p.to, p.count = uint64(i+1)<<shift, p.count+n
		}
		rounds = append(rounds, []piece{p})
	}
	return rounds, err
}

// each calls do with the cell and the key of every triple, on all cores.
func (e *edgeWriter) each(ctx context.Context, names *graphNames, do func(worker, cell int, key uint64)) error {
	cellOf := map[cellKey]int{}
	all := uint32(defaultGraph) // the graph of most rows
	if e.triples.width == 3 {
		all = graphID(e.final, e.triples.graph)
	}
	byPredicate := make([]int, len(e.labels))
	for i, c := range e.cells {
		id := uint32(defaultGraph)
		if c.graph > 0 {
			id = names.ids[c.graph-1]
		}
		cellOf[cellKey{id, c.label}] = i
	}
	for n, label := range e.labels {
		byPredicate[n] = cellOf[cellKey{all, label}]
	}
	width, final := e.triples.width, e.final
	return e.triples.each(ctx, func(worker int, rows []uint32) error {
		for ; len(rows) > 0; rows = rows[width:] {
			c := 0
			if width == 3 || rows[rowGraph] == defaultGraph {
				c = byPredicate[rows[rowPredicate]]
			} else {
				c = cellOf[cellKey{final[rows[rowGraph]], e.labels[rows[rowPredicate]]}]
			}
			do(worker, c, uint64(final[rows[rowSubject]])<<32|uint64(final[rows[rowObject]]))
		}
		return nil
	})
}

// maxOpenGraphs is how many graph files are written side by side.
const maxOpenGraphs = 100

// round gathers the edges of some pieces, sorts and writes them.
func (e *edgeWriter) round(ctx context.Context, names *graphNames, pieces []piece) error {
	parts, keys, err := e.gather(ctx, names, pieces)
	if err != nil {
		return err
	}
	defer release(e.triples.memory, keys)
	// Pieces are sorted side by side but written one after the other, so that a store depends on its input alone.
	written := make([]chan struct{}, len(pieces)+1)
	for i := range written {
		written[i] = make(chan struct{})
	}
	close(written[0])
	var next atomic.Int64
	return parallel(ctx, e.triples.memory.threads, func(ctx context.Context, _ int) (err error) {
		var scratch []uint64 // the largest piece comes first, so that mostly one allocation does
		defer func() { release(e.triples.memory, scratch) }()
		for i := int(next.Add(1)) - 1; i < len(pieces); i = int(next.Add(1)) - 1 {
			keys := parts[i]
			if len(scratch) < 2*len(keys) {
				release(e.triples.memory, scratch)
				if scratch, err = allocate[uint64](e.triples.memory, 2*len(keys)); err != nil {
					return err
				}
			}
			if err := e.piece(ctx, pieces[i], keys, scratch, written[i]); err != nil {
				return err
			}
			close(written[i+1])
		}
		return nil
	})
}

// piece sorts the keys of a piece, with scratch space for twice as many, and writes them when its turn comes.
func (e *edgeWriter) piece(ctx context.Context, p piece, keys, scratch []uint64, turn <-chan struct{}) error {
	n := len(keys)
	first, second := scratch[:n:n], scratch[n:]
	sorted := radix.Distinct(radix.Sort(keys, first))
	var reversed []uint64
	c := e.cells[p.cell]
	small := c.graph > 0 && len(e.graphs) > e.listFrom && e.graphs[c.graph].keys <= pcsr.MostListed
	if p.whole && !small {
		if &sorted[0] == &first[0] {
			first = keys
		}
		for i, k := range sorted {
			first[i] = k<<32 | k>>32
		}
		reversed = radix.SortUpper(first[:len(sorted)], second, 32) // those of one object are in order by subject
	}
	select {
	case <-turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	if small {
		return e.list(c, sorted)
	}
	if !p.whole {
		last := p.direction == pcsr.In && p.to >= uint64(e.vertices)
		return e.append(ctx, c, p.direction, sorted, p.from == 0, last)
	}
	if err := e.append(ctx, c, pcsr.Out, sorted, true, false); err != nil {
		return err
	}
	return e.append(ctx, c, pcsr.In, reversed, true, true)
}

// append adds sorted keys to a graph file. start begins a partition; last says that the cell ends here.
func (e *edgeWriter) append(ctx context.Context, c cell, d pcsr.Direction, keys []uint64, start, last bool) error {
	g := e.graphs[c.graph]
	if g.writer == nil {
		if err := e.open(c.graph); err != nil {
			return err
		}
	}
	if start {
		if err := g.writer.Partition(c.label, d); err != nil {
			return err
		}
	}
	for len(keys) > 0 && ctx.Err() == nil {
		n := min(len(keys), stride)
		if err := g.writer.Append(keys[:n]); err != nil {
			return err
		}
		e.step(n)
		if keys = keys[n:]; d == pcsr.Out {
			g.edges += uint64(n)
		}
	}
	if ctx.Err() != nil || !last {
		return ctx.Err()
	}
	if g.cells--; g.cells > 0 {
		return nil
	}
	return e.finish(c.graph)
}

// open starts the file of a graph.
func (e *edgeWriter) open(graph int) (err error) {
	g := e.graphs[graph]
	g.writer, err = pcsr.Create(e.path(graph), e.vertices, e.labelCount, e.options...)
	return err
}

// finish ends the file of a graph.
func (e *edgeWriter) finish(graph int) error {
	g := e.graphs[graph]
	if g.writer == nil {
		if err := e.open(graph); err != nil {
			return err
		}
	}
	w := g.writer
	g.writer = nil
	return w.Finish()
}
