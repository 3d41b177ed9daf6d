package cpu

import (
	"context"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// dense counts a pattern in the neighbourhoods of roots, as bitmaps (match.Dense). Vertices are numbered by their rows in the partition of its label.
type dense struct {
	*match.Dense
	pieces
	// lists[offsets[r]:offsets[r+1]] are the neighbours of row r, upper[starts[r]:starts[r+1]] those that an edge leads up to: they have more
	// neighbours, or as many and a greater number.
	offsets, lists, starts, upper []uint32
	longest                       int // list of a root
	mostPaths                     int // of two edges from a root, where there is a far vertex

	total atomic.Uint64
}

const (
	// longestRoot is the most neighbours of a root: a worker has a bit for each pair of them, 32 MB.
	longestRoot = 1 << 14
	// rootsAtOnce are taken by a worker at a time.
	rootsAtOnce = 64
	// stopRows is how many rows are translated between two looks at the context.
	stopRows = 1 << 12
)

// countDense counts a plan in neighbourhoods; false where these are too large, or there is no room. Its memory: 8 bytes for each edge and row, and for
// each worker 4 for each row and an eighth for each pair of the most neighbours of a root.
func countDense(ctx context.Context, p *join) (n uint64, ok bool, err error) {
	var lists dense
	part := p.Graph.Partition(p.Dense.Label, pcsr.Out)
	give, ok := p.reserve(8 * (int64(part.Edges()) + int64(part.Rows())))
	if !ok {
		return 0, false, nil
	}
	defer give()
	if err := lists.orient(ctx, part); err != nil {
		return 0, true, err
	}
	for _, term := range p.Dense.Sum() {
		d := &dense{Dense: term, pieces: pieces{p: p}, offsets: lists.offsets, lists: lists.lists, starts: lists.starts, upper: lists.upper}
		found, ok, err := d.count(ctx)
		if !ok || err != nil || found == tooMany {
			return found, ok, err
		}
		n += uint64(term.Times) * found
	}
	return n, true, nil
}

// count counts a term; false where neighbourhoods are too large, or there is no room.
func (d *dense) count(ctx context.Context) (n uint64, ok bool, err error) {
	if d.measure(); d.longest > longestRoot {
		return 0, false, nil
	}
	rows, words := len(d.starts)-1, (d.longest+63)/64
	bytes := 4*int64(rows) + 8*int64((d.longest+3+len(d.Levels)*(len(d.Levels)+len(d.Tail)))*words)
	if d.Far != nil {
		bytes += d.farBytes()
	}
	if d.Outer {
		bytes += d.outerBytes()
	}
	ok, err = d.share(ctx, (rows+rootsAtOnce-1)/rootsAtOnce, bytes, func(take func() (int, bool)) error {
		w := denseWorker{dense: d, place: make([]uint32, rows), rows: make([]uint64, (d.longest+3)*words)}
		if d.Far != nil {
			w.far.make(d)
		}
		if d.Outer {
			w.outer = make([]uint64, d.outerBytes()/8)
		}
		w.sets.make(d.Dense, words)
		for piece, ok := take(); ok; piece, ok = take() {
			for row := piece * rootsAtOnce; row < min((piece+1)*rootsAtOnce, rows) && !d.stop.Load(); row++ {
				w.count(row)
			}
		}
		for {
			old := d.total.Load()
			if d.total.CompareAndSwap(old, add(old, w.total)) {
				return nil
			}
		}
	})
	if total := d.total.Load(); total != 0 {
		n = multiply(total, d.Automorphisms)
	}
	return n, ok, err
}

// orient numbers the lists by rows and finds their upper parts.
func (d *dense) orient(ctx context.Context, part *pcsr.Partition) error {
	a := part.Arrays()
	rows, first, last := int(a.Rows), pcsr.Vertex(0), pcsr.Vertex(0)
	first, last = part.Ends()
	row := make([]uint32, int(last-first)+1)
	at := uint32(0)
	for v := range part.RowVertices() {
		row[v-first] = at
		at++
	}
	d.offsets, d.lists = a.Offsets, make([]uint32, len(a.Neighbours))
	d.starts, d.upper = make([]uint32, rows+1), make([]uint32, 0, len(a.Neighbours)/2)
	for r := range rows {
		if r%stopRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from, to := a.Offsets[r], a.Offsets[r+1]
		n := to - from
		for i, v := range a.Neighbours[from:to] {
			other := row[v-first]
			d.lists[int(from)+i] = other
			if m := a.Offsets[other+1] - a.Offsets[other]; m > n || m == n && int(other) > r {
				d.upper = append(d.upper, other)
			}
		}
		d.starts[r+1] = uint32(len(d.upper))
	}
	return nil
}

// measure finds the longest list of a root, and the most paths from one.
func (d *dense) measure() {
	for r := range len(d.starts) - 1 {
		d.longest = max(d.longest, len(d.root(r)))
		if d.Far != nil {
			d.mostPaths = max(d.mostPaths, d.countPaths(r))
		}
	}
}

// root is the list of the neighbours that a root is counted with.
func (d *dense) root(row int) []uint32 {
	if d.Upward {
		return d.upper[d.starts[row]:d.starts[row+1]]
	}
	return d.lists[d.offsets[row]:d.offsets[row+1]]
}

// denseWorker is what one goroutine needs.
type denseWorker struct {
	*dense
	place []uint32 // one more than where a row is among the root's neighbours, by row; 0: it is none
	// rows are the bitmaps of the root's neighbours, words each, and behind them those that are above the root, those that a far vertex has, and all.
	rows        []uint64
	size, words int
	bound       [match.MostDenseStep]int
	sets        denseSets
	total       uint64
	far         farFinder
	outer       []uint64 // by row, words each: which of the root's neighbours are its own; where there is an outer vertex
}

// count adds what has a root.
func (w *denseWorker) count(root int) {
	list := w.root(root)
	if w.size, w.words = len(list), (len(list)+63)/64; w.size < w.Smallest {
		return
	}
	clear(w.rows[:(w.size+2)*w.words])
	for i, row := range list {
		w.place[row] = uint32(i) + 1
	}
	if linked := w.link(list); linked || w.Far != nil {
		if !w.Upward {
			w.findUpper(root, list)
		}
		if w.begin(); w.Far != nil {
			w.eachFar(root, list)
		} else {
			w.enumerate(0)
		}
	}
	for _, row := range list {
		w.place[row] = 0
	}
}

// link makes the bitmaps, and reports whether the root's neighbours have any edge between them.
func (w *denseWorker) link(list []uint32) (any bool) {
	for i, row := range list {
		for _, other := range w.upper[w.starts[row]:w.starts[row+1]] {
			if at := w.place[other]; at > 0 {
				j := int(at) - 1
				w.rows[i*w.words+j>>6] |= 1 << (j & 63)
				w.rows[j*w.words+i>>6] |= 1 << (i & 63)
				any = true
			}
		}
	}
	return any
}

func (w *denseWorker) findUpper(root int, list []uint32) {
	upper := w.rows[w.size*w.words:]
	for _, row := range w.upper[w.starts[root]:w.starts[root+1]] {
		i := int(w.place[row]) - 1
		upper[i>>6] |= 1 << (i & 63)
	}
}
