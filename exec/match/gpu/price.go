package gpu

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Outlook is what a plan is expected to cost, in the unit of plans' costs.
type Outlook struct {
	// Runs is the plan as a device runs it (Runs).
	Runs *bgp.MatchPlan
	// Processor is what it costs a processor that joins as a device does, or less where it takes less than a device in any case, because it counts
	// apart what a device has as rows; Device what it costs a device beside bringing what it reads (Device.Price). Both with combining, wherever that is done.
	Processor, Device float64
}

// BesideCost is what a match costs that is one of several beside each other, in place of bgp.GPUCost, beside what it reads: 0.13 to 0.2 ms (docs/WATCH.md).
const BesideCost = 30_000

// keptOutlook is what a plan is expected to cost over a graph.
type keptOutlook struct {
	Outlook
	graph *pcsr.Graph
}

// Expect returns what a plan is expected to cost. It is kept with the plan.
func Expect(g *pcsr.Graph, plan *bgp.MatchPlan) Outlook {
	if kept, ok := plan.Kept(bgp.KeptOutlook).(keptOutlook); ok && kept.graph == g {
		return kept.Outlook
	}
	o := expect(g, plan)
	plan.Keep(bgp.KeptOutlook, keptOutlook{o, g})
	return o
}

func expect(g *pcsr.Graph, plan *bgp.MatchPlan) Outlook {
	runs, made := adapt(g, plan)
	o := Outlook{Runs: runs, Processor: plan.Cost - lengthsSaved(g, plan)}
	joined := o.Processor / bgp.GPUShare
	if runs != plan {
		joined = (runs.Cost - lengthsSaved(g, runs)) / bgp.GPUShare
	}
	o.Device = bgp.GPUCost + float64(len(runs.Steps))*bgp.GPUStepCost + float64(made)*bgp.GPUWeighCost + joined
	if apart := remembered(g, plan); apart < joined { // whatever the estimates are off by
		o.Processor = min(o.Processor, apart)
	}
	o.Processor = plan.UntilFirst(o.Processor + plan.AboveCost())
	o.Device += plan.LookupCost()
	switch {
	case plan.Fold != nil:
		o.Device += runs.GPUFoldCost(g)
	case plan.Combine:
		o.Device += runs.GPUSiftCost() + runs.GPUCombineCost(g)
	case plan.Top != nil:
		o.Device += runs.GPUTopCost()
	case !countsAlone(&match.Match{Plan: plan}):
		o.Device += runs.GPUHandCost()
	}
	return o
}

// Runs returns a plan as a device runs it: without weights where it cannot make them all, and without combining equal rows where it cannot.
func Runs(g *pcsr.Graph, plan *bgp.MatchPlan) *bgp.MatchPlan {
	runs, _ := adapt(g, plan)
	return runs
}

// adapt also returns how many weights are made.
func adapt(g *pcsr.Graph, plan *bgp.MatchPlan) (runs *bgp.MatchPlan, made int) {
	runs = plan.ByRows()
	if runs != plan && g != nil {
		m := &match.Match{Graph: g, Plan: plan, Weighted: true}
		if s := newShape(m, countsAlone(m), &Options{}); s.weighsAll() {
			runs, made = plan, len(s.made)
		}
	}
	if plan.Combine && !Combines(runs) {
		apart := *runs
		apart.Combine = false
		runs = &apart
	}
	return runs, made
}

// remembered is what a plan without weights costs a processor, which counts what hangs on a slot apart from what else hangs there, and remembers it for
// each vertex; a device that joins it has the product of all as rows.
func remembered(g *pcsr.Graph, plan *bgp.MatchPlan) float64 {
	if g == nil || plan.ByRows() != plan || plan.Inputs > 0 {
		return plan.Cost
	}
	unweighed := *plan
	unweighed.Steps, unweighed.Branches = slices.Clone(plan.Steps), slices.Clone(plan.Branches)
	return unweighed.Weigh(g, 0, 1)
}

