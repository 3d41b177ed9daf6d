package mine

import (
	"context"
	"slices"
)

// ways is what frequent patterns are made of: the kinds of edges that are frequent by themselves, and how to follow them.
type ways struct {
	graph    *Labelled
	kinds    []kind
	supports map[kind]uint64

	steps   map[stepKey]*step // nil until open
	members map[Label]*rankedSet
}

// newWays finds the kinds of edges that enough vertices have at both ends, or of which there are enough; the error is the cause of ctx.
func newWays(ctx context.Context, g *Labelled, frequent FrequentOptions, options Options) (*ways, error) {
	w := &ways{graph: g, supports: map[kind]uint64{}}
	options.Progress = nil // it counts patterns
	for p := range g.out {
		counts, err := g.countKinds(ctx, Predicate(p), options)
		if err != nil {
			return nil, err
		}
		for k, n := range counts {
			support := n.measured(frequent.Measure, k.from == k.to && !g.directed)
			if support >= frequent.Support && (g.directed || k.from <= k.to) {
				w.kinds, w.supports[k] = append(w.kinds, k), support
			}
		}
	}
	slices.SortFunc(w.kinds, kind.compare)
	return w, ctxErr(ctx)
}

// patterns are the kinds as patterns of one edge.
func (w *ways) patterns() (level []FrequentPattern) {
	for _, k := range w.kinds {
		f := FrequentPattern{Support: w.supports[k]}
		p := LabelledPattern{Labels: []Label{k.from, k.to}, Arcs: []Arc{{0, 1, k.predicate}}}
		f.Pattern, f.Automorphisms = p.canonical(w.graph.directed)
		level = append(level, f)
	}
	return level
}

// open makes the lists that patterns are measured along, once. The error is the cause of ctx.
func (w *ways) open(ctx context.Context, options Options) error {
	if w.steps != nil {
		return nil
	}
	w.steps, w.members = map[stepKey]*step{}, map[Label]*rankedSet{}
	options.Progress = nil
	for _, k := range w.kinds {
		w.steps[stepKey{k.predicate, false, k.to}] = &step{}
		w.steps[w.back(k)] = &step{}
		w.members[k.from], w.members[k.to] = &rankedSet{}, &rankedSet{}
	}
	for p := range w.graph.out {
		if err := w.follow(ctx, Predicate(p), false, &w.graph.out[p], options); err != nil {
			return err
		}
		if w.graph.directed {
			if err := w.follow(ctx, Predicate(p), true, &w.graph.in[p], options); err != nil {
				return err
			}
		}
	}
	for v := range Vertex(w.graph.Len()) {
		for _, label := range w.graph.Labels(v) {
			if m := w.members[label]; m != nil {
				m.append(v)
			}
		}
	}
	for _, m := range w.members {
		m.end()
	}
	return ctxErr(ctx)
}

// back is the step from the end of a kind to its beginning.
func (w *ways) back(k kind) stepKey { return stepKey{k.predicate, w.graph.directed, k.from} }

// follow makes the steps along a predicate. The error is the cause of ctx.
func (w *ways) follow(ctx context.Context, p Predicate, against bool, r *rows, options Options) error {
	var wanted []Label
	isWanted := make([]bool, w.graph.classes+1)
	for label := range isWanted {
		if isWanted[label] = w.steps[stepKey{p, against, Label(label)}] != nil; isWanted[label] {
			wanted = append(wanted, Label(label))
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	parts := make([][]step, r.parts()) // by label
	err := each(ctx, options, len(parts), func(i int) error {
		byLabel := make([]step, w.graph.classes+1)
		parts[i] = byLabel
		first, end := r.part(i)
		for at := first; at < end; at++ {
			v, others := r.at(at)
			for _, other := range others {
				for _, label := range w.graph.Labels(other) {
					if isWanted[label] {
						byLabel[label].add(v, other)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, options, len(wanted), func(i int) error {
		s := w.steps[stepKey{p, against, wanted[i]}]
		for _, part := range parts {
			s.append(&part[wanted[i]])
		}
		s.end()
		return nil
	})
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

// countKinds counts the edges of a predicate. The error is the cause of ctx.
func (g *Labelled) countKinds(ctx context.Context, p Predicate, options Options) (map[kind]kindCount, error) {
	out, err := g.tally(ctx, &g.out[p], options)
	if err != nil {
		return nil, err
	}
	in := out
	if g.directed {
		if in, err = g.tally(ctx, &g.in[p], options); err != nil {
			return nil, err
		}
	}
	counts := map[kind]kindCount{}
	for _, n := range out.slots {
		if n.vertices > 0 {
			counts[kind{p, n.from, n.to}] = kindCount{n.vertices, in.of(n.to, n.from).vertices, n.edges}
		}
	}
	return counts, nil
}

// tally counts the vertices of rows by their label and that of their neighbours. The error is the cause of ctx.
func (g *Labelled) tally(ctx context.Context, r *rows, options Options) (*labelPairs, error) {
	counters := crew[tallier]{fresh: func() *tallier { return &tallier{degree: make([]uint64, g.classes+1)} }}
	size := blockSize(len(r.vertices))
	err := each(ctx, options, blocks(len(r.vertices), size), func(i int) error {
		t := counters.take()
		defer counters.leave(t)
		t.count(g, r, i*size, min((i+1)*size, len(r.vertices)))
		return nil
	})
	sum := &labelPairs{}
	for _, t := range counters.all {
		for _, n := range t.counts.slots {
			if n.vertices > 0 {
				sum.add(n)
			}
		}
	}
	return sum, err
}

// tallier is what one goroutine counts with.
type tallier struct {
	degree []uint64 // label → neighbours of one vertex
	met    []Label
	counts labelPairs
}

// count counts the rows from first to end.
func (t *tallier) count(g *Labelled, r *rows, first, end int) {
	for at := first; at < end; at++ {
		v, others := r.at(at)
		for _, other := range others {
			if label := g.only[other]; label != several {
				t.meet(label)
				continue
			}
			for _, label := range g.Labels(other) {
				t.meet(label)
			}
		}
		for _, own := range g.Labels(v) {
			for _, label := range t.met {
				t.counts.add(labelPair{own, label, 1, t.degree[label]})
			}
		}
		for _, label := range t.met {
			t.degree[label] = 0
		}
		t.met = t.met[:0]
	}
}

func (t *tallier) meet(label Label) {
	if t.degree[label] == 0 {
		t.met = append(t.met, label)
	}
	t.degree[label]++
}
