package watch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// TestPatternsOfTheGraphOfFourToTwelveVertices draws graphs, takes patterns out of them, changes some edges, and compares what that brings with the
// matches before and after, which are counted by trying vertex after vertex.
func TestPatternsOfTheGraphOfFourToTwelveVertices(t *testing.T) {
	t.Parallel()
	device, err := OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	rapid.Check(t, func(rt *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		vertices := rapid.IntRange(12, 100).Draw(rt, "vertices")
		g := matchtest.DrawLabelled(random, vertices, rapid.IntRange(2, 6).Draw(rt, "edges of each")*vertices, rapid.IntRange(1, 6).Draw(rt, "labels"))
		s := &stream{T: t, Labelled: g, semantics: rapid.SampledFrom([]bgp.Semantics{bgp.Isomorphism, bgp.Homomorphism}).Draw(rt, "semantics")}
		p, ok := matchtest.NewExtractor(g).Pattern(random, rapid.IntRange(4, 12).Draw(rt, "size"), rapid.SampledFrom(matchtest.PatternKinds).Draw(rt, "kind"))
		if !ok {
			return
		}
		s.stand(p)
		before, after, added, removed := changeSome(random, g.Edges(false), rapid.IntRange(1, 60).Draw(rt, "percent"))
		count := &vertexCount{types: g.Types(), most: 300_000, distinct: s.semantics == bgp.Isomorphism}
		want := count.of(p.Triples, after) - count.of(p.Triples, before)
		if count.steps > count.most {
			return
		}
		from, err := s.Build(before)
		if err != nil {
			rt.Fatal(err)
		}
		to := from.Change(from.Vertices(), added, removed)
		for _, by := range []match.Matcher{cpu.New(), device} {
			for _, apart := range []bool{false, true} {
				w := way{matcher: by, threads: rapid.IntRange(1, 3).Draw(rt, "threads"), tuning: tuned}
				if apart {
					w.tuning.leastApart, w.tuning.manyEdges, w.tuning.leastPiece, w.tuning.threadCost = 0, 0, 1, 0
				}
				var r run
				s.match(w, s.queries, &r, from, to, added, removed)
				if r.net != want {
					rt.Fatalf("%s of %d vertices, %d edges in and %d out, apart %v, %T: %d came, %d are right", p.Name, vertices, len(added), len(removed), apart, by, r.net, want)
				}
			}
		}
	})
}

// changeSome draws which of a graph's edges, in pairs, come and which go, about so many of a hundred.
func changeSome(random *rand.Rand, all []pcsr.Edge, percent int) (before, after, added, removed []pcsr.Edge) {
	for i := 0; i < len(all); i += 2 {
		pair := all[i : i+2]
		switch at := random.IntN(200); {
		case at < percent:
			added, after = append(added, pair...), append(after, pair...)
		case at < 2*percent:
			removed, before = append(removed, pair...), append(before, pair...)
		default:
			before, after = append(before, pair...), append(after, pair...)
		}
	}
	return before, after, added, removed
}

// vertexCount counts the matches of a pattern by trying every vertex for every variable, one after the other.
type vertexCount struct {
	types       []pcsr.Edge
	distinct    bool
	steps, most int

	has       map[pcsr.Edge]bool
	class     map[pcsr.Vertex]pcsr.Vertex
	lists     map[pcsr.Vertex][]pcsr.Vertex
	variables []variableTry
	bound     []pcsr.Vertex
}

// variableTry is the class that a variable needs, and the earlier variables that edges lead to.
type variableTry struct {
	class pcsr.Vertex
	links []int
}

func (c *vertexCount) of(triples []parser.TriplePattern, edges []pcsr.Edge) int64 {
	c.has, c.class, c.lists, c.variables, c.bound = map[pcsr.Edge]bool{}, map[pcsr.Vertex]pcsr.Vertex{}, map[pcsr.Vertex][]pcsr.Vertex{}, nil, nil
	for _, e := range c.types {
		c.class[e.From] = e.To
	}
	for _, e := range edges {
		c.has[e] = true
		c.lists[e.From] = append(c.lists[e.From], e.To)
	}
	number := func(t parser.PatternTerm) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(t.Variable, "v"))
		return n
	}
	for _, t := range triples {
		if t.Object.IsVariable() {
			a, b := min(number(t.Subject), number(t.Object)), max(number(t.Subject), number(t.Object))
			c.variables[b].links = append(c.variables[b].links, a)
		} else {
			class, _ := matchtest.Lookup(t.Object.Term)
			c.variables = append(c.variables, variableTry{class: class})
		}
	}
	return c.extend()
}

