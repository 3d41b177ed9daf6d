package mine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// Measure is what makes a pattern frequent.
type Measure string

const (
	// MinimumImages is minimum image support: over the vertices of the pattern, the least number of different vertices of the graph that
	// stand for one in any embedding (Bringmann and Nijssen, What Is Frequent in a Single Graph?). A part of a pattern has no less of it.
	MinimumImages Measure = "mni"
	// Instances is the number of subgraphs that match. A part may have fewer than the whole: as in GAMMA (section 4) patterns grow from
	// those that are frequent only.
	Instances Measure = "instances"
)

// MaxArcs is how many edges a frequent pattern may have.
const MaxArcs = MaxPattern - 1

// ErrMeasure: there is no such measure.
var ErrMeasure = errors.New("mine: the measure is mni or instances")

// FrequentOptions say what patterns are looked for.
type FrequentOptions struct {
	// Support is the least that a pattern has, at least 1, by Measure; "" is MinimumImages.
	Support uint64
	Measure Measure
	// Edges is the most that a pattern has, 1 to MaxArcs.
	Edges int
	// Sample, where it is not 0, is how many vertices are tried for each vertex of a pattern, where trying is needed; minimum image support is then estimated.
	Sample int
}

// FrequentPattern is a pattern and its support.
type FrequentPattern struct {
	Pattern       LabelledPattern
	Support       uint64
	Automorphisms int
	// Error, of a support that was estimated, is what it is wrong by at most in 95 of 100 cases.
	Error uint64
}

// Frequent finds the connected patterns of labelled vertices and edges that are frequent, by number of edges and then the most
// frequent first. Embeddings map different vertices to different vertices. Patterns grow edge by edge from
// frequent ones, each met once in canonical form, and only those are measured all of whose connected parts are frequent. The error is
// ErrSize, ErrMeasure, or the cause of ctx.
func Frequent(ctx context.Context, g *Labelled, frequent FrequentOptions, options Options) ([]FrequentPattern, error) {
	frequent.Measure = cmp.Or(frequent.Measure, MinimumImages)
	switch {
	case frequent.Edges < 1 || frequent.Edges > MaxArcs:
		return nil, fmt.Errorf("%w: %d edges, not 1 to %d", ErrSize, frequent.Edges, MaxArcs)
	case frequent.Measure != MinimumImages && frequent.Measure != Instances:
		return nil, fmt.Errorf("%w, not %q", ErrMeasure, frequent.Measure)
	}
	frequent.Support = max(frequent.Support, 1)
	ways, err := newWays(ctx, g, frequent, options)
	if err != nil {
		return nil, err
	}
	s := &growth{ways: ways, frequent: frequent, options: options}
	for _, k := range ways.kinds {
		s.add(LabelledPattern{Labels: []Label{k.from, k.to}, Arcs: []Arc{{0, 1, k.predicate}}})
	}
	var found []FrequentPattern
	for edges := 1; ; edges++ {
		level, err := s.measure(ctx)
		if err != nil {
			return nil, err
		}
		found = append(found, level...)
		if edges == frequent.Edges || len(level) == 0 {
			return found, nil
		}
		if err := s.grow(ctx, level); err != nil {
			return nil, err
		}
	}
}

// growth is the search level by level.
type growth struct {
	*ways
	frequent   FrequentOptions
	options    Options
	candidates []FrequentPattern
	met        map[string]bool // keys of the candidates
	parts      map[string]bool // keys of the frequent patterns of one edge less
}

// add makes a candidate of a pattern, unless it is one or a part of it is not frequent.
func (s *growth) add(p LabelledPattern) {
	c, automorphisms := p.canonical(s.graph.directed)
	key := c.key()
	if s.met[key] {
		return
	}
	if s.met == nil {
		s.met = map[string]bool{}
	}
	s.met[key] = true
	for arc := range c.Arcs {
		if part, connected := c.without(arc); connected {
			part, _ = part.canonical(s.graph.directed)
			if !s.parts[part.key()] {
				return
			}
		}
	}
	s.candidates = append(s.candidates, FrequentPattern{Pattern: c, Automorphisms: automorphisms})
}

