package path

import (
	"context"
	"errors"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestASearchEndsWithinOneVertex: the predicates of a step count as work, whether or not an edge leads on.
func TestASearchEndsWithinOneVertex(t *testing.T) {
	g, err := pcsr.Build(3, 1, []pcsr.Edge{{From: 0, Label: 0, To: 1}, {From: 1, Label: 0, To: 2}})
	if err != nil {
		t.Fatal(err)
	}
	var step Step = &labelStep{known: true}
	for range 2 * limits.CheckEvery {
		step = &alternativeStep{left: step, right: &labelStep{known: true}}
	}
	over := errors.New("the time is over")
	ctx, end := context.WithCancelCause(context.Background())
	s := NewSearch(g)
	s.Serve(ctx, nil)
	end(over)
	if err := step.neighbours(s, 2, pcsr.Out, func(pcsr.Vertex) error { return nil }); !errors.Is(err, over) {
		t.Errorf("error %v", err)
	}
}
