package gpu

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"pgregory.net/rapid"
)

// pieceTest is a count whose blocks take pieces of work: small cases and larger ones, and what the first step of a larger one does; "" where that differs.
type pieceTest struct {
	draw, large func(*rapid.T) *matchtest.Case
	variant     string
}

var pieceTests = map[string]pieceTest{
	"neighbourhoods": {matchtest.DrawDense, matchtest.DrawHubs, ""},
	"squares":        {matchtest.DrawSquares, matchtest.DrawLargeSquares, match.SquareVariant},
	"triangles":      {matchtest.DrawTriangles, matchtest.DrawLargeTriangles, match.TriangleVariant},
}

// check counts a small case, by pieces where it may be, and compares with brute force.
func (p pieceTest) check(t testing.TB, rt *rapid.T, driver kernels.Driver) {
	c, options := p.draw(rt), drawOptions(rt)
	c.Parts, c.Changes = rapid.SampledFrom([]int{1, 1, 2}).Draw(rt, "parts"), rapid.SampledFrom([]int{0, 0, 2}).Draw(rt, "changes")
	options.NoDense, options.AnyCost, options.Driver = false, true, driver
	options.heavySquares = rapid.SampledFrom([]int{1, 4, 0}).Draw(rt, "heavy squares")
	options.TriplesFirst = rapid.Bool().Draw(rt, "triples first")
	options.tripleRoom = rapid.SampledFrom([]int64{0, 1 << 10, 2 << 10, 4 << 10}).Draw(rt, "room for triples")
	options.heavyTriangles, options.triangleRoom = rapid.SampledFrom([]int{1, 4, 0}).Draw(rt, "heavy triangles"), rapid.SampledFrom([]int{1, 3, 0}).Draw(rt, "room")
	options.listsAway, options.coreRoom = rapid.Bool().Draw(rt, "lists away"), rapid.SampledFrom([]int64{0, 1, 1 << 10, 2 << 10}).Draw(rt, "room for cores")
	options.Memory = rapid.SampledFrom([]int64{0, 0, 700 << 10}).Draw(rt, "memory")
	if driver == nil {
		options.slice = time.Duration(rapid.SampledFrom([]int{1, 3, 1e9}).Draw(rt, "slice"))
	}
	d := open(t, options)
	m, err := c.Match()
	if err != nil {
		rt.Fatal(err)
	}
	m.Trace = &match.Trace{}
	n, err := d.Count(context.Background(), m)
	if leavesOuter(m, d, err) {
		closes(rt, d)
		return
	}
	if err != nil || n != uint64(len(c.Solutions())) {
		rt.Fatalf("%d, error %v, brute force finds %d\n%v", n, err, len(c.Solutions()), c)
	}
	closes(rt, d)
}

// checkLarge compares counts in graphs with hubs and loops with the processor's, which has other lists and other sums.
func (p pieceTest) checkLarge(t testing.TB, rt *rapid.T, driver kernels.Driver) {
	c := p.large(rt)
	m, err := c.Match()
	if err != nil {
		rt.Fatal(err)
	}
	want, err := cpu.New().Count(context.Background(), m)
	if err != nil {
		rt.Fatal(err)
	}
	options := Options{Driver: driver, tuning: tuning{
		Tuning: match.Tuning{AnyCost: true, TriplesFirst: p.variant == match.TriangleVariant || rapid.Bool().Draw(rt, "triples first")}, blocks: rapid.IntRange(1, 40).Draw(rt, "blocks"),
		lightRoot: rapid.SampledFrom([]int{1, 8, 64}).Draw(rt, "light root"), splitRoot: rapid.SampledFrom([]int{4, 256}).Draw(rt, "split root"),
		denseWork: rapid.SampledFrom([]int{1, 50, 2048}).Draw(rt, "dense work"), farCut: rapid.IntRange(1, 5).Draw(rt, "far cut"),
		heavySquares: rapid.SampledFrom([]int{1, 20, 0}).Draw(rt, "heavy squares"), heavyTriangles: rapid.SampledFrom([]int{1, 20, 0}).Draw(rt, "heavy triangles"),
		triangleRoom: rapid.SampledFrom([]int{7, 0}).Draw(rt, "room"),
		listsAway:    rapid.Bool().Draw(rt, "lists away"), coreRoom: rapid.SampledFrom([]int64{0, 1, 4 << 10, 16 << 10}).Draw(rt, "room for cores"),
		inPages: rapid.Bool().Draw(rt, "in pages"), tripleRoom: rapid.SampledFrom([]int64{0, 16 << 10, 64 << 10}).Draw(rt, "room for triples"),
	}}
	if driver != nil {
		options.slice = rapid.SampledFrom([]time.Duration{20 * time.Microsecond, 10 * time.Millisecond}).Draw(rt, "slice")
	}
	d := open(t, options)
	dense := newShape(m, true, &d.options).Dense
	m.Trace = &match.Trace{}
	n, err := d.Count(context.Background(), m)
	if leavesOuter(m, d, err) {
		closes(rt, d)
		return
	}
	if err != nil || n != want {
		rt.Fatalf("%d, error %v, the processor counts %d\n%v", n, err, want, c)
	}
	few := options.inPages && options.tripleRoom > 0 // maybe too few
	if got := m.Trace.Steps[0].Variant; p.variant != "" && !few && !strings.HasPrefix(got, p.variant) {
		rt.Fatalf("the first step is %q\n%v", got, c)
	}
	if p.variant == "" && dense != nil && !options.TriplesFirst && (options.listsAway || options.inPages) {
		if got := m.Trace.Steps[dense.Slots[0]].Variant; !strings.Contains(got, "lists away") {
			rt.Fatalf("the root's step is %q\n%v", got, c)
		}
	}
	closes(rt, d)
}

// leavesOuter reports whether a count with an outer vertex was left to the processor, as it may be where lists are away, or there is little memory or room for cores.
func leavesOuter(m *match.Match, d *Device, err error) bool {
	dense := newShape(m, true, &d.options).Dense
	return errors.Is(err, errNotOuter) && dense != nil && dense.HasOuter() && (d.options.listsAway || d.options.inPages || d.options.graphs > 0 || d.options.Memory > 0 || d.options.coreRoom > 0)
}

// closes closes a device, which must have given all memory back.
func closes(rt *rapid.T, d *Device) {
	if err := d.Close(); err != nil {
		rt.Fatal(err)
	}
	if left := d.memory.inUse(); left != 0 {
		rt.Fatalf("%d bytes of device memory are left after Close", left)
	}
}

// eachPiece runs a check of each sort of count.
func eachPiece(t *testing.T, driver kernels.Driver, check func(pieceTest, testing.TB, *rapid.T, kernels.Driver)) {
	for name, p := range pieceTests {
		t.Run(name, func(t *testing.T) {
			if driver == nil {
				t.Parallel()
			}
			rapid.Check(t, func(rt *rapid.T) { check(p, t, rt, driver) })
		})
	}
}

func TestCountsByPiecesAsByBruteForce(t *testing.T) {
	t.Parallel()
	eachPiece(t, nil, pieceTest.check)
}

func TestDeviceCountsByPiecesAsByBruteForce(t *testing.T) { eachPiece(t, driver(t), pieceTest.check) }

func TestCountsByPiecesAsOnTheProcessor(t *testing.T) {
	t.Parallel()
	eachPiece(t, nil, pieceTest.checkLarge)
}

func TestDeviceCountsByPiecesAsTheProcessor(t *testing.T) {
	eachPiece(t, driver(t), pieceTest.checkLarge)
}
