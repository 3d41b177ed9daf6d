package pcsr

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// The benchmarks of changes run on graphs of this shape: three in ten edges say the class of an entity (20 classes, of very different
// sizes) or a name that only it has; the others link it to entities, mostly to old ones.

// benchEdges draws the edges of entities first … first+n-1, of which each has ten.
func benchEdges(random *rand.Rand, first, n int, edge func(Edge)) {
	const classes = 20
	for i := range n {
		v := Vertex(first + 2*i)
		edge(Edge{v, 0, benchLabels + Vertex(random.IntN(1+random.IntN(classes)))})
		edge(Edge{v, 1, v + 1})
		edge(Edge{v, 2, v + 1})
		for range 7 {
			l := Label(3 + random.IntN(benchLabels-3))
			edge(Edge{v, l, benchEntity(random, first+2*i)})
		}
	}
}

// benchEntity draws one of the entities before a vertex, old ones more often.
func benchEntity(random *rand.Rand, before int) Vertex {
	n := (before - benchFirst) / 2
	if n < 1 {
		return benchFirst
	}
	return Vertex(benchFirst + 2*random.IntN(1+random.IntN(n)))
}

const (
	benchLabels = 12
	benchFirst  = benchLabels + 20
)

// benchGraph builds a graph of about so many edges; vertices is where new ones begin.
func benchGraph(b *testing.B, edges int) (g *Graph, vertices int) {
	if testing.Short() && edges > 1_000_000 {
		b.Skip("it takes long")
	}
	n := edges / 10
	all := make([]Edge, 0, 10*n)
	benchEdges(rand.New(rand.NewPCG(1, 2)), benchFirst, n, func(e Edge) { all = append(all, e) })
	vertices = benchFirst + 2*n
	g, err := Build(vertices, benchLabels, all, WithTypeLabel(0))
	if err != nil {
		b.Fatal(err)
	}
	return g, vertices
}

// streamEditor makes changes like those of a stream: an entity gets new values in the place of old ones, or is new.
type streamEditor struct {
	random   *rand.Rand
	graph    *Graph
	vertices int
}

// batch draws a change of about so many edges; half of the edges of edited entities are replaced.
func (s *streamEditor) batch(n int) (added, removed []Edge) {
	for len(added)+len(removed) < n {
		if s.random.IntN(4) == 0 {
			first := s.vertices
			s.vertices += 2
			benchEdges(s.random, first, 1, func(e Edge) { added = append(added, e) })
			continue
		}
		v := benchEntity(s.random, s.vertices)
		for _, l := range s.graph.EdgeLabels(v, Out) {
			if s.random.IntN(2) == 0 {
				continue
			}
			for _, w := range s.graph.Neighbours(v, l, Out) {
				removed = append(removed, Edge{v, l, w})
				if l > 2 {
					added = append(added, Edge{v, l, benchEntity(s.random, s.vertices)})
				}
			}
		}
	}
	if len(added) > n {
		added = added[:n]
	}
	return added, removed[:min(len(removed), n-len(added))]
}

// changed is a graph of which a share of the edges was changed, by batches.
func changedGraph(g *Graph, vertices int, share float64) *streamEditor {
	s := &streamEditor{random: rand.New(rand.NewPCG(3, 4)), graph: g, vertices: vertices}
	for left := int(share * float64(g.Edges())); left > 0; {
		added, removed := s.batch(min(left, 1000))
		s.graph = s.graph.Change(s.vertices, added, removed)
		left -= len(added) + len(removed)
	}
	return s
}

var benchSizes = []struct {
	name  string
	edges int
}{{"1M", 1_000_000}, {"10M", 10_000_000}}

var benchShares = []float64{0, 0.001, 0.01, 0.1}

// BenchmarkChange makes changes, each of the graph before. The longest of one is reported.
func BenchmarkChange(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			g, vertices := benchGraph(b, size.edges)
			for _, share := range benchShares {
				base := changedGraph(g, vertices, share)
				for _, n := range []int{1, 42, 1000, 100_000} {
					b.Run(fmt.Sprintf("%g%%/%d edges", 100*share, n), func(b *testing.B) {
						batches := drawBatches(*base, n, 2+100_000/(n+200))
						next, edges, graph := 0, 0, base.graph
						var longest time.Duration
						b.ReportAllocs()
						for b.Loop() {
							if next == len(batches) {
								next, graph = 0, base.graph
							}
							c := &batches[next]
							begun := time.Now()
							graph = graph.Change(c.vertices, c.added, c.removed)
							longest = max(longest, time.Since(begun))
							edges += len(c.added) + len(c.removed)
							next++
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(edges), "ns/edge")
						b.ReportMetric(longest.Seconds()*1e3, "ms-longest")
					})
				}
			}
		})
	}
}

// benchBatch is a change.
type benchBatch struct {
	vertices       int
	added, removed []Edge
}

// drawBatches draws changes of a graph, one of what the other leaves.
func drawBatches(s streamEditor, n, batches int) []benchBatch {
	s.random = rand.New(rand.NewPCG(5, 6))
	all := make([]benchBatch, batches)
	for i := range all {
		added, removed := s.batch(n)
		all[i] = benchBatch{s.vertices, added, removed}
		s.graph = s.graph.Change(s.vertices, added, removed)
	}
	return all
}

