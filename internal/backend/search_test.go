package backend

import (
	"context"
	"errors"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// ring is the closure of one predicate around a ring of so many vertices.
func ring(t *testing.T, vertices int) *match.Closure {
	t.Helper()
	edges := make([]pcsr.Edge, vertices)
	for i := range edges {
		edges[i] = pcsr.Edge{From: pcsr.Vertex(i), To: pcsr.Vertex((i + 1) % vertices)}
	}
	g, err := pcsr.Build(vertices, 1, edges)
	if err != nil {
		t.Fatal(err)
	}
	return &match.Closure{Graph: g, States: 1, Ending: 1, Hops: []match.Hop{{From: 1}, {}}, Sources: []pcsr.Vertex{0}}
}

func TestAutoPricesSearches(t *testing.T) {
	b := emulated(t)
	defer b.Close()
	c := ring(t, 1000)
	for _, of := range []struct {
		name    string
		device  Device
		sources int
		edges   float64
		there   bool
	}{
		{"a short one", Auto, 1, 1000, false},
		{"a long one", Auto, 1, 1e7, true},
		{"many short ones", Auto, 1000, 10, false},
		{"many of all edges", Auto, 10_000, 1000, true},
		{"a short one, asked of the GPU", GPU, 1, 1, true},
		{"many short ones, asked of the GPU", GPU, 1000, 10, false},
		{"many, asked of the GPU", GPU, 1000, 1000, true},
		{"a long one, asked of the processor", CPU, 1, 1e12, false},
	} {
		choice := &Choice{backends: b, device: of.device}
		if got := choice.Searcher(c, of.sources, of.edges); (got != nil) != of.there {
			t.Errorf("%s: on the GPU %v, want %v", of.name, got != nil, of.there)
		}
	}
	choice := &Choice{backends: b, device: GPU}
	counts, err := choice.Searcher(c, 1, 1).Search(context.Background(), c, nil)
	if err != nil || counts[0] != 1000 || choice.String() != "gpu" {
		t.Errorf("%v, error %v, on %v", counts, err, choice)
	}
}

// TestASearchIsTheProcessorsWhenTheGPUIsLost, unless some of its ends were told.
func TestASearchIsTheProcessorsWhenTheGPUIsLost(t *testing.T) {
	for _, call := range []string{"launch", "download"} {
		e := kernels.Emulate(64 << 20)
		device, err := gpu.Open(gpu.Options{Driver: e})
		if err != nil {
			t.Fatal(err)
		}
		b := New(processor{}, Options{})
		b.once.Do(func() { b.opened = device })
		c, told := ring(t, 1000), false
		e.Fail = func(of string) error {
			if of == call && (told || call == "launch") {
				return kernels.ErrLost
			}
			return nil
		}
		choice := &Choice{backends: b, device: GPU}
		c.Sources = append(c.Sources, 1)
		_, err = gpuMatcher{choice, watch{}, trial{}}.Search(context.Background(), c, func(int, pcsr.Vertex, []uint32) error {
			told = true
			return nil
		})
		if again := errors.Is(err, match.ErrNotSearched); again == told || !again && !errors.Is(err, gpu.ErrDeviceLost) {
			t.Errorf("lost in a %s, told %v: error %v", call, told, err)
		}
		if want := "cpu (the GPU failed)"; !told && choice.String() != want {
			t.Errorf("searched on %v, want %s", choice, want)
		}
	}
}
