package gpu

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/generate"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// universities numbers the entities of a LUBM graph without a dictionary, as a loaded store would: predicates, classes,
// then everything kind by kind, so that the members of a class have consecutive numbers.
type universities struct {
	scale int
	// keys are, for each university, its own entities in order; first, for each kind, where each university's begin.
	keys  [][]uint64
	start [][generate.Kinds + 1]int
	first [generate.Kinds][]uint32
	// base is where the kinds begin that all universities share.
	base  [generate.Kinds]uint32
	names map[uint32]uint32
	total uint32
}

func shared(k generate.Kind) bool {
	switch k {
	case generate.University, generate.Class, generate.NameLiteral, generate.TelephoneLiteral, generate.ResearchLiteral:
		return true
	}
	return false
}

// key orders the entities of one university, by kind first.
func key(e generate.Entity) uint64 {
	return uint64(e.Kind)<<58 | uint64(e.Department)<<48 | uint64(e.Of)<<40 | uint64(e.Index)<<20 | uint64(e.Sub)
}

// parallel runs f for 0 … n-1 on all cores.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

func (u *universities) number() {
	u.keys, u.start = make([][]uint64, u.scale), make([][generate.Kinds + 1]int, u.scale)
	var mu sync.Mutex
	names := map[uint32]bool{}
	g := generate.LUBM{Universities: u.scale, Seed: 1}
	parallel(u.scale, func(n int) {
		var own []uint64
		named := map[uint32]bool{}
		visit := func(e generate.Entity) {
			if e.Kind == generate.NameLiteral {
				named[uint32(e.Of)<<16|uint32(e.Index)] = true
			} else if !shared(e.Kind) {
				own = append(own, key(e))
			}
		}
		g.University(n, generate.NewDegrees(), func(t generate.Triple) { visit(t.Subject); visit(t.Object) })
		slices.Sort(own)
		own = slices.Compact(own)
		u.keys[n] = own
		for k := range generate.Kinds + 1 {
			u.start[n][k], _ = slices.BinarySearch(own, uint64(k)<<58)
		}
		mu.Lock()
		for name := range named {
			names[name] = true
		}
		mu.Unlock()
	})
	u.layOut(names)
}

