package gpu

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

var _ match.Holder = (*Device)(nil)

// Hold implements match.Holder: it brings the partitions of constant labels that the plans read to the device. What is there comes first,
// so that others, which updates have changed, are made of it and do not take its place.
func (d *Device) Hold(ctx context.Context, g *pcsr.Graph, plans ...*bgp.MatchPlan) (release func(), err error) {
	var held []*loaded
	release = func() { _ = d.use(func() error { return d.partitions.letGo(held...) }) } // a lost device holds nothing
	err = d.use(func() (err error) {
		held, err = d.holdParts(ctx, g, d.heldFirst(g, plans))
		return err
	})
	if err != nil {
		release()
		return nil, errors.Join(err, ctx.Err())
	}
	return release, nil
}

// holdParts holds partitions of a graph; those that were held before an error, too.
func (d *Device) holdParts(ctx context.Context, g *pcsr.Graph, parts []need) (held []*loaded, err error) {
	for _, of := range parts {
		part := (&needs{graph: g}).part(of)
		if part.Rows() == 0 {
			continue
		}
		l, _, err := d.partitions.hold(ctx, g.Ground(), part, of.vertices)
		if err != nil {
			return held, err
		}
		held = append(held, l)
	}
	return held, nil
}

// heldFirst are the partitions of labels that plans read, those that are on the device first.
func (d *Device) heldFirst(g *pcsr.Graph, plans []*bgp.MatchPlan) []need {
	all := &needs{graph: g}
	for _, plan := range plans {
		for _, of := range needsOf(g, plan).parts {
			if !of.incident {
				all.add(of, looks{})
			}
		}
	}
	slices.SortStableFunc(all.parts, func(a, b need) int { return cmp.Compare(d.away(g, a), d.away(g, b)) })
	return all.parts
}

// away is 0 for a partition that is on the device, else 1.
func (d *Device) away(g *pcsr.Graph, of need) int {
	if d.partitions.has(g.Partition(of.label, of.dir)) {
		return 0
	}
	return 1
}
