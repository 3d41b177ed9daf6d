package gpu

import (
	"context"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// checkSquares counts random cycles of four edges, by paths of two where they may be.
func checkSquares(t testing.TB, rt *rapid.T, driver kernels.Driver) {
	c, options := matchtest.DrawSquares(rt), drawOptions(rt)
	c.Parts, c.Changes = rapid.SampledFrom([]int{1, 1, 2}).Draw(rt, "parts"), rapid.SampledFrom([]int{0, 0, 2}).Draw(rt, "changes")
	options.NoDense, options.AnyCost, options.Driver = false, true, driver
	options.heavySquares = rapid.SampledFrom([]int{1, 4, 0}).Draw(rt, "heavy squares")
	if c.Options.Semantics == bgp.Induced {
		options.inPages, options.graphs, options.buffers = false, 0, 0
	}
	if driver == nil {
		options.slice = time.Duration(rapid.SampledFrom([]int{1, 3, 1e9}).Draw(rt, "slice"))
	}
	d := open(t, options)
	m, err := c.Match()
	if err != nil {
		rt.Fatal(err)
	}
	if m.Plan.IsInduced() && !Fits(m, true) {
		rt.Skip("induced, and no root")
	}
	n, err := d.Count(context.Background(), m)
	if err != nil || n != uint64(len(c.Solutions())) {
		rt.Fatalf("%d, error %v, brute force finds %d\n%v\n%+v", n, err, len(c.Solutions()), c, match.Lower(m, true, options.Tuning).Squares)
	}
	if err := d.Close(); err != nil {
		rt.Fatal(err)
	}
	if left := d.memory.inUse(); left != 0 {
		rt.Fatalf("%d bytes of device memory are left after Close", left)
	}
}

func TestSquaresCountAsByBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { checkSquares(t, rt, nil) })
}

func TestDeviceMatchesSquaresAsByBruteForce(t *testing.T) {
	gpu := driver(t)
	rapid.Check(t, func(rt *rapid.T) { checkSquares(t, rt, gpu) })
}

// checkLargeSquares compares counts in graphs with hubs and loops with the processor's, which has other lists and other sums.
func checkLargeSquares(t testing.TB, rt *rapid.T, driver kernels.Driver) {
	c := matchtest.DrawLargeSquares(rt)
	m, err := c.Match()
	if err != nil {
		rt.Fatal(err)
	}
	want, err := cpu.New().Count(context.Background(), m)
	if err != nil {
		rt.Fatal(err)
	}
	d := open(t, Options{Driver: driver, tuning: tuning{
		Tuning: match.Tuning{AnyCost: true}, blocks: rapid.IntRange(1, 40).Draw(rt, "blocks"),
		heavySquares: rapid.SampledFrom([]int{1, 20, 0}).Draw(rt, "heavy squares"), slice: rapid.SampledFrom([]time.Duration{20 * time.Microsecond, 0}).Draw(rt, "slice"),
	}})
	m.Trace = &match.Trace{}
	n, err := d.Count(context.Background(), m)
	if err != nil || n != want {
		rt.Fatalf("%d, error %v, the processor counts %d\n%v", n, err, want, c)
	}
	if got := m.Trace.Steps[0].Variant; got != match.SquareVariant {
		rt.Fatalf("the first step is %q\n%+v\n%v", got, match.Lower(m, true, match.Tuning{AnyCost: true}).Squares, c.Patterns)
	}
	if err := d.Close(); err != nil {
		rt.Fatal(err)
	}
}

func TestSquaresCountAsOnTheProcessor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { checkLargeSquares(t, rt, nil) })
}

func TestDeviceMatchesSquaresAsTheProcessor(t *testing.T) {
	gpu := driver(t)
	rapid.Check(t, func(rt *rapid.T) { checkLargeSquares(t, rt, gpu) })
}
