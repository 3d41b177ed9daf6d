package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
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

// vertexLabels is how many labels SGSI's authors give the vertices of WatDiv (section 8.1).
const vertexLabels = 1000

// commerce is a graph of WatDiv whose vertices have labels besides, by chances of 1/rank: the class predicate is 0, then come the edge labels, the
// vertex labels, and the vertices by label.
type commerce struct {
	graph *pcsr.Graph
	first uint32   // vertex
	label []uint16 // of each vertex
	edges int      // labels
	limit time.Duration
}

// newCommerce makes the graph a label at a time: edges are drawn twice, once to count them, by block and label, and then each into its place among the keys of its label, so
// that nothing but those, 8 bytes an edge, is there beside the graph.
func newCommerce(t *testing.T, scale int) *commerce {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	numbers := generate.Commerce{Scale: scale, Seed: 1}.Numbers()
	c := &commerce{edges: len(numbers.Predicates())}
	c.first = uint32(1 + c.edges + vertexLabels)
	in := make([]uint32, numbers.Vertices()/32+1)
	at := make([][]uint32, numbers.Blocks()) // by block and edge label
	parallel(len(at), func(b int) {
		counts := make([]uint32, c.edges)
		numbers.Block(b, func(e generate.Edge) {
			counts[e.Predicate]++
			for _, v := range []uint64{e.From, e.To} {
				if bit := uint32(1) << (v % 32); atomic.LoadUint32(&in[v/32])&bit == 0 {
					atomic.OrUint32(&in[v/32], bit)
				}
			}
		})
		at[b] = counts
	})
	id := c.number(in, int(numbers.Vertices()))
	used, keys := []uint32{0}, [][]uint64{make([]uint64, len(c.label))}
	for l := range c.edges {
		n := uint32(0)
		for b := range at {
			at[b][l], n = n, n+at[b][l]
		}
		used, keys = append(used, uint32(1+l)), append(keys, make([]uint64, n))
	}
	for v, l := range c.label {
		keys[0][v] = uint64(c.first+uint32(v))<<32 | uint64(1+c.edges) + uint64(l)
	}
	parallel(len(at), func(b int) {
		numbers.Block(b, func(e generate.Edge) {
			keys[1+e.Predicate][at[b][e.Predicate]] = uint64(id[e.From])<<32 | uint64(id[e.To])
			at[b][e.Predicate]++
		})
	})
	id, at, in = nil, nil, nil
	var err error
	if c.graph, err = pcsr.BuildKeys(int(c.first)+len(c.label), int(c.first), used, keys, pcsr.WithTypeLabel(0)); err != nil {
		t.Fatal(err)
	}
	debug.FreeOSMemory()
	return c
}

// number gives the vertices in use their labels, and IDs by label.
func (c *commerce) number(used []uint32, n int) (id []uint32) {
	label, id := make([]uint16, n), make([]uint32, n)
	const chunk = 1 << 16
	chunks := (n + chunk - 1) / chunk
	counts := make([][vertexLabels]uint32, chunks)
	labels := generate.Graph{Classes: vertexLabels, Seed: 3}
	in := func(v int) bool { return used[v/32]>>(v%32)&1 != 0 }
	parallel(chunks, func(i int) {
		for v := i * chunk; v < min(n, (i+1)*chunk); v++ {
			if in(v) {
				label[v] = uint16(labels.ClassOf(uint64(v)))
				counts[i][label[v]]++
			}
		}
	})
	next := uint32(0)
	for l := range vertexLabels {
		for i := range counts {
			counts[i][l], next = next, next+counts[i][l]
		}
	}
	c.label = make([]uint16, next)
	parallel(chunks, func(i int) {
		for v := i * chunk; v < min(n, (i+1)*chunk); v++ {
			if in(v) {
				at := counts[i][label[v]]
				counts[i][label[v]]++
				id[v], c.label[at] = c.first+at, label[v]
			}
		}
	})
	return id
}

// walk makes a pattern of n vertices: those of a random walk along edges either way, with their labels and the edges that were walked, as SGSI's queries are
// made.
func (c *commerce) walk(r *rand.Rand, n int) pattern {
	for {
		if p, ok := c.tryWalk(r, n); ok {
			return p
		}
	}
}

