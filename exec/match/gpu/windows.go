package gpu

import (
	"cmp"
	"slices"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// mostPortions is the most parts that a table is joined in.
const mostPortions = kernels.SharedCounts

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
