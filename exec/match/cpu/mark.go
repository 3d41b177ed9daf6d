package cpu

import "github.com/rdfgpu/rdfgpu/pcsr"

// mark keeps a list that comes again and again as a bitmap: one of its own, where on is set, or one that the workers of the run have in common.
type mark struct {
	list   []pcsr.Vertex
	seen   int
	on     bool
	bits   bitmap
	common *current
}

// renew replaces the list of a mark by a copy of another.
func (m *mark) renew(list []pcsr.Vertex) {
	m.drop()
	m.list, m.seen = append(m.list[:0], list...), 0
}

// begin watches another list. The memory of the bitmap is used again.
func (m *mark) begin(list []pcsr.Vertex) {
	m.drop()
	m.list, m.seen = list, 1
}

// drop lets go of the bitmap.
func (m *mark) drop() {
	if m.on {
		m.bits.clear(m.list)
		m.on = false
	}
	if m.common != nil {
		m.common.release()
		m.common = nil
	}
}

// forget drops the list, which belongs to a graph, and keeps the memory of the bitmap.
func (m *mark) forget() { m.begin(nil) }

// bits returns a list as a bitmap where there is one, or where it now pays to make one.
func (w *worker) bits(s *step, c *scratch, source, other []pcsr.Vertex) *bitmap {
	if c.based {
		if b := &c.partials[c.base]; len(b.list) == len(other) && &b.list[0] == &other[0] {
			return b.often(w.tuning)
		}
	}
	if l := c.common; l != nil && len(l.list) == len(other) && &l.list[0] == &other[0] {
		return l.bitmap(len(source), w.tuning.probes)
	}
	for _, l := range s.static {
		if len(l.list) == len(other) && &l.list[0] == &other[0] {
			return l.bitmap(len(source), w.tuning.probes)
		}
	}
	if len(other) < w.tuning.shortMark || len(s.dynamic) < 2 {
		return nil
	}
	if b := w.hub(other); b != nil {
		return b
	}
	return w.marked(c, other)
}

// marked returns the bitmap of a list that has come often.
func (w *worker) marked(c *scratch, list []pcsr.Vertex) *bitmap {
	for i := range c.marks {
		m := &c.marks[i]
		if len(m.list) != len(list) || &m.list[0] != &list[0] {
			continue
		}
		if w.alone || len(list) < w.tuning.longMark {
			return m.often(w.tuning)
		}
		if m.seen++; m.common == nil && m.seen >= w.tuning.oftenMark {
			m.common = w.run.commonHubs().current.take(list, w.tuning)
		}
		if m.common == nil {
			return nil
		}
		return &m.common.bits
	}
	c.newMark(list)
	return nil
}

// often returns the bitmap of the mark's list, nil while it has not come often enough.
func (m *mark) often(t *tuning) *bitmap {
	if m.seen++; m.on {
		return &m.bits
	}
	if m.seen < t.oftenMark {
		return nil
	}
	m.bits.setFew(m.list, t)
	m.on = true
	return &m.bits
}

// newMark begins to watch a list in place of the one seen least.
func (c *scratch) newMark(list []pcsr.Vertex) {
	least := &c.marks[0]
	for i := range c.marks {
		c.marks[i].seen /= 2
		if c.marks[i].seen < least.seen || c.marks[i].list == nil {
			least = &c.marks[i]
		}
	}
	least.begin(list)
}