// grow makes the candidates of one edge more. There may be very many: the error is the cause of ctx.
func (s *growth) grow(ctx context.Context, level []FrequentPattern) error {
	s.candidates, s.met, s.parts = nil, nil, map[string]bool{}
	for _, f := range level {
		s.parts[f.Pattern.key()] = true
	}
	for _, f := range level {
		for _, k := range s.kinds {
			s.extend(f.Pattern, k)
			if !s.graph.directed && k.from != k.to {
				s.extend(f.Pattern, kind{k.predicate, k.to, k.from})
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// extend adds an edge of a kind to a pattern in every place.
func (s *growth) extend(p LabelledPattern, k kind) {
	end := len(p.Labels)
	for i, label := range p.Labels {
		if label == k.from && end < MaxPattern {
			s.add(p.with(Arc{i, end, k.predicate}, k.to))
		}
		if label == k.to && end < MaxPattern && s.graph.directed {
			s.add(p.with(Arc{end, i, k.predicate}, k.from))
		}
		for j, other := range p.Labels {
			a := Arc{i, j, k.predicate}
			if i != j && label == k.from && other == k.to && (s.graph.directed || i < j) && !slices.Contains(p.Arcs, a) {
				s.add(p.with(a))
			}
		}
	}
}

// measure keeps the candidates that are frequent.
func (s *growth) measure(ctx context.Context) ([]FrequentPattern, error) {
	var mu sync.Mutex
	var idle []*embedder
	err := each(ctx, s.options, len(s.candidates), func(i int) error {
		mu.Lock()
		var e *embedder
		if n := len(idle); n > 0 {
			e, idle = idle[n-1], idle[:n-1]
		}
		mu.Unlock()
		if e == nil {
			e = &embedder{ways: s.ways, ctx: ctx}
		}
		c := &s.candidates[i]
		var err error
		c.Support, c.Error, err = e.support(c.Pattern, s.frequent)
		if s.frequent.Measure == Instances {
			c.Support /= uint64(c.Automorphisms)
		}
		mu.Lock()
		idle = append(idle, e)
		mu.Unlock()
		return err
	})
	if err != nil {
		return nil, err
	}
	level := slices.DeleteFunc(s.candidates, func(f FrequentPattern) bool { return f.Support < s.frequent.Support })
	slices.SortFunc(level, func(a, b FrequentPattern) int {
		return cmp.Or(cmp.Compare(b.Support, a.Support), a.Pattern.compare(b.Pattern))
	})
	return level, nil
}

// compare orders canonical patterns.
func (p LabelledPattern) compare(q LabelledPattern) int {
	return cmp.Or(slices.Compare(p.Labels, q.Labels), slices.CompareFunc(p.Arcs, q.Arcs, Arc.compare))
}

func (k kind) compare(o kind) int {
	return cmp.Or(cmp.Compare(k.predicate, o.predicate), cmp.Compare(k.from, o.from), cmp.Compare(k.to, o.to))
}

// each calls work with 0 … n-1, from several goroutines at once, and tells how far it is. It ends with the first error of work, or with
// the cause of ctx.
func each(ctx context.Context, options Options, n int, work func(int) error) error {
	share := options.share(ctx)
	share.Enter()
	defer share.Leave()
	var next atomic.Int64
	var stopped atomic.Bool
	workers := schedule.Group{Share: share, Failed: func() { stopped.Store(true) }}
	var run func(w *schedule.Worker) error
	run = func(w *schedule.Worker) error {
		for !stopped.Load() && (w == nil || w.Keep()) {
			i := int(next.Add(1)) - 1
			if i >= n {
				break
			}
			if options.Progress != nil {
				options.Progress(i, n)
			}
			if i+1 < n {
				workers.Go(run)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := work(i); err != nil {
				return err
			}
		}
		return nil
	}
	workers.Do(func() error { return run(nil) })
	if err := workers.Wait(); err != nil {
		return err
	}
	return ctxErr(ctx)
}
