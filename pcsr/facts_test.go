package pcsr

import "testing"

func TestFactsOfLabels(t *testing.T) {
	const undirected, directed, loops, none = 0, 1, 2, 3
	edges := []Edge{
		{From: 5, Label: undirected, To: 6}, {From: 6, Label: undirected, To: 5},
		{From: 5, Label: directed, To: 6}, {From: 6, Label: directed, To: 7}, {From: 7, Label: directed, To: 5},
		{From: 8, Label: loops, To: 8}, {From: 5, Label: loops, To: 7}, {From: 7, Label: loops, To: 5},
	}
	whole, err := Build(10, 4, edges)
	if err != nil {
		t.Fatal(err)
	}
	first, err := Build(7, 1, edges[:1])
	if err != nil {
		t.Fatal(err)
	}
	second, err := Build(10, 4, edges[1:])
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]*Graph{"whole": whole, "united": Overlay(10, segmentsOf(first, second)...)} {
		for range 2 {
			for l, want := range map[Label][2]bool{undirected: {true, false}, directed: {false, false}, loops: {true, true}, none: {true, false}} {
				if got := [2]bool{g.Undirected(l), g.HasLoop(l)}; got != want {
					t.Errorf("%s: label %d is undirected and has loops: %v, want %v", name, l, got, want)
				}
			}
		}
	}
}
