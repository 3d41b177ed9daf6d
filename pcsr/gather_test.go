package pcsr

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAppendNeighboursAgreesWithNeighbours: one after the other, between bounds, as far as there is room; so does NeighboursOf.
func TestAppendNeighboursAgreesWithNeighbours(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "vertices")
		vertex := rapid.Uint32Range(0, uint32(n-1))
		var edges []Edge
		if rapid.Bool().Draw(t, "one neighbour each") {
			for v := range uint32(n) / 2 {
				edges = append(edges, Edge{From: v + 1, To: vertex.Draw(t, "to")})
			}
		} else {
			for range rapid.IntRange(1, 80).Draw(t, "edges") {
				edges = append(edges, Edge{From: vertex.Draw(t, "from"), To: vertex.Draw(t, "to")})
			}
		}
		g, err := Build(n, 1, edges)
		if err != nil {
			t.Fatal(err)
		}
		p := g.Partition(0, Out)
		vertices, most := rapid.SliceOfN(vertex, 0, 20).Draw(t, "of"), rapid.IntRange(0, 40).Draw(t, "most")
		degrees := make([]uint32, len(vertices))
		p.DegreesOf(degrees, vertices)
		for i, v := range vertices {
			if int(degrees[i]) != len(p.Neighbours(v)) {
				t.Fatalf("vertex %d has %d neighbours, not %d", v, len(p.Neighbours(v)), degrees[i])
			}
		}
		low, high := vertex.Draw(t, "low"), rapid.Uint32Range(0, uint32(n)).Draw(t, "high")
		got, taken := p.AppendNeighbours([]Vertex{7}, vertices, low, high, most)
		want := []Vertex{7}
		for _, v := range vertices[:taken] {
			want = append(want, Between(p.Neighbours(v), low, high)...)
		}
		if !slices.Equal(got, want) || len(got)-1 > most {
			t.Fatalf("the neighbours of %v from %d below %d, at most %d: %v of %d, want %v", vertices, low, high, most, got[1:], taken, want[1:])
		}
		lists, sum := make([][]Vertex, len(vertices)), 0
		total := p.NeighboursOf(lists, vertices, low, high)
		for i, v := range vertices {
			if sum += len(lists[i]); !slices.Equal(lists[i], Between(p.Neighbours(v), low, high)) {
				t.Fatalf("the neighbours of %d from %d below %d: %v, want %v of %v", v, low, high, lists[i], Between(p.Neighbours(v), low, high), p.Neighbours(v))
			}
		}
		if total != sum {
			t.Fatalf("%d neighbours, told as %d", sum, total)
		}
		if taken == 0 && most > 0 && len(vertices) > 0 && len(Between(p.Neighbours(vertices[0]), low, high)) <= most {
			t.Fatalf("of %v it took none, although there was room for the first one's", vertices)
		}
	})
}

