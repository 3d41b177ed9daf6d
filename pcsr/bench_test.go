package pcsr

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// dataSet is a data set with IDs in the order a store gives them: predicates, then IRIs by their sets of labels out,
// then literals.
type dataSet struct {
	vertices, labels int
	typeLabel        Label
	edges            []Edge
}

var dataSets sync.Map

func loadData(b testing.TB, name string) *dataSet {
	b.Helper()
	dir := os.Getenv("RDFGPU_DATA")
	if dir == "" {
		b.Skip("RDFGPU_DATA does not name the folder of the data sets")
	}
	if d, ok := dataSets.Load(name); ok {
		return d.(*dataSet)
	}
	file, err := os.Open(filepath.Join(dir, name, "data.nt.zst"))
	if err != nil {
		b.Skip(err)
	}
	defer file.Close()
	reader, err := zstd.NewReader(file, zstd.WithDecoderMaxWindow(1<<28))
	if err != nil {
		b.Fatal(err)
	}
	defer reader.Close()
	ids, labels := map[string]Vertex{}, map[string]Label{}
	intern := func(term string) Vertex {
		id, ok := ids[term]
		if !ok {
			id = Vertex(len(ids))
			ids[strings.Clone(term)] = id
		}
		return id
	}
	d := &dataSet{}
	lines := bufio.NewScanner(reader)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		s, rest, _ := strings.Cut(lines.Text(), " ")
		p, o, _ := strings.Cut(strings.TrimSuffix(rest, " ."), " ")
		if _, ok := labels[p]; !ok {
			labels[strings.Clone(p)] = Label(len(labels))
		}
		d.edges = append(d.edges, Edge{intern(s), labels[p], intern(o)})
	}
	d.order(ids, labels)
	dataSets.Store(name, d)
	return d
}

// order renumbers the vertices.
func (d *dataSet) order(ids map[string]Vertex, labels map[string]Label) {
	d.labels = len(labels)
	for p := range labels {
		if _, ok := ids[p]; !ok {
			ids[p] = Vertex(len(ids))
		}
	}
	d.vertices = len(ids)
	terms := make([]string, len(ids))
	for term, id := range ids {
		terms[id] = term
	}
	out := make([][]byte, len(ids)) // the labels out
	slices.SortFunc(d.edges, func(a, b Edge) int { return cmp.Compare(a.Label, b.Label) })
	for _, e := range d.edges {
		if key := out[e.From]; len(key) < 4 || binary.BigEndian.Uint32(key[len(key)-4:]) != e.Label {
			out[e.From] = binary.BigEndian.AppendUint32(key, e.Label)
		}
	}
	order := make([]Vertex, len(ids))
	for i := range order {
		order[i] = Vertex(i)
	}
	rank := func(v Vertex) int {
		if l, ok := labels[terms[v]]; ok {
			return int(l)
		}
		if terms[v][0] == '"' {
			return 1<<31 + 1
		}
		return 1 << 31
	}
	slices.SortFunc(order, func(a, b Vertex) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), slices.Compare(out[b], out[a]), cmp.Compare(terms[a], terms[b]))
	})
	number := make([]Vertex, len(ids))
	for i, v := range order {
		number[v] = Vertex(i)
	}
	for i, e := range d.edges {
		d.edges[i] = Edge{number[e.From], e.Label, number[e.To]}
	}
	d.typeLabel = labels["<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"]
}

