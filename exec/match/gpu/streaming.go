package gpu

import (
	"cmp"
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

// groupingTable is the memory that rows of a step are grouped in.
type groupingTable struct {
	at                       kernels.Address // of the Grouping
	counts, windows, portion kernels.Address
	order                    kernels.Address
	flags                    kernels.Address // 0: rows are grouped
}

// mostPortions is the most parts that a table is joined in.
const mostPortions = kernels.SharedCounts

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

// windows says which pages are on the device together.
type windows struct {
	adds     []uint32  // by cell: what it adds to a row's portion
	of       [][][]int // by link and window: its pages
	strides  []int
	inner    int  // the link whose windows change fastest
	stays    bool // the first of them stays for the next tables
	portions int
}

// windowing decides which pages come to the device for a table, and together with which others.
func (q *query) windowing(k int, rows uint64, counts []uint32) *windows {
	c, of, lv := q.d.pages, &q.streaming.byStep[k], &q.driven.levels[k]
	c.mu.Lock()
	wanted := make([][]int, len(of.links))
	hot := make([]map[int]float64, len(of.links))
	together := map[pageOf]bool{} // whether it is there
	for i, v := range of.views {
		hot[i] = map[int]float64{}
		for page, n := range counts[of.cells[i]:][:v.pages()] {
			if n == 0 {
				continue
			}
			b, bytes := v.buffers[page], v.bytes(page)
			there := b != nil && b.ready
			if bytes > c.bytes || !there && int64(n)*q.d.options.scattered < bytes {
				lv.flat += uint64(n)
				continue
			}
			wanted[i] = append(wanted[i], page)
			hot[i][page] = v.heat[page].at(c.clock)
			together[pageOf{v, page}] = there
		}
	}
	others := c.otherHeats(together, q.streaming.pinned)
	c.mu.Unlock()
	room := c.room(len(q.streaming.pinned))
	stay := 3 * room / 8
	if int64(room)*c.bytes < worthStaying {
		stay = 0
	}
	w := divide(wanted, hot, len(together), room, stay, of)
	if len(together) <= room || q.d.options.swept {
		return w
	}
	kept, flat := keep(of, counts, wanted, hot, together, others, room, func(v *view) float64 { return v.lookBytes(q.candidates(k, rows)) })
	if shared := q.d.lanes.crowd(); w.portions > 1 && !q.d.options.ungrouped && (shared || flat.bytes >= w.sweepBytes(c.bytes)) {
		return w // what comes for one query of several serves the others
	}
	lv.flat += flat.lists
	return kept
}

// candidates is how many of them device step k has for a row, by its tables before one of so many rows, or as the plan expects.
func (q *query) candidates(k int, rows uint64) float64 {
	if t := &q.driven.trace[k]; t.RowsIn > rows {
		return float64(t.Candidates) / float64(t.RowsIn-rows)
	}
	before := 1.0
	if k > q.first {
		before = max(q.steps[k-1].Plan.EstimatedRows, 1)
	}
	plan := q.steps[k].Plan // where lists are counted by their lengths, it expects few candidates and many rows
	return max(plan.EstimatedCandidates, plan.EstimatedRows) / before
}

// portionBytes are copied in the time that a portion takes beside what it joins: some launches, and the host's decisions between them.
const portionBytes = 3 << 20

// sweepBytes is how many bytes could be copied while a table is joined in these windows, of pages of so many bytes: for each set of the other
// links' windows those of the innermost link come that do not stay.
func (w *windows) sweepBytes(page int64) float64 {
	pages, outer := 0, 1
	for i, of := range w.of {
		if i == w.inner {
			continue
		}
		outer *= max(len(of), 1)
		for _, window := range of {
			pages += len(window)
		}
	}
	for n, window := range w.of[w.inner] {
		if n > 0 || !w.stays {
			pages += outer * len(window)
		}
	}
	return float64(int64(pages)*page) + float64(w.portions)*portionBytes
}

// flatLists are those that are read where they lie, and how many bytes of the bus's time they take.
type flatLists struct {
	lists uint64
	bytes float64
}

// keep makes one window of the pages wanted most that find room together, beside what others want more: those that are there or were wanted often enough
// that a copy pays. It tells what the lists in the rest take, one of a view so many bytes.
func keep(of *pagedLinks, counts []uint32, wanted [][]int, hot []map[int]float64, there map[pageOf]bool, others []float64, room int, lookBytes func(*view) float64) (*windows, flatLists) {
	var all []pageOf
	heat := map[pageOf]float64{}
	for i, v := range of.views {
		for _, page := range wanted[i] {
			p, h := pageOf{v, page}, hot[i][page]
			if _, known := heat[p]; !known && (there[p] || h*lookBytes(v) >= float64(v.bytes(page))) {
				all = append(all, p)
			}
			heat[p] = h
		}
	}
	slices.SortStableFunc(all, func(a, b pageOf) int { return cmp.Compare(heat[b], heat[a]) })
	slices.Sort(others)
	stay := map[pageOf]bool{}
	for _, p := range all {
		for len(others) > 0 && others[len(others)-1] > heat[p] {
			others, room = others[:len(others)-1], room-1
		}
		if room--; room < 0 {
			break
		}
		stay[p] = true
	}
	w, flat := &windows{adds: make([]uint32, of.count), strides: make([]int, len(wanted)), portions: 1}, flatLists{}
	for i, v := range of.views {
		var pages []int
		for _, page := range wanted[i] {
			if stay[pageOf{v, page}] {
				pages = append(pages, page)
				continue
			}
			n := counts[of.cells[i]+uint32(page)]
			flat.lists += uint64(n)
			flat.bytes += float64(n) * lookBytes(v)
		}
		w.of = append(w.of, [][]int{pages})
	}
	return w, flat
}

// worthStaying is the room from which it pays that pages stay: windows of less come in less time than a portion takes by itself, so there should be
// as few as can be.
const worthStaying = 32 << 20

// divide cuts the pages that each link wants into windows, so that one of each fits room pages, and two of the link that wants most, of
// which stay pages stay.
func divide(wanted [][]int, hot []map[int]float64, together, room, stay int, of *pagedLinks) *windows {
	w := &windows{adds: make([]uint32, of.count), of: make([][][]int, len(wanted)), strides: make([]int, len(wanted)), portions: 1}
	for i := range wanted {
		w.of[i] = [][]int{wanted[i]}
		if len(wanted[i]) > len(wanted[w.inner]) {
			w.inner = i
		}
	}
	if together <= room || room < 2*len(wanted) {
		return w // all at once, or as much as there is room for
	}
	w.cut(wanted, hot, room, stay)
	if w.count() > mostPortions { // as few as can be
		w.cut(wanted, hot, room, 0)
	}
	for w.count() > mostPortions {
		most := 0
		for i := range w.of {
			if len(w.of[i]) > len(w.of[most]) {
				most = i
			}
		}
		w.of[most] = [][]int{slices.Concat(w.of[most]...)} // what does not find room is read where it lies
	}
	for i := range w.of {
		w.strides[i] = w.portions
		for n, window := range w.of[i] {
			for _, page := range window {
				w.adds[of.cells[i]+uint32(page)] = uint32(n * w.portions)
			}
		}
		w.portions *= max(len(w.of[i]), 1)
	}
	return w
}

// cut makes the windows: half of the room is for those of the link that wants most, of which stay pages stay for the next tables, and two
// windows of others are there at a time.
func (w *windows) cut(wanted [][]int, hot []map[int]float64, room, stay int) {
	left := room
	for i := range wanted {
		if i != w.inner {
			n := min(len(wanted[i]), max(room/(2*(len(wanted)-1)), 1))
			w.of[i] = chunks(wanted[i], n)
			left -= n
		}
	}
	left = max(left, 2)
	if len(wanted) == 1 {
		stay *= 2
	}
	stay = min(stay, 3*left/4)
	w.of[w.inner], w.stays = stable(wanted[w.inner], hot[w.inner], left, stay), stay > 0
}

func (w *windows) count() int {
	n := 1
	for _, of := range w.of {
		n *= max(len(of), 1)
	}
	return n
}

// stable makes a window of the pages wanted most, which stay, and windows of the others, of which two fill the rest of the room.
func stable(pages []int, hot map[int]float64, room, stay int) [][]int {
	byHeat := slices.Clone(pages)
	slices.SortStableFunc(byHeat, func(a, b int) int { return cmp.Compare(hot[b], hot[a]) })
	n := min(stay, len(byHeat))
	rest := slices.Clone(byHeat[n:])
	slices.Sort(rest)
	out := chunks(rest, max((room-n)/2, 1))
	if n > 0 {
		out = append([][]int{byHeat[:n]}, out...)
	}
	return out
}

func chunks(pages []int, n int) [][]int {
	return slices.Collect(slices.Chunk(pages, max(n, 1)))
}

// pagesOf are the pages of a portion.
func (w *windows) pagesOf(of *pagedLinks, portion int) (pages []pageOf) {
	listed := map[pageOf]bool{}
	for i, v := range of.views {
		n := 0
		if w.strides[i] > 0 {
			n = portion / w.strides[i] % max(len(w.of[i]), 1)
		}
		if n >= len(w.of[i]) {
			continue
		}
		for _, page := range w.of[i][n] {
			if p := (pageOf{v, page}); !listed[p] {
				listed[p] = true
				pages = append(pages, p)
			}
		}
	}
	return pages
}

// turns is the order in which portions have their turn: the windows of one link change fastest, to and fro, so that the last pages of one
// sweep are the first of the next.
func (w *windows) turns(back bool) []int {
	outer := []int{0}
	for i := range w.of {
		if i == w.inner {
			continue
		}
		var next []int
		for _, portion := range outer {
			for n := range max(len(w.of[i]), 1) {
				next = append(next, portion+n*w.strides[i])
			}
		}
		outer = next
	}
	var all []int
	n := max(len(w.of[w.inner]), 1)
	for _, portion := range outer {
		for i := range n {
			if back {
				i = n - 1 - i
			}
			all = append(all, portion+i*w.strides[w.inner])
		}
		back = !back
	}
	return all
}
