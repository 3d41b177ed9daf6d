package gpu

import (
	"errors"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// groupingTable is the memory that rows of a step are grouped in.
type groupingTable struct {
	at                       kernels.Address // of the Grouping
	counts, windows, portion kernels.Address
	order                    kernels.Address
	flags                    kernels.Address // 0: rows are grouped
}

// countPages counts the rows of a table that have a list in each cell.
func (q *query) countPages(k int, rows uint64) ([]uint32, error) {
	of := &q.streaming.byStep[k]
	if of.grouping == nil {
		g, err := q.newGrouping(k)
		if err != nil {
			return nil, err
		}
		of.grouping = g
	}
	s := q.lane.stream
	if err := s.Zero(of.grouping.counts, 4*int64(of.count)); err != nil {
		return nil, err
	}
	if err := q.group(kernels.CountPages, k, rows, of.count); err != nil {
		return nil, err
	}
	counts := make([]uint32, of.count)
	if err := s.Download(kernels.Bytes(counts), of.grouping.counts); err != nil {
		return nil, err
	}
	if err := s.Synchronize(); err != nil {
		return nil, err
	}
	for i, v := range of.views {
		q.d.pages.want(v.paging, counts[of.cells[i]:][:v.pages()])
	}
	return counts, nil
}

// group launches a kernel of a Grouping that keeps n counts.
func (q *query) group(kernel kernels.Kernel, k int, rows uint64, n uint32) error {
	shared := 0
	if n <= kernels.SharedCounts {
		shared = int(4 * n)
	}
	blocks := int(min(uint64(q.d.blocks), rows/kernels.Block+1))
	return q.lane.stream.Launch(kernel, blocks, shared, q.image.base, uint64(k), rows, q.streaming.byStep[k].grouping.at)
}

// newGrouping takes the memory for grouping the rows of a device step.
func (q *query) newGrouping(k int) (*groupingTable, error) {
	of := &q.streaming.byStep[k]
	sizes := []int64{kernels.Size[kernels.Grouping](), 4 * int64(of.count), 4 * int64(of.count), 4 * mostPortions, 4 * q.rows(k, q.capacity)}
	if q.d.options.scanned {
		sizes = append(sizes, q.rows(k, q.capacity))
	}
	total := int64(0)
	for _, n := range sizes {
		total += aligned(n)
	}
	at, err := q.d.pages.takeFrom(total)
	if err != nil {
		return nil, err
	}
	q.streaming.memory = append(q.streaming.memory, at)
	g := &groupingTable{}
	for i, field := range []*kernels.Address{&g.at, &g.counts, &g.windows, &g.portion, &g.order, &g.flags}[:len(sizes)] {
		*field = at
		at += kernels.Address(aligned(sizes[i]))
	}
	return g, q.upload(g, of, 0, 0)
}

// upload writes the Grouping of a device step, for so many portions, or to scan for one.
func (q *query) upload(g *groupingTable, of *pagedLinks, portions int, only uint32) error {
	out := kernels.Grouping{
		Counts: g.counts, Windows: g.windows, Portions: g.portion, Order: g.order,
		LinkCount: uint32(len(of.links)), CellCount: of.count, PortionCount: uint32(portions), Only: only, Flags: g.flags,
	}
	copy(out.Links[:], of.links)
	copy(out.Cells[:], of.cells)
	if err := q.lane.stream.Upload(g.at, kernels.Bytes([]kernels.Grouping{out})); err != nil {
		return err
	}
	return q.lane.stream.Synchronize()
}

// order groups the rows of a table and lists its portions.
func (q *query) order(k int, rows uint64, of *pagedLinks, w *windows) error {
	lv, s := &q.driven.levels[k], q.lane.stream
	g := of.grouping
	of.portions = uint32(w.portions)
	if err := q.upload(g, of, w.portions, 0); err != nil {
		return err
	}
	if err := s.Upload(g.windows, kernels.Bytes(w.adds)); err != nil {
		return err
	}
	if err := s.Zero(g.portion, 4*int64(w.portions)); err != nil {
		return err
	}
	if err := q.group(kernels.CountPortions, k, rows, uint32(w.portions)); err != nil {
		return err
	}
	counts := make([]uint32, w.portions)
	if err := s.Download(kernels.Bytes(counts), g.portion); err != nil {
		return err
	}
	if err := s.Synchronize(); err != nil {
		return err
	}
	places, place := make([]uint32, w.portions), uint32(0)
	for _, i := range w.turns(lv.made%2 == 0) {
		places[i] = place
		if counts[i] > 0 {
			lv.portions = append(lv.portions, portion{order: g.order + 4*kernels.Address(place), rows: uint64(counts[i]), pages: w.pagesOf(of, i), id: uint32(i)})
		}
		place += counts[i]
	}
	if g.flags != 0 {
		for i := range lv.portions {
			lv.portions[i].order, lv.portions[i].scan = g.order, true
		}
		lv.found = 0
		return errors.Join(s.Zero(g.flags, int64(rows)), s.Synchronize())
	}
	if err := s.Upload(g.portion, kernels.Bytes(places)); err != nil {
		return err
	}
	if err := q.group(kernels.OrderRows, k, rows, uint32(w.portions)); err != nil {
		return err
	}
	return s.Synchronize()
}

// scan looks for the rows of a portion whose turn has come, where they were not grouped.
func (q *query) scan(k int, lv *level) error {
	if part := &lv.portions[lv.at]; !part.scan || lv.found == lv.at+1 {
		return nil
	}
	of, s := &q.streaming.byStep[k], q.lane.stream
	n := int64(of.portions)
	if err := errors.Join(q.upload(of.grouping, of, int(n), lv.portions[lv.at].id), s.Zero(of.grouping.portion, 4*n)); err != nil {
		return err
	}
	lv.found = lv.at + 1
	return q.group(kernels.OrderRows, k, lv.rows, uint32(n))
}
