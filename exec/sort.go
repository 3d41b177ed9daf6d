package exec

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// sortOp sorts solutions by the order of SPARQL 1.1, section 15.1; equal ones keep the order they came in.
//
// With a limit it keeps only the best rows. Past the memory limit sorted runs go to files, which are merged.
type sortOp struct {
	input      operator
	keys       []evaluator
	descending []bool
	out        []string
	limit      uint64
	compare    func(a, b dictionary.ID) int
	explain    *Explain
}

func (c *compiler) orderBy(n *parser.OrderBy, r request) (operator, error) {
	s := &sortOp{out: c.outputColumns(n, r), compare: newComparer(c.plan).Compare}
	need := setOf(s.out...)
	for _, k := range n.Keys {
		need = c.scopes.mentions(need, k.Expr)
	}
	var err error
	if s.input, err = c.compile(n.Input, r.with(need)); err != nil {
		return nil, err
	}
	var texts []string
	for _, k := range n.Keys {
		ev, err := c.compileExpr(k.Expr, s.input.columns())
		if err != nil {
			return nil, err
		}
		s.keys, s.descending = append(s.keys, ev), append(s.descending, k.Descending)
		text := exprText(k.Expr)
		if k.Descending {
			text += " descending"
		}
		texts = append(texts, text)
	}
	e := s.input.node()
	s.explain = &Explain{
		Operator: "sort", Detail: "by " + strings.Join(texts, ", "), Columns: s.out,
		EstimatedRows: e.EstimatedRows, cost: e.cost, Children: []*Explain{e},
	}
	return s, nil
}

func (s *sortOp) columns() []string { return s.out }

func (s *sortOp) node() *Explain { return s.explain }

// sortRun is one run of a sort. Its rows are the keys' values and then the output columns.
type sortRun struct {
	*sortOp
	x    *execution
	rows *columns
	held *account
	runs []*spillFile
}

func (s *sortOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	if s.limit > 0 {
		s.explain.Detail = strings.TrimSuffix(s.explain.Detail, fmt.Sprintf(", best %d", s.limit)) + fmt.Sprintf(", best %d", s.limit)
	}
	r := &sortRun{sortOp: s, x: x, rows: newColumns(len(s.keys) + len(s.out)), held: x.memory.open("sort")}
	defer r.close()
	from := indexes(s.input.columns(), s.out)
	if err := measured(s.input, x, seed, func(b *Batch) error { return r.add(b, from) }); err != nil {
		return err
	}
	if len(r.runs) == 0 {
		return r.emitSorted(emit)
	}
	if err := r.spill(); err != nil {
		return err
	}
	return r.merge(emit)
}

func (r *sortRun) close() {
	r.held.close()
	for _, f := range r.runs {
		f.close()
	}
}

// topFactor is how many times the wanted rows are collected before the rest is dropped.
const topFactor = 4

func (r *sortRun) add(b *Batch, from []int) error {
	k := len(r.keys)
	for i := range r.keys {
		var err error
		if r.rows.cols[i], err = r.keys[i].values(r.x, b, r.rows.cols[i]); err != nil {
			return err
		}
	}
	for i, c := range from {
		if c < 0 {
			r.rows.cols[k+i] = append(r.rows.cols[k+i], unbound(b.N)...)
		} else {
			r.rows.cols[k+i] = append(r.rows.cols[k+i], b.Cols[c]...)
		}
	}
	r.rows.n += b.N
	if r.limit > 0 && uint64(r.rows.n) > topFactor*(r.limit+BatchRows) {
		if err := r.cut(); err != nil {
			return err
		}
	}
	// Sorting takes a row number and ranks for each key beside the rows.
	if !r.held.hold(r.rows.bytes() + int64(r.rows.n)*int64(8+16*k)) {
		return r.spill()
	}
	return nil
}

// cut keeps the best rows only.
func (r *sortRun) cut() error {
	order, err := r.order()
	if err != nil {
		return err
	}
	order = order[:min(uint64(len(order)), r.limit)]
	for c, col := range r.rows.cols {
		r.rows.cols[c] = gather(make([]dictionary.ID, 0, cap(col)), col, order)
	}
	r.rows.n = len(order)
	return nil
}

// order returns the row numbers in sorted order.
func (r *sortRun) order() ([]uint32, error) {
	ranks := make([][]uint32, len(r.keys))
	for k := range r.keys {
		if err := r.x.ctx.Err(); err != nil {
			return nil, err
		}
		ranks[k] = rankColumn(r.rows.cols[k], r.compare, r.descending[k])
	}
	return orderByRanks(ranks, r.rows.n), nil
}

// rankColumn returns for every row the rank of its value among the distinct values, equal values having equal ranks.
// Values are compared once for each distinct term, not for each pair of rows.
func rankColumn(col []dictionary.ID, compare func(a, b dictionary.ID) int, descending bool) []uint32 {
	distinct := slices.Clone(col)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	sorted := slices.Clone(distinct)
	slices.SortStableFunc(sorted, compare)
	rank := uint32(0)
	position := make(map[dictionary.ID]uint32)
	dense := len(distinct) > 0 && uint64(distinct[len(distinct)-1])-uint64(distinct[0]) < 8*uint64(len(distinct))+1024
	var table []uint32
	if dense {
		table = make([]uint32, distinct[len(distinct)-1]-distinct[0]+1)
	}
	for i, id := range sorted {
		if i > 0 && compare(sorted[i-1], id) != 0 {
			rank++
		}
		if dense {
			table[id-distinct[0]] = rank
		} else {
			position[id] = rank
		}
	}
	out := make([]uint32, len(col))
	for i, id := range col {
		if dense {
			out[i] = table[id-distinct[0]]
		} else {
			out[i] = position[id]
		}
		if descending {
			out[i] = ^out[i]
		}
	}
	return out
}

