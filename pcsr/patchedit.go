package pcsr

import (
	"slices"
	"sync/atomic"
)

// patchEdit changes rows of a partition.
type patchEdit struct {
	from   *Partition
	ground *Partition
	held   *atomic.Int64 // counts the bytes of long lists that are made
	rows   []Vertex      // to be changed
	// came and went have the keys of the edges, row by row: those that are still to be looked at, and those that were
	// found to change something.
	came, went editKeys
	// appeared and vanished are the rows that got their first neighbour and lost their last one.
	appeared, vanished []Vertex
	touched            *marks // of whom a rewrite marks those that get edges; nil: of nobody
	whole              bool   // the partition was rewritten
	bytes              int
	moved              int      // how many more rows appeared or vanished since the ground
	slab               []Vertex // where short lists are written
	trees              *editor[touchedRow]
}

// editKeys are ascending keys of edges, which are looked at one row after the other.
type editKeys struct {
	keys       []uint64
	next, kept int
}

// of returns the keys of a row, which is behind those that were asked for before.
func (k *editKeys) of(v Vertex) []uint64 {
	first := k.next
	for k.next < len(k.keys) && Vertex(k.keys[k.next]>>32) == v {
		k.next++
	}
	return k.keys[first:k.next]
}

// keep leaves those of some keys, which were asked for last, that pass, and returns them.
func (k *editKeys) keep(keys []uint64, passes func(w Vertex) bool) []uint64 {
	first := k.kept
	for _, key := range keys {
		if passes(Vertex(key)) {
			k.keys[k.kept] = key
			k.kept++
		}
	}
	return k.keys[first:k.kept]
}

func (k *editKeys) effective() []uint64 { return k.keys[:k.kept] }

// change returns the partition without the edges that went and with those that came, as a Patched one, in time in proportion to
// these. Keys are row<<32 | neighbour, ascending; what is there already or is not there changes nothing, and what comes
// and goes comes. The keys are overwritten by those that changed something. The edit tells of what was done; its memory is used again.
func (p *Partition) change(e *patchEdit, came, went []uint64, held *atomic.Int64) *Partition {
	*e = patchEdit{
		from: p, ground: p, held: held, came: editKeys{keys: came}, went: editKeys{keys: went},
		rows: keyRows(e.rows[:0], came, went), appeared: e.appeared[:0], vanished: e.vanished[:0], trees: e.trees,
	}
	if e.trees == nil {
		e.trees = new(editor[touchedRow])
	}
	was := patch{edges: p.Edges()}
	if p.layer == Patched {
		was = patch{ground: p.patch.ground, rows: p.patch.rows, filter: p.patch.filter, edges: p.patch.edges, since: p.patch.since, bytes: p.patch.bytes, moved: p.patch.moved}
		e.ground = was.ground
	} else if p == &emptyPartition {
		e.ground = new(Partition) // of its own, which tells the states of one label from those of others
	}
	rows := e.trees.run(was.rows, e.rows, e.row)
	n := len(e.came.effective()) + len(e.went.effective())
	switch {
	case n == 0:
		return p
	case rows.size() == 0:
		return e.ground
	}
	made := &struct { // one piece of memory for both
		Partition
		patch patch
	}{patch: patch{
		ground: e.ground, rows: rows, filter: filterFor(was.filter, rows, e.rows), since: was.since + n,
		bytes: was.bytes + e.bytes, moved: was.moved + e.moved, held: held,
		edges: max(was.edges+len(e.came.effective())-len(e.went.effective()), 0),
	}}
	// None may have less than nothing: in a damaged file several vertices share a row.
	n = max(p.Rows()+len(e.appeared)-len(e.vanished), 0)
	made.Partition = Partition{layer: Patched, rows: uint32(n), patch: &made.patch}
	return &made.Partition
}

// keyRows appends the rows of two lists of keys, ascending, each once.
func keyRows(rows []Vertex, a, b []uint64) []Vertex {
	add := func(v Vertex) {
		if len(rows) == 0 || rows[len(rows)-1] != v {
			rows = append(rows, v)
		}
	}
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			add(Vertex(a[0] >> 32))
			a = a[1:]
		} else {
			add(Vertex(b[0] >> 32))
			b = b[1:]
		}
	}
	for _, k := range a {
		add(Vertex(k >> 32))
	}
	for _, k := range b {
		add(Vertex(k >> 32))
	}
	return rows
}

