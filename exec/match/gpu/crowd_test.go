package gpu

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// counting is a driver that counts the calls which wait for all that runs on the device.
type counting struct {
	kernels.Driver
	calls atomic.Int64
}

func (c *counting) Alloc(bytes int64) (kernels.Address, error) {
	c.calls.Add(1)
	return c.Driver.Alloc(bytes)
}

func (c *counting) Free(a kernels.Address) error {
	c.calls.Add(1)
	return c.Driver.Free(a)
}

func (c *counting) AllocHost(bytes int64) (*kernels.HostMemory, error) {
	c.calls.Add(1)
	return c.Driver.AllocHost(bytes)
}

func (c *counting) FreeHost(m *kernels.HostMemory) error {
	c.calls.Add(1)
	return c.Driver.FreeHost(m)
}

// crowd is what many goroutines did that count plans in turn for a while.
type crowd struct {
	rate float64 // queries a second
	// least and most are the device memory in use meanwhile; slowest is the longest that one took.
	least, most int64
	slowest     time.Duration
	// slices are the rates of ten parts of the time, host the MiB of the process at the end of each; 0 where the system does not tell.
	slices [10]float64
	host   [10]int64
}

// runCrowd has n goroutines count plans in turn for so long.
func runCrowd(t testing.TB, d *Device, g *pcsr.Graph, plans []*bgp.MatchPlan, want []uint64, n int, long time.Duration) crowd {
	var wg sync.WaitGroup
	var done [11]atomic.Int64
	var slowest atomic.Int64
	begun := time.Now()
	for i := range n {
		wg.Go(func() {
			for i := i; time.Since(begun) < long; i++ {
				k, before := i%len(plans), time.Now()
				got, err := d.Count(context.Background(), &match.Match{Graph: g, Plan: plans[k]})
				if err != nil || got != want[k] {
					t.Errorf("plan %d: %d, want %d, error %v", k, got, want[k], err)
					return
				}
				took := int64(time.Since(before))
				for was := slowest.Load(); took > was && !slowest.CompareAndSwap(was, took); was = slowest.Load() {
				}
				done[min(10*time.Since(begun)/long, 10)].Add(1)
			}
		})
	}
	c := crowd{least: d.memory.inUse()}
	for time.Since(begun) < long {
		used := d.memory.inUse()
		c.least, c.most = min(c.least, used), max(c.most, used)
		if i := 10 * time.Since(begun) / long; i < 10 {
			c.host[i] = residentMiB()
		}
		time.Sleep(long / 1000)
	}
	wg.Wait()
	all := int64(0)
	for i := range done {
		all += done[i].Load()
		if i < len(c.slices) {
			c.slices[i] = float64(done[i].Load()) * 10 / long.Seconds()
		}
	}
	c.rate, c.slowest = float64(all)/time.Since(begun).Seconds(), time.Duration(slowest.Load())
	return c
}

// residentMiB is the memory of the process, the pinned part included.
func residentMiB() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if kib, found := strings.CutPrefix(line, "VmRSS:"); found {
			n, _ := strconv.ParseInt(strings.Fields(kib)[0], 10, 64)
			return n >> 10
		}
	}
	return 0
}

// lubmCrowd are the queries of LUBM and their counts, with costs as of a graph that is larger.
func lubmCrowd(t *testing.T, u *universities, g *pcsr.Graph, without ...string) (plans []*bgp.MatchPlan, want []uint64) {
	for _, q := range lubmQueries {
		if slices.Contains(without, q.name) {
			continue
		}
		p, err := bgp.Plan(context.Background(), u.pattern(q.text), g, lookup, bgp.Options{CountOnly: true, Speed: bgp.GPUSpeed})
		if err != nil {
			t.Fatal(err)
		}
		if p.Cost > 1000 {
			p.Cost += bgp.GPUStreamCost
		}
		n, err := matchtest.OnThreads(cpu.New(), 0).Count(context.Background(), &match.Match{Graph: g, Plan: p})
		if err != nil {
			t.Fatal(err)
		}
		plans, want = append(plans, p), append(want, n)
	}
	return plans, want
}

// unpinned fails if a page is pinned, which no query reads, and closes the device.
func unpinned(t *testing.T, d *Device) {
	for _, b := range d.pages.buffers {
		if b.pins != 0 {
			t.Errorf("a page is pinned %d times with no query", b.pins)
		}
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%v, %d bytes left", err, d.memory.inUse())
	}
}

// TestACrowdTakesNoMemoryAnew: once queries that have too little memory for all they read have run a while, the next ones take next to none from
// the driver and give none back to it.
func TestACrowdTakesNoMemoryAnew(t *testing.T) {
	u := &universities{scale: 12}
	g := u.graph(t)
	plans, want := lubmCrowd(t, u, g, "L2") // the twins take long for it
	c := &counting{Driver: kernels.Emulate(1 << 30)}
	d := open(t, Options{Driver: c, Memory: int64(g.Bytes()) / 6, Launches: 4, tuning: tuning{patience: time.Hour}})
	runCrowd(t, d, g, plans, want, 16, 2*time.Second)
	c.calls.Store(0)
	took := runCrowd(t, d, g, plans, want, 16, time.Second)
	n := float64(c.calls.Load()) / took.rate
	if t.Logf("%.0f queries/s, %.2f calls for memory for each", took.rate, n); n > 1.5 {
		t.Errorf("%.2f calls for memory for each query", n)
	}
	info, err := d.Info()
	if err != nil || info.Used > info.Limit || info.Pages.Copied == 0 {
		t.Errorf("%+v, %v", info, err)
	}
	unpinned(t, d)
}

// TestDeviceAnswersACrowdInPages: many queries at once with a half to an eighth of the memory that the graph takes.
func TestDeviceAnswersACrowdInPages(t *testing.T) {
	gpu := driver(t)
	u := &universities{scale: 20}
	if s := os.Getenv("RDFGPU_LUBM"); s != "" {
		u.scale, _ = strconv.Atoi(s)
	}
	g := u.graph(t)
	plans, want := lubmCrowd(t, u, g)
	for _, share := range budgets[:3] {
		d := open(t, Options{Driver: gpu, Memory: int64(g.Bytes()) / share, Launches: 16})
		took := runCrowd(t, d, g, plans, want, 64, time.Second)
		info, err := d.Info()
		t.Logf("1/%d: %.0f/s, %+v, %v", share, took.rate, info.Pages, err)
		unpinned(t, d)
	}
}

// TestDeviceRunsAgainWithTheSameTables: tables are much too small, and there is no room for larger ones, so that the match begins anew where it
// has left its marks.
func TestDeviceRunsAgainWithTheSameTables(t *testing.T) {
	d := open(t, Options{Driver: driver(t), Memory: 3 * minArena, tuning: tuning{rows: 20_000, tile: 100}})
	m := expecting(ring(t, 5000), 1)
	for range 20 {
		count(t, d, m, 5000*8*8*8)
	}
	unpinned(t, d)
}
