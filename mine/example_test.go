package mine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/rdfgpu/rdfgpu/mine"
)

// friends has two triangles that share the edge between 1 and 2, and a tail.
func friends() *mine.Graph {
	return mine.Build(func(yield func(a, b uint32) bool) {
		for _, e := range [][2]uint32{{0, 1}, {0, 2}, {1, 2}, {3, 1}, {2, 3}, {4, 3}} {
			if !yield(e[0], e[1]) {
				return
			}
		}
	}, nil)
}

// Introductions are pairs that do not know each other and have a friend in common: a path of three vertices whose ends are not joined.
// The algorithm is two extensions and an aggregation.
func Example() {
	g := friends()
	paths := mine.NewAggregation(g, mine.Measures{Images: true})
	err := mine.Run(context.Background(), g, mine.Options{}, func(ends *mine.Table) error {
		return ends.Extend(mine.Extension{Adjacent: mine.Positions(0)}, func(middles *mine.Table) error {
			others := mine.Extension{Adjacent: mine.Positions(1), Apart: mine.Positions(0), Above: mine.Positions(0)}
			return middles.Extend(others, func(t *mine.Table) error { return t.Aggregate(paths) })
		})
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range paths.Supports() {
		fmt.Printf("%d times %s; no part is played by fewer than %d vertices\n", s.Count, s.Pattern.Name(), s.Images)
	}
	// Output:
	// 4 times path of 3; no part is played by fewer than 3 vertices
}

// The same algorithm as data: whoever has the graph can run it, in tables as here, or as plans of a store on its GPU (rdfgpu.Store.RunProgram). Here both
// ends have two friends or more.
func ExampleProgram() {
	sociable := []mine.Comparison{{Of: mine.OfDegree, Is: mine.GreaterOrEqual, To: 2}}
	introductions := mine.Program{
		Extensions: []mine.Extension{
			{Adjacent: mine.Positions(0)},
			{Adjacent: mine.Positions(1), Apart: mine.Positions(0), Above: mine.Positions(0)},
		},
		Filters: []mine.Filter{{Vertex: 0, Any: sociable}, {Vertex: 2, Any: sociable}},
		Collect: mine.CountRows,
	}
	found, err := introductions.Run(context.Background(), friends(), mine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Count)
	// Output:
	// 2
}

func ExampleMotifs() {
	supports, err := mine.Motifs(context.Background(), friends(), 4, mine.MotifOptions{Induced: true}, mine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range supports {
		fmt.Println(s.Count, s.Pattern.Name())
	}
	// Output:
	// 2 path of 4
	// 1 triangle with a tail
	// 1 square with a diagonal
}
