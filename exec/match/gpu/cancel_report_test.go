package gpu

import (
	"context"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestReportCancelInPages measures how long counts go on after they are cancelled, at times spread over all that they do: with an eighth of the bytes of their
// partitions on the device, where nothing is there and where it was counted before.
func TestReportCancelInPages(t *testing.T) {
	gpu := driver(t)
	edges := uint64(3_000)
	if s := os.Getenv("RDFGPU_RMAT"); s != "" {
		edges, _ = strconv.ParseUint(s, 10, 64)
	}
	g := rmat(t, edges)
	r := matchtest.NewReport(t, "cancel.md")
	r.Head("Counts that are cancelled, with an eighth of their partitions on the device", "count", "before it", "to the end, ms", "cancelled", "longest after that, ms")
	for _, of := range []struct {
		name   string
		labels []int
		edges  []string
		tuning tuning
	}{
		{"triangles in parts", nil, []string{"ab", "bc", "ac"}, tuning{}},
		{"triangles joined in pages", nil, []string{"ab", "bc", "ac"}, tuning{Tuning: match.Tuning{NoDense: true}}},
		{"path of 3 edges", []int{10, 5, 7, 9}, []string{"ab", "bc", "cd"}, tuning{}},
	} {
		p := patternIn(of.edges, of.labels)
		plan, err := p.plan(g, bgp.Homomorphism, true)
		if err != nil {
			t.Fatal(err)
		}
		m := &match.Match{Graph: g, Plan: plan}
		for _, state := range []string{"nothing is there", "it was counted"} {
			var d *Device
			fresh := func() {
				if d != nil {
					if err := d.Close(); err != nil {
						t.Fatal(err)
					}
				}
				o := of.tuning
				o.AnyCost = edges < 1_000_000
				d = open(t, Options{Driver: gpu, tuning: o})
				squeeze(d, bytesRead(g, plan)/8)
			}
			fresh()
			if state == "it was counted" {
				if _, err := d.Count(t.Context(), m); err != nil {
					t.Fatal(err)
				}
			}
			begun := time.Now()
			want, err := d.Count(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			whole, longest, cancelled := time.Since(begun), time.Duration(0), 0
			const times = 16
			for i := range times {
				if state == "nothing is there" {
					fresh()
				}
				ctx, cancel := context.WithCancel(t.Context())
				var at time.Time
				timer := time.AfterFunc(whole*time.Duration(2*i+1)/(2*times), func() {
					at = time.Now()
					cancel()
				})
				n, err := d.Count(ctx, m)
				ended := time.Now()
				if timer.Stop(); err == nil && n != want || err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %d, %v", of.name, n, err)
				} else if err != nil {
					cancelled++
					<-ctx.Done()
					longest = max(longest, ended.Sub(at))
				}
				cancel()
			}
			r.Row(of.name, state, matchtest.Milliseconds(whole), cancelled, matchtest.Milliseconds(longest))
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