// row makes the entry of row i, given the one that there is; there shall be one where the row differs from the ground's.
func (e *patchEdit) row(i int, old *touchedRow) (touchedRow, bool) {
	v := e.rows[i]
	was := touchedRow{}
	if old != nil {
		was = *old
	} else {
		was = e.place(v)
	}
	came, went := e.came.of(v), e.went.of(v)
	went = e.went.keep(went, func(w Vertex) bool { return was.contains(w) && !containsKey(came, edgeKey(v, w)) })
	came = e.came.keep(came, func(w Vertex) bool { return !was.contains(w) })
	if len(came)+len(went) == 0 {
		return was, old != nil
	}
	degree := was.degree() + len(came) - len(went)
	if degree == 0 {
		e.vanished = append(e.vanished, v)
	} else if was.degree() == 0 {
		e.appeared = append(e.appeared, v)
	}
	if old != nil {
		e.bytes -= was.bytes()
		e.moved -= oneIf(was.moves())
	}
	now, differs := e.next(&was, degree, came, went, len(e.rows)-i)
	if differs {
		e.bytes += now.bytes()
		e.moved += oneIf(now.moves())
	}
	return now, differs
}

// next makes a row of the one before, and reports whether it differs from the ground's. At most so many more rows are to be made.
func (e *patchEdit) next(was *touchedRow, degree int, came, went []uint64, more int) (touchedRow, bool) {
	var in []Vertex
	if was.inGround() {
		in = e.ground.List(int(was.at))
	}
	if len(in) > shortRow || degree > shortRow {
		long := e.longRow(was, in, degree, came, went)
		return longTouched(was.at, was.inGround(), long), long.changes.size() > 0
	}
	list := e.merge(was.neighbours(), degree, came, went, more)
	return shortTouched(was.at, was.inGround(), list), !slices.Equal(list, in)
}

// place is the row of v as it is in the ground.
func (e *patchEdit) place(v Vertex) touchedRow {
	row, ok := e.ground.Row(v)
	if !ok {
		return shortTouched(uint32(e.ground.RowFrom(v)), false, nil)
	}
	list := e.ground.List(row)
	if len(list) > shortRow {
		return longTouched(uint32(row), true, &longRow{ground: list, degree: len(list), held: e.held})
	}
	return shortTouched(uint32(row), true, list)
}

func containsKey(keys []uint64, k uint64) bool {
	_, found := slices.BinarySearch(keys, k)
	return found
}

// merge returns a short list with what came and without what went, of which there will be at most so many more.
func (e *patchEdit) merge(list []Vertex, degree int, came, went []uint64, more int) []Vertex {
	if cap(e.slab)-len(e.slab) < degree {
		e.slab = make([]Vertex, 0, max(degree, min(degree*more, slabVertices)))
	}
	from := len(e.slab)
	for _, w := range list {
		for len(came) > 0 && Vertex(came[0]) < w {
			e.slab, came = append(e.slab, Vertex(came[0])), came[1:]
		}
		if len(went) > 0 && Vertex(went[0]) == w {
			went = went[1:]
			continue
		}
		e.slab = append(e.slab, w)
	}
	for _, k := range came {
		e.slab = append(e.slab, Vertex(k))
	}
	return e.slab[from:len(e.slab):len(e.slab)]
}

// slabVertices is how many vertices lists of several rows are written behind each other: as long as one of them is used,
// so is the memory of all.
const slabVertices = 512

// longRow makes a row without its list.
func (e *patchEdit) longRow(was *touchedRow, in []Vertex, degree int, came, went []uint64) *longRow {
	r := &longRow{ground: in, degree: degree, held: e.held}
	if long := was.long(); long != nil {
		r.changes = long.changes
		r.follow(long, came, went)
	} else {
		r.changes = listChanges(in, was.neighbours())
	}
	r.changes = toggle(r.changes, came, went)
	return r
}
