package gpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// vertexOrder is the vertices of a graph's label 1 in an order; nil is that of their numbers.
type vertexOrder struct {
	name  string
	order func(g *pcsr.Graph, vertices []pcsr.Vertex) []pcsr.Vertex
}

var vertexOrders = []vertexOrder{
	{"as they are numbered", func(_ *pcsr.Graph, vertices []pcsr.Vertex) []pcsr.Vertex { return vertices }},
	{"at random", func(_ *pcsr.Graph, vertices []pcsr.Vertex) []pcsr.Vertex {
		random := rand.New(rand.NewPCG(7, 0))
		random.Shuffle(len(vertices), func(i, j int) { vertices[i], vertices[j] = vertices[j], vertices[i] })
		return vertices
	}},
	{"most neighbours first", func(g *pcsr.Graph, vertices []pcsr.Vertex) []pcsr.Vertex {
		slices.SortStableFunc(vertices, func(a, b pcsr.Vertex) int { return degreeIn(g, b) - degreeIn(g, a) })
		return vertices
	}},
	{"breadth first", func(g *pcsr.Graph, vertices []pcsr.Vertex) []pcsr.Vertex { return breadthFirst(g, vertices, false) }},
	{"reverse Cuthill-McKee", func(g *pcsr.Graph, vertices []pcsr.Vertex) []pcsr.Vertex {
		order := breadthFirst(g, vertices, true)
		slices.Reverse(order)
		return order
	}},
}

func degreeIn(g *pcsr.Graph, v pcsr.Vertex) int {
	return len(g.Neighbours(v, 1, pcsr.Out)) + len(g.Neighbours(v, 1, pcsr.In))
}

// breadthFirst visits vertices from the least on, of each component that of the fewest neighbours first where byDegree, and their neighbours likewise.
func breadthFirst(g *pcsr.Graph, vertices []pcsr.Vertex, byDegree bool) []pcsr.Vertex {
	degrees := make([]uint32, g.Vertices())
	for _, v := range vertices {
		degrees[v] = uint32(degreeIn(g, v))
	}
	if byDegree {
		slices.SortStableFunc(vertices, func(a, b pcsr.Vertex) int { return cmp.Compare(degrees[a], degrees[b]) })
	}
	seen, order := make([]bool, g.Vertices()), make([]pcsr.Vertex, 0, len(vertices))
	for _, from := range vertices {
		if seen[from] {
			continue
		}
		seen[from] = true
		order = append(order, from)
		for at := len(order) - 1; at < len(order); at++ {
			first := len(order)
			for _, dir := range []pcsr.Direction{pcsr.Out, pcsr.In} {
				for _, x := range g.Neighbours(order[at], 1, dir) {
					if !seen[x] {
						seen[x] = true
						order = append(order, x)
					}
				}
			}
			if byDegree {
				slices.SortStableFunc(order[first:], func(a, b pcsr.Vertex) int { return cmp.Compare(degrees[a], degrees[b]) })
			}
		}
	}
	return order
}

