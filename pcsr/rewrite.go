package pcsr

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/rdfgpu/rdfgpu/internal/machine"
)

// rewrite makes of a partition another one, with edges that came and without those that went, by copying all of it. Like a splice it goes
// through chunks of the rows twice: first it finds out how many rows and edges there will be, then it copies. At first it takes the edges at
// their word: none that come are there, and all that go are. So the lists are read once, while they are copied. Where that proves wrong in some chunks, the places of
// their edges in the lists are found, and all is copied again.
type rewrite struct {
	from    *Partition // of arrays
	touched *marks     // to which the vertices are added that get edges; nil: they are not
	chunks  []rewriteChunk
}

// rewriteChunk are rows of the old partition, and what is to be changed there.
type rewriteChunk struct {
	low, high  int
	came, went []uint64 // keys; those that change something, once they are found
	// rows are those in which something changes; cameAt and wentAt are the places of the edges in the old lists, unless the edges are trusted.
	rows               []rewrittenRow
	trusting, found    bool
	cameAt, wentAt     []uint32
	appeared, vanished []Vertex
	// hasRows and hasEdges are how many the chunk will have, row and edge where they begin.
	hasRows, hasEdges, row, edge int
}

// rewrittenRow is a row in which edges came and went.
type rewrittenRow struct {
	v          Vertex
	at         uint32 // the row in the old partition, or that before which it comes
	has        bool   // the old one has it
	came, went int32  // how many edges
}

const (
	// A partition is rewritten when one of rewriteShare of its edges, and leastRewritten, come and go at once: from there on copying all costs less
	// than patching (BenchmarkChangeMuch). Half of that is enough on manyCores, which all copy, while one patches.
	rewriteShare   = 512
	leastRewritten = 1 << 10
	manyCores      = 4
)

// isRewritten reports whether so many edges are enough for a partition to be rewritten.
func (line *lineage) isRewritten(p *Partition, edges int) bool {
	return edges >= max(line.tuning.leastRewritten, p.Edges()/shareToRewrite())
}

// shareToRewrite is of how many edges of a partition one has to come or go.
func shareToRewrite() int {
	if runtime.GOMAXPROCS(0) >= manyCores {
		return 2 * rewriteShare
	}
	return rewriteShare
}

// changePart is Partition.change by whichever way costs less. Where the partition is rewritten, beside is called meanwhile, with what comes and what goes; nil
// where nothing is to be done.
func (line *lineage) changePart(p *Partition, e *patchEdit, came, went []uint64, beside func(came, went []uint64)) *Partition {
	if line.isRewritten(p, len(came)+len(went)) {
		return p.rewritten(e, came, went, line, beside)
	}
	return p.change(e, came, went, &line.held)
}

// rewritten is change, but for a partition of arrays, which takes time in proportion to all of it, on all cores.
func (p *Partition) rewritten(e *patchEdit, came, went []uint64, line *lineage, beside func(came, went []uint64)) *Partition {
	*e = patchEdit{
		came: editKeys{keys: came}, went: editKeys{keys: went}, rows: e.rows[:0], appeared: e.appeared[:0], vanished: e.vanished[:0], trees: e.trees,
		touched: e.touched, whole: true,
	}
	from := p.flat()
	if from.file.Unchecked() {
		from.check()
	}
	r := &rewrite{from: from, touched: e.touched}
	r.split(came, went, line.tuning.rewriteEdges)
	for {
		r.find(e)
		if e.came.kept+e.went.kept == 0 {
			return p
		}
		if made, bytes := r.writeBeside(e, beside); made != nil {
			countMemory(&line.held, made, bytes)
			return made
		}
	}
}

// find finds out what changes where that is not known: the keys that change something are kept, and the rows noted that appear and vanish.
func (r *rewrite) find(e *patchEdit) {
	machine.Parallel(len(r.chunks), func(i int) {
		c := r.chunks[i] // what is counted for each row would be in a cache line with what others count
		for !c.found {
			c.found = c.find(r.from)
			c.trusting = c.trusting && c.found
		}
		r.chunks[i] = c
	})
	e.came.kept, e.went.kept, e.appeared, e.vanished = 0, 0, e.appeared[:0], e.vanished[:0]
	for i := range r.chunks {
		c := &r.chunks[i]
		c.came, c.went = e.came.take(c.came), e.went.take(c.went)
		e.appeared, e.vanished = append(e.appeared, c.appeared...), append(e.vanished, c.vanished...)
	}
}

// writeBeside is write, while beside is called; nil where edges were trusted that are wrong: their chunks are not, from then on.
func (r *rewrite) writeBeside(e *patchEdit, beside func(came, went []uint64)) (made *Partition, bytes int64) {
	var meanwhile sync.WaitGroup
	defer meanwhile.Wait()
	if beside != nil {
		meanwhile.Go(func() { beside(e.came.effective(), e.went.effective()) })
	}
	if r.touched != nil {
		r.touched.havePages(e.came.effective())
	}
	return r.write(e.appeared, e.vanished)
}

// take puts keys behind those that were kept before, and returns them.
func (k *editKeys) take(keys []uint64) []uint64 {
	first := k.kept
	if k.kept += len(keys); len(keys) > 0 && &k.keys[first] != &keys[0] {
		copy(k.keys[first:], keys)
	}
	return k.keys[first:k.kept]
}

