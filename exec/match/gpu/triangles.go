package gpu

import (
	"context"
	"errors"
	"math"
	"math/bits"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Work of counts of triangles: the heavyTriangles vertices of most neighbours are taken one at a time, of the others trianglesAtOnce.
const (
	heavyTriangles  = 1 << 18
	trianglesAtOnce = 64
)

// How much a plan must cost, in candidates an edge of its label, for its triangles being counted by triples of neighbours. On an H200, directed R-MAT
// graphs cost 12 to 17, where a count takes a tenth of what joining does, and no longer where the lists are to be made. Of edges that lead both ways,
// which could be counted in neighbourhoods, graphs A and B cost 21 and take four times as long by triples; R-MAT graphs cost 36 and 44 and take a quarter
// and an eighth of the time, but for the first count, which makes the lists and takes 1.5 to 2 times as long.
const (
	triplePrice         = 8
	neighbourhoodsPrice = 28 // of triples instead of neighbourhoods
)

// paysTriples reports whether triangles are counted by triples rather than joined or counted in neighbourhoods.
func (d *Device) paysTriples(m *match.Match, s *shape, options *Options) bool {
	price := float64(triplePrice)
	switch {
	case options.TriplesFirst:
		return true
	case options.AnyCost:
		return s.Dense == nil
	case s.Dense != nil:
		price = neighbourhoodsPrice
	}
	return m.Plan.Cost >= price*float64(m.Graph.Outline(s.Triangle.Label, pcsr.Out).Edges())
}

// countTriangles counts a cycle of three edges by triples of neighbours, in parts where the lists do not find room on the device (tripleparts.go);
// errNotDense where that is too little.
func (d *Device) countTriangles(ctx context.Context, m *match.Match, triangle *match.Triangle) (uint64, error) {
	q := &triangleCount{Triangle: triangle, match: m}
	return d.countPieces(ctx, m, q, &q.piecework)
}

// triangleCount is one count by triples of neighbours.
type triangleCount struct {
	*match.Triangle
	piecework
	match *match.Match
	lists *kernels.Triangles
	parts *hostTriples // where there is no room for the lists
}

func (q *triangleCount) ready(ctx context.Context, r *reading) (bytes int64, err error) {
	if !q.d.readsPages(q.match) {
		q.lists, err = r.triples(ctx, q.Label)
	}
	if err == nil && q.lists == nil {
		q.parts, err = r.tripleLists(ctx, q.Label, q.d.paysLists(q.match, match.PartitionKey{Label: q.Label, Direction: pcsr.Out}))
	}
	return imageBytes[kernels.Triangles](), err
}

// run counts.
func (q *triangleCount) run(ctx context.Context) (uint64, error) {
	if q.parts != nil {
		return q.countParts(ctx)
	}
	program := *q.lists
	q.fill(&program)
	program.Heavy = min(program.Vertices, uint32(q.d.options.heavyTriangles))
	program.OwnLists, program.Own, program.Span = program.Lists, program.To, math.MaxUint32
	if err := lay(&q.piecework, program); err != nil {
		return 0, err
	}
	state, err := q.launch(ctx, kernels.TriangleCount, q.d.triangleBlocks)
	if err != nil {
		return 0, err
	}
	if q.trace != nil {
		q.trace.Name(match.TriangleVariant)
	}
	return q.total(state, program.Loops, program.LoopOut, program.LoopIn, program.LoopBoth)
}

// fill puts in what does not depend on the lists.
func (q *triangleCount) fill(program *kernels.Triangles) {
	options := &q.d.options
	program.Slice, program.AtOnce = uint64(options.slice), trianglesAtOnce
	program.Room, program.Weights = uint32(options.triangleRoom), q.Weights
}

// total is what was counted, with what vertices with edges to themselves take part in.
func (q *triangleCount) total(state *kernels.State, loops, out, in, both uint64) (uint64, error) {
	n, carry := bits.Add64(state.Count, state.CountHigh<<32, 0)
	n, more := bits.Add64(n, q.Add(loops, out, in, both), 0)
	if carry+more+state.CountHigh>>32 != 0 {
		return 0, match.ErrTooMany
	}
	return n, nil
}

// triples makes the lists of a label that triangles are counted by, unless they are there; nil where there is no room, or the label is read in pages.
func (r *reading) triples(ctx context.Context, label pcsr.Label) (*kernels.Triangles, error) {
	keys := match.BothWays(label)
	if r.graph.Undirected(label) {
		keys = keys[:1]
	}
	return once(ctx, r, r.triangles, label, keys, func(at []kernels.Address) (*kernels.Triangles, error) {
		order, err := match.OrderVertices(ctx, r.graph, keys)
		if err != nil {
			return nil, err
		}
		q := &kernels.Triangles{Out: at[0], In: at[len(at)-1], Vertices: uint32(order.Count)}
		edges := int64(r.graph.Partition(label, pcsr.Out).Edges())
		if len(keys) == 1 {
			edges /= 2 // each is in one list alone
		}
		lists, entries := aligned(8*int64(order.Count)), aligned(4*edges)
		to, err := r.keep(2 * (lists + entries))
		if err != nil {
			return nil, err
		}
		for _, array := range []struct {
			at    *kernels.Address
			bytes int64
		}{{&q.Lists, lists}, {&q.Walks, lists}, {&q.To, entries}, {&q.Via, entries}} {
			*array.at = to
			to += kernels.Address(array.bytes)
		}
		return q, byOrder(r, order, keys, q, &q.Order, &q.Numbers, func(at kernels.Address) error {
			made, blocks := []kernels.Triangles{{}}, min(r.d.blocks, r.d.triangleBlocks)
			err := errors.Join(r.stream.Launch(kernels.TriangleFill, blocks, 0, at), r.stream.Launch(kernels.TriangleWalks, blocks, 0, at),
				r.stream.Download(kernels.Bytes(made), at), r.stream.Synchronize())
			*q = made[0]
			return err
		})
	})
}
