package pcsr_test

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

func Example() {
	// Predicates have the lowest numbers: 0 is rdf:type, 1 is foaf:knows. 2 is the class Person, 3 … 5 are people.
	g, err := pcsr.Build(6, 2, []pcsr.Edge{
		{From: 3, Label: 0, To: 2}, {From: 4, Label: 0, To: 2}, {From: 5, Label: 0, To: 2},
		{From: 3, Label: 1, To: 4}, {From: 3, Label: 1, To: 5}, {From: 5, Label: 1, To: 4},
	}, pcsr.WithTypeLabel(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("members of Person:", g.Members(2))
	fmt.Println("whom 3 knows:", g.Partition(1, pcsr.Out).Neighbours(3))
	fmt.Println("who knows 4:", g.Partition(1, pcsr.In).Neighbours(4))
	fmt.Println("labels out of 4:", g.EdgeLabels(4, pcsr.Out))
	// Output:
	// members of Person: [3 4 5]
	// whom 3 knows: [4 5]
	// who knows 4: [3 5]
	// labels out of 4: [0]
}
