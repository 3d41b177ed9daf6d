package mine

import (
	"context"
	"slices"
)

// ways is what frequent patterns are made of: the kinds of edges that are frequent by themselves, and how to follow them.
type ways struct {
	graph   *Labelled
	kinds   []kind
	steps   map[stepKey]*step
	members map[Label]*rankedSet
}

// newWays finds the kinds of edges that enough vertices have at both ends, or of which there are enough; the error is the cause of ctx.
func newWays(ctx context.Context, g *Labelled, options FrequentOptions) (*ways, error) {
	w := &ways{graph: g, steps: map[stepKey]*step{}, members: map[Label]*rankedSet{}}
	for p := range g.out {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		counts := g.countKinds(ctx, Predicate(p))
		for k, n := range counts {
			if n.measured(options.Measure, k.from == k.to && !g.directed) < options.Support || !g.directed && k.from > k.to {
				continue
			}
			w.kinds = append(w.kinds, k)
			w.steps[stepKey{k.predicate, false, k.to}] = &step{}
			w.steps[w.back(k)] = &step{}
			w.members[k.from], w.members[k.to] = &rankedSet{}, &rankedSet{}
		}
	}
	slices.SortFunc(w.kinds, kind.compare)
	for p := range g.out {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		w.follow(ctx, Predicate(p), false, &g.out[p])
		if g.directed {
			w.follow(ctx, Predicate(p), true, &g.in[p])
		}
	}
	for v := range Vertex(g.Len()) {
		for _, label := range g.Labels(v) {
			if m := w.members[label]; m != nil {
				m.append(v)
			}
		}
	}
	for _, m := range w.members {
		m.end()
	}
	return w, ctxErr(ctx)
}

// back is the step from the end of a kind to its beginning.
func (w *ways) back(k kind) stepKey { return stepKey{k.predicate, w.graph.directed, k.from} }

// follow makes the steps along a predicate, unless ctx ends.
func (w *ways) follow(ctx context.Context, p Predicate, against bool, r *rows) {
	var steps []*step
	byLabel := make([]*step, w.graph.classes+1)
	for label := range byLabel {
		if s := w.steps[stepKey{p, against, Label(label)}]; s != nil {
			byLabel[label] = s
			steps = append(steps, s)
		}
	}
	if len(steps) == 0 {
		return
	}
	for i := range r.vertices {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return
		}
		v, others := r.at(i)
		for _, other := range others {
			for _, label := range w.graph.Labels(other) {
				if s := byLabel[label]; s != nil {
					s.add(v, other)
				}
			}
		}
	}
	for _, s := range steps {
		s.end()
	}
}

// kindCount is how many vertices are at either end of the edges of a kind, and how many edges there are.
type kindCount struct{ from, to, edges uint64 }

// measured is what is asked to be frequent; an edge of a kind that is its own converse was met in both directions.
func (n kindCount) measured(m Measure, both bool) uint64 {
	switch {
	case m == MinimumImages:
		return min(n.from, n.to)
	case both:
		return n.edges / 2
	}
	return n.edges
}

// countKinds counts the edges of a predicate, unless ctx ends.
func (g *Labelled) countKinds(ctx context.Context, p Predicate) map[kind]kindCount {
	counts := map[kind]kindCount{}
	t := newLabelTally(g.classes)
	g.tally(ctx, &g.out[p], t, func(from, to Label, edges uint64) {
		n := counts[kind{p, from, to}]
		n.from, n.edges = n.from+1, n.edges+edges
		counts[kind{p, from, to}] = n
	})
	g.tally(ctx, &g.in[p], t, func(to, from Label, _ uint64) {
		n := counts[kind{p, from, to}]
		n.to++
		counts[kind{p, from, to}] = n
	})
	return counts
}

// labelTally counts the neighbours of a vertex by label.
type labelTally struct {
	counts []uint64
	met    []Label
}

func newLabelTally(classes int) *labelTally { return &labelTally{counts: make([]uint64, classes+1)} }

// tally calls yield for each vertex, each of its labels and each label of its neighbours, with how many of them have it.
func (g *Labelled) tally(ctx context.Context, r *rows, t *labelTally, yield func(label, other Label, edges uint64)) {
	for i := range r.vertices {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return
		}
		v, others := r.at(i)
		for _, other := range others {
			for _, label := range g.Labels(other) {
				if t.counts[label] == 0 {
					t.met = append(t.met, label)
				}
				t.counts[label]++
			}
		}
		for _, label := range t.met {
			for _, own := range g.Labels(v) {
				yield(own, label, t.counts[label])
			}
			t.counts[label] = 0
		}
		t.met = t.met[:0]
	}
}