// inOrder is the graph of label 1 with its vertices numbered in an order, which parts classes cut into ranges of as many edges each: label 0 is that of the class,
// then come the classes, from 2 on.
func inOrder(t *testing.T, g *pcsr.Graph, o vertexOrder, parts int) *pcsr.Graph {
	t.Helper()
	out := g.Partition(1, pcsr.Out)
	seen, vertices := make([]bool, g.Vertices()), []pcsr.Vertex{}
	for v, list := range out.Lists() {
		for _, x := range append([]pcsr.Vertex{v}, list...) {
			if !seen[x] {
				seen[x] = true
				vertices = append(vertices, x)
			}
		}
	}
	slices.Sort(vertices)
	first := pcsr.Vertex(2 + parts)
	numbers := make([]pcsr.Vertex, g.Vertices())
	var edges []pcsr.Edge
	before, all := 0, 2*out.Edges()
	for i, v := range o.order(g, vertices) {
		numbers[v] = first + pcsr.Vertex(i)
		if parts > 0 {
			edges = append(edges, pcsr.Edge{From: numbers[v], To: 2 + pcsr.Vertex(min(before*parts/all, parts-1))})
		}
		before += degreeIn(g, v)
	}
	for v, list := range out.Lists() {
		for _, x := range list {
			edges = append(edges, pcsr.Edge{From: numbers[v], Label: 1, To: numbers[x]})
		}
	}
	var options []pcsr.Option
	if parts > 0 {
		options = append(options, pcsr.WithTypeLabel(0))
	}
	made, err := pcsr.Build(int(first)+len(vertices), int(first), edges, options...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// orderedPatterns are those that are counted in each order; of R-MAT the first one alone.
var orderedPatterns = [][]string{{"ab", "bc", "ac"}, {"ab", "ac", "ad", "bc", "bd", "cd"}, {"ab", "bc", "cd", "ad", "ac"}}

// patternIn is the pattern of edges whose vertices have classes: 0 is none.
func patternIn(edges []string, classes []int) pattern {
	p := pattern{name: fmt.Sprint(edges)}
	variable := func(b byte) parser.PatternTerm { return parser.PatternTerm{Variable: string(b)} }
	for i, c := range classes {
		if c > 0 {
			p.triples = append(p.triples, parser.TriplePattern{Subject: variable('a' + byte(i)), Predicate: term(0), Object: term(dictionary.ID(1 + c))})
		}
	}
	for _, e := range edges {
		p.triples = append(p.triples, parser.TriplePattern{Subject: variable(e[0]), Predicate: term(1), Object: variable(e[1])})
	}
	return p
}

// TestReportOrders measures what the order of vertices does where a quarter of a graph is on the device, and PBE's way: matches inside one partition first, then those
// across (sections 3 and 5 of its paper), of the graphs of RDFGPU_SETS, and of R-MAT with RDFGPU_RMAT edges.
func TestReportOrders(t *testing.T) {
	gpu := driver(t)
	r := matchtest.NewReport(t, "orders.md")
	r.Head("Vertices in an order, joined in pages with a quarter of the bytes", "graph", "pattern", "order", "in memory, whole ms", "a quarter, whole ms", "MB copied")
	var partitioned [][]any
	graphs, names := map[string]*pcsr.Graph{}, strings.Fields(os.Getenv("RDFGPU_SETS"))
	for _, set := range names {
		graphs[set] = newBench(t, set).graph()
	}
	if edges, _ := strconv.ParseUint(os.Getenv("RDFGPU_RMAT"), 10, 64); edges > 0 {
		graphs["R-MAT"] = rmat(t, edges)
	}
	for _, name := range append(names, "R-MAT") {
		if graphs[name] == nil {
			continue
		}
		for _, o := range vertexOrders {
			g := inOrder(t, graphs[name], o, 0)
			reportVertexOrder(t, r, gpu, name, o.name, g)
			g = inOrder(t, graphs[name], o, 8)
			partitioned = append(partitioned, reportByPartition(t, gpu, name, o.name, g)...)
		}
	}
	r.Head("Triangles inside one of eight partitions first, then those across, with a quarter of the bytes", "graph", "order", "solutions", "inside, %", "all together, whole ms", "MB copied",
		"inside, whole ms", "MB copied", "across, each sequence by itself, whole ms", "MB copied", "across, with what they share, whole ms", "MB copied")
	for _, row := range partitioned {
		r.Row(row...)
	}
}

func reportVertexOrder(t *testing.T, r *matchtest.Report, gpu kernels.Driver, name, order string, g *pcsr.Graph) {
	d := open(t, Options{Driver: gpu, tuning: tuning{Tuning: match.Tuning{NoDense: true, AnyCost: g.Edges() < 100_000}}})
	patterns := orderedPatterns
	if name == "R-MAT" {
		patterns = patterns[:1]
	}
	for _, edges := range patterns {
		p := patternIn(edges, nil)
		plan, err := p.plan(g, bgp.Isomorphism, true)
		if err != nil {
			t.Fatal(err)
		}
		m := &match.Match{Graph: g, Plan: plan}
		squeeze(d, 0)
		memory, n := timeInPages(t, d, m, 3)
		squeeze(d, bytesRead(g, plan)/4)
		quarter, again := timeInPages(t, d, m, 3)
		if n != again && again != 0 {
			t.Errorf("%s, %s, %s: %d, in memory %d", name, order, p.name, again, n)
		}
		r.Row(name, p.name, order, memory.ms, quarter.ms, quarter.mb)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// reportByPartition counts triangles whose corners have classes, which are partitions: all in one, and all other combinations, by corners or, where the last corner is any,
// by the first two, less those inside.
func reportByPartition(t *testing.T, gpu kernels.Driver, name, order string, g *pcsr.Graph) [][]any {
	const parts = 8
	d := open(t, Options{Driver: gpu, tuning: tuning{Tuning: match.Tuning{NoDense: true, AnyCost: g.Edges() < 100_000}}})
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	count := func(classes ...int) (pagedTiming, uint64) {
		p := patternIn(orderedPatterns[0], classes)
		plan, err := p.plan(g, bgp.Isomorphism, true)
		if err != nil {
			t.Fatal(err)
		}
		return timeInPages(t, d, &match.Match{Graph: g, Plan: plan}, 1)
	}
	p := patternIn(orderedPatterns[0], nil)
	plan, err := p.plan(g, bgp.Isomorphism, true)
	if err != nil {
		t.Fatal(err)
	}
	squeeze(d, bytesRead(g, plan)/4)
	all, n := count()
	squeeze(d, bytesRead(g, plan)/4)
	var inside, across, shared pagedTiming
	var ni, na, ns uint64
	add := func(to *pagedTiming, sum *uint64, took pagedTiming, n uint64) {
		to.ms, to.mb, *sum = to.ms+took.ms, to.mb+took.mb, *sum+n
	}
	for a := 1; a <= parts; a++ {
		took, n := count(a, a, a)
		add(&inside, &ni, took, n)
	}
	for a := 1; a <= parts; a++ {
		for b := 1; b <= parts; b++ {
			for c := 1; c <= parts; c++ {
				if a != b || b != c {
					took, n := count(a, b, c)
					add(&across, &na, took, n)
				}
				if a == b && c != a { // the last corner leaves the partition
					took, n := count(a, b, c)
					add(&shared, &ns, took, n)
				}
			}
			if a != b { // the second one does, the last one is anywhere
				took, n := count(a, b, 0)
				add(&shared, &ns, took, n)
			}
		}
	}
	if n != ni+na || n != ni+ns {
		t.Errorf("%s, %s: %d, %d inside, %d across, %d with what they share", name, order, n, ni, na, ns)
	}
	return [][]any{{name, order, n, 100 * float64(ni) / float64(max(n, 1)), all.ms, all.mb, inside.ms, inside.mb, across.ms, across.mb, shared.ms, shared.mb}}
}
