package mine

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

// embedder looks for the embeddings of one pattern after the other. It belongs to one goroutine.
type embedder struct {
	*ways
	ctx   context.Context
	work  int
	ended bool // by ctx

	pattern LabelledPattern
	ends    [][]end  // vertex → its arcs
	domains []domain // vertex → what may stand for it
	found   []domain // vertex → what was seen to stand for it
	row     []Vertex
	order   []int
	least   uint64
}

// end is an arc as one of its vertices has it.
type end struct {
	other int
	step  *step // to the other
}

// support is the minimum image support of a pattern, or its number of embeddings. It is 0 as soon as it is known to be below what is
// wanted. The error is the cause of the context.
func (e *embedder) support(p LabelledPattern, frequent FrequentOptions) (support, wrong uint64, err error) {
	if e.least = frequent.Support; frequent.Measure == Instances {
		e.least = 1 // vertex, which may be in many
	}
	if e.begin(p) && e.reduce() {
		switch {
		case frequent.Measure == Instances:
			support = e.instances()
		case e.reduced():
			support = e.smallest()
		default:
			support, wrong = e.images(frequent.Sample)
		}
	}
	if e.ended {
		return 0, 0, context.Cause(e.ctx)
	}
	return support, wrong, nil
}

// begin puts into the domains what has the label and all arcs of each vertex, and reports whether that is enough.
func (e *embedder) begin(p LabelledPattern) bool {
	e.pattern = p
	n := len(p.Labels)
	e.ends, e.row = make([][]end, n), make([]Vertex, n)
	for len(e.domains) < n {
		e.domains = append(e.domains, newDomain(e.graph.Len()))
	}
	for _, a := range p.Arcs {
		there := e.steps[stepKey{a.Predicate, false, p.Labels[a.To]}]
		back := e.steps[stepKey{a.Predicate, e.graph.directed, p.Labels[a.From]}]
		e.ends[a.From] = append(e.ends[a.From], end{a.To, there})
		e.ends[a.To] = append(e.ends[a.To], end{a.From, back})
	}
	for i, label := range p.Labels {
		d := e.domains[i]
		d.copy(e.members[label])
		for _, end := range e.ends[i] {
			d.meet(&end.step.rows)
		}
		if !e.enough(d.size()) {
			return false
		}
	}
	return true
}

// enough reports whether so many vertices can make the pattern frequent.
func (e *embedder) enough(n int) bool { return uint64(n) >= e.least }

// reduce takes from the domains what has no neighbour in that of a neighbour, until they stay as they are (arc consistency), and reports
// whether enough is left. What hangs on one arc comes last: it has lost nothing that its neighbour does not have a neighbour without.
func (e *embedder) reduce() bool {
	changed := make([]bool, len(e.ends))
	for i := range e.ends {
		changed[i] = !e.hangs(i)
	}
	for slices.Contains(changed, true) {
		j := slices.Index(changed, true)
		changed[j] = false
		for _, at := range e.ends[j] {
			i := at.other
			for _, end := range e.ends[i] {
				if end.other != j || e.hangs(i) {
					continue
				}
				removed, left := e.filter(i, end)
				if !e.enough(left) || e.ended {
					return false
				}
				changed[i] = changed[i] || removed
			}
		}
	}
	for i, ends := range e.ends {
		if e.hangs(i) {
			if _, left := e.filter(i, ends[0]); !e.enough(left) || e.ended {
				return false
			}
		}
	}
	return true
}

// hangs reports whether a vertex of the pattern has one arc.
func (e *embedder) hangs(i int) bool { return len(e.ends[i]) == 1 }

// filter takes from the domain of a vertex what has no neighbour in that of another.
func (e *embedder) filter(i int, to end) (removed bool, left int) {
	d, other := e.domains[i], e.domains[to.other]
	for word, set := range d {
		for w := set; w != 0; w &= w - 1 {
			v := Vertex(word*64 + bits.TrailingZeros64(w))
			if !slices.ContainsFunc(to.step.row(v), other.has) {
				d.remove(v)
				removed = true
			}
		}
		left += bits.OnesCount64(d[word])
	}
	e.look(left)
	return removed, left
}

// reduced reports whether everything that is left in the domains is in an embedding: of a tree whose vertices cannot meet.
func (e *embedder) reduced() bool {
	if !e.pattern.tree() {
		return false
	}
	for i := range e.pattern.Labels {
		for j := range i {
			if !e.pattern.touching(i, j) && e.domains[i].meets(e.domains[j]) {
				return false
			}
		}
	}
	return true
}

// smallest is the size of the smallest domain.
func (e *embedder) smallest() uint64 {
	n := math.MaxInt
	for i := range e.pattern.Labels {
		n = min(n, e.domains[i].size())
	}
	return uint64(n)
}

// images is the minimum image support: for each vertex of the pattern everything in its domain is tried that no embedding has been seen
// to have there, or a sample of the domain.
func (e *embedder) images(sample int) (support, wrong uint64) {
	for len(e.found) < len(e.pattern.Labels) {
		e.found = append(e.found, newDomain(e.graph.Len()))
	}
	for i := range e.pattern.Labels {
		clear(e.found[i])
	}
	support = math.MaxUint64
	for _, i := range e.bySize() {
		e.plan(i)
		n, off := e.try(i, sample)
		if n < support {
			support, wrong = n, off
		}
		if support < e.least || e.ended {
			return 0, 0
		}
	}
	return support, wrong
}