func (d *dataSet) build(b testing.TB, options ...Option) *Graph {
	b.Helper()
	g, err := Build(d.vertices, d.labels, d.edges, append(options, WithTypeLabel(d.typeLabel))...)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// TestSize reports what every part of the file takes; it is a report, with a limit far above what is expected.
func TestSize(t *testing.T) {
	for _, name := range []string{"lubm10", "watdiv1m", "nomisma", "debian12"} {
		t.Run(name, func(t *testing.T) {
			d := loadData(t, name)
			start := time.Now()
			g := d.build(t)
			built := time.Since(start)
			report(t, g, built)
		})
	}
}

func report(t testing.TB, g *Graph, built time.Duration) {
	edges := float64(g.Edges())
	s := g.Sizes()
	t.Logf("%d triples, %d vertices, built in %v; layers %v, %d single", g.Edges(), g.Vertices(), built, s.Layers, s.Single)
	t.Logf("bytes a triple: %.2f = neighbours %.2f, offsets %.2f, row layers %.2f, label sets %.2f (%d, %d), signatures %.2f (%d words)",
		float64(s.Total())/edges, float64(s.Neighbours)/edges, float64(s.Offsets)/edges, float64(s.RowLayers)/edges, float64(s.LabelSets)/edges,
		g.sets[Out].labels.Rows(), g.sets[In].labels.Rows(), float64(s.Signatures)/edges, g.signatures.words)
	if float64(s.Total()) > 30*edges {
		t.Errorf("the graph takes %.1f bytes a triple", float64(s.Total())/edges)
	}
}

// lookupPartition has rows vertices out of a span of vertices, with lists of 1 to 5.
func lookupPartition(rows, span int, layer Layer) (*Partition, []Vertex) {
	random := rand.New(rand.NewPCG(1, 2))
	vertices := make([]Vertex, 0, rows)
	for v := range span {
		if random.IntN(span-v) < rows-len(vertices) {
			vertices = append(vertices, Vertex(v))
		}
	}
	offsets := []uint32{0}
	for range vertices {
		offsets = append(offsets, offsets[len(offsets)-1]+1+random.Uint32N(5))
	}
	neighbours := make([]Vertex, offsets[len(vertices)])
	for i := range neighbours {
		neighbours[i] = random.Uint32()
	}
	if layer == Range {
		for i := range vertices {
			vertices[i] = Vertex(i)
		}
	}
	p := newPartition(layer, vertices, offsets, neighbours)
	probes := make([]Vertex, 1<<16)
	for i := range probes {
		if probes[i] = vertices[random.IntN(len(vertices))]; i%4 == 0 {
			probes[i] = Vertex(random.IntN(span))
		}
	}
	return p, probes
}

func BenchmarkNeighbours(b *testing.B) {
	for _, size := range []struct {
		name       string
		rows, span int
	}{{"10K of 30K", 10_000, 30_000}, {"2M of 10M", 2_000_000, 10_000_000}} {
		for layer := range layers {
			b.Run(size.name+"/"+layer.String(), func(b *testing.B) {
				p, probes := lookupPartition(size.rows, size.span, layer)
				sum, i := 0, 0
				for b.Loop() {
					sum += len(p.Neighbours(probes[i&(len(probes)-1)]))
					i++
				}
				b.ReportMetric(float64(p.Bytes()-4*p.Edges())/float64(p.Rows()), "B/row")
			})
		}
	}
}

func BenchmarkVertex(b *testing.B) {
	p, _ := lookupPartition(2_000_000, 10_000_000, Bitmap)
	random := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		p.Vertex(random.IntN(p.Rows()))
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, name := range []string{"lubm10", "watdiv1m"} {
		b.Run(name, func(b *testing.B) {
			d := loadData(b, name)
			for b.Loop() {
				d.build(b)
			}
		})
	}
}

func BenchmarkDerive(b *testing.B) {
	for _, name := range []string{"lubm10", "watdiv1m"} {
		g := loadData(b, name).build(b)
		b.Run(name+"/label sets", func(b *testing.B) {
			for b.Loop() {
				g.makeLabelSets(settings{}, Out)
				g.makeLabelSets(settings{}, In)
			}
		})
		b.Run(name+"/counts", func(b *testing.B) {
			for b.Loop() {
				g.count()
			}
		})
		c := g.count()
		b.Run(name+"/signatures", func(b *testing.B) {
			for b.Loop() {
				c.makeSignatures()
			}
		})
	}
}

func BenchmarkMerge(b *testing.B) {
	d := loadData(b, "watdiv1m")
	var parts [2][]Edge
	for i, e := range d.edges {
		parts[i%2] = append(parts[i%2], e)
	}
	var graphs []*Graph
	for _, edges := range parts {
		half := *d
		half.edges = edges
		graphs = append(graphs, half.build(b))
	}
	for b.Loop() {
		Merge(graphs...)
	}
}

func BenchmarkIntersect(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	list := func(n int) []Vertex {
		l := make([]Vertex, n)
		for i := range l {
			l[i] = random.Uint32N(1 << 22)
		}
		slices.Sort(l)
		return slices.Compact(l)
	}
	for _, size := range [][2]int{{10, 10}, {10, 1000}, {10, 100_000}, {1000, 1000}, {1000, 100_000}, {100_000, 100_000}} {
		b.Run(fmt.Sprintf("%d and %d", size[0], size[1]), func(b *testing.B) {
			var x, y [64][]Vertex // so that no branch is learnt by heart
			for i := range x {
				x[i], y[i] = list(size[0]), list(size[1])
			}
			var dst []Vertex
			i := 0
			for b.Loop() {
				dst = Intersect(dst[:0], x[i%64], y[i%64])
				i++
			}
		})
	}
}

// BenchmarkWriter writes a file from sorted edges, opens it and, apart, verifies it.
func BenchmarkWriter(b *testing.B) {
	for _, name := range []string{"lubm10", "watdiv10m"} {
		d := loadData(b, name)
		g := d.build(b)
		keys := make([][2][]uint64, len(g.parts))
		for i := range g.parts {
			keys[i] = [2][]uint64{g.parts[i][Out].keys(), g.parts[i][In].keys()}
		}
		path := filepath.Join(b.TempDir(), "graph.pcsr")
		b.Run(name+"/write", func(b *testing.B) {
			for b.Loop() {
				os.Remove(path)
				w, err := Create(path, d.vertices, d.labels, WithTypeLabel(d.typeLabel))
				if err != nil {
					b.Fatal(err)
				}
				for i, l := range g.used {
					for _, d := range []Direction{Out, In} {
						w.Partition(l, d)
						w.Append(keys[i][d])
					}
				}
				if err := w.Finish(); err != nil {
					b.Fatal(err)
				}
			}
			info, _ := os.Stat(path)
			b.ReportMetric(float64(info.Size())/float64(g.Edges()), "B/triple")
			b.ReportMetric(float64(g.Edges())*float64(b.N)/b.Elapsed().Seconds(), "triples/s")
		})
		b.Run(name+"/open", func(b *testing.B) {
			for b.Loop() {
				opened, err := Open(path)
				if err != nil {
					b.Fatal(err)
				}
				opened.Close()
			}
		})
		b.Run(name+"/verify", func(b *testing.B) {
			opened, err := Open(path)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := opened.Verify(); err != nil {
					b.Fatal(err)
				}
			}
		})
		report(b, g, 0)
	}
}

