package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/generate"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// edits makes updates of a LUBM graph.
type edits struct {
	*rand.Rand
	students []pcsr.Vertex
}

// triplesOf an update, added and removed.
const triplesOfUpdate = 1000

// enrol adds students with new numbers, who are like others.
func (e *edits) enrol(g *pcsr.Graph) (vertices int, added, removed []pcsr.Edge) {
	vertices = g.Vertices()
	for ; len(added) < triplesOfUpdate; vertices++ {
		like := e.students[e.IntN(len(e.students))]
		for _, l := range g.EdgeLabels(like, pcsr.Out) {
			for _, to := range g.Neighbours(like, l, pcsr.Out) {
				added = append(added, pcsr.Edge{From: pcsr.Vertex(vertices), Label: l, To: to})
			}
		}
	}
	return vertices, added, nil
}

// move has students change what they take, whose advice, and where they belong.
func (e *edits) move(g *pcsr.Graph) (vertices int, added, removed []pcsr.Edge) {
	for len(added)+len(removed) < triplesOfUpdate {
		a, b := e.students[e.IntN(len(e.students))], e.students[e.IntN(len(e.students))]
		for _, p := range []generate.Predicate{generate.TakesCourse, generate.Advisor, generate.MemberOf} {
			l := pcsr.Label(p)
			from, to := g.Neighbours(a, l, pcsr.Out), g.Neighbours(b, l, pcsr.Out)
			if len(from) > 0 && len(to) > 0 && !g.HasEdge(a, l, to[0]) {
				removed = append(removed, pcsr.Edge{From: a, Label: l, To: from[0]})
				added = append(added, pcsr.Edge{From: a, Label: l, To: to[0]})
			}
		}
	}
	return g.Vertices(), added, removed
}

// afterUpdate is what the first answer after an update took, milliseconds and bytes.
type afterUpdate struct {
	commit, plan, first, waiting, kernels, again []float64
	copied, patched                              []float64
}

// measure commits an update and counts a query's solutions on the device, twice.
func (a *afterUpdate) measure(t *testing.T, d *Device, g *pcsr.Graph, change func(*pcsr.Graph) (int, []pcsr.Edge, []pcsr.Edge),
	plan func(*pcsr.Graph) *bgp.MatchPlan) (next *pcsr.Graph, p *bgp.MatchPlan, n uint64) {
	t.Helper()
	vertices, added, removed := change(g)
	before, err := d.Info()
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	next = g.Change(vertices, added, removed)
	committed := time.Now()
	p = plan(next)
	planned := time.Now()
	trace := &match.Trace{}
	if n, err = d.Count(context.Background(), &match.Match{Graph: next, Plan: p, Trace: trace}); err != nil {
		t.Fatal(err)
	}
	answered := time.Now()
	if again, err := d.Count(context.Background(), &match.Match{Graph: next, Plan: p}); err != nil || again != n {
		t.Fatalf("%d, then %d, error %v", n, again, err)
	}
	a.again = append(a.again, matchtest.Milliseconds(time.Since(answered)))
	after, err := d.Info()
	if err != nil {
		t.Fatal(err)
	}
	a.commit = append(a.commit, matchtest.Milliseconds(committed.Sub(begun)))
	a.plan = append(a.plan, matchtest.Milliseconds(planned.Sub(committed)))
	a.first = append(a.first, matchtest.Milliseconds(answered.Sub(begun)))
	a.waiting = append(a.waiting, matchtest.Milliseconds(trace.Upload))
	a.kernels = append(a.kernels, matchtest.Milliseconds(trace.Kernels))
	a.copied = append(a.copied, float64(after.Copied-before.Copied))
	a.patched = append(a.patched, float64(after.Patched-before.Patched))
	return next, p, n
}

// TestReportUpdates measures what an update of 1,000 triples costs the next query on the device: from the moment at which it is to be
// committed to the answer.
func TestReportUpdates(t *testing.T) {
	gpu := driver(t)
	scale := 20
	if s := os.Getenv("RDFGPU_LUBM"); s != "" {
		scale, _ = strconv.Atoi(s)
	}
	u := &universities{scale: scale}
	g := u.graph(t)
	d := open(t, Options{Driver: gpu})
	defer d.Close()
	if err := d.Upload(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	r := matchtest.NewReport(t, "updates.md")
	class := u.base[generate.Class] + uint32(generate.GraduateStudent)
	edits := &edits{rand.New(rand.NewPCG(1, 13)), g.Members(class)}
	processor := matchtest.OnThreads(cpu.New(), 0)
	for name, change := range map[string]func(*pcsr.Graph) (int, []pcsr.Edge, []pcsr.Edge){
		"1,000 triples of new students": edits.enrol, "500 triples of students exchanged": edits.move,
	} {
		r.Head(fmt.Sprintf("LUBM(%d), %d triples: %s", scale, g.Edges(), name), "query", "solutions", "before ms", "first answer ms", "of that commit ms", "plan ms",
			"the first ever ms", "bringing what changed ms", "kernels ms", "second answer ms", "bytes copied", "partitions patched")
		state := g
		for _, q := range lubmQueries {
			plan := func(g *pcsr.Graph) *bgp.MatchPlan {
				p, err := bgp.Plan(context.Background(), u.pattern(q.text), g, lookup, bgp.Options{CountOnly: true, Speed: bgp.GPUSpeed})
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			was, err := timeCount(d, state, func() (*bgp.MatchPlan, error) { return plan(state), nil }, 5)
			if err != nil {
				t.Fatal(err)
			}
			var a afterUpdate
			var p *bgp.MatchPlan
			var n uint64
			for range 7 {
				state, p, n = a.measure(t, d, state, change, plan)
			}
			ever := a.first[0]
			r.Row(q.name, n, was.whole, matchtest.Median(a.first), matchtest.Median(a.commit), matchtest.Median(a.plan), ever, matchtest.Median(a.waiting), matchtest.Median(a.kernels), matchtest.Median(a.again),
				matchtest.Median(a.copied), matchtest.Median(a.patched))
			if want, err := processor.Count(context.Background(), &match.Match{Graph: state, Plan: p}); err != nil || want != n {
				t.Errorf("%s: %d, on the CPU %d, error %v", q.name, n, want, err)
			}
		}
	}
	info, err := d.Info()
	fmt.Printf("%+v %v\n", info, err)
}
