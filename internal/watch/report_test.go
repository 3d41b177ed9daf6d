package watch

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// rapidFlow are the queries of each graph that RapidFlow was measured on (one thread, one edge after the other), in milliseconds: the
// held-out edges inserted, and deleted.
var rapidFlow = map[string]map[string][2]float64{
	"A": {"d4": {15.8, 16.2}, "d6": {55, 44}, "d8": {62, 56}, "lq6": {46, 30}, "s5": {92, 65}, "s7": {214, 316}, "t4": {22, 14}},
	"B": {"d5": {764, 913}, "d8": {831, 918}, "t4": {88, 89}, "lq6": {736, 791}},
}

// stream is a graph whose edges come and go, and queries that stand.
type stream struct {
	*testing.T
	*matchtest.Labelled
	patterns  []matchtest.LabelledPattern
	queries   []*standing
	names     []string
	semantics bgp.Semantics
	// limit is how long matching may take; 0: as long as it takes.
	limit time.Duration
	// expected are the solutions of each query over all edges.
	expected map[string]uint64
	// full has all edges, rest all but the held-out ones.
	full, rest *pcsr.Graph
	held       []pcsr.Edge
}

// newStream reads a graph and some of its queries, those with labels on vertices (vl) or without (u), and holds a random tenth of its edges out.
func newStream(t *testing.T, folder, name, set string, asked func(query string) bool) *stream {
	g, err := matchtest.ReadLabelled(filepath.Join(folder, name+".base"))
	if err != nil {
		t.Skip(err)
	}
	s := &stream{T: t, Labelled: g, semantics: bgp.Isomorphism, expected: map[string]uint64{}}
	patterns, err := g.ReadPatterns(filepath.Join(folder, "queries", name+"."+set+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	s.patterns = slices.DeleteFunc(patterns, func(p matchtest.LabelledPattern) bool { return !asked(p.Name) })
	s.standAnew()
	s.readExpected(folder, name+"."+set)
	s.hold()
	return s
}

// standAnew makes the queries stand, as if they had not before.
func (s *stream) standAnew() {
	s.queries, s.names = nil, nil
	for _, p := range s.patterns {
		s.stand(p)
	}
}

// stand makes the count of a pattern's solutions stand.
func (s *stream) stand(p matchtest.LabelledPattern) {
	parsed, err := parser.Parse("SELECT (COUNT(*) AS ?n) { "+bodyOf(p.Triples)+"}", parser.Options{})
	if err != nil {
		s.Fatal(err)
	}
	q, err := newStanding(Query{Parsed: parsed, Semantics: s.semantics})
	if err != nil || q.again() {
		s.Fatal(p.Name, err)
	}
	q.resolve(matchtest.Lookup)
	s.queries, s.names = append(s.queries, q), append(s.names, p.Name)
}

// bodyOf is triple patterns as SPARQL writes them.
func bodyOf(patterns []parser.TriplePattern) string {
	var text strings.Builder
	for _, p := range patterns {
		for _, t := range []parser.PatternTerm{p.Subject, p.Predicate, p.Object} {
			if t.IsVariable() {
				fmt.Fprintf(&text, "?%s ", t.Variable)
			} else {
				fmt.Fprintf(&text, "%s ", t.Term)
			}
		}
		text.WriteString(". ")
	}
	return text.String()
}

func (s *stream) readExpected(folder, set string) {
	data, err := os.ReadFile(filepath.Join(folder, "expected.tsv"))
	if err != nil {
		s.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if w := strings.Fields(line); len(w) == 4 && w[0] == set {
			s.expected[w[1]], _ = strconv.ParseUint(w[2], 10, 64)
		}
	}
}

// hold holds a random tenth of the undirected edges out.
func (s *stream) hold() {
	all := s.Edges(false)
	order := rand.New(rand.NewPCG(15, 1)).Perm(len(all) / 2)
	out := len(order) / 10
	rest := make([]pcsr.Edge, 0, len(all))
	for i, e := range order {
		if pair := all[2*e : 2*e+2]; i < out {
			s.held = append(s.held, pair...)
		} else {
			rest = append(rest, pair...)
		}
	}
	var err error
	if s.full, err = s.Build(all); err == nil {
		s.rest, err = s.Build(rest)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// way is by what seeds are matched.
type way struct {
	name    string
	matcher match.Matcher
	threads int
	tuning  tuning
	// pick is by what a plan is matched; nil: by matcher.
	pick func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher
	// together is by what large plans are matched; nil: by pick's.
	together Together
	// apart: each query is matched by itself, one after the other. unforeseen: nobody is told beforehand of what will be read.
	apart, unforeseen bool
}

// foresee is who is told beforehand of what will be read; nil: nobody.
func (w *way) foresee() func(*pcsr.Graph, ...pcsr.Label) {
	if d, ok := w.matcher.(interface {
		PrepareLabels(*pcsr.Graph, ...pcsr.Label)
	}); ok && !w.unforeseen {
		return d.PrepareLabels
	}
	return nil
}

// matches has seeds matched by the way.
func (w *way) matches() func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher {
	if w.pick != nil {
		return w.pick
	}
	return func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher { return w.matcher }
}

// forget has the way's device forget a graph that was made.
func (w *way) forget(t *testing.T, g *pcsr.Graph) {
	d, ok := w.matcher.(interface{ Forget(...*pcsr.Graph) error })
	if !ok {
		return
	}
	if err := d.Forget(g); err != nil {
		t.Fatal(err)
	}
}

// run is what a batch brought, and what it took, in milliseconds: to change the graph, and to match.
type run struct {
	net             int64 // those that came less those that went
	change, matched float64
	first           float64 // to match for the first time, of several
	stopped         bool    // it took too long
}

// apply changes a graph and finds what that does to some queries.
func (s *stream) apply(w way, queries []*standing, before *pcsr.Graph, added, removed []pcsr.Edge) (after *pcsr.Graph, r run) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(w.threads))
	begun := time.Now()
	after = before.Change(before.Vertices(), added, removed)
	r.change = matchtest.Milliseconds(time.Since(begun))
	if !w.apart {
		r.matched = s.match(w, queries, &r, before, after, added, removed)
		return after, r
	}
	for _, q := range queries {
		var of run
		r.matched += s.match(w, []*standing{q}, &of, before, after, added, removed)
		r.net += of.net
	}
	return after, r
}

// again is apply, several times: the median of nine, of three where the first took more than 50 ms, and that alone where it is long. What a device has of a graph that was made is
// forgotten each time.
func (s *stream) again(w way, queries []*standing, before *pcsr.Graph, added, removed []pcsr.Edge) (r run) {
	var changes, matches []float64
	for n := 0; n == 0 || n < 3 && matches[0] < 500 || n < 9 && matches[0] < 50; n++ {
		runtime.GC()
		var after *pcsr.Graph
		after, r = s.apply(w, queries, before, added, removed)
		changes, matches = append(changes, r.change), append(matches, r.matched)
		w.forget(s.T, after)
	}
	r.change, r.matched, r.first = matchtest.Median(changes), matchtest.Median(matches), matches[0]
	return r
}

// match finds what a change does to some queries, and returns how long that takes.
func (s *stream) match(w way, queries []*standing, r *run, before, after *pcsr.Graph, added, removed []pcsr.Edge) float64 {
	x := newIndex(matchtest.Lookup)
	x.typeLabel, _ = after.TypeLabel()
	for _, q := range queries {
		x.add(q)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if s.limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, s.limit)
	}
	defer cancel()
	begun := time.Now()
	change := &graphChange{name: dictionary.None, sides: [2]side{came: {edges: added, graph: after}, went: {edges: removed, graph: before}}}
	p := &pass{graphs: []*graphChange{change}, tuning: &w.tuning, work: map[*standing][]*task{}, open: map[*seed]*task{}}
	p.foresee(w.foresee())
	p.distribute(x, nil)
	budget := limits.Standalone(64 << 30)
	defer budget.Close()
	m := &matcher{
		ctx: ctx, lookup: matchtest.Lookup, tuning: &w.tuning, workers: schedule.New(w.threads).Open(ctx, 0),
		pick: w.matches(), together: w.together,
	}
	c := newCrew(m, budget, p.work)
	if err := c.work(); err != nil {
		s.Fatal(err)
	}
	r.net, r.stopped = 0, ctx.Err() != nil
	for _, j := range c.jobs {
		if j.err != nil && !r.stopped {
			s.Fatal(j.err)
		}
		for _, f := range j.found {
			for _, n := range f.solutions.counts {
				r.net += n
			}
		}
	}
	return matchtest.Milliseconds(time.Since(begun))
}

// ablation measures the whole batch without each part.
func (s *stream) ablation(r *matchtest.Report, name string, ways []way) {
	r.Head(name+", all queries at once, without each part", "matched by", "without", "ms", "factor")
	for _, w := range ways {
		normal := 0.0
		for _, part := range []struct {
			name string
			off  func(*way)
		}{
			{"nothing", func(*way) {}},
			{"several goroutines", func(w *way) { w.threads = 1 }},
			{"unchanged edges apart: matches are tested", func(w *way) { w.tuning.leastApart = math.MaxInt }},
			{"signatures: classes of the ends looked at first", func(w *way) { w.tuning.unsifted = true }},
			{"one pass for all queries", func(w *way) { w.apart = true }},
			{"the graph brought while edges are handed out", func(w *way) { w.unforeseen = true }},
			{"stealing: goroutines help each other, and take more than one piece", func(w *way) { w.tuning.alone, w.tuning.piecesEach = true, 1 }},
			{"several searches on the device at a time", func(w *way) { w.tuning.heldAtOnce = 1 }},
			{"nothing, but 4 searches on the device at a time", func(w *way) { w.tuning.heldAtOnce = 4 }},
			{"nothing, but 16 searches on the device at a time", func(w *way) { w.tuning.heldAtOnce = 16 }},
			{"help within a piece", func(w *way) { w.tuning.alone = true }},
			{"coalescing: one of the matches that automorphisms make of each other", func(w *way) { w.tuning.leastCoalesced = math.MaxInt }},
			{"edges handed out label by label", func(w *way) { w.tuning.manyEdges = math.MaxInt }},
			{"either", func(w *way) { w.tuning.leastApart, w.tuning.manyEdges = math.MaxInt, math.MaxInt }},
		} {
			off := w
			part.off(&off)
			took := s.again(off, s.queries, s.rest, s.held, nil)
			if normal == 0 {
				normal = took.matched
			}
			r.Row(w.name, part.name, took.matched, took.matched/normal)
			s.checkAll("inserted", took)
		}
	}
}

// ways are one goroutine, all, and the device where one is asked for.
func ways(t *testing.T) []way {
	all := []way{
		{name: "1 thread", matcher: cpu.New(), threads: 1, tuning: tuned},
		{name: fmt.Sprint(runtime.GOMAXPROCS(0), " threads"), matcher: cpu.New(), threads: runtime.GOMAXPROCS(0), tuning: tuned},
	}
	if *onGPU == "" {
		return all
	}
	d, err := OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return append(all, way{name: d.Name(), matcher: d, threads: runtime.GOMAXPROCS(0), tuning: tuned})
}

// labelledGraphs are the folder of labelled graphs and the names of those that are asked for.
func labelledGraphs(t *testing.T) (folder string, names []string) {
	folder = os.Getenv("RDFGPU_SM")
	if folder == "" {
		t.Skip("RDFGPU_SM is not set")
	}
	names = strings.Fields(os.Getenv("RDFGPU_SETS"))
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(rapidFlow))
	}
	return folder, names
}

