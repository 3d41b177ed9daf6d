package pcsr

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// undirected draws a graph of one label in which every edge has one that leads back, and returns shares of them in pairs, in no order.
func undirected(vertices, pairs int) []Edge {
	random := rand.New(rand.NewPCG(9, 10))
	edges := make([]Edge, 0, 2*pairs)
	for range pairs {
		v, w := Vertex(1+random.IntN(vertices-1)), Vertex(1+random.IntN(1+random.IntN(vertices-1)))
		edges = append(edges, Edge{v, 0, w}, Edge{w, 0, v})
	}
	return edges
}

// BenchmarkChangeMuch makes changes of large parts of one label: edges that come, that go, and both.
func BenchmarkChangeMuch(b *testing.B) {
	for _, pairs := range []int{10_000, 100_000, 1_000_000, 10_000_000} {
		if testing.Short() && pairs > 1_000_000 {
			continue
		}
		all := undirected(pairs/10, pairs)
		full, err := Build(pairs/10, 1, all)
		if err != nil {
			b.Fatal(err)
		}
		for _, share := range []int{10, 32, 64, 128, 256, 1024} {
			part := all[:2*pairs/share]
			rest := full.Change(0, nil, part)
			without, err := Build(pairs/10, 1, edgesOf(rest))
			if err != nil {
				b.Fatal(err)
			}
			third := len(part) / 6 * 2
			half, err := Build(pairs/10, 1, edgesOf(full.Change(0, nil, part[third:])))
			if err != nil {
				b.Fatal(err)
			}
			for _, of := range []struct {
				name           string
				from           *Graph
				added, removed []Edge
			}{{"in", without, part, nil}, {"out", full, nil, part}, {"both", half, part[third:], part[:third]}} {
				b.Run(fmt.Sprintf("%d edges/1 of %d/%s", 2*pairs, share, of.name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						of.from.Change(0, of.added, of.removed)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(part)), "ns/edge")
				})
			}
		}
	}
}

// edgesOf lists the edges of label 0.
func edgesOf(g *Graph) []Edge { return appendEdges(nil, 0, g.Partition(0, Out).keys()) }
