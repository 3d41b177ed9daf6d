package pcsr

import (
	"math/rand/v2"
	"testing"
)

// TestSignaturePower measures, for what is known of two to four edges of a random vertex, how many of the vertices that
// do not match are let through, and that none that matches is excluded.
func TestSignaturePower(t *testing.T) {
	for _, name := range []string{"lubm10", "watdiv1m", "nomisma", "debian12"} {
		t.Run(name, func(t *testing.T) {
			g := loadData(t, name).build(t)
			for _, withClasses := range []bool{false, true} {
				signaturePower(t, g, withClasses)
			}
		})
	}
}

func signaturePower(t *testing.T, g *Graph, withClasses bool) {
	random := rand.New(rand.NewPCG(1, 2))
	subjects := g.Incident(Out)
	var match, pass, total int
	for range 100 {
		v := subjects.Vertex(random.IntN(subjects.Rows()))
		var edges []KnownEdge
		for range 2 + random.IntN(3) {
			d := Direction(random.IntN(5) / 4) // mostly out
			labels := g.EdgeLabels(v, d)
			if len(labels) == 0 {
				continue
			}
			e := KnownEdge{Side: Side{labels[random.IntN(len(labels))], d}}
			list := g.Partition(e.Label, d).Neighbours(v)
			if classes := g.Classes(list[random.IntN(len(list))]); withClasses && len(classes) > 0 {
				e.Classes = classes[:1]
			}
			edges = append(edges, e)
		}
		s := g.Signatures().Encode(edges, nil)
		for x := range subjects.RowVertices() {
			is, passes := has(g, x, edges), g.Signatures().Match(x, s)
			if is && !passes {
				t.Fatalf("vertex %d has %v and is excluded", x, edges)
			}
			total++
			if is {
				match++
			} else if passes {
				pass++
			}
		}
	}
	t.Logf("classes %v: %.2f %% of the subjects match, %.2f %% of the others pass", withClasses,
		100*float64(match)/float64(total), 100*float64(pass)/float64(total-match))
	if pass*20 > total-match {
		t.Errorf("%d of %d subjects that do not match pass", pass, total-match)
	}
}

// has reports whether v has all the edges.
func has(g *Graph, v Vertex, edges []KnownEdge) bool {
	for _, e := range edges {
		ok := false
		for _, w := range g.Partition(e.Label, e.Dir).Neighbours(v) {
			all := true
			for _, class := range e.Classes {
				all = all && Contains(g.Classes(w), class)
			}
			if all {
				ok = true
				break
			}
		}
		if !ok {
			return false
		}
	}
	return true
}