func (c *commerce) tryWalk(r *rand.Rand, n int) (p pattern, ok bool) {
	at := c.first + uint32(r.IntN(len(c.label)))
	names := map[uint32]string{}
	visit := func(v uint32) parser.PatternTerm {
		name, known := names[v]
		if !known {
			name = "v" + strconv.Itoa(len(names))
			names[v] = name
			class := term(dictionary.ID(1+c.edges) + dictionary.ID(c.label[v-c.first]))
			p.triples = append(p.triples, parser.TriplePattern{Subject: parser.PatternTerm{Variable: name}, Predicate: term(0), Object: class})
		}
		return parser.PatternTerm{Variable: name}
	}
	visit(at)
	walked := map[pcsr.Edge]bool{}
	for range 20 * n {
		if len(names) == n {
			return p, true
		}
		degree := 0
		for l := 1; l <= c.edges; l++ {
			degree += c.graph.Degree(at, uint32(l), pcsr.Out) + c.graph.Degree(at, uint32(l), pcsr.In)
		}
		k := r.IntN(degree)
		e := c.edge(at, k)
		next := e.From + e.To - at
		from, to := visit(at), visit(next)
		if e.To == at && e.From != at {
			from, to = to, from
		}
		if !walked[e] {
			walked[e] = true
			p.triples = append(p.triples, parser.TriplePattern{Subject: from, Predicate: term(e.Label), Object: to})
		}
		at = next
	}
	return p, false
}

// edge is the k-th edge at a vertex.
func (c *commerce) edge(v uint32, k int) pcsr.Edge {
	for l := uint32(1); ; l++ {
		for _, dir := range []pcsr.Direction{pcsr.Out, pcsr.In} {
			list := c.graph.Neighbours(v, l, dir)
			switch {
			case k >= len(list):
				k -= len(list)
			case dir == pcsr.Out:
				return pcsr.Edge{From: v, Label: l, To: list[k]}
			default:
				return pcsr.Edge{From: list[k], Label: l, To: v}
			}
		}
	}
}

// walkLimit is how long one query may take; of walks with more than walkRows solutions no rows are made.
const (
	walkLimit = 10 * time.Second
	walkRows  = 20_000_000
)

// walksOf are walks of so many vertices, and the memory of the devices that they are counted on, in MiB.
type walksOf struct {
	vertices, queries int
	memories          []int64
}

// walksAsked are what RDFGPU_WALKS and RDFGPU_MEMORIES ask for, 12:100 for a hundred walks of twelve vertices, else SGSI's.
func walksAsked(t *testing.T, queries int, share int64) (all []walksOf) {
	asked := os.Getenv("RDFGPU_WALKS")
	if asked == "" {
		large, small := []int64{8192 / share, 2048 / share}, []int64{2048 / share}
		return []walksOf{{12, queries, large}, {4, queries / 2, small}, {15, queries / 2, small}, {30, queries / 2, small}}
	}
	memories := memories(t, "8192,4096,2048")
	for _, one := range strings.Split(asked, ",") {
		w := walksOf{memories: memories}
		if n, _ := fmt.Sscanf(one, "%d:%d", &w.vertices, &w.queries); n != 2 {
			t.Fatalf("RDFGPU_WALKS: %q", one)
		}
		all = append(all, w)
	}
	return all
}

// TestReportWalks measures patterns of random walks over a graph of WatDiv with vertex labels, with less memory than the graph takes
// (SGSI, section 8.4, table 5 and figure 17): RDFGPU_WATDIV is the scale, 9170 for a billion triples, and RDFGPU_SHARE what the memory is
// divided by, for less of them; RDFGPU_WALK_MS how long one may take, RDFGPU_WALKS how many there are (walksAsked).
func TestReportWalks(t *testing.T) {
	gpu := driver(t)
	scale, queries := 10, 10
	if s := os.Getenv("RDFGPU_WATDIV"); s != "" {
		scale, _ = strconv.Atoi(s)
		queries = 50
	}
	share, limit := int64(1), walkLimit
	if s := os.Getenv("RDFGPU_SHARE"); s != "" {
		share, _ = strconv.ParseInt(s, 10, 64)
	}
	if s := os.Getenv("RDFGPU_WALK_MS"); s != "" {
		ms, _ := strconv.Atoi(s)
		limit = time.Duration(ms) * time.Millisecond
	}
	begun := time.Now()
	c := newCommerce(t, scale)
	c.limit = limit
	r := matchtest.NewReport(t, "walks.md")
	title := fmt.Sprintf("WatDiv with %d labels of vertices: %d triples, %d of them labels, %d vertices, %d MB; made in %v, the process has %d MiB", vertexLabels, c.graph.Edges(), len(c.label),
		len(c.label), c.graph.Bytes()>>20, time.Since(begun).Round(time.Millisecond), residentMiB())
	r.Head(title, "vertices", "memory MiB", "queries", "mean ms", "median ms", "slowest ms", "more than 64 bits", "not in time", "mean ms of those in time", "of those, again", "MB copied for each",
		"walks with rows", "rows of all", "mean ms")
	var chosen, tables [][]any
	for _, sized := range walksAsked(t, queries, share) {
		random := rand.New(rand.NewPCG(uint64(sized.vertices), 1))
		var walks []pattern
		for range sized.queries {
			walks = append(walks, c.walk(random, sized.vertices))
		}
		counts, took := map[int]uint64{}, map[int64][]walked{}
		for _, mib := range sized.memories {
			took[mib] = c.measure(t, r, gpu, walks, sized.vertices, mib, counts)
		}
		here := c.processor(t, r, walks, counts)
		for _, mib := range sized.memories {
			chosen = append(chosen, append([]any{sized.vertices, mib}, asChosen(took[mib], here)...))
			tables = append(tables, append([]any{sized.vertices, mib}, tablesOf(took[mib])...))
		}
	}
	r.Head("Tables of a step, of counts that ended: each of the first reads what is in pages once, and so does each later one", "vertices", "memory MiB", "queries", "with more than one table", "portions of all", "of later tables")
	for _, row := range tables {
		r.Row(row...)
	}
	r.Head("Counts as auto chooses, of those that the processor was asked for, warm", "vertices", "memory MiB", "queries", "to the device", "mean ms as chosen",
		"all on the processor", "all on the device", "chosen and more than 0.2 ms and a fifth slower than the processor", "most ms lost", "ended there alone", "ended on the processor alone", "once seen: to the device", "mean ms")
	for _, row := range chosen {
		r.Row(row...)
	}
}

