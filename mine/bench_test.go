package mine

import (
	"context"
	"iter"
	"math/rand"
	"testing"
)

// random is an undirected graph of 100,000 vertices of 10 labels and about a million edges, with a few large degrees.
func random(b *testing.B) *Labelled {
	b.Helper()
	const vertices = 100_000
	classes := make([]iter.Seq[uint32], 10)
	for class := range classes {
		classes[class] = func(yield func(uint32) bool) {
			for v := uint32(class); v < vertices && yield(v); v += 10 {
			}
		}
	}
	edges := scattered(rand.New(rand.NewSource(1)), vertices, 1_000_000)
	g, err := BuildLabelled(context.Background(), []iter.Seq2[uint32, uint32]{edges}, classes, false)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

func BenchmarkFrequent(b *testing.B) {
	g := random(b)
	for _, edges := range []int{2, 3} {
		b.Run([]string{2: "2edges", 3: "3edges"}[edges], func(b *testing.B) {
			for b.Loop() {
				found, err := Frequent(context.Background(), g, FrequentOptions{Support: 5000, Edges: edges}, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(found)), "patterns")
			}
		})
	}
}

func BenchmarkMotifs(b *testing.B) {
	g := Build(scattered(rand.New(rand.NewSource(1)), 100_000, 1_000_000), nil)
	for b.Loop() {
		if _, err := Motifs(context.Background(), g, 4, MotifOptions{Induced: true}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
