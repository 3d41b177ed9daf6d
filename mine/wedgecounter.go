package mine

import (
	"math/bits"
	"slices"
)

// wedgeCounter sweeps over blocks of vertices and counts what stands for the vertices of each wedge. It belongs to one goroutine.
type wedgeCounter struct {
	*wedges
	rows    blockRows
	centres [][]digits // label → spoke, words of the spokes beside it
	leaves  [][]digits // label → spoke, words of the centre's spokes

	degree []uint32 // label → how many neighbours along a lane have it
	only   []Vertex // label → the first of them
	single [][]Vertex
	met    []int // labels of the neighbours along a lane

	isMet []bool
	known [][]uint64 // label → which spokes a neighbour of it has that do not lead back alone
	back  [][]uint64 // label → which spokes of a neighbour lead back along the lane
	doubt [][]uint64 // label → which may lead back along other lanes
}

// join adds what another has counted.
func (c *wedgeCounter) join(o *wedgeCounter) {
	for label := range c.labels {
		for i := range c.centres[label] {
			c.centres[label][i].join(&o.centres[label][i])
		}
		for i := range c.leaves[label] {
			c.leaves[label][i].join(&o.leaves[label][i])
		}
	}
}

// sweepCentres makes the masks of a block's vertices, and counts them as centres.
func (c *wedgeCounter) sweepCentres() {
	for v := c.rows.begin; v < c.rows.end; v++ {
		own := c.of(v)
		for len(c.single) < len(own) {
			c.single = append(c.single, nil)
		}
		for i, e := range own {
			c.single[i] = slices.Grow(c.single[i][:0], len(c.ways[e.label]))[:len(c.ways[e.label])]
		}
		for _, r := range c.rows.of(v) {
			l := &c.lanes[r.lane]
			_, others := l.at(r.at)
			c.meet(others)
			for i, e := range own {
				if spokes := l.bits[e.label]; spokes != nil {
					c.mark(e, spokes, c.single[i])
				}
			}
			for _, label := range c.met {
				c.degree[label] = 0
			}
		}
		for i, e := range own {
			c.countCentre(e, c.single[i])
		}
	}
}

// meet counts neighbours by label.
func (c *wedgeCounter) meet(others []Vertex) {
	c.met = c.met[:0]
	for _, u := range others {
		for _, e := range c.of(u) {
			if c.degree[e.label] == 0 {
				c.met, c.only[e.label] = append(c.met, int(e.label)), u
			}
			c.degree[e.label]++
		}
	}
}

// mark gives a vertex the spokes to the labels that were met; single is the neighbour of those with one.
func (c *wedgeCounter) mark(e entry, spokes []int, single []Vertex) {
	once, twice := c.once(e), c.twice(e)
	for _, label := range c.met {
		bit := spokes[label]
		if bit < 0 {
			continue
		}
		once[bit/64] |= bit64(bit)
		if single[bit] = c.only[label]; c.degree[label] > 1 {
			twice[bit/64] |= bit64(bit)
		}
	}
}

// countCentre counts a vertex for each two of its spokes that end in different vertices: the second not below the first.
func (c *wedgeCounter) countCentre(e entry, single []Vertex) {
	once, twice := c.once(e), c.twice(e)
	for i, word := range once {
		for ; word != 0; word &= word - 1 {
			bit := i*64 + bits.TrailingZeros64(word)
			several := twice[i]&bit64(bit) != 0
			counts := c.centres[e.label][bit*len(once):]
			for j := i; j < len(once); j++ {
				others := once[j]
				if j == i {
					others = word // without those below
				}
				if !several {
					others &^= c.same(j, others&^twice[j], single, single[bit])
				}
				counts[j].add(others)
			}
		}
	}
}

// same are those spokes of a word whose single neighbour is a vertex.
func (c *wedgeCounter) same(word int, spokes uint64, single []Vertex, v Vertex) (same uint64) {
	for ; spokes != 0; spokes &= spokes - 1 {
		if single[word*64+bits.TrailingZeros64(spokes)] == v {
			same |= spokes & -spokes
		}
	}
	return same
}

// sweepLeaves counts a block's vertices as leaves of each spoke: for all that a neighbour along it has besides.
func (c *wedgeCounter) sweepLeaves() {
	for v := c.rows.begin; v < c.rows.end; v++ {
		own := c.of(v)
		if len(own) == 0 {
			continue
		}
		rows := c.rows.of(v)
		for _, r := range rows {
			l := &c.lanes[r.lane]
			_, others := l.at(r.at)
			c.met = c.met[:0]
			for _, u := range others {
				for _, e := range c.of(u) {
					if !c.isMet[e.label] {
						c.begin(int(e.label), own, rows, l)
					}
					c.learn(v, u, e)
				}
			}
			for _, e := range own {
				c.countLeaf(e, l.bits[e.label])
			}
			for _, label := range c.met {
				c.isMet[label] = false
			}
		}
	}
}

