package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// streaming is how a query reads partitions in pages. Before a table is joined, its rows that have lists in each page are counted. The pages
// that many rows want come to the device; where that has not room for all, the rows are grouped by sets of pages (windows), so that each page
// comes once for a table and a set of the other lists' pages, and the next come while the rows before are joined; or the pages wanted most stay, where
// that is expected to take less time. Lists in other pages are read where they lie in host memory.
type streaming struct {
	byStep []pagedLinks // by device step
	memory []kernels.Address
	pinned []pageOf  // by the portion whose turn it is, and the next one
	ahead  []*buffer // pages that are on their way
	on     int       // the device step whose portion has its turn; -1: none
}

// pagedLinks are the links of a device step that read pages.
type pagedLinks struct {
	links    []uint32
	views    []*view
	cells    []uint32       // the first cell of each link
	count    uint32         // cells
	portions uint32         // that rows are in, if they are in several
	grouping *groupingTable // nil until rows are grouped
}

// pageOf is a page as a query sees it.
type pageOf struct {
	*view
	page int
}

// newStreaming finds the links that read pages; nil where there are none, or the plan costs so little that what it reads comes over the bus.
func (j *join) newStreaming() *streaming {
	if len(j.r.views) == 0 || j.r.reached || j.d.options.scattered < 0 || !j.d.options.AnyCost && j.Plan.Cost < bgp.GPUStreamCost {
		return nil
	}
	s := &streaming{byStep: make([]pagedLinks, j.deviceSteps()), on: -1}
	reads := false
	for k, links := range j.linked {
		of := &s.byStep[k]
		for i, l := range links {
			v := j.viewAt(l)
			own := j.sharing[k] == nil || i < j.sharing[k].OwnLists // siblings pass the others
			if v == nil || !own || kernels.OperandKind(l.From.Kind) == kernels.Candidate || kernels.LinkKind(l.Kind) != kernels.Neighbours || len(of.links) == kernels.MaxGrouped {
				continue
			}
			if reads = true; j.lengthsAlone(k) && !v.offsetsInPages() {
				continue
			}
			of.links, of.views, of.cells = append(of.links, uint32(i)), append(of.views, v), append(of.cells, of.count)
			of.count += uint32(v.pages())
		}
	}
	if !reads {
		return nil
	}
	return s
}

// lengthsAlone reports whether all that device step k reads of its lists is how long they are.
func (j *join) lengthsAlone(k int) bool {
	s := j.steps[k]
	return j.lengths && k == j.deviceSteps()-1 && s.Low == 0 && s.High == dictionary.None && !s.IsOrdered()
}

// readsPages reports whether a match will read partitions in pages: those that are here in pages, or do not fit.
func (d *Device) readsPages(m *match.Match) bool {
	bytes, paged := d.partitions.away(needsOf(m.Graph, m.Plan))
	return paged || d.options.inPages || bytes > 0 && !d.partitions.fits(m.Graph.Ground(), bytes)
}

// Leaves of one step's candidates lie in order and cost a line of the bus each; up to so many bytes of them, a millisecond, are read over it.
const (
	leafLine  = 128
	fewLeaves = 64 << 20
)

// joinLeaves returns a shape that joins its leaves, where a leaf is no list's whole length and is read in pages: which page a factor's list
// lies in depends on the candidate, a step's on the row. Those of a plan that joins one step alone are read where they lie, if they are few.
func (r *reading) joinLeaves(ctx context.Context, m *match.Match, count bool, s *shape) (*shape, error) {
	if r.d.options.scattered < 0 || len(s.made) > 0 || len(s.steps) == 0 {
		return s, nil
	}
	if last := len(s.steps) - 1; last == s.first && s.steps[last].Plan.EstimatedRows*float64(leafLine*len(s.factors)) < fewLeaves {
		return s, nil
	}
	for _, g := range s.factors {
		if g.Step.Low == 0 && g.Step.High == dictionary.None && len(g.Step.Distinct) == 0 {
			continue
		}
		list := &g.Step.Lists[0]
		if list.Kind != match.Dynamic || list.Link.Kind != bgp.Neighbours || !list.Link.Label.IsConstant() {
			continue
		}
		at, used := r.place(list.Link.Label.Constant, list.Link.Dir)
		if !used {
			continue
		}
		if _, err := r.load(ctx, at, false); err != nil {
			return nil, err
		}
		if r.paged[at] != nil {
			options := r.d.options
			options.NoLeaves = true
			return newShape(m, count, &options), nil
		}
	}
	return s, nil
}

func (j *join) viewAt(l kernels.Link) *view {
	for _, v := range j.r.views {
		if v.at == l.Partition {
			return v
		}
	}
	return nil
}