// orderByRanks sorts row numbers by their ranks, then by number.
func orderByRanks(ranks [][]uint32, n int) []uint32 {
	order := make([]uint32, n)
	if len(ranks) == 1 {
		packed := make([]uint64, n)
		for i, rank := range ranks[0] {
			packed[i] = uint64(rank)<<32 | uint64(i)
		}
		slices.Sort(packed)
		for i, p := range packed {
			order[i] = uint32(p)
		}
		return order
	}
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		for _, rank := range ranks {
			if rank[a] != rank[b] {
				if rank[a] < rank[b] {
					return -1
				}
				return 1
			}
		}
		return int(a) - int(b)
	})
	return order
}

func (r *sortRun) emitSorted(emit func(*Batch) error) error {
	order, err := r.order()
	if err != nil {
		return err
	}
	if r.limit > 0 {
		order = order[:min(uint64(len(order)), r.limit)]
	}
	view := &Batch{Cols: r.rows.cols[len(r.keys):], N: r.rows.n}
	var out Batch
	for at := 0; at < len(order); at += BatchRows {
		if err := emit(selectRows(&out, view, order[at:min(at+BatchRows, len(order))])); err != nil {
			return err
		}
	}
	return nil
}

// spill writes the rows collected so far as a sorted run.
func (r *sortRun) spill() error {
	if r.rows.n == 0 {
		return nil
	}
	order, err := r.order()
	if err != nil {
		return err
	}
	f, err := createSpill(r.x.options.TempDir, len(r.rows.cols))
	if err != nil {
		return err
	}
	r.runs = append(r.runs, f)
	for _, row := range order {
		if err := f.write(r.rows.cols, int(row)); err != nil {
			return err
		}
	}
	r.explain.Spilled += f.rows * int64(f.width) * 4
	r.rows = newColumns(len(r.rows.cols))
	r.held.hold(0)
	return nil
}

// runCursor is the next row of a sorted run.
type runCursor struct {
	reader *spillReader
	batch  *Batch
	row    int
	number int
}

// runHeap orders the runs by their next rows; of equal rows that of the earlier run comes first.
type runHeap struct {
	*sortRun
	cursors []*runCursor
}

func (h *runHeap) Len() int { return len(h.cursors) }

func (h *runHeap) Swap(i, j int) { h.cursors[i], h.cursors[j] = h.cursors[j], h.cursors[i] }

func (h *runHeap) Push(c any) { h.cursors = append(h.cursors, c.(*runCursor)) }

func (h *runHeap) Pop() any {
	last := h.cursors[len(h.cursors)-1]
	h.cursors = h.cursors[:len(h.cursors)-1]
	return last
}

func (h *runHeap) Less(i, j int) bool {
	a, b := h.cursors[i], h.cursors[j]
	for k := range h.keys {
		x, y := a.batch.Cols[k][a.row], b.batch.Cols[k][b.row]
		if x == y {
			continue
		}
		if o := h.compare(x, y); o != 0 {
			return o < 0 != h.descending[k]
		}
	}
	return a.number < b.number
}

// mergeRows is how many rows of a run are read at a time.
const mergeRows = 512

// merge emits the rows of all runs in order.
func (r *sortRun) merge(emit func(*Batch) error) error {
	h := &runHeap{sortRun: r}
	for i, f := range r.runs {
		reader, err := f.reader()
		if err != nil {
			return err
		}
		b, err := reader.next(mergeRows)
		if err != nil {
			return err
		}
		h.cursors = append(h.cursors, &runCursor{reader: reader, batch: b, number: i})
	}
	heap.Init(h)
	out := newColumns(len(r.out))
	var view Batch
	left := r.limit
	for h.Len() > 0 && (r.limit == 0 || left > 0) {
		c := h.cursors[0]
		out.appendRow(c.batch.Cols[len(r.keys):], c.row)
		left--
		if err := r.advance(h, c); err != nil {
			return err
		}
		if out.n == BatchRows {
			if err := r.x.ctx.Err(); err != nil {
				return err
			}
			if err := emit(out.batch(0, out.n, &view)); err != nil {
				return err
			}
			out.reset()
		}
	}
	if out.n == 0 {
		return nil
	}
	return emit(out.batch(0, out.n, &view))
}

// advance moves the first cursor of the heap on.
func (r *sortRun) advance(h *runHeap, c *runCursor) error {
	if c.row++; c.row < c.batch.N {
		heap.Fix(h, 0)
		return nil
	}
	b, err := c.reader.next(mergeRows)
	if err != nil {
		return err
	}
	if b == nil {
		heap.Pop(h)
		return nil
	}
	c.batch, c.row = b, 0
	heap.Fix(h, 0)
	return nil
}