// TestReportSeeds measures standing queries over graphs whose edges come and go, beside RapidFlow. RDFGPU_SM is the folder of labelled graphs,
// RDFGPU_SETS names some of them, RDFGPU_PARTS some of the tables: whole, ablation, small, busy, auto, shares, container and pipelined.
func TestReportSeeds(t *testing.T) {
	folder, names := labelledGraphs(t)
	r, by := matchtest.NewReport(t, "seeds.md"), ways(t)
	parts := strings.Fields(os.Getenv("RDFGPU_PARTS"))
	asked := func(part string) bool { return len(parts) == 0 || slices.Contains(parts, part) }
	for _, name := range names {
		s := newStream(t, folder, name, "vl", func(query string) bool { return rapidFlow[name] == nil || rapidFlow[name][query][0] > 0 })
		if asked("whole") {
			s.wholeBatches(r, name, by)
		}
		if asked("ablation") {
			s.ablation(r, name, by[1:])
		}
		if asked("small") {
			s.smallBatches(r, name, by[1], []int{100, 1000, 10_000})
		}
		for _, w := range by[2:] {
			if asked("small") {
				s.smallBatches(r, name, w, []int{1000, 10_000})
			}
			if asked("busy") {
				s.busy(r, name, w)
			}
			if asked("container") {
				s.container(r, name, w)
			}
		}
		if w, ok := byChoice(t); ok && *onGPU != "" && asked("auto") {
			s.standAnew()
			s.wholeBatches(r, name, []way{w})
			if asked("small") {
				s.smallBatches(r, name, w, []int{100, 1000, 10_000})
			}
		}
		if asked("shares") {
			s.smallerShares(r, name, by[1:])
		}
		if asked("pipelined") {
			s.pipelined(r, name, by[1:], []int{10_000, 50_000})
		}
	}
}
