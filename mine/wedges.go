package mine

import "context"

// wedges measures all patterns of two edges that share one vertex, their centre, at once: a vertex has as many bits as there are ways on from
// it, and what a vertex gets to know of the ways on from its neighbours is the union of theirs, less what leads back to itself alone. So the time
// goes with edges, not with patterns times vertices, and no embedding is looked for.
type wedges struct {
	*spokes
	leafAt               [][]int // label, spoke → where its digits begin among the label's leaves
	centreSize, leafSize []int   // label → how many digits its centres and its leaves take
}

// mostDigits bounds what a worker counts in, some 16 MB.
const mostDigits = 1 << 16

// newWedges is nil where there are too many kinds of edges to be measured so.
func newWedges(g *Labelled, kinds []kind) *wedges {
	s := newSpokes(g, kinds)
	if s == nil {
		return nil
	}
	w := &wedges{spokes: s}
	all := 0
	for label, ways := range s.ways {
		at, begins := 0, []int(nil)
		for _, way := range ways {
			begins = append(begins, at)
			at += s.words[way.to]
		}
		w.leafAt, w.leafSize = append(w.leafAt, begins), append(w.leafSize, at)
		w.centreSize = append(w.centreSize, len(ways)*s.words[label])
		all += at + len(ways)*s.words[label]
	}
	if all > mostDigits {
		return nil
	}
	return w
}

// frequent lists the wedges of a support, in canonical form. The error is the cause of ctx.
func (w *wedges) frequent(ctx context.Context, support uint64, options Options) ([]FrequentPattern, error) {
	options.Progress = nil // it counts patterns
	counters := crew[wedgeCounter]{fresh: w.counter}
	size := blockSize(w.graph.Len())
	for _, sweep := range []func(*wedgeCounter){(*wedgeCounter).sweepCentres, (*wedgeCounter).sweepLeaves} {
		err := each(ctx, options, blocks(w.graph.Len(), size), func(i int) error {
			c := counters.take()
			defer counters.leave(c)
			c.rows.gather(w.lanes, Vertex(i*size), Vertex(min((i+1)*size, w.graph.Len())))
			sweep(c)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	sum := counters.all[0]
	for _, c := range counters.all[1:] {
		sum.join(c)
	}
	return w.supported(sum, support), nil
}

// supported lists the wedges that have a support.
func (w *wedges) supported(sum *wedgeCounter, support uint64) (found []FrequentPattern) {
	for label, ways := range w.ways {
		for i, a := range ways {
			for j := i; j < len(ways); j++ {
				n := sum.centres[label][i*w.words[label]+j/64].count(j % 64)
				if n >= support {
					n = min(n, w.leafImages(sum, label, a, j), w.leafImages(sum, label, ways[j], i))
				}
				if n >= support {
					found = append(found, w.pattern(label, a, ways[j], n))
				}
			}
		}
	}
	return found
}

// leafImages is how many vertices are at the end of a way from a centre that has another spoke.
func (w *wedges) leafImages(sum *wedgeCounter, centre int, way spoke, other int) uint64 {
	back := w.lanes[w.lanes[way.lane].reverse].bits[way.to][centre]
	return sum.leaves[way.to][w.leafAt[way.to][back]+other/64].count(other % 64)
}

// pattern is a wedge.
func (w *wedges) pattern(centre int, a, b spoke, support uint64) FrequentPattern {
	p := LabelledPattern{Labels: []Label{w.labels[centre], w.labels[a.to], w.labels[b.to]}}
	for i, way := range []spoke{a, b} {
		key := w.lanes[way.lane].key
		arc := Arc{0, i + 1, key.predicate}
		if key.against {
			arc.From, arc.To = arc.To, arc.From
		}
		p.Arcs = append(p.Arcs, arc)
	}
	f := FrequentPattern{Support: support}
	f.Pattern, f.Automorphisms = p.canonical(w.graph.directed)
	return f
}

// counter is one that has counted nothing.
func (w *wedges) counter() *wedgeCounter {
	c := &wedgeCounter{wedges: w, degree: make([]uint32, len(w.labels)), only: make([]Vertex, len(w.labels)), isMet: make([]bool, len(w.labels)), met: make([]int, 0, len(w.labels)+1)}
	for label, words := range w.words {
		c.centres = append(c.centres, make([]digits, w.centreSize[label]))
		c.leaves = append(c.leaves, make([]digits, w.leafSize[label]))
		c.heard = append(c.heard, make([]hearsay, words))
	}
	return c
}
