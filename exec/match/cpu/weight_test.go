package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// chain is the count of paths of some length in a graph with an edge between any two of n vertices, by weights.
func chain(t testing.TB, n, length int) *match.Match {
	return paths(t, n, length, func(v, w int) bool { return true })
}

// paths is the count of paths of some length in a graph of n vertices, by weights; joined says between which there is an edge.
func paths(t testing.TB, n, length int, joined func(v, w int) bool) *match.Match {
	c := &matchtest.Case{Vertices: n, Labels: 1, TypeLabel: -1, Options: bgp.Options{CountOnly: true, WeightGain: math.Inf(1)}}
	for v := range n {
		for w := range n {
			if joined(v, w) {
				c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(v), To: pcsr.Vertex(w)})
			}
		}
	}
	for i := range length {
		c.Patterns = append(c.Patterns, edge(i, 0))
	}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// edge is number i of a path's edges.
func edge(i, label int) parser.TriplePattern {
	end := func(i int) parser.PatternTerm { return parser.PatternTerm{Variable: fmt.Sprint("v", i)} }
	return parser.TriplePattern{Subject: end(i), Predicate: parser.PatternTerm{Term: matchtest.Term(dictionary.ID(label))}, Object: end(i + 1)}
}

// ascending is the count of paths of some length in a graph with an edge from each of n vertices to all greater ones, by weights: those begin with any length+1 of
// the vertices.
func ascending(t testing.TB, n, length int) *match.Match {
	return paths(t, n, length, func(v, w int) bool { return v < w })
}

// TestWeightsOfMoreThan32Bits differ from vertex to vertex, some of them within 32 bits; what is charged for them is given back.
func TestWeightsOfMoreThan32Bits(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]match.Matcher{"one thread": cpu.New(), "eight": matchtest.OnThreads(cpu.New(), 8), "small sizes": matchtest.OnThreads(cpu.NewContrary(), 3)} {
		for _, n := range []int{40, 70, 600} {
			if testing.Short() && n == 600 && name != "eight" {
				continue
			}
			for length := 1; length <= 14; length++ {
				want := new(big.Int).Binomial(int64(n), int64(length+1))
				q := ascending(t, n, length)
				var charged atomic.Int64
				q.Charge = func(bytes int64) error { charged.Add(bytes); return nil }
				got, err := m.Count(context.Background(), q)
				switch {
				case !want.IsUint64() && !errors.Is(err, match.ErrTooMany):
					t.Errorf("%s: %d paths of %d edges among %d (error %v), which are %v", name, got, length, n, err, want)
				case want.IsUint64() && (err != nil || got != want.Uint64()):
					t.Errorf("%s: %d paths of %d edges among %d (error %v), want %v", name, got, length, n, err, want)
				}
				if left := charged.Load(); left != 0 {
					t.Errorf("%s: %d bytes are left", name, left)
				}
				if n == 600 && !want.IsUint64() {
					break
				}
			}
		}
	}
}

