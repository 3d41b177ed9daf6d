package gpu

import (
	"math"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// pieceShare is how many candidates of neighbourhoods all cores count while the device's bus brings what one is worth (bgp.GPUPageBytes): of graph A,
// one thread of a processor took 110 to 730 ms for what match.PieceCost has at 32 to 144 million, and 16 cores 49 ms in the mean, a sixth.
const pieceShare = 6

// partLaunch is what a chunk of lists costs beside its bytes where triangles are counted in parts: some 30 µs. With a quarter of graph A's bytes a count
// took 14.7 ms, in some 500 chunks.
const partLaunch = 6_000

// Expect is what a plan is expected to cost this device where it reads pages and the processor counts in neighbourhoods or by triples, and what that
// costs: by a sample of the graph, as a plan's estimates leave out how often neighbours have common ones. Of others it is what the function Expect returns.
func (d *Device) Expect(g *pcsr.Graph, plan *bgp.MatchPlan) Outlook {
	plan = d.numbers.known(plan)
	o := Expect(g, plan)
	m := &match.Match{Graph: g, Plan: plan}
	if g == nil || plan.Empty || plan.Query == nil || !countsAlone(m) {
		return o
	}
	_ = section.Guard(func() error { // who reads what is damaged will say so
		if !d.readsPages(m) {
			return nil
		}
		l := match.Lower(m, true, d.options.Tuning)
		pieces, dense := l.PieceCost()
		if dense {
			o.Processor = min(o.Processor, pieces.Processor/pieceShare)
		}
		if l.Triangle != nil && d.paysTriples(m, &shape{Lowering: l}, &d.options) {
			if parts := d.partsCost(g, l.Triangle.Label); parts > 0 {
				o.Device += parts
				return nil
			}
		}
		if dense {
			o.Device = bgp.GPUCost + float64(len(plan.Steps))*bgp.GPUStepCost + pieces.Processor/bgp.GPUShare + d.awayBytes(g, l.Dense, pieces)/bgp.GPUPageBytes
		}
		return nil
	})
	return o
}

// partsCost is what it costs to bring the lists of a label in parts (tripleparts.go), beside counting; 0 where they are not counted so.
func (d *Device) partsCost(g *pcsr.Graph, label pcsr.Label) float64 {
	part := g.Partition(label, pcsr.Out)
	entries := part.Edges()
	if g.Undirected(label) {
		entries /= 2 // each is in one list alone
	}
	lists := 4 * float64(entries+part.Rows())
	chunk, block := partSizes(d.roomOfPages(d.options.tripleRoom))
	if chunk <= 0 || block <= 0 {
		return 0
	}
	blocks, chunks := math.Ceil(lists/float64(block)), math.Ceil(2*lists/float64(chunk))
	if blocks > mostTripleBlocks {
		return 0
	}
	return blocks * (chunks*partLaunch + 2*lists/bgp.GPUPageBytes)
}

// awayBytes is about how many bytes of the bus's time a count takes in a core that is away (away.go): what is brought, each of the lists looked through that are not there,
// which are the fewer the more lists are, and all lists where roots have them.
func (d *Device) awayBytes(g *pcsr.Graph, dense *match.Dense, c match.PieceCost) float64 {
	part := g.Partition(dense.Label, pcsr.Out)
	all, begins := 4*float64(part.Edges()), 4*float64(part.Rows())
	lists := all / 2
	if dense.Far != nil {
		lists, begins = all, 2*begins
	}
	here := min(max(float64(d.roomOfPages(d.options.coreRoom))-begins, 0), lists)
	away := 1 - here/max(lists, 1)
	bytes := begins + here + away*away*(lookLine*c.Lists+4*c.Walked)
	if !dense.Upward {
		bytes += all
	}
	return bytes
}
