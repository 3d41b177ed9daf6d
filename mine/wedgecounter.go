package mine

import (
	"math/bits"
	"slices"
)

// wedgeCounter sweeps over blocks of vertices and counts what stands for the vertices of each wedge. It belongs to one goroutine.
type wedgeCounter struct {
	*wedges
	rows    blockRows
	own     []role     // of a vertex
	centres [][]digits // label → spoke, words of the spokes beside it
	leaves  [][]digits // label → spoke, words of the centre's spokes

	degree []uint32   // label → how many neighbours along a lane have it
	only   []Vertex   // label → one of them
	single [][]Vertex // own role → spoke → the first neighbour
	met    []int      // labels of the neighbours along a lane, with room for one more than there are

	isMet []bool
	heard [][]hearsay // label → words
}

// hearsay is what a vertex gets to know from its neighbours of one label along a lane, of 64 spokes of theirs.
type hearsay struct {
	known uint64 // a neighbour has it, and it does not lead back alone
	back  uint64 // it leads back along the lane
	doubt uint64 // it may lead back along another lane
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
		c.own = c.roles(v, c.own)
		for i, own := range c.own {
			if i == len(c.single) {
				c.single = append(c.single, nil)
			}
			c.single[i] = slices.Grow(c.single[i][:0], len(c.ways[own.label]))[:len(c.ways[own.label])]
		}
		for _, r := range c.rows.of(v) {
			l := &c.lanes[r.lane]
			_, others := l.at(r.at)
			c.meet(others)
			for i, own := range c.own {
				if spokes := l.bits[own.label]; spokes != nil {
					c.mark(own.masks, spokes, c.single[i])
				}
			}
			for _, label := range c.met {
				c.degree[label] = 0
			}
		}
		for i, own := range c.own {
			countCentre(own.masks, c.centres[own.label], c.single[i])
		}
	}
}

// meet counts neighbours by label. Whether a neighbour is the first of its label is chance, so that nothing branches on it.
func (c *wedgeCounter) meet(others []Vertex) {
	n, met := 0, c.met[:len(c.degree)+1]
	plainly, degree, only := c.plainly, c.degree, c.only
	for _, u := range others {
		label := int(plainly[u])
		if label >= 0 {
			met[n], only[label] = label, u
			if degree[label] == 0 {
				n++
			}
			degree[label]++
		} else if label == complicated {
			for _, e := range c.entries[c.first[u]:c.first[u+1]] {
				label := e.label
				met[n], only[label] = int(label), u
				if degree[label] == 0 {
					n++
				}
				degree[label]++
			}
		}
	}
	c.met = met[:n]
}

// mark gives a vertex the spokes to the labels that were met; single is the neighbour of those with one.
func (c *wedgeCounter) mark(masks []mask, spokes []int, single []Vertex) {
	for _, label := range c.met {
		bit := spokes[label]
		if bit < 0 {
			continue
		}
		masks[bit/64].once |= bit64(bit)
		if single[bit] = c.only[label]; c.degree[label] > 1 {
			masks[bit/64].twice |= bit64(bit)
		}
	}
}

// countCentre counts a vertex for each two of its spokes that end in different vertices: the second not below the first.
func countCentre(masks []mask, counts []digits, single []Vertex) {
	for i, m := range masks {
		for word := m.once; word != 0; word &= word - 1 {
			bit := i*64 + bits.TrailingZeros64(word)
			several := m.twice&bit64(bit) != 0
			for j := i; j < len(masks); j++ {
				others := masks[j].once
				if j == i {
					others = word // without those below
				}
				if !several {
					others &^= same(others&^masks[j].twice, single[j*64:], single[bit])
				}
				counts[bit*len(masks)+j].add(others)
			}
		}
	}
}

// same are those of a word of spokes whose single neighbour is a vertex.
func same(spokes uint64, single []Vertex, v Vertex) (same uint64) {
	for ; spokes != 0; spokes &= spokes - 1 {
		if single[bits.TrailingZeros64(spokes)] == v {
			same |= spokes & -spokes
		}
	}
	return same
}