// TestWeightsOfTreesOfWhichFewAreLarge: most vertices have few neighbours, some have about as many as a byte can tell, some many more and one another, so that some weights
// soon have more than 8, 32 and 64 bits.
func TestWeightsOfTreesOfWhichFewAreLarge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(300, 3000).Draw(t, "vertices")
		hubs := rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 253, 254, 255, 256, 257, n}), 0, 5).Draw(t, "neighbours of hubs")
		step := rapid.IntRange(1, 9).Draw(t, "step")
		c := &matchtest.Case{Vertices: n, Labels: 1, TypeLabel: -1, Options: bgp.Options{CountOnly: true, WeightGain: math.Inf(1)}}
		neighbours := [2][][]int{make([][]int, n), make([][]int, n)} // along edges, and against them
		for v := range n {
			few := v % 3
			if v < len(hubs) {
				few = min(hubs[v], n)
			}
			for i := range few {
				w := (v*step + i) % n
				neighbours[0][v], neighbours[1][w] = append(neighbours[0][v], w), append(neighbours[1][w], v)
				c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(v), To: pcsr.Vertex(w)})
			}
		}
		// Node i of the tree hangs on one before it, by an edge away from it or to it.
		nodes := rapid.IntRange(2, 10).Draw(t, "nodes")
		path := rapid.Bool().Draw(t, "a path")
		on, against := make([]int, nodes), make([]int, nodes)
		for i := 1; i < nodes; i++ {
			if on[i] = i - 1; !path {
				on[i] = rapid.IntRange(0, i-1).Draw(t, "hangs on")
			}
			against[i] = rapid.IntRange(0, 1).Draw(t, "against the edge")
			p := edge(on[i], 0)
			if p.Object = (parser.PatternTerm{Variable: fmt.Sprint("v", i)}); against[i] == 1 {
				p.Subject, p.Object = p.Object, p.Subject
			}
			c.Patterns = append(c.Patterns, p)
		}
		number := make([][]*big.Int, nodes) // of solutions of what hangs on a node, by the vertex that it is
		for i := range nodes {
			number[i] = make([]*big.Int, n)
			for v := range n {
				number[i][v] = big.NewInt(1)
			}
		}
		sum := func(i int, vertices []int) *big.Int {
			all := new(big.Int)
			for _, v := range vertices {
				all.Add(all, number[i][v])
			}
			return all
		}
		for i := nodes - 1; i > 0; i-- {
			for v := range n {
				product := number[on[i]][v]
				product.Mul(product, sum(i, neighbours[against[i]][v]))
			}
		}
		want := new(big.Int)
		for v := range n {
			want.Add(want, number[0][v])
		}
		q, err := c.Match()
		if err != nil {
			t.Fatal(err)
		}
		got, err := matchtest.OnThreads(cpu.New(), rapid.IntRange(1, 6).Draw(t, "threads")).Count(context.Background(), q)
		if want.IsUint64() && (err != nil || got != want.Uint64()) || !want.IsUint64() && !errors.Is(err, match.ErrTooMany) {
			t.Errorf("counted %d (error %v), want %v", got, err, want)
		}
	})
}