// walked is what a walk took on the device, when what it reads was there, and whether auto would have chosen the device then, and once it has seen what
// the sides that it tried take.
type walked struct {
	ms    float64
	late  bool
	there bool
	// atFirst is what auto takes then.
	atFirst func(device, processor float64) float64
	atLast  func(device, processor float64) bool
	// several: a step that read pages had more than one table; portions are those of all such steps, and later those of the tables behind the first.
	several         bool
	portions, later float64
}

// addTables adds up what the steps of a count read in pages.
func (w *walked) addTables(trace *match.Trace) {
	for _, s := range trace.Steps {
		_, told, _ := strings.Cut(s.Variant, "over the bus, ")
		var portions, tables float64
		if n, _ := fmt.Sscanf(told, "%f portions of %f tables", &portions, &tables); n == 2 && tables > 0 {
			w.several = w.several || tables > 1
			w.portions, w.later = w.portions+portions, w.later+portions*(1-1/tables)
		}
	}
}

// tablesOf adds up how many of the walks had more than one table for a step, and their portions.
func tablesOf(all []walked) []any {
	several, portions, later := 0, 0.0, 0.0
	for _, w := range all {
		if w.several {
			several++
		}
		portions, later = portions+w.portions, later+w.later
	}
	return []any{len(all), several, portions, later}
}

// asChosen compares what auto chooses with the processor alone, and the device.
func asChosen(device, here []walked) []any {
	n, there, slower, deviceAlone, hereAlone, thereLast := len(here), 0, 0, 0, 0, 0
	sum, sumHere, sumDevice, lost, sumLast := 0.0, 0.0, 0.0, 0.0, 0.0
	for i, h := range here {
		took := device[i].atFirst(device[i].ms, h.ms)
		if device[i].there {
			there++
		}
		last := h.ms
		if device[i].atLast(device[i].ms, h.ms) {
			last = device[i].ms
			thereLast++
		}
		sumLast += last
		sum, sumHere, sumDevice = sum+took, sumHere+h.ms, sumDevice+device[i].ms
		if lost = max(lost, took-h.ms); took > 1.2*h.ms && took > h.ms+0.2 {
			slower++
		}
		if device[i].late != h.late && h.late {
			deviceAlone++
		} else if device[i].late != h.late {
			hereAlone++
		}
	}
	return []any{n, there, sum / float64(n), sumHere / float64(n), sumDevice / float64(n), slower, lost, deviceAlone, hereAlone, thereLast, sumLast / float64(n)}
}

