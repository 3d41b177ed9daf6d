package gpu

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner"
	"pgregory.net/rapid"
)

// open opens an emulated device.
func open(t testing.TB, options Options) *Device {
	t.Helper()
	if options.Driver == nil {
		options.Driver = kernels.Emulate(64 << 20)
	}
	d, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRandomPatternsMatchAsByBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := matchtest.Draw(rt)
		d := open(t, Options{
			Rows:       rapid.SampledFrom([]int{1, 2, 3, 7, 20, 1000}).Draw(rt, "rows"),
			Tile:       rapid.SampledFrom([]int{1, 2, 5, 1024}).Draw(rt, "tile"),
			Blocks:     rapid.IntRange(1, 4).Draw(rt, "blocks"),
			Slice:      time.Duration(rapid.SampledFrom([]int{1, 3, 1e9}).Draw(rt, "slice")),
			HostDriven: rapid.IntRange(0, 3).Draw(rt, "host driven") == 0,
			NoBitmaps:  rapid.Bool().Draw(rt, "no bitmaps"),
			Arena:      512 << 10,
		})
		if err := matchtest.Check(d, c); err != nil {
			rt.Fatal(err)
		}
		if err := d.Close(); err != nil {
			rt.Fatal(err)
		}
		if left := d.memory.inUse(); left != 0 {
			rt.Fatalf("%d bytes of device memory are left after Close", left)
		}
	})
}

var _ exec.Matcher = (*Device)(nil)

var _ = planner.Homomorphism
var _ = context.Background
var _ = errors.Is