// layOut gives every kind its numbers.
func (u *universities) layOut(names map[uint32]bool) {
	u.total = uint32(generate.Predicates)
	counts := map[generate.Kind]int{
		generate.University: max(u.scale, 1000), generate.Class: int(generate.Classes), generate.NameLiteral: len(names),
		generate.TelephoneLiteral: 1, generate.ResearchLiteral: 1 << 16,
	}
	for k := range generate.Kinds {
		if shared(generate.Kind(k)) {
			u.base[k] = u.total
			u.total += uint32(counts[generate.Kind(k)])
			continue
		}
		u.first[k] = make([]uint32, u.scale)
		for n := range u.scale {
			u.first[k][n] = u.total
			u.total += uint32(u.start[n][k+1] - u.start[n][k])
		}
	}
	sorted := make([]uint32, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	u.names = make(map[uint32]uint32, len(sorted))
	for i, name := range sorted {
		u.names[name] = u.base[generate.NameLiteral] + uint32(i)
	}
}

// id is the number of an entity.
func (u *universities) id(e generate.Entity) dictionary.ID {
	switch e.Kind {
	case generate.University:
		return u.base[e.Kind] + e.University
	case generate.NameLiteral:
		return u.names[uint32(e.Of)<<16|uint32(e.Index)]
	case generate.Class, generate.ResearchLiteral:
		return u.base[e.Kind] + uint32(e.Index)
	case generate.TelephoneLiteral:
		return u.base[e.Kind]
	}
	n := e.University
	i, _ := slices.BinarySearch(u.keys[n], key(e))
	return u.first[e.Kind][n] + uint32(i-u.start[n][e.Kind])
}

// graph makes the graph.
func (u *universities) graph(t *testing.T) *pcsr.Graph {
	u.number()
	g := generate.LUBM{Universities: u.scale, Seed: 1}
	parts := make([][]pcsr.Edge, u.scale)
	degrees := generate.NewDegrees()
	var mu sync.Mutex
	edge := func(x generate.Triple) pcsr.Edge {
		return pcsr.Edge{From: u.id(x.Subject), Label: uint32(x.Predicate), To: u.id(x.Object)}
	}
	parallel(u.scale, func(n int) {
		own := generate.NewDegrees()
		g.University(n, own, func(x generate.Triple) { parts[n] = append(parts[n], edge(x)) })
		mu.Lock()
		for i, d := range own {
			degrees[i] = degrees[i] || d
		}
		mu.Unlock()
	})
	total := 0
	for _, p := range parts {
		total += len(p)
	}
	edges := make([]pcsr.Edge, 0, total+1000+u.scale)
	for n, p := range parts {
		edges = append(edges, p...)
		parts[n] = nil
	}
	g.Pool(degrees, func(x generate.Triple) { edges = append(edges, edge(x)) })
	graph, err := pcsr.Build(int(u.total), generate.Predicates, edges, pcsr.WithTypeLabel(uint32(generate.Type)))
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

// The seven queries of Trinity.RDF, Wukong and MAGiQ, in this numbering; capitals are classes.
var lubmQueries = []struct{ name, text string }{
	{"L1", "y type University; x undergraduateDegreeFrom y; x type GraduateStudent; x memberOf z; z subOrganizationOf y; z type Department"},
	{"L2", "x type Course; x name y"},
	{"L3", "x undergraduateDegreeFrom y; x type UndergraduateStudent; x memberOf z; z type Department; z subOrganizationOf y; y type University"},
	{"L4", "x worksFor D0; x type FullProfessor; x name a; x emailAddress b; x telephone c"},
	{"L5", "x subOrganizationOf D0; x type ResearchGroup"},
	{"L6", "y subOrganizationOf U0; y type Department; x worksFor y; x type FullProfessor"},
	{"L7", "y type FullProfessor; x advisor y; x type UndergraduateStudent; x takesCourse z; z type Course; y teacherOf z"},
}

func (u *universities) pattern(text string) []parser.TriplePattern {
	predicates := map[string]generate.Predicate{
		"type": generate.Type, "name": generate.Name, "takesCourse": generate.TakesCourse, "telephone": generate.Telephone,
		"emailAddress": generate.EmailAddress, "memberOf": generate.MemberOf, "advisor": generate.Advisor,
		"undergraduateDegreeFrom": generate.UndergraduateDegreeFrom, "teacherOf": generate.TeacherOf,
		"worksFor": generate.WorksFor, "subOrganizationOf": generate.SubOrganizationOf,
	}
	classes := map[string]generate.Kind{
		"University": generate.University, "Department": generate.Department, "FullProfessor": generate.FullProfessor,
		"UndergraduateStudent": generate.UndergraduateStudent, "GraduateStudent": generate.GraduateStudent,
		"Course": generate.Course, "ResearchGroup": generate.ResearchGroup,
	}
	end := func(w string) parser.PatternTerm {
		if k, ok := classes[w]; ok {
			return term(u.base[generate.Class] + uint32(k))
		}
		switch w {
		case "D0":
			return term(u.id(generate.Entity{Kind: generate.Department}))
		case "U0":
			return term(u.id(generate.Entity{Kind: generate.University}))
		}
		return parser.PatternTerm{Variable: w}
	}
	var out []parser.TriplePattern
	for _, t := range strings.Split(text, "; ") {
		w := strings.Fields(t)
		out = append(out, parser.TriplePattern{Subject: end(w[0]), Predicate: term(uint32(predicates[w[1]])), Object: end(w[2])})
	}
	return out
}

// publishedWukongG is what Wukong+G took for L1 to L7 on LUBM-2560 with a K40m, in milliseconds (USENIX ATC 2018).
var publishedWukongG = []float64{96, 57, 99, 0.056, 0.045, 0.126, 52}

// TestReportLUBM measures L1 to L7: the match on the device, rows to the host, and the CPU's matcher beside.
func TestReportLUBM(t *testing.T) {
	gpu := driver(t)
	scale := 20
	if s := os.Getenv("RDFGPU_LUBM"); s != "" {
		scale, _ = strconv.Atoi(s)
	}
	u := &universities{scale: scale}
	begun := time.Now()
	g := u.graph(t)
	made := time.Since(begun)
	d := open(t, Options{Driver: gpu})
	defer d.Close()
	r := matchtest.NewReport(t, "lubm.md")
	begun = time.Now()
	if err := d.Upload(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	title := fmt.Sprintf("LUBM(%d): %d triples, %d terms; made in %v, %d MB uploaded in %v", scale, g.Edges(), g.Vertices(),
		made.Round(time.Millisecond), g.Bytes()>>20, time.Since(begun).Round(time.Millisecond))
	r.Head(title, "query", "solutions", "count: kernels ms", "count ms", "plan ms", "rows: match ms", "rows on the host ms", "CPU count ms", "Wukong+G, K40m, LUBM-2560")
	processor := matchtest.OnThreads(cpu.New(), 0)
	var details strings.Builder
	for i, q := range lubmQueries {
		patterns := u.pattern(q.text)
		plan := func(count bool) func() (*bgp.MatchPlan, error) {
			options := bgp.Options{CountOnly: count, Speed: bgp.GPUSpeed}
			for _, p := range patterns {
				for _, v := range []string{p.Subject.Variable, p.Object.Variable} {
					if v != "" && !slices.Contains(options.Output, v) {
						options.Output = append(options.Output, v)
					}
				}
			}
			return func() (*bgp.MatchPlan, error) { return bgp.Plan(context.Background(), patterns, g, lookup, options) }
		}
		took, err := timeCount(d, g, plan(true), 9)
		if err != nil {
			t.Errorf("%s: %v", q.name, err)
			continue
		}
		p, _ := plan(false)()
		matched, host, trace := timeRows(t, d, g, p)
		begun := time.Now()
		n, err := processor.Count(context.Background(), &match.Match{Graph: g, Plan: took.steps})
		if err != nil || n != took.count {
			t.Errorf("%s: %d, on the CPU %d, %v", q.name, took.count, n, err)
		}
		r.Row(q.name, took.count, took.kernels, took.whole-took.plan, took.plan, matched, host, matchtest.Milliseconds(time.Since(begun)), publishedWukongG[i])
		fmt.Fprintf(&details, "  %s\n%s  rows\n%s", q.name, took.lines(), (&timing{trace: trace, steps: p}).lines())
	}
	r.Details("steps-lubm.txt", details.String())
	r.Head("L4, L5 and L6 in turn, rows to the host, planning not counted", "goroutines", "queries a second")
	var plans []*bgp.MatchPlan
	for _, q := range lubmQueries[3:6] {
		p, err := bgp.Plan(context.Background(), u.pattern(q.text), g, lookup, bgp.Options{Output: []string{"x"}, Speed: bgp.GPUSpeed})
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, p)
	}
	for _, n := range []int{1, 4, 16, 64} {
		r.Row(n, throughput(t, d, g, plans, n))
	}
	reportCrowd(t, r, gpu, g, func(name string) *bgp.MatchPlan {
		i := slices.IndexFunc(lubmQueries, func(q struct{ name, text string }) bool { return q.name == name })
		p, err := bgp.Plan(context.Background(), u.pattern(lubmQueries[i].text), g, lookup, bgp.Options{CountOnly: true, Speed: bgp.GPUSpeed})
		if err != nil {
			t.Fatal(err)
		}
		return p
	})
}

// reportCrowd measures counts of all sizes from 64 goroutines, with different numbers of launches that are waited for at a time.
func reportCrowd(t *testing.T, r *matchtest.Report, gpu kernels.Driver, g *pcsr.Graph, plan func(name string) *bgp.MatchPlan) {
	r.Head("Counts of L1 to L7 in turn by 64 goroutines", "launches waited for", "queries a second", "memory of tables, MB")
	var plans []*bgp.MatchPlan
	for _, q := range lubmQueries {
		plans = append(plans, plan(q.name))
	}
	for _, n := range []int{4, runtime.GOMAXPROCS(0) / 2, runtime.GOMAXPROCS(0), 64} {
		d := open(t, Options{Driver: gpu, Launches: n})
		if err := d.Upload(context.Background(), g); err != nil {
			t.Fatal(err)
		}
		throughput(t, d, g, plans, 64)
		r.Row(n, throughput(t, d, g, plans, 64), d.lanes.idleBytes()>>20)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestReportParts measures counts of L1 to L7 in turn, over LUBM with RDFGPU_LUBM universities, where a launch has a part of the grid while others run: from
// one goroutine, from 16 and from 64, twice each; and the mean of each query alone.
func TestReportParts(t *testing.T) {
	gpu := driver(t)
	u := &universities{scale: 20}
	if s := os.Getenv("RDFGPU_LUBM"); s != "" {
		u.scale, _ = strconv.Atoi(s)
	}
	g := u.graph(t)
	r := matchtest.NewReport(t, "parts.md")
	var plans []*bgp.MatchPlan
	var want []uint64
	r.Head(fmt.Sprintf("LUBM(%d): counts a second from one goroutine", u.scale), "query", "count", "cost", "a second")
	whole := open(t, Options{Driver: gpu})
	for _, q := range lubmQueries {
		p, err := bgp.Plan(context.Background(), u.pattern(q.text), g, lookup, bgp.Options{CountOnly: true, Speed: bgp.GPUSpeed})
		if err != nil {
			t.Fatal(err)
		}
		n, err := whole.Count(context.Background(), &match.Match{Graph: g, Plan: p})
		if err != nil {
			t.Fatal(err)
		}
		plans, want = append(plans, p), append(want, n)
		r.Row(q.name, n, p.Cost, runCrowd(t, whole, g, plans[len(plans)-1:], want[len(want)-1:], 1, 300*time.Millisecond).rate)
	}
	if err := whole.Close(); err != nil {
		t.Error(err)
	}
	r.Head("L1 to L7 in turn, counts a second", "parts of the grid", "1 goroutine", "16", "64", "1, again", "16, again", "64, again", "slowest of 64's, ms")
	for _, parts := range []int{1, 2, 4, 8, 16} {
		d := open(t, Options{Driver: gpu, tuning: tuning{parts: parts}})
		runCrowd(t, d, g, plans, want, 64, time.Second)
		row, slowest := []any{parts}, time.Duration(0)
		for range 2 {
			for _, n := range []int{1, 16, 64} {
				c := runCrowd(t, d, g, plans, want, n, time.Second)
				row, slowest = append(row, c.rate), c.slowest
			}
		}
		r.Row(append(row, matchtest.Milliseconds(slowest))...)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// throughput is how many matches a second n goroutines get done.
func throughput(t *testing.T, d *Device, g *pcsr.Graph, plans []*bgp.MatchPlan, n int) float64 {
	var done atomic.Int64
	var wg sync.WaitGroup
	begun := time.Now()
	for range n {
		wg.Go(func() {
			for i := 0; time.Since(begun) < time.Second; i++ {
				m := &match.Match{Graph: g, Plan: plans[i%len(plans)]}
				if err := d.Match(context.Background(), m, func(*match.Batch) error { return nil }); err != nil {
					t.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(done.Load()) / time.Since(begun).Seconds()
}

// timeRows times a match whose rows go to the host: the time inside kernels, and the whole.
func timeRows(t *testing.T, d *Device, g *pcsr.Graph, p *bgp.MatchPlan) (matched, host float64, trace match.Trace) {
	var matches, hosts []float64
	for range 5 {
		rows := 0
		begun := time.Now()
		m := &match.Match{Graph: g, Plan: p, Trace: &trace}
		if err := d.Match(context.Background(), m, func(b *match.Batch) error { rows += b.N; return nil }); err != nil {
			t.Error(err)
		}
		hosts = append(hosts, matchtest.Milliseconds(time.Since(begun)))
		matches = append(matches, matchtest.Milliseconds(trace.Kernels))
	}
	return matchtest.Median(matches), matchtest.Median(hosts), trace
}
