package gpu

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// partitioned are PBE's patterns, with its times on graph A in milliseconds: in memory, and in four partitions (SEEDS.md beside the graphs); NaN
// where it has none. Edges are undirected; automorphisms of the pattern.
var partitioned = []struct {
	name          string
	edges         []string
	automorphisms uint64
	embeddings    uint64
	whole, parts  float64
}{
	{"triangle", []string{"ab", "bc", "ac"}, 6, 518331, 9.1, 183},
	{"clique of 4", []string{"ab", "ac", "ad", "bc", "bd", "cd"}, 24, 121597, 13.3, 364},
	{"clique of 5", []string{"ab", "ac", "ad", "ae", "bc", "bd", "be", "cd", "ce", "de"}, 120, 73029, 21.6, math.NaN()},
	{"chordal square", []string{"ab", "bc", "cd", "ad", "ac"}, 4, 6247987, 12.0, 630},
	{"square", []string{"ab", "bc", "cd", "ad"}, 8, 18465124, 97.8, math.NaN()},
	{"house", []string{"ab", "bc", "cd", "ad", "ae", "be"}, 2, 1249230724, 168, math.NaN()},
	{"near-clique of 5", []string{"ab", "ac", "ad", "ae", "bc", "bd", "be", "ce"}, 4, 31337275, 28.3, math.NaN()},
}

// TestReportOutOfCoreLabelled checks the labelled and unlabelled graphs with a part of each query's partitions on the device, and measures
// PBE's patterns.
func TestReportOutOfCoreLabelled(t *testing.T) {
	gpu := driver(t)
	folder := benchFolder(t)
	expected := expectedCounts(t, folder)
	r := matchtest.NewReport(t, "outofcore-labelled.md")
	head := []any{"set", "queries", "all in memory: whole ms, mean"}
	for _, share := range budgets {
		head = append(head, fmt.Sprintf("1/%d: times that", share))
	}
	r.Head("Graphs with a part of each query's partitions", head...)
	var chosen, slower [][]any
	for _, set := range benchSets() {
		b := newBench(t, set)
		g := b.graph()
		d := open(t, Options{Driver: gpu})
		logs, chooses := make([]float64, len(budgets)+1), make([]chosenInPages, len(budgets)+1)
		for _, q := range b.patterns {
			plan, err := q.plan(g, bgp.Isomorphism, true)
			if err != nil {
				t.Fatal(err)
			}
			m := &match.Match{Graph: g, Plan: plan}
			processor := processorTime(t, m, expected[set+" "+q.name], 2*time.Second)
			for i, share := range append([]int64{0}, budgets...) {
				squeeze(d, 0)
				if share > 0 {
					squeeze(d, bytesRead(g, plan)/share+1)
				}
				took, n := timeInPages(t, d, m, 1)
				if want := expected[set+" "+q.name]; n != want {
					t.Errorf("%s %s, 1/%d: %d, want %d", set, q.name, share, n, want)
				}
				logs[i] += math.Log(took.ms) / float64(len(b.patterns))
				if chooses[i].add(d, m, took.ms, processor) {
					o := d.Expect(g, plan)
					slower = append(slower, []any{set, q.name, share, took.ms, processor, o.Processor, o.Device, d.Price(g, plan)})
				}
			}
		}
		row := []any{set, len(b.patterns), math.Exp(logs[0])}
		for i := range budgets {
			row = append(row, math.Exp(logs[i+1]-logs[0]))
		}
		r.Row(row...)
		for i, c := range chooses {
			share := "all"
			if i > 0 {
				share = fmt.Sprintf("1/%d", budgets[i-1])
			}
			n := float64(len(b.patterns))
			chosen = append(chosen, []any{set, share, len(b.patterns), c.toDevice, c.asChosen / n, c.onProcessor / n, c.onDevice / n, c.slower, c.toDeviceLast, c.atLast / n, c.slowerLast})
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	r.Head("What auto chooses for them, once the partitions are there", "set", "share", "queries", "to the device", "mean ms as chosen", "all on the processor", "all on the device", "slower as chosen than on the processor, by a fifth and 0.2 ms", "once seen: to the device", "mean ms", "slower")
	for _, row := range chosen {
		r.Row(row...)
	}
	r.Head("Those that are slower as chosen", "set", "query", "share", "device ms", "processor ms", "expected on the processor", "on the device", "over the bus")
	for _, row := range slower {
		r.Row(row...)
	}
	reportPartitioned(t, r, gpu)
}

// chosenInPages adds up what auto chooses for counts, beside what both devices take.
type chosenInPages struct {
	toDevice, slower                int
	asChosen, onProcessor, onDevice float64
	// of choices once both sides that were tried have been seen
	toDeviceLast, slowerLast int
	atLast                   float64
}

// add adds a count that the device took so many milliseconds for, and the processor, where it ends in time, and reports whether it is slower as chosen.
func (c *chosenInPages) add(d *Device, m *match.Match, device, processor float64) (slower bool) {
	there := choiceOf(d, m.Graph, m.Plan)
	takes, began := atFirst(d, m.Graph, m.Plan)
	chosen := takes(device, processor)
	if began {
		c.toDevice++
	}
	last := processor
	if paysAtLast(there, device, processor) {
		c.toDeviceLast++
		last = device
	}
	if c.atLast += last; last > 1.2*processor+0.2 {
		c.slowerLast++
	}
	if slower = chosen > 1.2*processor+0.2; slower {
		c.slower++
	}
	c.asChosen, c.onProcessor, c.onDevice = c.asChosen+chosen, c.onProcessor+processor, c.onDevice+device
	return slower
}

// processorTime is how many milliseconds all cores take for a count; most where they do not end before.
func processorTime(t *testing.T, m *match.Match, want uint64, most time.Duration) float64 {
	took := math.Inf(1)
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), most)
		begun := time.Now()
		n, err := matchtest.OnThreads(cpu.New(), 0).Count(ctx, m)
		cancel()
		if took = min(took, matchtest.Milliseconds(time.Since(begun))); err != nil {
			return matchtest.Milliseconds(most)
		}
		if n != want {
			t.Errorf("%d on the processor, want %d", n, want)
		}
	}
	return took
}

