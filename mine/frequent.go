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
	level := s.sort(ways.patterns())
	found := level
	for edges := 2; edges <= frequent.Edges && len(level) > 0; edges++ {
		if level, err = s.next(ctx, edges, level); err != nil {
			return nil, err
		}
		found = append(found, level...)
	}
	return found, nil
}

// growth is the search level by level.
type growth struct {
	*ways
	frequent FrequentOptions
	options  Options
	parts    map[string]bool // keys of the frequent patterns of one edge less

	mu         sync.Mutex
	candidates []FrequentPattern
	met        map[string]bool // keys of the patterns that were met
}

// next finds the frequent patterns of a number of edges, of those of one edge less.
func (s *growth) next(ctx context.Context, edges int, level []FrequentPattern) ([]FrequentPattern, error) {
	var wedges *wedges
	if edges == 2 && s.frequent.Measure == MinimumImages {
		wedges = newWedges(s.graph, s.kinds)
	}
	if err := s.grow(ctx, level, wedges == nil); err != nil {
		return nil, err
	}
	level, err := s.measure(ctx)
	if err != nil || wedges == nil {
		return s.sort(level), err
	}
	found, err := wedges.frequent(ctx, s.frequent.Support, s.options)
	return s.sort(append(level, found...)), err
}

// sort orders patterns by support.
func (*growth) sort(level []FrequentPattern) []FrequentPattern {
	slices.SortFunc(level, func(a, b FrequentPattern) int {
		return cmp.Or(cmp.Compare(b.Support, a.Support), a.Pattern.compare(b.Pattern))
	})
	return level
}

// add makes a candidate of a pattern, unless it was met before or a part of it is not frequent.
func (s *growth) add(p LabelledPattern) {
	c, automorphisms := p.canonical(s.graph.directed)
	if !s.meet(c.key()) {
		return
	}
	for arc := range c.Arcs {
		if part, connected := c.without(arc); connected {
			part, _ = part.canonical(s.graph.directed)
			if !s.parts[part.key()] {
				return
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.candidates = append(s.candidates, FrequentPattern{Pattern: c, Automorphisms: automorphisms})
}

// meet reports whether a key is met for the first time.
func (s *growth) meet(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.met[key]
	s.met[key] = true
	return first
}

// grow makes the candidates of one edge more, in any order: with trees those of a vertex more, too. There may be very many: the error is the cause
// of ctx.
func (s *growth) grow(ctx context.Context, level []FrequentPattern, trees bool) error {
	s.candidates, s.met, s.parts = nil, map[string]bool{}, map[string]bool{}
	for _, f := range level {
		s.parts[f.Pattern.key()] = true
	}
	options := s.options
	options.Progress = nil // it counts patterns
	pairs := cyclePairs
	if trees {
		pairs = treePairs
	}
	size := max(1, pairs/max(1, len(s.kinds)))
	return each(ctx, options, blocks(len(level), size), func(i int) error {
		for _, f := range level[i*size : min((i+1)*size, len(level))] {
			for _, k := range s.kinds {
				s.extend(f.Pattern, k, trees)
				if !s.graph.directed && k.from != k.to {
					s.extend(f.Pattern, kind{k.predicate, k.to, k.from}, trees)
				}
			}
		}
		return nil
	})
}

// A goroutine extends so many patterns by so many kinds at a time: some half of a millisecond, with trees and without.
const treePairs, cyclePairs = 1 << 9, 1 << 15

// extend adds an edge of a kind to a pattern in every place, with grows those at a new vertex too.
func (s *growth) extend(p LabelledPattern, k kind, grows bool) {
	end := len(p.Labels)
	grows = grows && end < MaxPattern
	for i, label := range p.Labels {
		if label == k.from && grows {
			s.add(p.with(Arc{i, end, k.predicate}, k.to))
		}
		if label == k.to && grows && s.graph.directed {
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
	if len(s.candidates) == 0 {
		return nil, nil
	}
	if err := s.open(ctx, s.options); err != nil {
		return nil, err
	}
	embedders := crew[embedder]{fresh: func() *embedder { return &embedder{ways: s.ways, ctx: ctx} }}
	err := each(ctx, s.options, len(s.candidates), func(i int) (err error) {
		e := embedders.take()
		defer embedders.leave(e)
		c := &s.candidates[i]
		c.Support, c.Error, err = e.support(c.Pattern, s.frequent)
		if s.frequent.Measure == Instances {
			c.Support /= uint64(c.Automorphisms)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.candidates, func(f FrequentPattern) bool { return f.Support < s.frequent.Support }), nil
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
	workers.GoAll(min(n, share.Limit())-1, run)
	workers.Do(func() error { return run(nil) })
	if err := workers.Wait(); err != nil {
		return err
	}
	return ctxErr(ctx)
}
