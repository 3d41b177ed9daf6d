package gpu

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// checkDense counts a random dense pattern, in neighbourhoods where it may be.
func checkDense(t testing.TB, rt *rapid.T, driver kernels.Driver) {
	c, options := matchtest.DrawDense(rt), drawOptions(rt)
	c.Parts, c.Changes = rapid.SampledFrom([]int{1, 1, 2}).Draw(rt, "parts"), rapid.SampledFrom([]int{0, 0, 2}).Draw(rt, "changes")
	options.NoDense, options.Driver = false, driver
	if c.Options.Semantics == bgp.Induced { // there is no other way, should there be no room
		options.inPages, options.graphs, options.buffers = false, 0, 0
	} else {
		options.Memory = rapid.SampledFrom([]int64{0, 0, 700 << 10}).Draw(rt, "memory")
	}
	if driver == nil {
		options.slice = time.Duration(rapid.SampledFrom([]int{1, 3, 1e9}).Draw(rt, "slice"))
	}
	d := open(t, options)
	g, err := c.Graph()
	if err != nil {
		rt.Fatal(err)
	}
	plan, err := c.Plan(g)
	if err != nil {
		rt.Fatal(err)
	}
	m := &match.Match{Graph: g, Plan: plan, Trace: &match.Trace{}}
	if plan.IsInduced() && !Fits(m, true) {
		rt.Skip("induced, and not in neighbourhoods")
	}
	n, err := d.Count(context.Background(), m)
	if inPages := options.inPages || options.graphs > 0; inPages && plan.IsInduced() && errors.Is(err, ErrUnfit) {
		return // in pages there are no neighbourhoods, and the processor has it
	}
	if err != nil || n != uint64(len(c.Solutions())) {
		rt.Fatalf("%d, error %v, brute force finds %d\n%v\n%+v", n, err, len(c.Solutions()), c, match.Lower(m, true, options.Tuning).Dense)
	}
	if err := d.Close(); err != nil {
		rt.Fatal(err)
	}
	if left := d.memory.inUse(); left != 0 {
		rt.Fatalf("%d bytes of device memory are left after Close", left)
	}
}

func TestDensePatternsCountAsByBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { checkDense(t, rt, nil) })
}

func TestDeviceMatchesDensePatternsAsByBruteForce(t *testing.T) {
	gpu := driver(t)
	rapid.Check(t, func(rt *rapid.T) { checkDense(t, rt, gpu) })
}

// checkLargeDense compares a count in a graph with hubs with the processor's.
func checkLargeDense(t testing.TB, rt *rapid.T, driver kernels.Driver) {
	c := matchtest.DrawHubs(rt)
	m, err := c.Match()
	if err != nil {
		rt.Fatal(err)
	}
	if m.Plan.IsInduced() && !Fits(m, true) {
		rt.Skip("induced, and not in neighbourhoods")
	}
	want, err := cpu.New().Count(context.Background(), m)
	if err != nil {
		rt.Fatal(err)
	}
	options := Options{Driver: driver, tuning: tuning{
		Tuning: match.Tuning{AnyCost: true}, blocks: rapid.IntRange(1, 40).Draw(rt, "blocks"),
		lightRoot: rapid.SampledFrom([]int{1, 8, 64}).Draw(rt, "light root"), splitRoot: rapid.SampledFrom([]int{4, 256}).Draw(rt, "split root"),
		denseWork: rapid.SampledFrom([]int{1, 50, 2048}).Draw(rt, "dense work"),
	}}
	if driver != nil {
		options.slice = rapid.SampledFrom([]time.Duration{20 * time.Microsecond, 10 * time.Millisecond}).Draw(rt, "slice")
	}
	d := open(t, options)
	if n, err := d.Count(context.Background(), m); err != nil || n != want {
		rt.Fatalf("%d, error %v, the processor counts %d\n%v\n%+v", n, err, want, c, match.Lower(m, true, options.Tuning).Dense)
	}
	if err := d.Close(); err != nil {
		rt.Fatal(err)
	}
}

func TestDensePatternsCountAsOnTheProcessor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { checkLargeDense(t, rt, nil) })
}

func TestDeviceMatchesDensePatternsAsTheProcessor(t *testing.T) {
	gpu := driver(t)
	rapid.Check(t, func(rt *rapid.T) { checkLargeDense(t, rt, gpu) })
}