// split decides how the rows of device step k are joined.
func (q *query) split(k int, rows uint64) error {
	lv, of := &q.driven.levels[k], &q.streaming.byStep[k]
	lv.portions = lv.portions[:0]
	all := portion{rows: rows}
	defer func() {
		if len(lv.portions) == 0 {
			lv.portions = append(lv.portions, all)
		}
		lv.whole += uint64(len(lv.portions))
	}()
	if len(of.links) == 0 {
		return nil
	}
	if int64(rows)*q.d.options.scattered < q.d.pages.bytes/4 {
		lv.flat += rows
		return nil
	}
	counts, err := q.countPages(k, rows)
	if errors.Is(err, ErrOutOfMemory) {
		return nil // all is read where it lies
	}
	if err != nil {
		return err
	}
	w := q.windowing(k, rows, counts)
	if w.portions == 1 {
		all.pages = w.pagesOf(of, 0)
		return nil
	}
	return q.order(k, rows, of, w)
}

// fetch brings the pages of a portion to the device, and lets those go that were pinned for another. The kernels that read them are through.
func (q *query) fetch(k int, part *portion) error {
	if q.streaming == nil {
		return nil
	}
	s := q.streaming
	if s.on >= 0 && s.on != k {
		q.driven.levels[s.on].bound = false
	}
	s.on = k
	if err := q.arrive(); err != nil {
		return err
	}
	wanted := make(map[pageOf]bool, len(part.pages))
	for _, p := range part.pages {
		wanted[p] = true
	}
	s.pinned = slices.DeleteFunc(s.pinned, func(p pageOf) bool {
		if !wanted[p] {
			q.d.pages.unpin(p.pinned[p.page])
			p.put(p.page, nil)
		}
		return !wanted[p]
	})
	if err := q.claim(&q.driven.levels[k], part.pages); err != nil {
		return err
	}
	if err := q.arrive(); err != nil {
		return err
	}
	return q.r.publishViews(q.lane)
}

// claim pins pages, and begins to copy those that are not on the device.
func (q *query) claim(lv *level, pages []pageOf) error {
	copies, err := q.lane.copying()
	if err != nil {
		return err
	}
	on := int64(0)
	for _, p := range pages {
		if p.pinned[p.page] != nil {
			continue
		}
		if err := q.ctx.Err(); err != nil {
			return err
		}
		b := q.d.pages.pin(p.paging, p.page)
		if b == nil {
			if b = q.d.pages.claim(p.paging, p.page); b == nil {
				continue
			}
			n, err := p.send(copies, p.page, b.at)
			if err != nil {
				q.d.pages.abandon([]*buffer{b})
				q.d.pages.unpin(b)
				return errors.Join(err, copies.Synchronize())
			}
			b.bytes = n
			lv.copied += uint64(n)
			q.streaming.ahead = append(q.streaming.ahead, b)
			on += n
		}
		p.put(p.page, b)
		q.streaming.pinned = append(q.streaming.pinned, p)
		if on > q.d.options.onTheWay {
			if err := errors.Join(q.arrive(), q.ctx.Err()); err != nil {
				return err
			}
			on = 0
		}
	}
	return nil
}

// arrive waits for the pages that are on their way.
func (q *query) arrive() error {
	s := q.streaming
	if len(s.ahead) == 0 {
		return nil
	}
	err := q.lane.copies.Synchronize()
	if err == nil {
		q.d.pages.filled(s.ahead)
	} else {
		q.d.pages.abandon(s.ahead)
	}
	s.ahead = nil
	return err
}

// letPagesGo unpins all pages, for the join begins anew.
func (q *query) letPagesGo() error {
	if q.streaming == nil {
		return nil
	}
	err := q.arrive()
	q.r.unpinAll()
	q.streaming.pinned, q.streaming.on = nil, -1
	return err
}

// fetchAhead begins to bring the pages of the next portion of device step k while one is joined.
func (q *query) fetchAhead(k int) error {
	if q.streaming == nil || q.d.options.noAhead {
		return nil
	}
	lv := &q.driven.levels[k]
	if lv.at+1 >= len(lv.portions) {
		return nil
	}
	return q.claim(lv, lv.portions[lv.at+1].pages)
}

// endStreaming gives back what the query has for it; nothing of it runs.
func (q *query) endStreaming() error {
	if q.join == nil || q.streaming == nil {
		return nil
	}
	errs := []error{q.letPagesGo()}
	for _, at := range q.streaming.memory {
		errs = append(errs, q.d.memory.give(at))
	}
	q.streaming = nil
	return errors.Join(errs...)
}

// variant says how a step read its pages, for explain.
func (lv *level) variant() string {
	if lv.copied == 0 && lv.flat == 0 {
		return ""
	}
	return fmt.Sprintf("pages: %d MB copied, %d rows over the bus, %d portions of %d tables ", lv.copied>>20, lv.flat, lv.whole, lv.made)
}