// lengthsSaved is what a plan's cost has for candidates of its last steps that nobody reads, because their number is the length of a list between
// bounds: the planner does not know that a class is a range of numbers.
func lengthsSaved(g *pcsr.Graph, plan *bgp.MatchPlan) (saved float64) {
	own := plan.Own()
	if g == nil || own == 0 || !plan.Steps[own-1].Counted {
		return 0
	}
	m := &match.Match{Graph: g, Plan: plan, Weighted: true}
	l := match.Lower(m, countsAlone(m), match.Tuning{NoOrder: true, NoDense: true})
	if l.Never {
		return 0
	}
	rows, lengths := 1.0, l.Lengths()
	for k := range plan.Steps[:own] {
		s := &plan.Steps[k]
		if k >= own-lengths && !s.Weighed {
			saved += max(s.EstimatedCandidates-bgp.SearchPrice*rows, 0)
		}
		if !s.Counted {
			rows = s.EstimatedRows
		}
	}
	return min(saved, plan.Cost)
}

// Price is what bringing what plans read of a graph, and is not there, to the device costs, in the unit of plans' costs: of what is not there at
// all, all of it, once for all plans; of what is read in pages, what the plans are expected to have of them over the bus; of lists in host memory,
// having them made.
func (d *Device) Price(g *pcsr.Graph, plans ...*bgp.MatchPlan) float64 {
	price := 0.0
	err := section.Guard(func() error {
		read := make([]*bgp.MatchPlan, 0, len(plans))
		for _, plan := range plans {
			if l := d.listingOf(&match.Match{Graph: g, Plan: plan}); l != nil {
				price += l.price(d, g)
			} else {
				read = append(read, plan)
			}
		}
		if len(read) == 0 {
			return nil
		}
		n, sweeps := needsOf(g, read...), 1.0
		if !d.hasRoomFor(n) {
			sweeps = 0
			for _, plan := range read {
				sweeps += d.sweeps(plan)
			}
		}
		for i, of := range n.all() {
			by := everyList
			if !n.everything {
				by = n.looks[i]
			}
			price += d.partitions.price(n.part(of), by, sweeps)
		}
		if n.everything || n.sets {
			for _, dir := range []pcsr.Direction{pcsr.Out, pcsr.In} {
				price += d.partitions.price(g.Incident(dir), everyList, 1) + d.partitions.price(g.EdgeLabelSets(dir), everyList, 1)
			}
		}
		return nil
	})
	if err != nil {
		return math.Inf(1) // who reads it will say so
	}
	return price
}

// ExpectClosure is what a search from so many sources, each of which is expected to walk so many edges, costs a device beside bringing there what it reads
// (Device.PriceClosure): a launch for each MostSources, in which no edge is walked more often than once for all of them in a level, and their memory.
func ExpectClosure(c *match.Closure, sources int, edges float64) float64 {
	if sources == 1 {
		return bgp.GPUCost + edges/bgp.GPUShare
	}
	launches := math.Ceil(float64(sources) / match.MostSources)
	moved := 24 * float64(c.States) * float64(c.Graph.Vertices())
	walked := min(edges*match.MostSources, closureLevels*c.Edges())
	return bgp.GPUCost + launches*(closureLaunch+moved/bgp.GPUMoveBytes+manyShare*walked/bgp.GPUShare)
}

// Of searches from many vertices: what a launch costs, how often an edge is walked, as long as it is by fewer than all, and how much slower that is than
// walking it once for one.
const (
	closureLaunch = 20_000
	closureLevels = 4
	manyShare     = 2
)

// PriceClosure is what bringing what a search reads, and is not there, to the device costs, in the unit of plans' costs; what is read in pages is not
// searched there.
func (d *Device) PriceClosure(c *match.Closure) float64 {
	price := 0.0
	err := section.Guard(func() error {
		for _, h := range c.Hops {
			part := c.Graph.Partition(h.Label, h.Direction)
			if _, pages := d.partitions.paged(part); pages != nil {
				price = math.Inf(1)
			}
			price += d.partitions.price(part, everyList, 1)
		}
		return nil
	})
	if err != nil {
		return math.Inf(1)
	}
	return price
}

