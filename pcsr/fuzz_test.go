package pcsr

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// fileBytes is a small graph file with every row layer.
func fileBytes(t testing.TB) []byte {
	vertices, labels, edges := sampleEdges()
	for i := range Vertex(40) {
		edges = append(edges, Edge{i * 70, 4, i}, Edge{i * i, 5, 2 * i})
	}
	path := filepath.Join(t.TempDir(), "graph.pcsr")
	w, err := Create(path, vertices, labels+2, WithTypeLabel(0))
	if err != nil {
		t.Fatal(err)
	}
	forced := []Layer{Bitmap, Hash, List, Direct, Group, Hash}
	for l := range Label(labels + 2) {
		for _, d := range []Direction{Out, In} {
			w.settings.forced, w.settings.layer = true, forced[(int(l)+int(d))%len(forced)]
			var keys []uint64
			for _, e := range edges {
				if e.Label == l && d == Out {
					keys = append(keys, edgeKey(e.From, e.To))
				} else if e.Label == l {
					keys = append(keys, edgeKey(e.To, e.From))
				}
			}
			slices.Sort(keys)
			w.Partition(l, d)
			w.Append(slices.Compact(keys))
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// useEverything calls every reader; a damaged graph may answer anything but must not crash.
func useEverything(g *Graph) {
	limit := min(g.Vertices(), 4000)
	for _, l := range append([]Label{0, 1 << 30, noVertex}, g.UsedLabels()...) {
		for _, d := range []Direction{Out, In} {
			p := g.Partition(l, d)
			for v := range Vertex(limit) {
				p.Neighbours(v)
			}
			p.Neighbours(noVertex)
			for v, list := range p.Lists() {
				for _, w := range list {
					g.Partition(l, d.Reverse()).Neighbours(w)
				}
				g.HasEdge(v, l, v)
			}
			for row := 0; row < p.Rows(); row += 1 + p.Rows()/500 {
				p.Vertex(row)
				p.Degree(row)
				p.RowFrom(Vertex(row))
			}
			p.AppendVertices(nil, p.Rows()/2, p.Rows())
			for class := range Vertex(60) {
				g.Signatures().Encode([]KnownEdge{{Side{l, d}, []Vertex{class}}}, nil)
			}
		}
	}
	for v := range Vertex(limit) {
		g.EdgeLabels(v, Out)
		g.EdgeLabels(v, In)
		g.Members(v)
		g.Classes(v)
	}
	s := g.Signatures().Encode([]KnownEdge{{Side{1, Out}, []Vertex{10, 11}}, {Side{2, In}, nil}}, []Vertex{10, 11, 12})
	for v := range Vertex(limit) {
		g.Signatures().Match(v, s)
	}
	useChanges(g)
	if g.Vertices() < 1<<20 {
		Merge(g, g)
		_ = g.Verify()
	}
}

// useChanges changes the graph, and calls the readers of what was changed.
func useChanges(g *Graph) {
	var added, removed []Edge
	for _, l := range g.UsedLabels() {
		n := 0
		for v, list := range g.Partition(l, Out).Lists() {
			if n++; n%7 == 0 && len(list) > 0 {
				removed = append(removed, Edge{v, l, list[0]})
				added = append(added, Edge{v, l, v ^ 1}, Edge{list[0], l, v})
			}
			if n == 200 {
				break
			}
		}
	}
	rewriting := g.Change(0, nil, nil)
	rewriting.live.line.tuning = changeTuning{leastSettled: 1, leastRewritten: 1, rewriteEdges: 100}
	for _, from := range []*Graph{g, rewriting} {
		useChanged(from.Change(0, added, removed).Change(0, removed, added[:len(added)/2]))
	}
}

// useChanged reads what a graph was changed to.
func useChanged(changed *Graph) {
	for _, l := range changed.UsedLabels() {
		for _, d := range []Direction{Out, In} {
			p := changed.Partition(l, d)
			for row := 0; row < p.Rows(); row += 1 + p.Rows()/50 {
				p.Neighbours(p.Vertex(row))
				p.RowFrom(Vertex(row))
				p.Degree(row)
			}
			for v := range p.Lists() {
				changed.EdgeLabels(v, d)
				p.Row(v)
			}
			p.AppendVertices(nil, p.Rows()/3, p.Rows())
			p.Arrays()
		}
	}
	added_, _ := changed.Changes()
	for range added_ {
	}
}

// TestVerticesThatShareARow: where a damaged index leads several vertices to one row, removing its edge from all of them leaves
// nothing, not less.
func TestVerticesThatShareARow(t *testing.T) {
	damaged := newPartition(Hash, []Vertex{10, 20, 30}, nil, []Vertex{5, 5, 5})
	damaged.rows, damaged.vertices, damaged.neighbours = 1, damaged.vertices[:1], damaged.neighbours[:1]
	for i := bucketEntries; i < len(damaged.index); i += bucketWords {
		clear(damaged.index[i : i+bucketEntries])
	}
	p := damaged.change(&patchEdit{}, []uint64{edgeKey(40, 1)}, []uint64{edgeKey(10, 5), edgeKey(20, 5), edgeKey(30, 5)}, &atomic.Int64{})
	if p.Rows() != 0 || p.Edges() != 0 {
		t.Errorf("%d rows and %d edges", p.Rows(), p.Edges())
	}
	p.keys()
	p.Arrays()
}

// FuzzDamagedFile changes words of a good file (eight bytes of input each: place, value) behind its header and reads
// everything in it.
func FuzzDamagedFile(f *testing.F) {
	whole := fileBytes(f)
	word := func(place, value uint32) []byte {
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, place), value)
	}
	f.Add([]byte{})
	for _, value := range []uint32{0, 1, 7, 1 << 16, 1 << 31, noVertex} {
		f.Add(word(20, value))
		f.Add(word(uint32(len(whole)/8), value))
		f.Add(word(uint32(len(whole)/4-300), value))
	}
	f.Fuzz(func(t *testing.T, changes []byte) {
		data := slices.Clone(whole)
		for ; len(changes) >= 8; changes = changes[8:] {
			at := 64 + 4*(uint64(binary.LittleEndian.Uint32(changes))%uint64((len(data)-64)/4))
			copy(data[at:], changes[4:8])
		}
		open(data)
	})
}

func open(data []byte) {
	file, err := section.Parse("fuzz", data, fileKind, fileVersion)
	if err != nil {
		return
	}
	g, err := read(file)
	if err != nil {
		return
	}
	useEverything(g)
}

// TestDamagedTable changes every word of what Open reads, to several values.
func TestDamagedTable(t *testing.T) {
	if testing.Short() {
		t.Skip("in one goroutine, where the race detector sees nothing")
	}
	whole := fileBytes(t)
	file, err := section.Parse("whole", whole, fileKind, fileVersion)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{sectionTable, sectionLabelSets, sectionHeader, "class places", "class sides"}
	for _, name := range names {
		part, err := file.Bytes(name)
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(whole, part)
		for i := 0; i < len(part); i += 4 {
			for _, value := range []uint32{0, 1, 2, 5, 300, 70_000, 1 << 31, noVertex - 1, noVertex} {
				data := slices.Clone(whole)
				binary.LittleEndian.PutUint32(data[at+i:], value)
				damaged, err := section.Parse("damaged", data, fileKind, fileVersion)
				if err != nil {
					t.Fatal(err)
				}
				g, err := read(damaged)
				if err != nil {
					continue
				}
				useEverything(g)
				if g.Vertices() < 1<<20 && !bytes.Equal(data, whole) && g.Verify() != nil {
					continue
				}
				if g.Vertices() < 1<<20 && !bytes.Equal(data, whole) {
					t.Errorf("section %q, word %d set to %d: Verify finds nothing", name, i/4, value)
				}
			}
		}
	}
}

// TestDamagedArrays changes random words of the arrays themselves: nothing crashes, and the structure alone, without the
// checksums, gives nearly all of them away.
func TestDamagedArrays(t *testing.T) {
	whole := fileBytes(t)
	random := rand.New(rand.NewPCG(3, 4))
	tried, missed, times := 0, 0, 400
	if testing.Short() {
		times = 40
	}
	for range times {
		data := slices.Clone(whole)
		at := 64 + 4*random.IntN((len(data)-64)/4*3/4)
		was := binary.LittleEndian.Uint32(data[at:])
		value := []uint32{was + 1, was ^ 1<<random.IntN(32), random.Uint32(), noVertex, 0}[random.IntN(5)]
		binary.LittleEndian.PutUint32(data[at:], value)
		file, err := section.Parse("damaged", data, fileKind, fileVersion)
		if err != nil || value == was {
			continue
		}
		g, err := read(file)
		if err != nil {
			continue
		}
		useEverything(g)
		tried++
		if g.verify() == nil {
			missed++
		}
	}
	t.Logf("%d of %d damaged files pass without their checksums", missed, tried)
	if missed*10 > tried {
		t.Errorf("%d of %d damaged files pass without their checksums", missed, tried)
	}
}
