package gpu

import (
	"context"
	"errors"
	"math"
	"sort"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// reached are the pages of a partition that a plan can look lists up in: those of the rows of the vertices that the steps' bounds let through.
type reached struct {
	place   int
	entry   kernels.Partition
	pages   *paging
	lookups []float64 // by page: how often a list in it is expected to be looked up; 0 where none can be
}

// pinReach brings all pages that a plan can look lists up in to the device, pins them, and reports whether they are there: then the plan runs in one
// launch, as in memory. It leaves that where they do not find room together with the tables, and where copying those that are not there takes longer
// than looking up in them.
func (r *reading) pinReach(ctx context.Context, m *match.Match, s *shape) (bool, error) {
	d := r.d
	if d.options.scattered < 0 || d.options.byPhase || len(s.made) > 0 || !d.readsPages(m) {
		return false, nil
	}
	all, known, err := r.reach(ctx, m, s)
	if err != nil || !known || len(all) == 0 {
		return false, err
	}
	s.reads(d, m)
	missing, seen, err := r.pinPresent(all)
	if err != nil {
		return false, err
	}
	pays := missing.lookups()*float64(d.options.scattered) >= float64(missing.bytes())
	if seen && (len(missing) == 0 || pays && d.pages.fits(len(missing), d.arenaFor(s, m))) {
		for _, of := range all {
			d.pages.want(of.pages, of.rows())
		}
		r.reached, err = r.bringPages(ctx, missing)
	}
	if !r.reached {
		r.unpinAll()
	}
	return r.reached, err
}

// reach finds the pages; known is false where a label is a variable.
func (r *reading) reach(ctx context.Context, m *match.Match, s *shape) (all []*reached, known bool, err error) {
	known = true
	add := func(step *match.Step, rows float64) {
		for i := range step.Lists {
			l := &step.Lists[i].Link
			if step.Lists[i].Kind != match.Dynamic || err != nil {
				continue
			}
			if known = known && l.Kind == bgp.Neighbours && l.Label.IsConstant(); !known {
				return
			}
			var of *reached
			if of, all, err = r.reachedIn(ctx, l, all); of != nil {
				low, high := s.boundsOf(l.From)
				of.add(r.part(of.place).RowFrom(low), r.part(of.place).RowFrom(high), rows)
			}
		}
	}
	rows := 1.0
	if m.Input != nil {
		rows = float64(m.Input.N)
	}
	for _, step := range s.steps {
		add(step, rows)
		rows = max(step.Plan.EstimatedRows, 1)
	}
	for _, step := range addSteps(nil, s.groups()) {
		add(step, rows)
	}
	return all, known && err == nil, err
}

// reachedIn returns what is known of a link's partition, among all, which it may add to; nil where it is not read in pages.
func (r *reading) reachedIn(ctx context.Context, l *bgp.Link, all []*reached) (*reached, []*reached, error) {
	at, used := r.place(l.Label.Constant, l.Dir)
	if !used {
		return nil, all, nil
	}
	for _, of := range all {
		if of.place == at {
			return of, all, nil
		}
	}
	entry, err := r.load(ctx, at, false)
	if err != nil || r.paged[at] == nil {
		return nil, all, err
	}
	pages := r.paged[at].pages
	of := &reached{place: at, entry: entry, pages: pages, lookups: make([]float64, pages.pages())}
	return of, append(all, of), nil
}

// boundsOf are those of the values of an operand: of the step that binds it.
func (s *shape) boundsOf(o bgp.Operand) (low, high dictionary.ID) {
	switch i := o.Slot - s.Plan.Inputs; {
	case o.IsConstant():
		return o.Constant, o.Constant + 1
	case i >= 0 && i < len(s.Steps):
		return s.Steps[i].Within(s.Graph)
	}
	return 0, dictionary.None
}

// add notes so many lookups in the rows from first to below end.
func (of *reached) add(first, end int, lookups float64) {
	if first >= end {
		return
	}
	from, to := of.pages.pageWith(first), of.pages.pageWith(end-1)
	for page := from; page <= to; page++ {
		of.lookups[page] += max(lookups/float64(to-from+1), 1)
	}
}

// pageWith is the page of a row.
func (p *paging) pageWith(row int) int {
	return sort.Search(p.pages(), func(page int) bool { return int(p.starts[page+1]) > row })
}

// missingPages are pages that are not on the device, and how often each is looked up in.
type missingPages []missingPage

type missingPage struct {
	pageOf
	lookups float64
}

func (all missingPages) lookups() (n float64) {
	for _, p := range all {
		n += p.lookups
	}
	return n
}

func (all missingPages) bytes() (n int64) {
	for _, p := range all {
		n += p.bytes(p.page)
	}
	return n
}

// rows is how often lists in each page are looked up, in whole numbers.
func (of *reached) rows() []uint32 {
	rows := make([]uint32, len(of.lookups))
	for page, n := range of.lookups {
		rows[page] = uint32(min(n, math.MaxInt32))
	}
	return rows
}

// pinPresent pins the pages that are there and returns the others; seen is false where there is no memory to tell the kernels of them. A list that is
// longer than a buffer is read where it lies in any case.
func (r *reading) pinPresent(all []*reached) (missing missingPages, seen bool, err error) {
	for _, of := range all {
		v, err := r.view(of.place, of.entry)
		if v == nil {
			return nil, false, err
		}
		for page, n := range of.lookups {
			if n == 0 || of.pages.bytes(page) > r.d.pages.bytes {
				continue
			}
			if b := r.d.pages.pin(of.pages, page); b != nil {
				v.put(page, b)
			} else {
				missing = append(missing, missingPage{pageOf{v, page}, n})
			}
		}
	}
	return missing, true, nil
}

// fits reports whether so many pages more find room on the device, beside tables of so many bytes.
func (c *pageCache) fits(pages int, tables int64) bool {
	more := max(tables-c.d.lanes.idleBytes(), c.d.partitions.spare())
	return pages <= c.room(0) && int64(pages)*c.bytes+more <= c.d.memory.left()+c.idle()
}

// bringPages copies pages to the device and pins them; false where there is no buffer for one.
func (r *reading) bringPages(ctx context.Context, missing missingPages) (bool, error) {
	if len(missing) == 0 {
		return true, nil
	}
	p, c := r.d.partitions, r.d.pages
	p.work.Lock()
	defer p.work.Unlock()
	var ahead []*buffer
	arrive := func(err error) error {
		if err = errors.Join(err, p.stream.Synchronize(), ctx.Err()); err == nil {
			c.filled(ahead)
		} else {
			c.abandon(ahead)
		}
		ahead = nil
		return err
	}
	begun, on := time.Now(), int64(0)
	defer func() { r.waiting += time.Since(begun) }()
	for _, m := range missing {
		if ctx.Err() != nil { // memory for a page may take the driver a while
			return false, arrive(nil)
		}
		if b := c.pin(m.paging, m.page); b != nil { // another query has brought it
			m.put(m.page, b)
			continue
		}
		b := c.claim(m.paging, m.page)
		if b == nil {
			return false, arrive(nil)
		}
		ahead = append(ahead, b)
		m.put(m.page, b)
		n, err := m.send(p.stream, m.page, b.at)
		b.bytes = n
		r.brought += n
		if on += n; err != nil || on > r.d.options.onTheWay {
			if err := arrive(err); err != nil {
				return false, err
			}
			on = 0
		}
	}
	err := arrive(nil)
	return err == nil, err
}
