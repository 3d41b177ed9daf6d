package pcsr

// Settled are flat partitions of labels of which much was changed, to be taken over by Adopt.
type Settled struct {
	line   *lineage
	labels []settledLabel
}

// settledLabel is a label as it was and its partitions laid out anew.
type settledLabel struct {
	label Label
	was   *changedLabel
	parts [2]*Partition
}

const (
	// A label is settled when the edges that came and went are 1/settleShare of those that it has now, and leastSettled.
	settleShare  = 32
	leastSettled = 1 << 12
)

// isDue reports whether a label ought to be settled.
func (line *lineage) isDue(c *changedLabel) bool {
	for _, p := range c.parts {
		if p.layer == Patched && p.patch.since >= max(line.leastSettled, p.patch.edges/settleShare) {
			return true
		}
	}
	return false
}

// Unsettled reports whether there are labels of which so much was changed that Settle is worth its time.
func (g *Graph) Unsettled() bool { return g.live != nil && g.live.unsettled > 0 }

// Settle lays the partitions of the labels anew of which much was changed (1/32 of the edges, and some thousands), so that they are read
// as fast as those of a graph that was never changed. It takes the time of copying them, while the graph may be read and changed;
// Adopt brings the result into the graph as it is then. It is nil where there is nothing to do.
func (g *Graph) Settle() *Settled {
	if !g.Unsettled() {
		return nil
	}
	s := &Settled{line: g.live.line}
	g.live.labels.ascend(0, func(l Label, c **changedLabel) bool {
		if s.line.isDue(*c) {
			s.labels = append(s.labels, settledLabel{label: l, was: *c})
		}
		return true
	})
	parallel(2*len(s.labels), func(i int) {
		l, d := &s.labels[i/2], i%2
		l.parts[d] = l.was.parts[d].flat()
	})
	return s
}

// Adopt returns the same graph with partitions that an earlier state of it was settled to. It takes time in proportion to what was changed
// in these labels since then. Labels that were settled otherwise meanwhile stay as they are.
func (g *Graph) Adopt(s *Settled) *Graph {
	if s == nil || g.live == nil || g.live.line != s.line {
		return g
	}
	next, x := *g, *g.live
	next.live = &x
	for i := range s.labels {
		x.adopt(&s.labels[i])
	}
	return &next
}

func (x *live) adopt(s *settledLabel) {
	was := x.label(s.label)
	if was == nil || was.parts[Out].ground() != s.was.parts[Out].ground() {
		return
	}
	now := &changedLabel{settled: true}
	now.loops.is.Store(was.loops.is.Load())
	now.undirected.is.Store(was.undirected.is.Load())
	for d, flat := range s.parts {
		came, went := partitionDifference(s.was.parts[d], was.parts[d])
		now.parts[d], _ = flat.change(came, went, &x.line.held)
	}
	x.bytes += now.bytes() - was.bytes()
	x.unsettled += oneIf(x.line.isDue(now)) - oneIf(x.line.isDue(was))
	x.labels = x.labels.edit([]uint32{s.label}, func(int, **changedLabel) (*changedLabel, bool) { return now, true })
}

// ground is the partition that a Patched one is over, and another itself.
func (p *Partition) ground() *Partition {
	if p.layer == Patched {
		return p.patch.ground
	}
	return p
}
