package gpu

import (
	"context"
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/path"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// reportedClosures are closures of label 1: as devices and as the processor search them.
var reportedClosures = []struct {
	name   string
	path   parser.Path
	states int
	hops   []match.Hop
}{
	{"`:p+`", onward, 1, []match.Hop{hop(pcsr.Out, 1, 0), hop(pcsr.Out, 0, 0)}},
	{"`(:p|^:p)+`", &parser.PathAlternative{Left: onward, Right: &parser.PathInverse{Path: onward}}, 1,
		[]match.Hop{hop(pcsr.Out, 1, 0), hop(pcsr.In, 1, 0), hop(pcsr.Out, 0, 0), hop(pcsr.In, 0, 0)}},
	{"`(:p/:p)+`", &parser.PathSequence{Left: onward, Right: onward}, 2, []match.Hop{hop(pcsr.Out, 2, 0), hop(pcsr.Out, 0, 1), hop(pcsr.Out, 1, 0)}},
}

var onward = &parser.PathIRI{IRI: "p"}

// hop leads along label 1 from a state to another.
func hop(d pcsr.Direction, from, to int) match.Hop {
	return match.Hop{PartitionKey: match.PartitionKey{Label: 1, Direction: d}, From: from, To: to}
}

// TestReportClosures measures searches along paths, from one vertex and from 64, whose ends are counted or told, beside the host's processors, in R-MAT
// with RDFGPU_RMAT edges: from the vertex of most edges, and from vertices all over.
func TestReportClosures(t *testing.T) {
	gpu := driver(t)
	edges := uint64(200_000)
	if s := os.Getenv("RDFGPU_RMAT"); s != "" {
		edges, _ = strconv.ParseUint(s, 10, 64)
	}
	g := rmat(t, edges)
	d := open(t, Options{Driver: gpu})
	defer d.Close()
	r := matchtest.NewReport(t, "closures.md")
	r.Head(fmt.Sprintf("Closures in R-MAT with %d triples", g.Edges()), "path", "from", "ends", "edges walked, at least", "counted: kernels ms", "whole ms", "the first time, ms", "told: kernels ms",
		"copy ms", "whole ms", "CPU, all cores, ms")
	for _, sources := range []int{1, match.MostSources} {
		for _, of := range reportedClosures {
			c := &match.Closure{Graph: g, States: of.states, Hops: of.hops, Ending: 1 << (of.states - 1), Sources: spread(g, sources)}
			first := timeSearch(t, d, c, false)
			counted, told := first, timeSearch(t, d, c, true)
			for range 3 {
				counted, told = min2(counted, timeSearch(t, d, c, false)), min2(told, timeSearch(t, d, c, true))
			}
			ends, walked, took := searchHere(t, g, of.path, c.Sources)
			if took > 0 && counted.ends != ends || told.ends != counted.ends {
				t.Errorf("%s from %d: %d counted, %d told, %d on the processor", of.name, sources, counted.ends, told.ends, ends)
			}
			r.Row(of.name, sources, counted.ends, walked, counted.kernels, counted.whole, first.whole, told.kernels, told.copied, told.whole, matchtest.Milliseconds(took))
		}
	}
}

// spread are so many vertices with edges that lead on: the one of most, and others all over.
func spread(g *pcsr.Graph, n int) []pcsr.Vertex {
	p := g.Partition(1, pcsr.Out)
	best := 0
	for row := range p.Rows() {
		if p.Degree(row) > p.Degree(best) {
			best = row
		}
	}
	out := []pcsr.Vertex{p.Vertex(best)}
	for i := 1; i < n; i++ {
		if row := i * p.Rows() / n; row != best {
			out = append(out, p.Vertex(row))
		}
	}
	return out
}

// searchTime is what a search took, in milliseconds.
type searchTime struct {
	ends                   uint64
	kernels, copied, whole float64
}

func min2(a, b searchTime) searchTime {
	if a.whole < b.whole {
		return a
	}
	return b
}

func timeSearch(t *testing.T, d *Device, c *match.Closure, told bool) (s searchTime) {
	t.Helper()
	traced := *c
	traced.Trace = &match.Trace{}
	var tell func(int, pcsr.Vertex, []uint32) error
	n := uint64(0)
	if told {
		tell = func(_ int, _ pcsr.Vertex, words []uint32) error {
			for _, w := range words {
				n += uint64(bits.OnesCount32(w))
			}
			return nil
		}
	}
	begun := time.Now()
	counts, err := d.Search(context.Background(), &traced, tell)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range counts {
		s.ends += k
	}
	if told && n != s.ends {
		t.Errorf("%d ends told, %d counted", n, s.ends)
	}
	s.whole = matchtest.Milliseconds(time.Since(begun))
	s.kernels, s.copied = matchtest.Milliseconds(traced.Trace.Kernels), matchtest.Milliseconds(traced.Trace.Download)
	return s
}

// searchHere searches on the processor: one search on all threads, or several at a time; nothing where it takes more than half a minute. walked are the
// edges that lead on from the ends.
func searchHere(t *testing.T, g *pcsr.Graph, of parser.Path, sources []pcsr.Vertex) (ends, walked uint64, took time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	p := g.Partition(1, pcsr.Out)
	search := func(each path.Each, v pcsr.Vertex) (n, edges uint64) {
		s := path.NewSearch(g)
		s.Serve(ctx, limits.Standalone(1<<40).Open("path"))
		s.Share(each, operator.Tuning{}.Complete())
		step := path.NewStep(of, func(string) (pcsr.Label, bool) { return 1, true })
		err := s.Closure(step, v, pcsr.Out, false, true, func(w pcsr.Vertex) error {
			n, edges = n+1, edges+uint64(len(p.Neighbours(w)))
			return nil
		})
		if err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		return n, edges
	}
	begun := time.Now()
	if len(sources) == 1 {
		ends, walked = search(onAllThreads, sources[0])
		return ended(ctx, ends, walked, begun)
	}
	var all, edges atomic.Uint64
	_ = onAllThreads(len(sources), func(i int) error {
		n, e := search(func(units int, do func(int) error) error {
			for u := range units {
				if err := do(u); err != nil {
					return err
				}
			}
			return nil
		}, sources[i])
		all.Add(n)
		edges.Add(e)
		return nil
	})
	return ended(ctx, all.Load(), edges.Load(), begun)
}

// ended is what was found, and the time, unless that was over.
func ended(ctx context.Context, ends, walked uint64, begun time.Time) (uint64, uint64, time.Duration) {
	if ctx.Err() != nil {
		return 0, 0, 0
	}
	return ends, walked, time.Since(begun)
}

// onAllThreads does units of work, as many at a time as there are processors.
func onAllThreads(units int, do func(unit int) error) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	var failed atomic.Pointer[error]
	for range min(units, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for u := int(next.Add(1)) - 1; u < units; u = int(next.Add(1)) - 1 {
				if err := do(u); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	wait.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
