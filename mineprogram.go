package rdfgpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/mine"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// ProgramOptions say where a mining program runs, and in which graph.
type ProgramOptions struct {
	MiningOptions
	// Memory bounds tables and sets, in bytes, beside the graph itself; 0 means 1 GiB.
	Memory int64
	// Device is CPU for tables in a graph that is made; GPU for plans that the GPU matches in the graph as the store has it, where edges are the
	// triples of one predicate, which all lead both ways, and none from a resource to itself. Auto, or "", is plans where that is so, on
	// the device that is expected to be faster, and otherwise tables.
	Device Device
}

// RunProgram runs a mining program in what is committed now. Labels are the places of classes in options, as in Mining. The error is one of Mining, or wraps
// ErrMineOptions, mine.ErrProgram, mine.ErrExtension, mine.ErrUnmatched, mine.ErrCount, mine.ErrMemory, ErrTooMany, ErrNoDevice or the cause of ctx.
func (s *Store) RunProgram(ctx context.Context, p mine.Program, options ProgramOptions) (mine.Findings, error) {
	if options.Device != CPU {
		found, err := s.matchProgram(ctx, p, options)
		if options.Device == GPU || !errors.Is(err, errNotMatched) && !errors.Is(err, mine.ErrUnmatched) && !errors.Is(err, ErrTooMany) {
			return found, err
		}
	}
	m, err := s.Mining(ctx, options.MiningOptions)
	if err != nil {
		return mine.Findings{}, err
	}
	defer m.Close()
	m.Options.Memory = options.Memory
	return p.Run(ctx, m.Graph, m.Options)
}

// errNotMatched: the edges are not such that plans find what tables do.
var errNotMatched = fmt.Errorf("%w: plans are for edges that are the triples of one predicate, which all lead both ways, and none from a resource to itself", ErrMineOptions)

// matchProgram runs a program as plans.
func (s *Store) matchProgram(ctx context.Context, p mine.Program, options ProgramOptions) (found mine.Findings, err error) {
	mined := Mined{snapshot: s.live.Snapshot()}
	defer mined.snapshot.Release()
	device, err := s.backends.Choose(options.Device)
	if err != nil {
		return found, err
	}
	budget := s.budget.pool.Open(0)
	defer budget.Close()
	workers := s.pool.Open(ctx, s.options.Threads)
	workers.Enter()
	defer workers.Leave()
	meter := budget.Meter("the match")
	m := &programMatcher{
		mined: &mined, speed: device.Speed(), matcher: device.Matcher, run: match.Match{Workers: workers, Charge: meter.Charge, TryCharge: meter.TryCharge},
	}
	err = section.Guard(func() (err error) {
		found, err = m.find(ctx, p, options.MiningOptions)
		return err
	})
	return found, err
}

// programMatcher counts the patterns of a program by plans: an extension is a step, its neighbours are links, a filter is the candidates of a
// step.
type programMatcher struct {
	mined   *Mined
	speed   float64
	matcher func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher
	run     match.Match // without a plan

	edges      pcsr.Label
	candidates map[mine.Label][]ID // of the program's roles
}

// find runs a program. The error is errNotMatched where the graph has other edges.
func (m *programMatcher) find(ctx context.Context, p mine.Program, options MiningOptions) (found mine.Findings, err error) {
	g, err := m.mined.graph(options.Graph)
	if err != nil {
		return found, err
	}
	labels, err := m.mined.predicates(g, options.Edges)
	if err != nil {
		return found, err
	}
	if len(labels) != 1 || !g.Undirected(labels[0]) || g.HasLoop(labels[0]) {
		return found, errNotMatched
	}
	m.run.Graph, m.edges = g, labels[0]
	if err := m.fill(p, options.Classes); err != nil {
		return found, err
	}
	homomorphisms := mine.EmbeddingsBy(func(q mine.Pattern) (uint64, error) { return m.count(ctx, q, bgp.Homomorphism) })
	return p.Matched(func(q mine.Pattern) (uint64, error) {
		switch {
		case q.Size == 1:
			return m.vertices(q.Labels[0]), nil
		case q.Labels == [mine.MaxPattern]mine.Label{}:
			return homomorphisms(q)
		}
		return m.count(ctx, q, bgp.Isomorphism)
	}, func(q mine.Pattern, vertex int) (uint64, error) { return m.images(ctx, q, vertex) })
}