// TestDegreesOfManyVertices: of a Bitmap of several blocks or a Range, of vertices that lie close together or far apart, ascend or not, and are no rows, and of consecutive ones.
func TestDegreesOfManyVertices(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(500, 3000).Draw(t, "vertices")
		one := rapid.Bool().Draw(t, "one neighbour each")
		vertex := rapid.Uint32Range(0, uint32(n-1))
		var edges []Edge
		gap := rapid.SampledFrom([]uint32{1, 5}).Draw(t, "at most to the next row")
		for v := rapid.Uint32Range(0, 300).Draw(t, "the first row"); v < uint32(n); v += rapid.Uint32Range(1, gap).Draw(t, "to the next row") {
			for range rapid.IntRange(1, 3).Draw(t, "neighbours") {
				edges = append(edges, Edge{From: v, To: vertex.Draw(t, "to")})
				if one {
					break
				}
			}
			if !one && rapid.IntRange(0, 50).Draw(t, "many neighbours") == 0 {
				for to := range rapid.Uint32Range(250, 260).Draw(t, "how many") {
					edges = append(edges, Edge{From: v, To: to})
				}
			}
		}
		g, err := Build(n, 1, edges)
		if err != nil {
			t.Fatal(err)
		}
		p := g.Partition(0, Out)
		if p.Layer() != Bitmap && p.Layer() != Range {
			t.Skip(p.Layer())
		}
		var vertices []Vertex
		step := rapid.Uint32Range(1, 60).Draw(t, "at most to the next vertex")
		for v := rapid.Uint32Range(0, 100).Draw(t, "the first vertex"); v < uint32(n)+300; v += rapid.Uint32Range(1, step).Draw(t, "to the next vertex") {
			vertices = append(vertices, v)
		}
		if !p.Same(p.Checked()) || p.Same(g.Partition(0, In)) || p.Same(nil) {
			t.Fatal("a partition is what is not the same, or not what is")
		}
		first := rapid.IntRange(0, p.Rows()).Draw(t, "the first row that is asked for")
		ofRows := make([]uint32, p.Rows()-first)
		p.DegreesFrom(ofRows, first)
		for i, n := range ofRows {
			if int(n) != p.Degree(first+i) {
				t.Fatalf("row %d has %d neighbours, not %d", first+i, p.Degree(first+i), n)
			}
		}
		start, span := rapid.Uint32Range(0, uint32(n)+300).Draw(t, "the first of a span"), rapid.IntRange(0, n).Draw(t, "consecutive vertices")
		checkSpan(t, p, start, make([]uint8, span))
		checkSpan(t, p, start, make([]uint32, span))
		if rapid.Bool().Draw(t, "in any order") {
			vertices = rapid.Permutation(vertices).Draw(t, "vertices in another order")
		}
		degrees := make([]uint32, len(vertices))
		p.DegreesOf(degrees, vertices)
		for i, v := range vertices {
			if int(degrees[i]) != len(p.Neighbours(v)) {
				t.Fatalf("vertex %d has %d neighbours, not %d", v, len(p.Neighbours(v)), degrees[i])
			}
		}
	})
}

// checkSpan compares the degrees of consecutive vertices with their neighbours. They are given with any values.
func checkSpan[T uint8 | uint32](t *rapid.T, p *Partition, first Vertex, degrees []T) {
	for i := range degrees {
		degrees[i] = 7
	}
	least, most, ok := DegreesOfSpan(p, degrees, first)
	if ok != (p.Layer() == Bitmap && !p.Single()) {
		t.Fatalf("%v: %v", p.Layer(), ok)
	}
	wantLeast, wantMost := uint32(math.MaxUint32), uint32(0)
	for i, got := range degrees {
		if !ok {
			if got != 7 {
				t.Fatal("what is not asked for is written")
			}
			continue
		}
		want := uint32(len(p.Neighbours(first + Vertex(i))))
		if uint32(got) != min(want, uint32(^T(0))) {
			t.Fatalf("vertex %d has %d neighbours, not %d", first+Vertex(i), want, got)
		}
		if want > 0 {
			wantLeast, wantMost = min(wantLeast, want), max(wantMost, want)
		}
	}
	if ok && (least != wantLeast || most != wantMost) {
		t.Fatalf("at least %d and at most %d neighbours, not %d and %d", wantLeast, wantMost, least, most)
	}
}

// TestWrongOffsetsAreNoDegrees: those that descend, lie behind the neighbours, or are too few.
func TestWrongOffsetsAreNoDegrees(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ offsets, want []uint32 }{
		{[]uint32{0, 2, 1, 5, 9, 7, 8}, []uint32{2, 0, 4, 0, 0, 1}},
		{[]uint32{3, 4}, []uint32{1, 0, 0}},
		{[]uint32{3}, []uint32{0, 0}},
		{nil, []uint32{0}},
		{[]uint32{1, 2}, nil},
	} {
		got := slices.Repeat([]uint32{9}, len(c.want))
		if degreesBetween(got, c.offsets, 8); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.offsets, got, c.want)
		}
	}
}