// BenchmarkChangedReads compares reading a graph of which shares were changed with reading the same edges in a flat one.
func BenchmarkChangedReads(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			g, vertices := benchGraph(b, size.edges)
			for _, share := range benchShares[1:] {
				s := changedGraph(g, vertices, share)
				flat := flattened(b, s.graph)
				for _, read := range benchReads {
					probes := read.probes(s)
					for _, of := range []struct {
						name  string
						graph *Graph
					}{{"flat", flat}, {"changed", s.graph}, {"settled", s.graph.Adopt(s.graph.Settle())}} {
						b.Run(fmt.Sprintf("%g%%/%s/%s", 100*share, read.name, of.name), func(b *testing.B) {
							do := read.of(of.graph)
							do(probes[0]) // makes what is made once
							i := 0
							for b.Loop() {
								do(probes[i&(len(probes)-1)])
								i++
							}
						})
					}
				}
			}
		})
	}
}

// flattened builds the same graph anew.
func flattened(b *testing.B, g *Graph) *Graph {
	var edges []Edge
	for _, l := range g.UsedLabels() {
		for v, list := range g.Partition(l, Out).Lists() {
			for _, w := range list {
				edges = append(edges, Edge{v, l, w})
			}
		}
	}
	flat, err := Build(g.Vertices(), g.Labels(), edges, WithTypeLabel(0))
	if err != nil {
		b.Fatal(err)
	}
	return flat
}

// benchRead is a way to read graphs.
type benchRead struct {
	name   string
	probes func(s *streamEditor) []Vertex
	of     func(g *Graph) func(v Vertex)
}

// benchLabel is the label whose partitions are read.
const benchLabel = 5

// someRows are random vertices, of which a share was touched.
func someRows(touched float64) func(*streamEditor) []Vertex {
	return func(s *streamEditor) []Vertex {
		random := rand.New(rand.NewPCG(7, 8))
		var rows []Vertex
		s.graph.Partition(benchLabel, Out).touchedRows().ascend(0, func(v Vertex, _ *touchedRow) bool {
			rows = append(rows, v)
			return true
		})
		untouched := func() Vertex {
			for {
				if v := benchEntity(random, s.vertices); s.graph.Partition(benchLabel, Out).touchedRows().get(v) == nil {
					return v
				}
			}
		}
		probes := make([]Vertex, 1<<16)
		for i := range probes {
			if touched > 1 {
				probes[i] = benchEntity(random, s.vertices)
			} else if random.Float64() < touched {
				probes[i] = rows[random.IntN(len(rows))]
			} else {
				probes[i] = untouched()
			}
		}
		return probes
	}
}

func noRows(*streamEditor) []Vertex { return make([]Vertex, 1) }

var benchReads = []benchRead{
	{"neighbours of untouched", someRows(0), readNeighbours},
	{"neighbours of touched", someRows(1), readNeighbours},
	{"neighbours of any", someRows(2), readNeighbours},
	{"rows of any", someRows(2), func(g *Graph) func(Vertex) {
		p := g.Partition(benchLabel, Out)
		return func(v Vertex) { p.Has(v) }
	}},
	{"labels of any", someRows(2), func(g *Graph) func(Vertex) {
		return func(v Vertex) { g.EdgeLabels(v, Out) }
	}},
	{"scan", noRows, func(g *Graph) func(Vertex) { return scan(g.Partition(benchLabel, Out)) }},
	{"scan back", noRows, func(g *Graph) func(Vertex) { return scan(g.Partition(benchLabel, In)) }},
	{"rows", noRows, func(g *Graph) func(Vertex) {
		p := g.Partition(benchLabel, Out)
		var some []Vertex
		return func(Vertex) {
			for row := 0; row < p.Rows(); row += 1 << 12 {
				some = p.AppendVertices(some[:0], row, min(row+1<<12, p.Rows()))
			}
		}
	}},
	{"two steps", noRows, func(g *Graph) func(Vertex) { // members of a class, what they link to, and who links there
		first, second, members := g.Partition(benchLabel, Out), g.Partition(benchLabel+1, In), g.Members(benchLabels+15)
		return func(Vertex) {
			for _, v := range members {
				for _, w := range first.Neighbours(v) {
					second.Neighbours(w)
				}
			}
		}
	}},
	{"intersection", noRows, func(g *Graph) func(Vertex) {
		first, second, members := g.Partition(benchLabel, Out), g.Partition(benchLabel+1, Out), g.Members(benchLabels+15)
		var dst []Vertex
		return func(Vertex) {
			for _, v := range members {
				dst = Intersect(dst[:0], first.Neighbours(v), second.Neighbours(v))
			}
		}
	}},
	{"members", noRows, func(g *Graph) func(Vertex) { return func(Vertex) { g.Members(benchLabels) } }},
}

func readNeighbours(g *Graph) func(Vertex) {
	p := g.Partition(benchLabel, Out)
	return func(v Vertex) { p.Neighbours(v) }
}

func scan(p *Partition) func(Vertex) {
	return func(Vertex) {
		for _, list := range p.Lists() {
			_ = list
		}
	}
}