// TestReportPartitioned measures PBE's patterns alone.
func TestReportPartitioned(t *testing.T) {
	gpu := driver(t)
	reportPartitioned(t, matchtest.NewReport(t, "partitioned.md"), gpu)
}

func reportPartitioned(t *testing.T, r *matchtest.Report, gpu kernels.Driver) {
	g := newBench(t, "A.u").graph()
	r.Head("PBE's patterns on A, whole ms", "pattern", "PBE in memory", "PBE in 4 partitions", "ours in memory", "ours with a quarter", "MB copied")
	d := open(t, Options{Driver: gpu})
	for _, p := range partitioned {
		q := pattern{name: p.name}
		for _, e := range p.edges {
			q.triples = append(q.triples, parser.TriplePattern{Subject: parser.PatternTerm{Variable: e[:1]}, Predicate: term(1), Object: parser.PatternTerm{Variable: e[1:]}})
		}
		plan, err := q.plan(g, bgp.Isomorphism, true)
		if err != nil {
			t.Fatal(err)
		}
		m := &match.Match{Graph: g, Plan: plan}
		squeeze(d, 0)
		memory, n := timeInPages(t, d, m, 5)
		squeeze(d, bytesRead(g, plan)/4)
		quarter, again := timeInPages(t, d, m, 5)
		if n != again || n != p.embeddings*p.automorphisms {
			t.Errorf("%s: %d in memory, %d with a quarter, PBE %d times %d", p.name, n, again, p.embeddings, p.automorphisms)
		}
		r.Row(p.name, p.whole, p.parts, memory.ms, quarter.ms, quarter.mb)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
