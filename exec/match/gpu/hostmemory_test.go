package gpu

import (
	"errors"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// poorHost is a driver of a system that has no pinned memory to give, from a number of bytes on.
type poorHost struct {
	kernels.Driver
	from int64
}

func (d poorHost) AllocHost(bytes int64) (*kernels.HostMemory, error) {
	if bytes >= d.from {
		return nil, errors.New("there is none")
	}
	return d.Driver.AllocHost(bytes)
}

// TestPinnedMemoryIsBounded: a graph that neither the device nor so much host memory holds does not fit, and nothing of it stays; one that does takes the place of another that
// nobody reads.
func TestPinnedMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m, other := ring(t, 4000), ring(t, 4000) // 128,000 bytes of lists in each direction
	for name, o := range map[string]Options{
		"no room":    {tuning: tuning{pinned: 100_000}},
		"none given": {Driver: poorHost{kernels.Emulate(64 << 20), 100_000}},
	} {
		o.inPages, o.arena = true, 300<<10
		d := open(t, o)
		for range 2 {
			if n, err := d.Count(t.Context(), m); !errors.Is(err, ErrUnfit) {
				t.Errorf("%s: %d, %v", name, n, err)
			}
		}
		if info, err := d.Info(); err != nil || info.HostBytes != 0 || d.pinned.used != 0 {
			t.Errorf("%s: %+v, %d bytes pinned, %v", name, info, d.pinned.used, err)
		}
		unpinned(t, d)
	}
	d := open(t, Options{tuning: tuning{inPages: true, arena: 300 << 10, pinned: 500_000, Tuning: match.Tuning{AnyCost: true}}})
	for range 3 {
		count(t, d, m, 4000*8*8*8)
		count(t, d, other, 4000*8*8*8)
		if d.pinned.used > 500_000 || d.pinned.used == 0 {
			t.Errorf("%d bytes pinned", d.pinned.used)
		}
	}
	unpinned(t, d)
	if d.pinned.used != 0 {
		t.Errorf("%d bytes are pinned at the end", d.pinned.used)
	}
}