func (c *vertexCount) extend() (n int64) {
	if len(c.bound) == len(c.variables) {
		return 1
	}
	next := c.variables[len(c.bound)]
	candidates := slices.Collect(maps.Keys(c.class))
	if len(next.links) > 0 {
		candidates = c.lists[c.bound[next.links[0]]]
	}
	for _, v := range candidates {
		if c.steps++; c.steps > c.most {
			return 0
		}
		if c.class[v] != next.class || c.distinct && slices.Contains(c.bound, v) ||
			slices.ContainsFunc(next.links, func(i int) bool { return !c.has[pcsr.Edge{From: v, Label: 1, To: c.bound[i]}] }) {
			continue
		}
		c.bound = append(c.bound, v)
		n += c.extend()
		c.bound = c.bound[:len(c.bound)-1]
	}
	return n
}

// TestReportPatterns measures patterns that are taken out of the graph, of 4 to 12 vertices, RDFGPU_PATTERNS of each size and kind (10 where it is
// not set), while a tenth of the edges come, and how long kernels run meanwhile. A pattern may take RDFGPU_LIMIT (5s). RDFGPU_SM and RDFGPU_SETS are
// as for TestReportSeeds.
func TestReportPatterns(t *testing.T) {
	folder := os.Getenv("RDFGPU_SM")
	if folder == "" {
		t.Skip("RDFGPU_SM is not set")
	}
	each, _ := strconv.Atoi(os.Getenv("RDFGPU_PATTERNS"))
	if each == 0 {
		each = 10
	}
	limit, _ := time.ParseDuration(os.Getenv("RDFGPU_LIMIT"))
	if limit == 0 {
		limit = 5 * time.Second
	}
	r, by := matchtest.NewReport(t, "patterns.md"), ways(t)[1:]
	for _, name := range strings.Fields(os.Getenv("RDFGPU_SETS")) {
		s := newStream(t, folder, name, "vl", func(string) bool { return false })
		x, random := matchtest.NewExtractor(s.Labelled), rand.New(rand.NewPCG(4, 12))
		s.limit = limit
		after := s.rest.Change(s.rest.Vertices(), s.held, nil)
		r.Head(name+", patterns of the graph, a tenth of the edges inserted", "kind", "vertices", "patterns", "matched by", "mean ms", "median ms", "most ms",
			fmt.Sprint("stopped after ", limit), "came, mean", "of which kernels, mean ms", "busy, %")
		for _, kind := range matchtest.PatternKinds {
			for size := 4; size <= 12; size += 2 {
				s.queries = s.queries[:0]
				for tries := 0; len(s.queries) < each && tries < 100_000; tries++ {
					if p, ok := x.Pattern(random, size, kind); ok {
						s.stand(p)
					}
				}
				counts := make([]int64, len(s.queries))
				for n, w := range by {
					s.measurePatterns(r, fmt.Sprint(kind), size, w, after, counts, n > 0)
				}
			}
		}
	}
}

// measurePatterns measures queries one by one, and compares what came with what came before, where both ended.
func (s *stream) measurePatterns(r *matchtest.Report, kind string, size int, w way, after *pcsr.Graph, counts []int64, compare bool) {
	var all []float64
	stopped, came, mean := 0, 0.0, 0.0
	of := s.traced(&w)
	for i, q := range s.queries {
		var took run
		kernels := of.kernels
		ms := s.match(w, []*standing{q}, &took, s.rest, after, s.held, nil)
		if took.stopped {
			stopped, of.kernels = stopped+1, kernels
			counts[i] = -1
			continue
		}
		if compare && counts[i] >= 0 && counts[i] != took.net {
			s.Errorf("%s of %d vertices: %d came by %s, %d before", kind, size, took.net, w.name, counts[i])
		}
		counts[i] = took.net
		all, came, mean = append(all, ms), came+float64(took.net), mean+ms
	}
	if len(all) == 0 {
		all = append(all, 0)
	}
	n := float64(max(len(s.queries)-stopped, 1))
	busy := matchtest.Milliseconds(of.kernels)
	r.Row(kind, size, len(s.queries), w.name, mean/n, matchtest.Median(all), slices.Max(all), stopped, came/n, busy/n, 100*busy/max(mean, 1e-9))
}
