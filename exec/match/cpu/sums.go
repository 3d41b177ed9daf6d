package cpu

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// unsummed are the weights of the vertices before a step, those of some rows of its lists, which have not been made yet: for each the sum over its list.
type unsummed struct {
	lists       *pcsr.Partition
	first, last int
	candidates  *weights
}

// sums writes sums over lists down.
func (w *weighing) sums(u *unsummed) (*weights, error) {
	out := &weights{within: u.lists, first: u.lists.Vertex(u.first)}
	var err error
	if out.table, err = w.make(int(u.lists.Vertex(u.last-1)-out.first)+1, u.candidates.mean()*meanDegree(u.lists)); err != nil {
		return nil, err
	}
	err = w.sumLists(out, u)
	w.release(u.candidates)
	return out, err
}

// The sum of a list is made by all threads, in pieces of sumPiece members, where the list has more than longSum members and more than one in
// partOfThread of those that each thread has to read, or more than longestSum, so that the run can be stopped in between.
const sumPiece, longSum, longestSum, partOfThread = 1 << 12, 1 << 13, 1 << 20, 8

// longLists are lists that all threads sum up, after the others, and all of them together. They are added by any thread.
type longLists struct {
	from  int // as many members are not many
	mu    sync.Mutex
	lists []*sharedSum
}

// sharedSum is a list that all threads sum up, from the piece of number begin on, where its sum goes, and how many times it counts.
type sharedSum struct {
	list      []pcsr.Vertex
	at, begin int
	times     uint64
	sum       tally
}

// longLists has none yet, of lists with so many members together.
func (w *weighing) longLists(edges int) *longLists {
	l := &longLists{from: longestSum}
	if n := w.join.workers.Limit(); n > 1 {
		l.from = min(max(longSum, edges/(partOfThread*n)), longestSum)
	}
	return l
}

// take leaves a list for later where it is long.
func (l *longLists) take(list []pcsr.Vertex, at int, times uint64) bool {
	if len(list) <= l.from {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lists = append(l.lists, &sharedSum{list: list, at: at, times: times})
	return true
}

// sumLists writes the sums of the lists of some rows down.
func (w *weighing) sumLists(out *weights, u *unsummed) error {
	lists, first, last := u.lists, u.first, u.last
	edges := lists.EdgesOf(first, last)
	long := w.longLists(edges)
	offset := func(row int) int {
		switch row {
		case first:
			return 0
		case last:
			return out.table.n
		}
		return int(lists.Vertex(row) - out.first)
	}
	err := w.each(last-first, edges+rowPrice*(last-first)+out.table.n/clearShare, func(b *block, low, high int) {
		out.table.clear(offset(first+low), offset(first+high))
		for i, v := range lists.AppendVertices(b.vertices[:0], first+low, first+high) {
			if list := lists.List(first + low + i); !long.take(list, int(v-out.first), 1) {
				out.table.set(int(v-out.first), u.candidates.sum(list))
			}
		}
	})
	if err == nil {
		err = w.sumLong(long, u.candidates)
	}
	for _, l := range long.lists {
		out.table.set(l.at, l.sum.Load())
	}
	return err
}

// sumLong makes the sums of long lists.
func (w *weighing) sumLong(long *longLists, candidates *weights) error {
	pieces, members := 0, 0
	for _, l := range long.lists {
		l.begin = pieces
		pieces += (len(l.list) + sumPiece - 1) / sumPiece
		members += len(l.list)
	}
	if pieces == 0 {
		return nil
	}
	return w.each(pieces, members, func(_ *block, low, high int) {
		for piece := low; piece < high && !w.stop.Load(); piece++ {
			l := long.lists[sort.Search(len(long.lists), func(i int) bool { return long.lists[i].begin > piece })-1]
			from := (piece - l.begin) * sumPiece
			l.sum.add(candidates.sum(l.list[from:min(from+sumPiece, len(l.list))]))
		}
	})
}

// tally is a sum that several threads add to.
type tally struct{ atomic.Uint64 }

func (t *tally) add(n uint64) {
	for old := t.Load(); !t.CompareAndSwap(old, add(old, n)); old = t.Load() {
	}
}

// addUp adds up the products of the children's weights for the candidates of a domain, and of sums over the lists of its rows; u is nil where there are none.
func (w *weighing) addUp(d *domain, children []*weights, u *unsummed) (uint64, error) {
	var total tally
	edges := 0
	if u != nil {
		edges = u.lists.EdgesOf(d.first, d.first+d.n)
	}
	long := w.longLists(edges)
	err := w.inBlocks(d, children, edges, func(low, _ int, _ []pcsr.Vertex, products []uint64) {
		if u != nil {
			for i, n := range products {
				if n == 0 {
					continue
				}
				if list := u.lists.List(d.first + low + i); long.take(list, 0, n) {
					products[i] = 0
				} else {
					products[i] = multiply(n, u.candidates.sum(list))
				}
			}
		}
		total.add(addAll(products))
	})
	if err == nil && u != nil {
		err = w.sumLong(long, u.candidates)
	}
	for _, l := range long.lists {
		total.add(multiply(l.times, l.sum.Load()))
	}
	return total.Load(), err
}