// bySize lists the vertices of the pattern by the size of their domains.
func (e *embedder) bySize() []int {
	order, sizes := make([]int, len(e.pattern.Labels)), make([]int, len(e.pattern.Labels))
	for i := range order {
		order[i], sizes[i] = i, e.domains[i].size()
	}
	slices.SortStableFunc(order, func(a, b int) int { return sizes[a] - sizes[b] })
	return order
}

// try counts what stands for a vertex, and takes the rest from its domain. Of more than a sample, one in so many is tried.
func (e *embedder) try(i, sample int) (n, wrong uint64) {
	size := e.domains[i].size()
	if sample > 0 && size > sample {
		return e.estimate(i, sample, size)
	}
	left := uint64(size)
	e.domains[i].each(func(v Vertex) bool {
		if !e.found[i].has(v) && !e.embed(v) {
			e.domains[i].remove(v)
			left--
		}
		return left >= e.least && !e.ended
	})
	return left, 0
}

// estimate tries vertices of a domain at even distances.
func (e *embedder) estimate(i, sample, size int) (n, wrong uint64) {
	at, tried, good := 0, 0, 0
	e.domains[i].each(func(v Vertex) bool {
		if at*sample/size != (at+1)*sample/size {
			if tried++; e.found[i].has(v) || e.embed(v) {
				good++
			}
		}
		at++
		return !e.ended
	})
	share := float64(good) / float64(tried)
	off := 1.96 * math.Sqrt(share*(1-share)/float64(tried))
	if good == 0 || good == tried {
		off = 3 / float64(tried) // the rule of three
	}
	return uint64(math.Round(share * float64(size))), uint64(math.Ceil(off * float64(size)))
}

// plan orders the vertices of the pattern so that each but the first has an arc to one before it; of these the one with the most.
func (e *embedder) plan(first int) {
	e.order = append(e.order[:0], first)
	for len(e.order) < len(e.pattern.Labels) {
		best, most := -1, 0
		for i := range e.pattern.Labels {
			arcs := 0
			for _, end := range e.ends[i] {
				if slices.Contains(e.order, end.other) {
					arcs++
				}
			}
			if arcs > most && !slices.Contains(e.order, i) {
				best, most = i, arcs
			}
		}
		e.order = append(e.order, best)
	}
}

// embed reports whether there is an embedding with v as the first vertex of the order, and remembers what it consists of.
func (e *embedder) embed(v Vertex) bool {
	e.row[e.order[0]] = v
	if !e.complete(1) {
		return false
	}
	for i, w := range e.row {
		e.found[i].add(w)
	}
	return true
}

// complete finds what stands for the vertices from depth on.
func (e *embedder) complete(depth int) bool {
	if depth == len(e.order) {
		return true
	}
	i := e.order[depth]
	for _, w := range e.candidates(depth) {
		if e.fits(depth, w) {
			if e.row[i] = w; e.complete(depth + 1) {
				return true
			}
		}
		if e.look(1); e.ended {
			return false
		}
	}
	return false
}

// candidates is the shortest list that what stands for a vertex must be in.
func (e *embedder) candidates(depth int) (shortest []Vertex) {
	best := math.MaxInt
	for _, before := range e.order[:depth] {
		for _, end := range e.ends[before] {
			if end.other != e.order[depth] {
				continue
			}
			if row := end.step.row(e.row[before]); len(row) < best {
				shortest, best = row, len(row)
			}
		}
	}
	return shortest
}

// fits reports whether a vertex is in its domain, is none of those before, and has all arcs to them.
func (e *embedder) fits(depth int, w Vertex) bool {
	i := e.order[depth]
	if !e.domains[i].has(w) {
		return false
	}
	for _, before := range e.order[:depth] {
		if e.row[before] == w {
			return false
		}
		for _, end := range e.ends[before] {
			if end.other == i && !contains(end.step.row(e.row[before]), w) {
				return false
			}
		}
	}
	return true
}

// instances counts the embeddings.
func (e *embedder) instances() (n uint64) {
	e.plan(e.bySize()[0])
	e.domains[e.order[0]].each(func(v Vertex) bool {
		e.row[e.order[0]] = v
		n += e.count(1)
		return !e.ended
	})
	return n
}

// count counts the ways to go on from depth.
func (e *embedder) count(depth int) (n uint64) {
	for _, w := range e.candidates(depth) {
		if e.look(1); e.ended {
			return 0
		}
		switch {
		case !e.fits(depth, w):
		case depth+1 == len(e.order):
			n++
		default:
			e.row[e.order[depth]] = w
			n += e.count(depth + 1)
		}
	}
	return n
}

// look ends the work with its context.
func (e *embedder) look(work int) {
	if e.work += work; e.work >= lookEvery {
		e.work = 0
		e.ended = e.ended || e.ctx.Err() != nil
	}
}
