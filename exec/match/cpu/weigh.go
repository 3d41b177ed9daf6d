package cpu

import (
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// weighing makes the weights of a run, leaves first: each step's in two turns, the weights of its candidates by what hangs on them, then for
// each vertex before them the sum over its list (sums.go).
type weighing struct{ *run }

// weigh makes the weights that the tail of the run's join asks for.
func (r *run) weigh() error {
	if r.limit > 0 || r.most != ^uint64(0) {
		return nil // the first solutions are wanted
	}
	w := &weighing{r}
	return w.tail(r.join.tail)
}

// dropWeights gives back what the weights took. Nobody reads them any more.
func (r *run) dropWeights() {
	for _, t := range r.weightTables {
		t.drop()
	}
	r.weightTables = nil
}

// tail makes the weights of groups, or of those in them.
func (w *weighing) tail(groups []*group) (err error) {
	for _, g := range groups {
		if !g.Weighed {
			err = w.tail(g.children)
		} else {
			g.weights, err = w.group(g)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// group makes the weights of a group.
func (w *weighing) group(g *group) (*weights, error) {
	t, u, err := w.begin(g)
	if err != nil || u == nil {
		return t, err
	}
	return w.sums(u)
}

// begin makes the weights of a group, but for the last sums, if there are some to be made.
func (w *weighing) begin(g *group) (*weights, *unsummed, error) {
	s := g.step
	isFirst := s != nil && len(s.dynamic) == 0
	children, sums := make([]*weights, 0, len(g.children)), []*unsummed(nil)
	for _, c := range g.children {
		if g.Never {
			break
		}
		var of *weights
		var u *unsummed
		var err error
		if isFirst {
			of, u, err = w.begin(c)
		} else {
			of, err = w.group(c)
		}
		switch {
		case err != nil:
			return nil, nil, err
		case u != nil:
			sums = append(sums, u)
		default:
			children = append(children, of)
		}
	}
	if g.Branch != nil {
		return &weights{branch: g.Group, of: children, graph: w.join.Graph}, nil, nil
	}
	if isFirst {
		n, err := w.total(s, children, sums)
		return &weights{times: n}, nil, err
	}
	lists := s.dynamic[0].partition.Checked()
	first, last := w.rowsOf(g, lists)
	candidates, err := w.candidates(s, children, lists, first, last)
	switch {
	case err != nil:
		return nil, nil, err
	case candidates.isNumber():
		return &weights{lists: lists, times: candidates.times}, nil, nil
	case first >= last:
		return &weights{times: 0}, nil, nil
	}
	return nil, &unsummed{lists, first, last, candidates}, nil
}

// rowsOf are the rows of the lists of a group's step that the slot before it may be bound to.
func (w *weighing) rowsOf(g *group, lists *pcsr.Partition) (first, last int) {
	low, high := w.boundsOf(g.Reads[0])
	if first, last = lists.RowFrom(low), lists.Rows(); high < dictionary.None {
		last = lists.RowFrom(high + 1)
	}
	return first, last
}

// candidates are the weights of the candidates of a step, which will be asked for by some rows of its lists: what hangs on them, 0 for those that do not pass the step's
// conditions. One number alone says that all neighbours have that.
func (w *weighing) candidates(s *step, children []*weights, lists *pcsr.Partition, first, last int) (*weights, error) {
	d := &s.dynamic[0]
	neighbours := w.join.Graph.Partition(d.label.Constant, d.dir.Reverse())
	if s.takesAll(children) {
		switch {
		case len(children) == 0:
			return &weights{times: 1}, nil
		case len(children) == 1 && (children[0].isNumber() || !children[0].maybeOne(neighbours) && !w.paysTable(children[0], neighbours, lists, first, last)):
			return children[0], nil
		}
	}
	from := w.domain(s, children, neighbours)
	out := &weights{first: from.low}
	var err error
	if out.table, err = w.make(from.span(), meanOf(children)); err != nil {
		return nil, err
	}
	var seen spread
	if len(children) == 1 && children[0].times == 1 && from.isOf(children[0]) {
		err = w.degrees(out, from, children[0].lists, &seen)
	} else {
		err = w.inBlocks(from, children, 0, func(low, high int, vertices []pcsr.Vertex, products []uint64) {
			out.table.clear(from.offset(low), from.offset(high))
			write(out.table, out.first, vertices, products)
			look(&seen, products)
		})
	}
	for _, c := range children {
		w.release(c)
	}
	if n, same := seen.one(neighbours.Rows()); same && err == nil && from.rows == neighbours {
		w.release(out)
		return &weights{times: n}, nil
	}
	return out, err
}

// meanOf is about what products of weights are in the mean.
func meanOf(all []*weights) float64 {
	product := 1.0
	for _, t := range all {
		product *= t.mean()
	}
	return product
}

// isOf reports whether the domain is rows of a partition, all of them candidates, and weights are those of its lists.
func (d *domain) isOf(t *weights) bool { return t.lists != nil && t.lists.Same(d.rows) && d.takesAll() }

// degrees writes down how long lists are, those of the rows of a domain.
func (w *weighing) degrees(out *weights, d *domain, lists *pcsr.Partition, seen *spread) error {
	return w.each(d.n, rowPrice*d.n+d.span()/clearShare, func(b *block, low, high int) {
		from, to := d.offset(low), d.offset(high)
		if bytes := out.table.bytes; bytes != nil {
			if least, most, ok := pcsr.DegreesOfSpan(lists, bytes[from:to], out.first+pcsr.Vertex(from)); ok && most < large {
				seen.note(uint64(high-low), uint64(most), least == most)
				return
			}
		}
		vertices := lists.AppendVertices(b.vertices[:0], d.first+low, d.first+high)
		degrees := b.degrees[:len(vertices)]
		lists.DegreesFrom(degrees, d.first+low)
		out.table.clear(from, to)
		write(out.table, out.first, vertices, degrees)
		look(seen, degrees)
	})
}

// isNumber: all vertices have the same weight.
func (t *weights) isNumber() bool { return t.table == nil && t.lists == nil && t.branch == nil }

// maybeOne reports whether all rows of a partition are likely to have the same weight, so that it is worth finding out.
func (t *weights) maybeOne(rows *pcsr.Partition) bool {
	return t.lists != nil && t.lists.Single() && t.lists.Rows() >= rows.Rows()
}

// paysTable reports whether weights are worth to be written down for the rows of a partition, which will be asked for by some rows of lists: row after row costs a fourth of
// finding each by itself, and a table is read for as much. It is not, where there is no room for the table beside that of the sums, which cannot be done without.
func (w *weighing) paysTable(t *weights, rows, lists *pcsr.Partition, first, last int) bool {
	if t.table != nil || rows.Rows() == 0 || first >= last || lists.EdgesOf(first, last) < max(w.matcher.tuning.quiet, rows.Rows()/2) {
		return false
	}
	low, high := rows.Ends()
	table, sums := int64(high-low)+1, int64(lists.Vertex(last-1)-lists.Vertex(first))+1
	give, ok := w.join.reserve(5*table + 9*sums) // a length may have more than 8 bits, a sum 64
	if ok {
		give()
	}
	return ok
}

// spread is how many numbers were seen, and whether all are equal so far: then that is first.
type spread struct {
	n       atomic.Uint64
	first   atomic.Pointer[uint64]
	differs atomic.Bool
}

// look looks at some numbers more.
func look[T uint32 | uint64](s *spread, numbers []T) {
	if len(numbers) == 0 || s.differs.Load() {
		return
	}
	s.note(uint64(len(numbers)), uint64(numbers[0]), !slices.ContainsFunc(numbers, func(n T) bool { return n != numbers[0] }))
}

// note takes note of so many numbers, of which one is given, and whether all others are the same.
func (s *spread) note(n, one uint64, same bool) {
	if s.differs.Load() {
		return
	}
	s.n.Add(n)
	if s.first.Load() == nil {
		s.first.CompareAndSwap(nil, &one)
	}
	if !same || *s.first.Load() != one {
		s.differs.Store(true)
	}
}

// one is the number that all of so many are; false where there were others.
func (s *spread) one(of int) (uint64, bool) {
	if of == 0 || s.differs.Load() || s.n.Load() != uint64(of) {
		return 0, false
	}
	return *s.first.Load(), true
}

// takesAll reports whether every member of the step's one list that depends on a slot is a candidate, or has no number by what hangs on it.
func (s *step) takesAll(children []*weights) bool {
	return len(s.static)+len(s.Plan.Checks)+len(s.Distinct) == 0 && s.Low == 0 && s.High == dictionary.None &&
		!slices.ContainsFunc(s.rows, func(p *pcsr.Partition) bool { return !implied(p, children) })
}

// implied reports whether vertices that have numbers in all of some weights are rows of a partition.
func implied(p *pcsr.Partition, all []*weights) bool {
	return slices.ContainsFunc(all, func(t *weights) bool { return p.Same(t.rows()) })
}

// boundsOf are the smallest and the largest vertex that a slot may be bound to, as far as lists that depend on nothing say.
func (w *weighing) boundsOf(slot int) (low, high pcsr.Vertex) {
	high = dictionary.None
	s := w.join.stepOf(slot)
	if s == nil {
		return low, high
	}
	d := &domain{low: s.Low, high: s.High}
	if s.High < dictionary.None {
		d.high--
	}
	for i := range s.dynamic {
		if l := &s.dynamic[i]; l.partition != nil {
			d.cutRows(w.join.Graph.Partition(l.label.Constant, l.dir.Reverse()))
		}
	}
	for _, l := range s.static {
		d.cut(l.list[0], l.list[len(l.list)-1])
	}
	for _, p := range s.rows {
		d.cutRows(p)
	}
	return d.low, d.high
}

// total is the number of candidates of a step that depends on nothing, each as often as what hangs on it has solutions. Sums over the lists of the very rows that the
// candidates are, one for each, are added up as they are made; others are written down before.
func (w *weighing) total(s *step, children []*weights, sums []*unsummed) (uint64, error) {
	all := make([]*weights, 0, len(sums)+len(children))
	for _, u := range sums {
		all = append(all, &weights{lists: u.lists, times: 1})
	}
	d := w.domain(s, append(all, children...), nil)
	var last *unsummed
	for i, u := range sums {
		if last == nil && d.isOf(all[i]) {
			last = u
			continue
		}
		of, err := w.sums(u)
		if err != nil {
			return 0, err
		}
		children = append(children, of)
	}
	if last == nil {
		d = w.domain(s, children, nil)
	}
	n, err := w.addUp(d, children, last)
	if last != nil {
		w.release(last.candidates)
	}
	for _, c := range children {
		w.release(c)
	}
	return n, err
}

// inBlocks finds the candidates of a domain and the products of the children's weights, block by block, on the threads that there are: those of the
// source from low to high-1. What is done with them reads so many members of lists.
func (w *weighing) inBlocks(d *domain, children []*weights, members int, use func(low, high int, vertices []pcsr.Vertex, products []uint64)) error {
	price := rowPrice
	for _, c := range children {
		price += c.price()
	}
	return w.each(d.n, price*d.n+members+d.span()/clearShare, func(b *block, low, high int) {
		vertices := d.candidates(low, high, b.vertices[:0], b.kept[:0])
		products := b.products[:len(vertices)]
		for i := range products {
			products[i] = 1
		}
		for _, c := range children {
			if d.isOf(c) {
				c.multiplyRows(products, d.first+low)
			} else {
				c.multiplyInto(products, vertices)
			}
		}
		use(low, high, vertices, products)
	})
}

// block is a thread's room for weighBlock vertices and their numbers.
type block struct {
	vertices, kept [weighBlock]pcsr.Vertex
	products       [weighBlock]uint64
	degrees        [weighBlock]uint32
}

// What it takes to find a row and write its number down, to look a vertex up among the rows of a partition, and in a table, in members of lists read; of a table
// clearShare numbers are cleared meanwhile.
const rowPrice, lookPrice, tablePrice, clearShare = 2, 8, 2, 4

// price is what it takes to multiply the weight of a vertex into a product, in members of lists read.
func (t *weights) price() (price int) {
	switch {
	case t.table != nil:
		return tablePrice
	case t.lists != nil:
		return lookPrice
	}
	for _, part := range t.of {
		price += part.price()
	}
	return price
}

// each calls work for all of 0 … n-1, weighBlock at most at a time, on the threads that there are, if it takes long: cost is how many
// members of lists are read. Threads that come free meanwhile join.
func (w *weighing) each(n, cost int, work func(b *block, low, high int)) error {
	var next atomic.Int64
	places := weighTurn
	if threads := w.join.workers.Limit(); threads > 1 {
		places = max(1, int(float64(weighTurn)*float64(n)/float64(max(n, cost, 1))), min(weighTurn, n/(turnsOfThread*threads)))
	}
	turn := func(keep func() bool) error {
		b := w.matcher.block()
		defer w.matcher.blocks.Put(b)
		for !w.stop.Load() && keep() {
			low := int(next.Add(int64(places))) - places
			if low >= n {
				break
			}
			for high := min(low+places, n); low < high && !w.stop.Load(); low += weighBlock {
				work(b, low, min(low+weighBlock, high))
			}
		}
		return nil
	}
	helpers, shared := schedule.Group{Share: w.join.workers, Failed: func() { w.stop.Store(true) }}, false
	ask := func() {
		left := float64(cost) * float64(n-int(next.Load())) / float64(max(n, 1))
		if w.warm {
			left *= warmShare
		}
		if t := &w.matcher.tuning; left > float64(t.quiet) {
			helpers.GoAll(min(w.join.workers.Limit()-1, t.helpers(left))-helpers.Running(), func(k *schedule.Worker) error { return turn(k.Keep) })
			shared = shared || helpers.Running() > 0
		}
	}
	helpers.Do(func() error {
		return turn(func() bool { ask(); w.join.workers.Yield(); return true })
	})
	w.warm = w.warm || shared
	return helpers.Wait()
}

// warmShare is how many times less work is worth threads that have just ended some, and look for more.
const warmShare = 8

// weighTurn is how many places a thread takes at a time, of lists with one member each; fewer where they are longer.
const weighTurn = 8 * weighBlock

// turnsOfThread is how many turns there are for each thread, at least where lists are long: each turn looks for its first row.
const turnsOfThread = 16

// make returns a table for so many numbers, which are expected to be about so large in the mean. It is dropped with the run.
func (w *weighing) make(n int, mean float64) (*numberTable, error) {
	t, err := newNumberTable(n, mean, w.join.charge)
	w.weightTables = append(w.weightTables, t)
	return t, err
}

// release gives back what weights take that are not needed any more.
func (w *weighing) release(t *weights) {
	if i := slices.Index(w.weightTables, t.table); i >= 0 {
		t.table.drop()
		w.weightTables = slices.Delete(w.weightTables, i, i+1)
	}
	t.table = nil
	for _, part := range t.of {
		w.release(part)
	}
}