// everyList is looked up by who may read all of a partition.
var everyList = looks{rows: math.Inf(1)}

// rowEstimate is about how many bytes a row of a query's tables takes.
const rowEstimate = 64

// sweeps is how often a plan is expected to read what is in pages: once for each table.
func (d *Device) sweeps(plan *bgp.MatchPlan) float64 {
	rows := 0.0
	for i := range plan.Steps {
		if s := &plan.Steps[i]; !s.Counted {
			rows = max(rows, s.EstimatedRows)
		}
	}
	return 1 + rows*rowEstimate/float64(d.lanes.most)
}

// hasRoomFor reports whether all pages of what is read in pages find room together: then they come once, before the plan (reading.pinReach).
func (d *Device) hasRoomFor(n *needs) bool {
	missing, seen := 0, map[*paging]bool{}
	for _, of := range n.all() {
		if _, pages := d.partitions.paged(n.part(of)); pages != nil && !seen[pages] {
			seen[pages] = true
			missing += d.pages.missing(pages)
		}
	}
	return d.pages.fits(missing, 0)
}

// missing is how many pages are not on the device.
func (c *pageCache) missing(p *paging) (pages int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range p.buffers {
		if b == nil || !b.ready {
			pages++
		}
	}
	return pages
}

// price is what a partition costs in which lists are looked up, and which is read so many times where it is in pages.
func (p *partitions) price(part *pcsr.Partition, by looks, sweeps float64) float64 {
	if part.Rows() == 0 {
		return 0
	}
	there, pages := p.paged(part)
	switch {
	case pages != nil:
		return p.d.pages.overBus(pages, by, sweeps) / bgp.GPUPageBytes
	case there:
		return 0
	case part.Layer() != pcsr.Patched:
		return float64(part.Bytes()) / bgp.GPUCopyBytes
	}
	price := bgp.GPUPatchCost + float64(8*(part.Edges()+part.Rows()))/bgp.GPUMoveBytes
	if ground := part.Ground(); !p.has(ground) {
		price += float64(ground.Bytes()) / bgp.GPUCopyBytes
	}
	return price
}

// overBus is how many bytes of the bus's time reading lists of a partition is expected to take: those of the pages that are not on the device, and of the portions
// that rows are joined in where they do not find room together, or of the lists alone.
func (c *pageCache) overBus(p *paging, by looks, sweeps float64) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	away := 0.0
	for page, b := range p.buffers {
		if b == nil || !b.ready {
			away += float64(p.bytes(page))
		}
	}
	if room := float64(int64(c.roomNow(0)) * c.bytes); away > room {
		away += math.Ceil(away/max(room, float64(c.bytes))) * portionBytes
	}
	return min(sweeps*away, by.rows*p.lookBytes(by.candidates/max(by.rows, 1)))
}

// A list that is read where it lies, in host memory, takes the bus as long as so many bytes: lookLine for each time that it must be waited for: once,
// and once for each doubling from lookShort bytes on, since it is searched; with candidates, a part of that for each of them, because they are
// tested against it. Of the counts of LUBM L7 and of triangles (docs/BENCHMARKS-GPU.md).
const (
	lookLine      = 128
	lookShort     = 64
	lookCandidate = 1. / 16
)

// lookBytes is about how many bytes of the bus's time a list of a partition takes that is read where it lies, by a row with so many candidates.
func (p *paging) lookBytes(candidates float64) float64 {
	mean := float64(4*len(p.neighbours)) / float64(max(p.starts[len(p.starts)-1], 1))
	return lookLine * (1 + math.Log2(max(mean/lookShort, 1))) * (1 + lookCandidate*candidates)
}