// measure counts each pattern, and makes its rows. It returns what counting it once more takes.
func (c *commerce) measure(t *testing.T, r *matchtest.Report, gpu kernels.Driver, walks []pattern, vertices int, mib int64, counts map[int]uint64) (again []walked) {
	d := open(t, Options{Driver: gpu, Memory: mib << 20, tuning: tuning{Tuning: match.Tuning{AnyCost: c.graph.Edges() < 10_000_000}}})
	var took, ended []float64
	large, late, listed, rows, rowsTook, endedAgain := 0, 0, 0, uint64(0), time.Duration(0), 0.0
	for i, p := range walks {
		n, elapsed, err := c.count(d, p, nil)
		took = append(took, matchtest.Milliseconds(elapsed))
		again = append(again, c.recount(t, d, p, elapsed, err))
		switch was, known := counts[i]; {
		case errors.Is(err, match.ErrTooMany):
			large++
			continue
		case errors.Is(err, context.DeadlineExceeded):
			late++
			t.Logf("%d vertices, walk %d: not in time", vertices, i)
			continue
		case err != nil || n == 0 || known && was != n:
			t.Errorf("%d vertices, walk %d with %d MiB: %d, %v; before %d", vertices, i, mib, n, err, was)
			continue
		}
		counts[i] = n
		ended, endedAgain = append(ended, matchtest.Milliseconds(elapsed)), endedAgain+again[i].ms
		if n > walkRows {
			continue
		}
		made, elapsed, err := c.rows(d, p)
		if errors.Is(err, context.DeadlineExceeded) {
			continue
		}
		if err != nil || made != n {
			t.Errorf("%d vertices, walk %d with %d MiB: %d rows, %d counted, %v", vertices, i, mib, made, n, err)
		}
		listed, rows, rowsTook = listed+1, rows+made, rowsTook+elapsed
	}
	info, _ := d.Info()
	r.Row(vertices, mib, len(walks), average(took), matchtest.Median(took), slices.Max(took), large, late, average(ended), endedAgain/float64(max(len(ended), 1)),
		math.Round(float64(info.Pages.Copied+info.Copied)/1e6/float64(len(walks))), listed, rows, matchtest.Milliseconds(rowsTook)/float64(max(listed, 1)))
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	return again
}

func average(all []float64) (sum float64) {
	for _, ms := range all {
		sum += ms / float64(len(all))
	}
	return sum
}

// recount counts a pattern that was counted before, unless that did not end.
func (c *commerce) recount(t *testing.T, d *Device, p pattern, elapsed time.Duration, err error) walked {
	plan, planned := p.plan(c.graph, bgp.Isomorphism, true)
	if planned != nil {
		t.Fatal(planned)
	}
	there := choiceOf(d, c.graph, plan)
	takes, began := atFirst(d, c.graph, plan)
	w := walked{there: began, atFirst: takes, late: errors.Is(err, context.DeadlineExceeded), atLast: func(device, processor float64) bool { return paysAtLast(there, device, processor) }}
	if !w.late {
		trace := &match.Trace{}
		_, elapsed, _ = c.count(d, p, trace)
		w.addTables(trace)
	}
	w.ms = matchtest.Milliseconds(elapsed)
	return w
}

// count counts a pattern on the device, planned before.
func (c *commerce) count(d *Device, p pattern, trace *match.Trace) (n uint64, took time.Duration, err error) {
	plan, err := p.plan(c.graph, bgp.Isomorphism, true)
	if err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	begun := time.Now()
	n, err = d.Count(ctx, &match.Match{Graph: c.graph, Plan: plan, Trace: trace})
	return n, time.Since(begun), err
}

// rows has the solutions' rows brought to the host.
func (c *commerce) rows(d *Device, p pattern) (n uint64, took time.Duration, err error) {
	plan, err := p.plan(c.graph, bgp.Isomorphism, false)
	if err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	begun := time.Now()
	err = d.Match(ctx, &match.Match{Graph: c.graph, Plan: plan}, func(b *match.Batch) error { n += uint64(b.N); return nil })
	return n, time.Since(begun), err
}

// processor counts patterns on the processor, which must come to the same, as many as there is time for, and returns what they took.
func (c *commerce) processor(t *testing.T, r *matchtest.Report, walks []pattern, counts map[int]uint64) (here []walked) {
	took, n := time.Duration(0), 0
	for i, p := range walks {
		plan, err := p.plan(c.graph, bgp.Isomorphism, true)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), c.limit)
		begun := time.Now()
		got, err := matchtest.OnThreads(cpu.New(), 0).Count(ctx, &match.Match{Graph: c.graph, Plan: plan})
		cancel()
		here = append(here, walked{ms: matchtest.Milliseconds(time.Since(begun)), late: errors.Is(err, context.DeadlineExceeded)})
		took, n = took+time.Since(begun), n+1
		if want, known := counts[i]; known && err == nil && got != want {
			t.Errorf("walk %d: %d, on the processor %d", i, want, got)
		}
		if took > 30*c.limit {
			break
		}
	}
	r.Say(fmt.Sprintf("The processor counts %d of them in %.2f ms in the mean, on all cores.", n, matchtest.Milliseconds(took)/float64(n)))
	return here
}