// BenchmarkDegrees finds how long all lists of a Bitmap are that has two of three vertices, 512 rows at a time: by rows, by vertices (its own, and those of another such Bitmap), and
// of all vertices between two rows; and the vertices.
func BenchmarkDegrees(b *testing.B) {
	p, _ := lookupPartition(1_000_000, 1_500_000, Bitmap)
	other, _ := lookupPartition(900_000, 1_500_000, Bitmap)
	var vertices [512]Vertex
	var degrees [len(vertices)]uint32
	for _, way := range []struct {
		name string
		do   func(low, high int)
	}{
		{"vertices", func(low, high int) { p.AppendVertices(vertices[:0], low, high) }},
		{"rows", func(low, high int) { p.DegreesFrom(degrees[:high-low], low) }},
		{"own", func(low, high int) { p.DegreesOf(degrees[:high-low], p.AppendVertices(vertices[:0], low, high)) }},
		{"other", func(low, high int) {
			high = min(high, other.Rows())
			low = min(low, high)
			p.DegreesOf(degrees[:high-low], other.AppendVertices(vertices[:0], low, high))
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				for low := 0; low < p.Rows(); low += len(vertices) {
					way.do(low, min(low+len(vertices), p.Rows()))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Rows()), "ns/row")
		})
	}
}