// sweepLeaves counts a block's vertices as leaves of each spoke: for all that a neighbour along it has besides.
func (c *wedgeCounter) sweepLeaves() {
	for v := c.rows.begin; v < c.rows.end; v++ {
		if c.own = c.roles(v, c.own); len(c.own) == 0 {
			continue
		}
		rows := c.rows.of(v)
		for _, r := range rows {
			l := &c.lanes[r.lane]
			_, others := l.at(r.at)
			c.met = c.met[:0]
			c.listen(v, others, rows, l)
			for _, own := range c.own {
				c.countLeaf(own.label, l.bits[own.label])
			}
			for _, label := range c.met {
				c.isMet[label] = false
			}
		}
	}
}

// listen adds up what the neighbours along a lane have.
func (c *wedgeCounter) listen(v Vertex, others []Vertex, rows []laneRow, by *lane) {
	plainly, plain, isMet, heard := c.plainly, c.plain, c.isMet, c.heard
	for _, u := range others {
		if label := int(plainly[u]); label >= 0 {
			if !isMet[label] {
				c.begin(label, rows, by)
			}
			h := &heard[label][0]
			if doubt := h.hear(plain[u]); doubt != 0 {
				h.known |= doubt &^ c.leads(v, u, c.ways[label], doubt)
			}
		} else if label == complicated {
			for _, e := range c.entries[c.first[u]:c.first[u+1]] {
				label := int(e.label)
				if !c.isMet[label] {
					c.begin(label, rows, by)
				}
				for i, m := range c.masks[e.at:][:c.words[label]] {
					h := &c.heard[label][i]
					if doubt := h.hear(m); doubt != 0 {
						h.known |= doubt &^ c.leads(v, u, c.ways[label][i*64:], doubt)
					}
				}
			}
		}
	}
}

// hear adds the spokes that a neighbour has and that do not lead back alone, but for those that are in doubt.
func (h *hearsay) hear(m mask) (doubt uint64) {
	alone := m.once &^ m.twice
	spokes := m.once &^ (alone & h.back)
	doubt = alone & spokes & h.doubt &^ h.known
	h.known |= spokes &^ doubt
	return doubt
}

// begin finds which spokes of a label lead back: along the lane that a vertex came by, or along others that it has rows of.
func (c *wedgeCounter) begin(label int, rows []laneRow, by *lane) {
	c.isMet[label], c.met = true, append(c.met, label)
	heard := c.heard[label]
	clear(heard)
	for _, r := range rows {
		l := &c.lanes[r.lane]
		spokes := c.lanes[l.reverse].bits[label]
		if spokes == nil {
			continue
		}
		for _, own := range c.own {
			if bit := spokes[own.label]; bit >= 0 && l == by {
				heard[bit/64].back |= bit64(bit)
			} else if bit >= 0 {
				heard[bit/64].doubt |= bit64(bit)
			}
		}
	}
}

// leads are those of a word of spokes, the first of ways, that lead from u to v, where all lead to vertices with a label of v.
func (c *wedgeCounter) leads(v, u Vertex, ways []spoke, spokes uint64) (leads uint64) {
	for ; spokes != 0; spokes &= spokes - 1 {
		way := ways[bits.TrailingZeros64(spokes)]
		if contains(c.lanes[way.lane].row(u), v) {
			leads |= spokes & -spokes
		}
	}
	return leads
}

// countLeaf counts a vertex for all that was learned along a lane.
func (c *wedgeCounter) countLeaf(own int, spokes []int) {
	if spokes == nil {
		return
	}
	for _, label := range c.met {
		bit := spokes[label]
		if bit < 0 {
			continue
		}
		counts := c.leaves[own][c.leafAt[own][bit]:]
		for i, h := range c.heard[label] {
			counts[i].add(h.known)
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