// split cuts rows and keys into chunks.
func (r *rewrite) split(came, went []uint64, edges int) {
	n := partsOf(max(r.from.Edges(), len(came)), edges)
	type place struct{ row, came, went int }
	ends := make([]place, n)
	machine.Parallel(n, func(i int) {
		if i == n-1 {
			ends[i] = place{r.from.Rows(), len(came), len(went)}
			return
		}
		v := r.cut(came, i+1, n)
		ends[i] = place{r.from.RowFrom(v), keysBelow(came, v), keysBelow(went, v)}
	})
	r.chunks = make([]rewriteChunk, n)
	from := place{}
	for i, to := range ends {
		to = place{max(from.row, to.row), max(from.came, to.came), max(from.went, to.went)} // a damaged file may have it otherwise
		r.chunks[i] = rewriteChunk{low: from.row, high: to.row, came: came[from.came:to.came], went: went[from.went:to.went], trusting: true}
		from = to
	}
}

// cut is the vertex where chunk i of n begins: chunks have about as many edges, of those that there are or of those that come.
func (r *rewrite) cut(came []uint64, i, n int) Vertex {
	p, share := r.from, func(of int) int { return int(uint64(of) * uint64(i) / uint64(n)) }
	switch {
	case p.Edges() < len(came):
		return Vertex(came[share(len(came))] >> 32)
	case p.offsets == nil:
		return p.Vertex(share(p.Rows()))
	}
	return p.Vertex(min(searchFrom(p.offsets, uint32(share(p.Edges()))), p.Rows()-1))
}

// keysBelow is how many ascending keys are of rows before v's.
func keysBelow(keys []uint64, v Vertex) int {
	n, _ := slices.BinarySearch(keys, edgeKey(v, 0))
	return n
}

// find finds the places of the keys, drops those that change nothing, and counts what the chunk will have. Of keys that are trusted it looks at no list; false where
// they cannot be right.
func (c *rewriteChunk) find(p *Partition) (right bool) {
	came, went := editKeys{keys: c.came}, editKeys{keys: c.went}
	c.hasRows, c.hasEdges, c.appeared, c.vanished = 0, 0, nil, nil
	c.rows = make([]rewrittenRow, 0, countRows(c.came)+countRows(c.went))
	if !c.trusting {
		c.cameAt, c.wentAt = machine.Uncleared[uint32](len(c.came))[:0], machine.Uncleared[uint32](len(c.went))[:0]
	}
	row := c.low
	for len(c.came) > came.next || len(c.went) > went.next {
		v := min(came.row(), went.row())
		at, has := p.locate(v, row, c.high)
		r := rewrittenRow{v: v, at: uint32(at), has: has}
		var list []Vertex
		if has {
			list = p.list(at)
		}
		coming, going := came.of(v), went.of(v)
		if c.trusting {
			r.came, r.went = int32(len(coming)), int32(len(going))
			if len(list)+len(coming) < len(going) {
				return false
			}
		} else if r.went, r.came = c.findGone(&went, going, coming, list), c.findNew(&came, coming, list); r.came+r.went == 0 {
			continue
		}
		c.pass(p, row, at)
		row = at + oneIf(has)
		c.count(&r, len(list))
	}
	c.pass(p, row, c.high)
	if !c.trusting {
		c.came, c.went = came.effective(), went.effective()
	}
	return true
}

// countRows is how many rows ascending keys are of.
func countRows(keys []uint64) (n int) {
	row := uint64(math.MaxUint64)
	for _, k := range keys {
		n += oneIf(k>>32 != row)
		row = k >> 32
	}
	return n
}

// row is that of the next key, a number above all vertices where there is none.
func (k *editKeys) row() Vertex {
	if k.next == len(k.keys) {
		return noVertex
	}
	return Vertex(k.keys[k.next] >> 32)
}

// findNew keeps those of a row's keys that are not in its list.
func (c *rewriteChunk) findNew(all *editKeys, keys []uint64, list []Vertex) int32 {
	before, at := all.kept, 0
	for _, k := range keys {
		at = advance(list, at, Vertex(k))
		if at == len(list) || list[at] != Vertex(k) {
			all.keys[all.kept] = k
			all.kept++
			c.cameAt = append(c.cameAt, uint32(at))
		}
	}
	return int32(all.kept - before)
}

// findGone keeps those of a row's keys that are in its list, and do not come.
func (c *rewriteChunk) findGone(all *editKeys, keys, coming []uint64, list []Vertex) int32 {
	before, at := all.kept, 0
	for _, k := range keys {
		at = advance(list, at, Vertex(k))
		if at < len(list) && list[at] == Vertex(k) && !containsKey(coming, k) {
			all.keys[all.kept] = k
			all.kept++
			c.wentAt = append(c.wentAt, uint32(at))
		}
	}
	return int32(all.kept - before)
}

// advance returns the place of the first member of an ascending list, from a place on, that is not below v.
func advance(list []Vertex, at int, v Vertex) int {
	if len(list)-at > shortRow {
		return at + Gallop(list[at:], v)
	}
	for at < len(list) && list[at] < v {
		at++
	}
	return at
}

// pass counts rows that stay as they are.
func (c *rewriteChunk) pass(p *Partition, from, to int) {
	low, high := p.bounds(from, to)
	c.hasRows += to - from
	c.hasEdges += high - low
}

// count counts a row that changes.
func (c *rewriteChunk) count(r *rewrittenRow, was int) {
	is := was + int(r.came) - int(r.went)
	switch {
	case is == 0:
		c.vanished = append(c.vanished, r.v)
	case was == 0:
		c.appeared = append(c.appeared, r.v)
	}
	c.rows = append(c.rows, *r)
	c.hasRows += oneIf(is > 0)
	c.hasEdges += is
}
