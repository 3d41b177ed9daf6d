package pcsr

import "github.com/rdfgpu/rdfgpu/internal/machine"

// Settled are partitions of arrays in the place of those of which much was changed, to be taken over by Adopt.
type Settled struct {
	line   *lineage
	labels []settledLabel
	sets   [2][2]settledPart // by direction: of vertices, and their labels
}

// settledLabel is a label as it was and its partitions laid out anew.
type settledLabel struct {
	label Label
	was   *changedLabel
	parts [2]settledPart
}

// settledPart is a partition as it was and laid out anew; nil where it was left as it is.
type settledPart struct{ was, flat *Partition }

const (
	// A partition is settled when the edges that came and went are 1/settleShare of those that it has now, and leastSettled.
	settleShare  = 32
	leastSettled = 1 << 12
)

// isDue reports whether a partition ought to be settled.
func (line *lineage) isDue(p *Partition) bool {
	return p.layer == Patched && p.patch.since >= max(line.tuning.leastSettled, p.patch.edges/settleShare)
}

func (line *lineage) isDueLabel(c *changedLabel) bool {
	return line.isDue(c.parts[Out]) || line.isDue(c.parts[In])
}

func (line *lineage) areDue(s *labelSets) bool { return line.isDue(&s.of) || line.isDue(&s.labels) }

// Unsettled reports whether there are labels of which so much was changed that Settle is worth its time.
func (g *Graph) Unsettled() bool { return g.live != nil && g.live.unsettled > 0 }

// Settle lays the partitions anew of which much was changed (1/32 of the edges, and some thousands), so that they are read
// as fast as those of a graph that was never changed. It takes the time of copying them, while the graph may be read and changed;
// Adopt brings the result into the graph as it is then. It is nil where there is nothing to do.
func (g *Graph) Settle() *Settled {
	if !g.Unsettled() {
		return nil
	}
	line := g.live.line
	s := &Settled{line: line}
	g.live.labels.ascend(0, func(l Label, c **changedLabel) bool {
		if line.isDueLabel(*c) {
			s.labels = append(s.labels, settledLabel{label: l, was: *c})
		}
		return true
	})
	var parts []*settledPart
	for i := range s.labels {
		l := &s.labels[i]
		for d, p := range l.was.parts {
			l.parts[d].was = p
			parts = append(parts, &l.parts[d])
		}
	}
	for d := range g.sets {
		for i, p := range []*Partition{&g.sets[d].of, &g.sets[d].labels} {
			if line.isDue(p) {
				s.sets[d][i].was = p
				parts = append(parts, &s.sets[d][i])
			}
		}
	}
	machine.Parallel(len(parts), func(i int) { parts[i].flat = parts[i].was.flat() })
	return s
}

// Adopt returns the same graph with partitions that an earlier state of it was settled to. It takes time in proportion to what was changed
// in these since then. Those that were settled otherwise meanwhile stay as they are.
func (g *Graph) Adopt(s *Settled) *Graph {
	if s == nil || g.live == nil || g.live.line != s.line {
		return g
	}
	next, x := *g, *g.live
	next.live = &x
	for i := range s.labels {
		x.adopt(&s.labels[i])
	}
	for d := range s.sets {
		next.adoptSets(&next.sets[d], &s.sets[d])
	}
	return &next
}

func (x *live) adopt(s *settledLabel) {
	was := x.label(s.label)
	if was == nil || was.parts[Out].ground() != s.parts[Out].was.ground() || was.parts[In].ground() != s.parts[In].was.ground() {
		return
	}
	now := &changedLabel{}
	now.loops.is.Store(was.loops.is.Load())
	now.undirected.is.Store(was.undirected.is.Load())
	for d := range s.parts {
		now.parts[d] = s.parts[d].follow(was.parts[d], x.line)
	}
	x.bytes += now.bytes() - was.bytes()
	x.unsettled += oneIf(x.line.isDueLabel(now)) - oneIf(x.line.isDueLabel(was))
	x.labels = x.labels.edit([]uint32{s.label}, func(int, **changedLabel) (*changedLabel, bool) { return now, true })
}

func (g *Graph) adoptSets(sets *labelSets, s *[2]settledPart) {
	x := g.live
	x.bytes -= setBytes(sets)
	x.unsettled -= oneIf(x.line.areDue(sets))
	for i, p := range []*Partition{&sets.of, &sets.labels} {
		if s[i].was != nil && s[i].was.ground() == p.ground() {
			*p = *s[i].follow(p, x.line)
		}
	}
	x.bytes += setBytes(sets)
	x.unsettled += oneIf(x.line.areDue(sets))
}

// follow returns what the partition has become meanwhile, over the new one.
func (s *settledPart) follow(now *Partition, line *lineage) *Partition {
	came, went := partitionDifference(s.was, now)
	return s.flat.change(&patchEdit{}, came, went, &line.held)
}

// ground is the partition that a Patched one is over, and another itself.
func (p *Partition) ground() *Partition {
	if p.layer == Patched {
		return p.patch.ground
	}
	return p
}