// TestPathsAreCountedByWeights: 10 to the power of 19 paths are counted by reading each edge a few times, ten times as many are too many.
func TestPathsAreCountedByWeights(t *testing.T) {
	t.Parallel()
	m := matchtest.OnThreads(cpu.New(), 2)
	start := time.Now()
	n, err := m.Count(context.Background(), chain(t, 10, 18))
	if err != nil || n != 10_000_000_000_000_000_000 {
		t.Errorf("counted %d (error %v)", n, err)
	}
	if n, err = m.Count(context.Background(), chain(t, 10, 19)); !errors.Is(err, match.ErrTooMany) {
		t.Errorf("counted %d (error %v), which is beyond 64 bits", n, err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestWeightsAreChargedAndGivenBack: their memory counts, also where the query ends early.
func TestWeightsAreChargedAndGivenBack(t *testing.T) {
	t.Parallel()
	const vertices = 300_000
	var edges []pcsr.Edge
	for v := range pcsr.Vertex(vertices) {
		for label := range pcsr.Label(2) {
			edges = append(edges, pcsr.Edge{From: v, Label: label, To: v * 7 % vertices}, pcsr.Edge{From: v, Label: label, To: v / 2})
		}
	}
	g, err := pcsr.Build(vertices, 2, edges)
	if err != nil {
		t.Fatal(err)
	}
	c := &matchtest.Case{Vertices: vertices, Options: bgp.Options{CountOnly: true, WeightGain: math.Inf(1)}}
	for i := range 5 {
		c.Patterns = append(c.Patterns, edge(i, i%2))
	}
	plan, err := c.Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	task := &match.Match{Graph: g, Plan: plan}
	var now, most atomic.Int64
	task.Charge = func(bytes int64) error {
		n := now.Add(bytes)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		return nil
	}
	m := matchtest.OnThreads(cpu.New(), 2)
	want, err := m.Count(context.Background(), task)
	if err != nil || now.Load() != 0 || most.Load() < 1<<19 {
		t.Errorf("counted %d (error %v), %d bytes at most, %d are left", want, err, most.Load(), now.Load())
	}
	full := errors.New("full")
	task.Charge = func(bytes int64) error {
		if now.Add(bytes) > 1<<19 {
			return full
		}
		return nil
	}
	if _, err := m.Count(context.Background(), task); !errors.Is(err, full) || now.Load() != 0 {
		t.Errorf("ended with %v, %d bytes are left", err, now.Load())
	}
	ctx, cancel := context.WithCancel(context.Background())
	task.Charge = func(int64) error { cancel(); return nil }
	if n, err := m.Count(ctx, task); !errors.Is(err, context.Canceled) {
		t.Errorf("counted %d of %d when it was cancelled (error %v)", n, want, err)
	}
}

// TestTablesThatWeightsCanDoWithoutLeaveRoomForOthers: with any limit that a count keeps to without them, it keeps to it; the number is the same.
func TestTablesThatWeightsCanDoWithoutLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	const few, middle, many = 270_000, 270_000, 400_000 // a step leads from the first to the next ones, and from these to the last
	var edges []pcsr.Edge
	for v := range pcsr.Vertex(few) {
		edges = append(edges, pcsr.Edge{From: v, Label: 0, To: few + v*7%middle}, pcsr.Edge{From: v, Label: 0, To: few + v/2})
	}
	for v := range pcsr.Vertex(many) {
		edges = append(edges, pcsr.Edge{From: few + v*3%middle, Label: 1, To: few + middle + v}, pcsr.Edge{From: few + middle + v, Label: 2, To: v % few}, pcsr.Edge{From: few + middle + v, Label: 2, To: v / 5})
	}
	g, err := pcsr.Build(few+middle+many, 3, edges)
	if err != nil {
		t.Fatal(err)
	}
	c := &matchtest.Case{Vertices: few + middle + many, Options: bgp.Options{CountOnly: true, WeightGain: math.Inf(1), Root: "v0"}}
	for i := range 3 {
		c.Patterns = append(c.Patterns, edge(i, i))
	}
	plan, err := c.Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	count := func(limit int64) (n uint64, room *memory) {
		room = &memory{limit: limit}
		task := &match.Match{Graph: g, Plan: plan, Charge: room.charge, TryCharge: room.tryCharge}
		if n, err = matchtest.OnThreads(cpu.New(), 2).Count(context.Background(), task); err != nil || room.held != 0 {
			t.Fatalf("error %v, %d bytes are left", err, room.held)
		}
		return n, room
	}
	want, least := count(0)
	if !least.refused || least.most == 0 {
		t.Fatalf("no table was done without, of %d bytes", least.most)
	}
	written := false
	for limit := least.most; limit < 32*least.most; limit += limit / 4 {
		n, room := count(limit)
		if written = written || !room.refused; n != want || room.most > limit {
			t.Errorf("counted %d of %d with %d of %d bytes", n, want, room.most, limit)
		}
	}
	if !written {
		t.Error("no table was written that is done without elsewhere")
	}
}

// TestALongListIsSummedByAllThreads: nearly all edges are those of one vertex, which is neither the first nor the last; also where each of its solutions stands for three.
func TestALongListIsSummedByAllThreads(t *testing.T) {
	t.Parallel()
	const vertices, hub, members = 100_000, 5, 60_000
	var edges []pcsr.Edge
	want := uint64(0)
	for v := range pcsr.Vertex(10) {
		edges = append(edges, pcsr.Edge{From: v, To: 20_000})
	}
	for i := range pcsr.Vertex(members) {
		v := 20_000 + i
		if edges = append(edges, pcsr.Edge{From: hub, To: v}); i%3 == 0 {
			for k := range 1 + i%4 {
				edges = append(edges, pcsr.Edge{From: v, Label: 1, To: v*7%vertices + k})
			}
		}
		if i%3 == 0 {
			want += uint64(1 + i%4)
		}
	}
	for v := range pcsr.Vertex(10) {
		edges = append(edges, pcsr.Edge{From: v, Label: 2, To: 0})
	}
	edges = append(edges, pcsr.Edge{From: hub, Label: 2, To: 1}, pcsr.Edge{From: hub, Label: 2, To: 2})
	g, err := pcsr.Build(vertices+4, 3, edges)
	if err != nil {
		t.Fatal(err)
	}
	const others = 9 // by the edges of others to the hub's first neighbour
	c := &matchtest.Case{Vertices: vertices + 4, Options: bgp.Options{CountOnly: true, WeightGain: math.Inf(1)}}
	c.Patterns = []parser.TriplePattern{edge(0, 0), edge(1, 1)}
	for _, want := range []uint64{want + others, 3*want + others} {
		plan, err := c.Plan(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 2, 16} {
			n, err := matchtest.OnThreads(cpu.New(), threads).Count(context.Background(), &match.Match{Graph: g, Plan: plan})
			if err != nil || n != want {
				t.Errorf("%d threads count %d (error %v), expected %d", threads, n, err, want)
			}
		}
		each := edge(0, 2)
		each.Object.Variable = "each"
		c.Patterns = append(c.Patterns, each)
	}
}
