package pcsr

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

var update = flag.Bool("update", false, "write testdata/v2.pcsr again")

// documentedRow finds a row by the words of docs/STORE.md alone: what a kernel does.
func documentedRow(a Arrays, v uint32) (row uint32, ok bool) {
	const none = 0xFFFFFFFF
	x := v - a.Base
	hash := func(n uint32) uint32 { return uint32(uint64(v*0x9E3779B1) * uint64(n) >> 32) }
	switch a.Layer {
	case 0:
		return x, x < a.Rows
	case 1:
		b, i := x/224, x%224
		if 8*(uint64(b)+1) > uint64(len(a.Index)) || a.Index[8*b+1+i/32]>>(i%32)&1 == 0 {
			return 0, false
		}
		row = a.Index[8*b]
		for j := range i {
			row += a.Index[8*b+1+j/32] >> (j % 32) & 1
		}
		return row, true
	case 2:
		n := uint32(len(a.Index) / 8)
		for probe, b := uint32(0), hash(n); probe < a.Probes; probe, b = probe+1, (b+1)%n {
			for j := range uint32(4) {
				if a.Index[8*b+j] == v {
					return a.Index[8*b+4+j], v != none
				}
			}
			if a.Index[8*b+3] == none {
				return 0, false
			}
		}
		return 0, false
	case 3:
		at, found := slices.BinarySearch(a.Vertices, v)
		return uint32(at), found
	case 4:
		if uint64(x) >= uint64(len(a.Index)) {
			return 0, false
		}
		return a.Index[x], a.Index[x] != none
	}
	for g := hash(uint32(len(a.Index) / 32)); g != none; g = a.Index[32*g+30] {
		if n := a.Index[32*g+31]; n != none { // an empty group has no count
			for j := range n {
				if a.Index[32*g+2*j] == v {
					return a.Index[32*g+2*j+1], true
				}
			}
		}
	}
	return 0, false
}

func documentedNeighbours(a Arrays, v uint32) []uint32 {
	row, ok := documentedRow(a, v)
	switch {
	case a.Rows == 0 || !ok:
		return nil
	case a.Offsets == nil:
		return a.Neighbours[row : row+1]
	}
	return a.Neighbours[a.Offsets[row]:a.Offsets[row+1]]
}

func TestArraysAreAsDocumented(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, labels, edges := drawEdges(t)
		layer := Layer(rapid.IntRange(0, int(layers)-1).Draw(t, "layer"))
		g, err := Build(vertices, labels, edges, WithLayer(layer))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range g.UsedLabels() {
			for _, d := range []Direction{Out, In} {
				p := g.Partition(l, d)
				for v := range Vertex(vertices + 300) {
					if got, want := documentedNeighbours(p.Arrays(), v), p.Neighbours(v); !slices.Equal(got, want) {
						t.Fatalf("%v: neighbours of %d as documented: %v, want %v", p.Layer(), v, got, want)
					}
				}
			}
		}
	})
}

// TestFileIsAsDocumented follows the records of a file to the neighbours of a vertex.
func TestFileIsAsDocumented(t *testing.T) {
	whole := fileBytes(t)
	file, err := section.Parse("whole", whole, fileKind, fileVersion)
	if err != nil {
		t.Fatal(err)
	}
	g, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	words, _ := file.Uint32s("partitions")
	table, _ := file.Bytes("table")
	for ; len(table) > 0; table = table[64:] {
		word := func(i int) uint32 { return binary.LittleEndian.Uint32(table[4*i:]) }
		array := func(place, n uint32) []uint32 {
			if place == 0xFFFFFFFF {
				return nil
			}
			return words[16*place:][:n]
		}
		a := Arrays{Layer: Layer(word(1) >> 8), Base: word(2), Rows: word(3), Edges: word(4), Probes: word(5)}
		a.Index, a.Vertices = array(word(6), word(7)), array(word(8), a.Rows)
		a.Offsets, a.Neighbours = array(word(9), a.Rows+1), array(word(10), a.Edges)
		p := g.Partition(word(0), Direction(word(1)&0xFF))
		for v := range Vertex(g.Vertices()) {
			if got, want := documentedNeighbours(a, v), p.Neighbours(v); !slices.Equal(got, want) {
				t.Fatalf("label %d: neighbours of %d as documented: %v, want %v", word(0), v, got, want)
			}
		}
	}
	checkLabelSets(t, g, file, words)
}

// checkLabelSets follows the four records of the label sets.
func checkLabelSets(t *testing.T, g *Graph, file *section.File, words []uint32) {
	records, _ := file.Uint32s("label sets")
	for d := range Direction(2) {
		of, sets := records[32*d:], records[32*d+16:]
		rows := g.Incident(d)
		for row := range rows.Rows() {
			set := words[16*of[10]+uint32(row)]
			var labels []Label
			if offsets := sets[9]; offsets == 0xFFFFFFFF {
				labels = words[16*sets[10]+set:][:1]
			} else {
				low, high := words[16*offsets+set], words[16*offsets+set+1]
				labels = words[16*sets[10]+low : 16*sets[10]+high]
			}
			if want := g.EdgeLabels(rows.Vertex(row), d); !slices.Equal(labels, want) {
				t.Fatalf("edge labels of row %d %v as documented: %v, want %v", row, d, labels, want)
			}
		}
	}
}

// TestBitsOfABlock counts the bits below every position of a block.
func TestBitsOfABlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var block [blockWords]uint32
		for i := range block {
			block[i] = rapid.Uint32().Draw(t, "word")
		}
		n := uint32(0)
		for bit := range uint32(blockBits) {
			if got := rankBlock(&block, bit); got != n {
				t.Fatalf("%d bits below %d, want %d", got, bit, n)
			}
			n += uint32(bits.OnesCount32(block[1+bit/32] & (1 << (bit % 32))))
		}
	})
}

// TestVersion2 opens a file that was written when the format was fixed, and writes the same one again. Where it
// fails after a change of the format, raise fileVersion and write it anew with -update.
func TestVersion2(t *testing.T) {
	path := filepath.Join("testdata", "v2.pcsr")
	var edges []Edge
	for i := range Vertex(60) {
		edges = append(edges, Edge{10 + i, 0, 5 + i%3}, Edge{10 + i, 1, 10 + (i*i)%60}, Edge{10 + i*7%200, 2, 300 + i%2}, Edge{10 + i*i*i%500, 3, i})
	}
	const vertices, labels = 600, 5
	fresh := filepath.Join(t.TempDir(), "fresh.pcsr")
	w, err := Create(fresh, vertices, labels, WithTypeLabel(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeEdges(w, labels, edges); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the same edges are written as another file")
	}
	g, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := newModel(vertices, labels, edges).check(g); err != nil {
		t.Error(err)
	}
	if err := g.Verify(); err != nil {
		t.Error(err)
	}
}
