package gpu

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// drawMeets draws a path of one edge or two on which patterns hang whose one vertex lists of the path's vertices have in common.
func drawMeets(t *rapid.T, g *pcsr.Graph, vertices int) (*match.Match, error) {
	n := rapid.IntRange(1, 2).Draw(t, "edges")
	c := &matchtest.Case{Vertices: vertices, Labels: 3, TypeLabel: -1, Options: bgp.Options{CountOnly: rapid.Bool().Draw(t, "count")}}
	for i := range n {
		c.Patterns = append(c.Patterns, matchtest.Edge(i, i+1, i))
	}
	if !c.Options.CountOnly {
		c.Options.Output = []string{"v0"}
	}
	plan, err := c.Plan(g)
	if err != nil {
		return nil, err
	}
	for range rapid.IntRange(1, 2).Draw(t, "hanging") {
		h := &matchtest.Case{Vertices: vertices, Labels: 3, TypeLabel: -1}
		named := map[int]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "lists") {
			from, to := rapid.IntRange(0, n).Draw(t, "of"), 9
			named[from] = true
			if rapid.Bool().Draw(t, "back") {
				from, to = to, from
			}
			h.Patterns = append(h.Patterns, matchtest.Edge(from, to, rapid.IntRange(0, 2).Draw(t, "label")))
		}
		var slots []int
		for v := range slices.Sorted(maps.Keys(named)) {
			name := fmt.Sprint("v", v)
			h.Options.Inputs = append(h.Options.Inputs, name)
			if rapid.IntRange(0, 2).Draw(t, "unequal") == 0 {
				h.Options.Unequal = append(h.Options.Unequal, bgp.Inequality{A: name, B: "v9"})
			}
		}
		if rapid.IntRange(0, 2).Draw(t, "ranged") == 0 {
			h.Options.Ranges = map[string]bgp.Range{"v9": {Low: uint32(vertices / 4), High: uint32(vertices / 2)}}
		}
		for _, name := range h.Options.Inputs {
			for s := range plan.Slots {
				if plan.Slots[s].Variable == name {
					slots = append(slots, s)
				}
			}
		}
		inner, err := h.Plan(g)
		if err != nil {
			return nil, err
		}
		if !inner.Empty {
			plan.Hang(rapid.SampledFrom([]bgp.Weight{bgp.AtLeastOne, bgp.Some, bgp.None}).Draw(t, "weight"), inner, slots, 10)
		}
	}
	return &match.Match{Graph: g, Plan: plan, Weighted: true}, nil
}

// checkMeets compares a device with the processor.
func checkMeets(t *testing.T, d *Device, g *pcsr.Graph, vertices int) {
	met, all := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		m, err := drawMeets(rt, g, vertices)
		if err != nil {
			rt.Fatal(err)
		}
		if all++; !Fits(m, len(m.Plan.Output) == 0) {
			return
		}
		for _, b := range newShape(m, len(m.Plan.Output) == 0, &Options{}).branches {
			for _, child := range b.Children {
				if isMeet(child) {
					met++
				}
			}
		}
		got, err := sums(d, m)
		if err != nil {
			rt.Fatal(err)
		}
		want, err := sums(cpu.New(), m)
		if err != nil || !maps.Equal(got, want) {
			rt.Fatalf("%v: %d values on the device, %d on the processor (%v)", m.Plan.Branches, len(got), len(want), err)
		}
	})
	if all >= 100 && met < all/4 {
		t.Errorf("%d of %d plans had branches that lists meet in", met, all)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestWhatListsHaveInCommonIsAsOnTheProcessor(t *testing.T) {
	t.Parallel()
	checkMeets(t, open(t, Options{}), hubs(t, 180, 900), 180)
	checkMeets(t, open(t, Options{tuning: tuning{inPages: true, page: 512, Tuning: match.Tuning{AnyCost: true}}}), hubs(t, 180, 900), 180)
}

func TestDeviceFindsWhatListsHaveInCommon(t *testing.T) {
	checkMeets(t, open(t, Options{Driver: driver(t)}), hubs(t, 2000, 12000), 2000)
}

// TestDeviceFindsCommonMembersInPages does so where lists are read in pages.
func TestDeviceFindsCommonMembersInPages(t *testing.T) {
	checkMeets(t, open(t, Options{Driver: driver(t), tuning: tuning{inPages: true, page: 4 << 10, Tuning: match.Tuning{AnyCost: true}}}), hubs(t, 2000, 12000), 2000)
}