// fill finds the vertices that pass the filters of each role.
func (m *programMatcher) fill(p mine.Program, classes []string) error {
	roles, err := p.Roles()
	if err != nil {
		return err
	}
	label := func(ID) mine.Label { return mine.NoLabel }
	if len(classes) > 0 {
		if label, err = m.mined.label(m.run.Graph, classes); err != nil {
			return err
		}
	}
	m.candidates = map[mine.Label][]ID{}
	for v, neighbours := range m.run.Graph.Partition(m.edges, pcsr.Out).Lists() {
		own := label(v)
		for role, filters := range roles {
			if !slices.ContainsFunc(filters, func(f mine.Filter) bool { return !f.Holds(uint32(len(neighbours)), own) }) {
				m.candidates[role] = append(m.candidates[role], v)
			}
		}
	}
	return nil
}

// vertices is how many there are of a role.
func (m *programMatcher) vertices(role mine.Label) uint64 {
	if role == mine.NoLabel {
		return uint64(m.run.Graph.Partition(m.edges, pcsr.Out).Rows())
	}
	return uint64(len(m.candidates[role]))
}

// plan is that of a pattern; nil where a role has no vertices.
func (m *programMatcher) plan(ctx context.Context, q mine.Pattern, options bgp.Options) (*bgp.MatchPlan, error) {
	var patterns []parser.TriplePattern
	predicate := parser.PatternTerm{Term: m.mined.snapshot.Dictionary().Term(m.edges)}
	options.Speed, options.Workers, options.Candidates = m.speed, m.run.Workers, map[string][]ID{}
	for i := range q.Size {
		if role := q.Labels[i]; role != mine.NoLabel {
			if len(m.candidates[role]) == 0 {
				return nil, nil
			}
			options.Candidates[variableOf(i).Variable] = m.candidates[role]
		}
		for j := range i {
			if q.HasEdge(i, j) {
				patterns = append(patterns, parser.TriplePattern{Subject: variableOf(j), Predicate: predicate, Object: variableOf(i)})
			}
		}
	}
	lookup := func(t rdf.Term) (ID, bool) { return m.mined.snapshot.Dictionary().Lookup(t) }
	plan, err := bgp.Plan(ctx, patterns, m.run.Graph, lookup, options)
	if err != nil || plan.Empty {
		return nil, err
	}
	return plan, nil
}

// variableOf is what stands for a vertex of a pattern.
func variableOf(vertex int) parser.PatternTerm {
	return parser.PatternTerm{Variable: fmt.Sprintf("v%d", vertex)}
}

// count counts the solutions of a pattern.
func (m *programMatcher) count(ctx context.Context, q mine.Pattern, semantics bgp.Semantics) (uint64, error) {
	plan, err := m.plan(ctx, q, bgp.Options{Semantics: semantics, CountOnly: true, WeightGain: 1})
	if plan == nil || err != nil {
		return 0, err
	}
	run := m.run
	run.Plan = plan
	return m.matcher(plan, run.Graph).Count(ctx, &run)
}

// images counts the different vertices that stand for one of a pattern's.
func (m *programMatcher) images(ctx context.Context, q mine.Pattern, vertex int) (uint64, error) {
	if q.Size == 1 {
		return m.vertices(q.Labels[0]), nil
	}
	plan, err := m.plan(ctx, q, bgp.Options{Semantics: bgp.Isomorphism, Output: []string{variableOf(vertex).Variable}, Distinct: true})
	if plan == nil || err != nil {
		return 0, err
	}
	run := m.run
	run.Plan = plan
	var seen []uint64 // bits by ID
	n := uint64(0)
	err = m.matcher(plan, run.Graph).Match(ctx, &run, func(b *match.Batch) error {
		for _, v := range b.Cols[0][:b.N] {
			word, bit := int(v/64), uint64(1)<<(v%64)
			if more := word + 1 - len(seen); more > 0 {
				seen = append(seen, make([]uint64, more)...)
			}
			if seen[word]&bit == 0 {
				seen[word] |= bit
				n++
			}
		}
		return nil
	})
	return n, err
}