// begin finds which spokes of a label lead back to a vertex: along the lane that it came by, or along others that the vertex has rows of.
func (c *wedgeCounter) begin(label int, own []entry, rows []laneRow, by *lane) {
	c.isMet[label], c.met = true, append(c.met, label)
	clear(c.known[label])
	clear(c.back[label])
	clear(c.doubt[label])
	c.leadBack(c.back[label], label, own, by)
	for _, r := range rows {
		if l := &c.lanes[r.lane]; l != by {
			c.leadBack(c.doubt[label], label, own, l)
		}
	}
}

// leadBack marks the spokes of a label that lead back along a lane.
func (c *wedgeCounter) leadBack(marks []uint64, label int, own []entry, by *lane) {
	spokes := c.lanes[by.reverse].bits[label]
	if spokes == nil {
		return
	}
	for _, e := range own {
		if bit := spokes[e.label]; bit >= 0 {
			marks[bit/64] |= bit64(bit)
		}
	}
}

// learn adds the spokes of a neighbour that end in another vertex than v.
func (c *wedgeCounter) learn(v, u Vertex, e entry) {
	once, twice, known := c.once(e), c.twice(e), c.known[e.label]
	for i, word := range once {
		alone := word &^ twice[i]
		word &^= alone & c.back[e.label][i]
		if doubt := alone & word & c.doubt[e.label][i] &^ known[i]; doubt != 0 {
			word &^= c.leads(v, u, int(e.label), i, doubt)
		}
		known[i] |= word
	}
}

// leads are those spokes of a word that lead from u to v, among others that lead to vertices with a label of v.
func (c *wedgeCounter) leads(v, u Vertex, label, word int, spokes uint64) (leads uint64) {
	for ; spokes != 0; spokes &= spokes - 1 {
		way := c.ways[label][word*64+bits.TrailingZeros64(spokes)]
		if contains(c.lanes[way.lane].row(u), v) {
			leads |= spokes & -spokes
		}
	}
	return leads
}

// countLeaf counts a vertex for all that was learned along a lane.
func (c *wedgeCounter) countLeaf(e entry, spokes []int) {
	if spokes == nil {
		return
	}
	for _, label := range c.met {
		bit := spokes[label]
		if bit < 0 {
			continue
		}
		counts := c.leaves[e.label][c.leafAt[e.label][bit]:]
		for i, word := range c.known[label] {
			counts[i].add(word)
		}
	}
}

// blockRows are the rows of a block of vertices, by vertex.
type blockRows struct {
	begin, end Vertex
	first      []uint32 // vertex of the block → where its rows begin, and the end
	rows       []laneRow
}

// laneRow is a row of a lane.
type laneRow struct{ lane, at int }

// gather finds the rows of the vertices from begin to end.
func (b *blockRows) gather(lanes []lane, begin, end Vertex) {
	b.begin, b.end = begin, end
	b.first = slices.Grow(b.first[:0], int(end-begin)+2)[:end-begin+2]
	clear(b.first)
	for i := range lanes {
		for _, v := range lanes[i].between(begin, end) {
			b.first[v-begin+2]++
		}
	}
	for i := 2; i < len(b.first); i++ {
		b.first[i] += b.first[i-1]
	}
	b.rows = slices.Grow(b.rows[:0], int(b.first[len(b.first)-1]))[:b.first[len(b.first)-1]]
	for i := range lanes {
		at, _ := slices.BinarySearch(lanes[i].vertices, begin)
		for j, v := range lanes[i].between(begin, end) {
			next := &b.first[v-begin+1]
			b.rows[*next] = laneRow{i, at + j}
			*next++
		}
	}
}

// of are the rows of a vertex.
func (b *blockRows) of(v Vertex) []laneRow {
	return b.rows[b.first[v-b.begin]:b.first[v-b.begin+1]]
}

// between are the vertices of rows from begin to end.
func (r *rows) between(begin, end Vertex) []Vertex {
	first, _ := slices.BinarySearch(r.vertices, begin)
	last, _ := slices.BinarySearch(r.vertices, end)
	return r.vertices[first:last]
}
