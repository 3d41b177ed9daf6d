package pcsr

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// splitData makes two graphs of a data set: one, and a share of it that was added, random edges everywhere.
func splitData(b *testing.B, name string, share float64) (base, added *Graph) {
	d := loadData(b, name)
	random := rand.New(rand.NewPCG(5, 6))
	first, later := *d, *d
	first.edges, later.edges = nil, nil
	seen := make(map[Edge]bool)
	for _, e := range d.edges {
		if random.Float64() >= share {
			first.edges = append(first.edges, e)
		} else {
			later.edges, seen[e] = append(later.edges, e), true
		}
	}
	kept := first.edges[:0]
	for _, e := range first.edges { // some data sets repeat triples
		if !seen[e] {
			kept = append(kept, e)
		}
	}
	first.edges = kept
	return first.build(b), later.build(b)
}

// BenchmarkOverlay measures what a union costs when it is made and when each part of it is first used, per edge of the
// union: out and in are all partitions of a direction, sets what EdgeLabels needs, incident what the lists of
// vertices with edges take beyond that.
func BenchmarkOverlay(b *testing.B) {
	for _, name := range []string{"lubm10", "watdiv1m"} {
		for _, share := range []float64{0.001, 0.01, 0.1} {
			base, added := splitData(b, name, share)
			edges := float64(base.Edges() + added.Edges())
			bytes := float64(base.Bytes() + added.Bytes())
			partitions := func(d Direction) func(*Graph) {
				return func(u *Graph) {
					for _, l := range u.UsedLabels() {
						u.Partition(l, d)
					}
				}
			}
			sets := func(u *Graph) { u.EdgeLabelSets(Out); u.EdgeLabelSets(In) }
			for _, use := range []struct {
				name   string
				before func(*Graph)
				use    func(*Graph)
			}{
				{"open", nil, func(*Graph) {}},
				{"out", nil, partitions(Out)},
				{"in", nil, partitions(In)},
				{"sets", nil, sets},
				{"incident", sets, func(u *Graph) { u.Incident(Out); u.Incident(In) }},
				{"signatures", nil, func(u *Graph) { u.Signatures() }},
			} {
				b.Run(fmt.Sprintf("%s/%.1f%%/%s", name, 100*share, use.name), func(b *testing.B) {
					var u *Graph
					for b.Loop() {
						u = Overlay(base.Vertices(), segmentsOf(base, added)...)
						if use.before != nil {
							b.StopTimer()
							use.before(u)
							b.StartTimer()
						}
						use.use(u)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/edges, "ns/edge")
					b.ReportMetric(100*float64(u.Sizes().Merged)/bytes, "%memory")
				})
			}
		}
	}
}

// BenchmarkOverlayLookups looks edges and lists up in one graph, in a union of it that nothing has been merged of, and in the
// same when everything has.
func BenchmarkOverlayLookups(b *testing.B) {
	base, added := splitData(b, "watdiv1m", 0.01)
	d := loadData(b, "watdiv1m")
	whole, union, merged := d.build(b), Overlay(d.vertices, segmentsOf(base, added)...), Overlay(d.vertices, segmentsOf(base, added)...)
	for _, l := range merged.UsedLabels() {
		merged.Partition(l, Out)
		merged.Partition(l, In)
	}
	merged.Incident(Out)
	edges := make([]Edge, 1<<16)
	random := rand.New(rand.NewPCG(7, 8))
	for i := range edges {
		edges[i] = d.edges[random.IntN(len(d.edges))]
	}
	for _, g := range []struct {
		name  string
		graph *Graph
	}{{"one graph", whole}, {"not merged", union}, {"merged", merged}} {
		b.Run("edge/"+g.name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				e := edges[i%len(edges)]
				g.graph.HasEdge(e.From, e.Label, e.To)
				i++
			}
		})
		b.Run("labels/"+g.name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				g.graph.EdgeLabels(edges[i%len(edges)].From, Out)
				i++
			}
		})
		if g.graph != union {
			b.Run("list/"+g.name, func(b *testing.B) {
				i := 0
				for b.Loop() {
					e := edges[i%len(edges)]
					g.graph.Partition(e.Label, Out).Neighbours(e.From)
					i++
				}
			})
		}
	}
}
