package exec

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
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
	// worst is the first key of the worst row worth keeping, once there are as many rows as are read.
	worst    dictionary.ID
	hasWorst bool
	keep     []uint32
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
	k, before := len(r.keys), r.rows.n
	for i := range r.keys {
		var err error
		if r.rows.cols[i], err = r.keys[i].values(r.x, b, r.rows.cols[i]); err != nil {
			return err
		}
	}
	if r.hasWorst {
		b = r.promising(b, before)
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

// promising drops the rows of a new batch, whose keys were added after row before, that cannot be among the best.
func (r *sortRun) promising(b *Batch, before int) *Batch {
	r.keep = r.keep[:0]
	last := dictionary.None
	good := false
	for i, id := range r.rows.cols[0][before:] {
		if id != last || i == 0 {
			order := r.compare(id, r.worst)
			good, last = order == 0 || order < 0 != r.descending[0], id
		}
		if good {
			r.keep = append(r.keep, uint32(i))
		}
	}
	if len(r.keep) == b.N {
		return b
	}
	for i := range r.keys {
		col := r.rows.cols[i]
		for to, row := range r.keep {
			col[before+to] = col[before+int(row)]
		}
		r.rows.cols[i] = col[:before+len(r.keep)]
	}
	return selectRows(&Batch{}, b, r.keep)
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
	if uint64(len(order)) == r.limit && len(r.keys) > 0 {
		r.worst, r.hasWorst = r.rows.cols[0][len(order)-1], true
	}
	return nil
}

// order returns the row numbers in sorted order, as far as somebody reads them: the limit.
func (r *sortRun) order() ([]uint32, error) {
	rows := make([]uint32, r.rows.n)
	if len(rows) == 0 || len(r.keys) == 0 {
		return rows, nil
	}
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows, r.refine(rows, 0, 0)
}

// refine sorts rows, which are equal in the keys before k and begin at position at of the result, by key k on.
func (r *sortRun) refine(rows []uint32, k, at int) error {
	if err := r.x.ctx.Err(); err != nil {
		return context.Cause(r.x.ctx)
	}
	ranks, most := r.ranks(gather(make([]dictionary.ID, 0, len(rows)), r.rows.cols[k], rows), r.descending[k])
	ranks = countingSort(rows, ranks, most)
	if k+1 == len(r.keys) {
		return nil
	}
	for from := 0; from < len(rows) && (r.limit == 0 || uint64(at+from) < r.limit); {
		to := from + 1
		for to < len(rows) && ranks[to] == ranks[from] {
			to++
		}
		if to-from > 1 {
			if err := r.refine(rows[from:to], k+1, at+from); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// countingSort sorts rows by their ranks, which are at most most; rows of one rank keep their order. It returns the
// ranks in the new order.
func countingSort(rows, ranks []uint32, most uint32) []uint32 {
	starts := make([]uint32, most+2)
	for _, rank := range ranks {
		starts[rank+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	sorted, sortedRanks := make([]uint32, len(rows)), make([]uint32, len(rows))
	for i, rank := range ranks {
		at := starts[rank]
		starts[rank]++
		sorted[at], sortedRanks[at] = rows[i], rank
	}
	copy(rows, sorted)
	return sortedRanks
}

// ranks returns for every value its rank among the distinct ones, equal values having equal ranks, and the greatest
// rank. Values are compared once for each distinct term, not for each pair of rows.
func (r *sortRun) ranks(col []dictionary.ID, descending bool) (out []uint32, most uint32) {
	low, high := slices.Min(col), slices.Max(col)
	span := uint64(high) - uint64(low)
	var distinct, table []uint32
	dense := span < 8*uint64(len(col))+1024
	if dense {
		table = make([]uint32, span+1)
		for _, id := range col {
			table[id-low] = 1
		}
		for i, seen := range table {
			if seen != 0 {
				distinct = append(distinct, low+uint32(i))
			}
		}
	} else {
		distinct = slices.Clone(col)
		slices.Sort(distinct)
		distinct = slices.Compact(distinct)
	}
	rankOf, most := r.rankDistinct(distinct)
	if descending {
		for i, rank := range rankOf {
			rankOf[i] = most - rank
		}
	}
	out = make([]uint32, len(col))
	if !dense {
		for i, id := range col {
			at, _ := slices.BinarySearch(distinct, id)
			out[i] = rankOf[at]
		}
		return out, most
	}
	for i, id := range distinct {
		table[id-low] = rankOf[i]
	}
	for i, id := range col {
		out[i] = table[id-low]
	}
	return out, most
}

// sortTerm is a distinct term to be ranked: its place among the distinct IDs and, for an IRI or blank node, its text.
type sortTerm struct {
	id, place uint32
	kind      rdf.Kind
	text      string
}

// rankDistinct ranks distinct IDs and returns the greatest rank too. IRIs and blank nodes are decoded once each.
func (r *sortRun) rankDistinct(distinct []dictionary.ID) ([]uint32, uint32) {
	list := make([]sortTerm, len(distinct))
	for i, id := range distinct {
		list[i] = sortTerm{id: id, place: uint32(i)}
		if id != dictionary.None && r.x.terms.Value(id).Kind == dictionary.NoValue {
			t := r.x.terms.Term(id)
			list[i].kind, list[i].text = t.Kind, t.Value
		}
	}
	compare := func(a, b sortTerm) int {
		if a.kind != 0 && b.kind != 0 {
			return cmp.Or(-cmp.Compare(a.kind, b.kind), strings.Compare(a.text, b.text))
		}
		return r.compare(a.id, b.id)
	}
	slices.SortFunc(list, compare)
	ranks := make([]uint32, len(distinct))
	rank := uint32(0)
	for i, t := range list {
		if i > 0 && compare(list[i-1], t) != 0 {
			rank++
		}
		ranks[t.place] = rank
	}
	return ranks, rank
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
