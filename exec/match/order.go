package match

import (
	"context"
	"math"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// PartitionKey names a partition of a graph.
type PartitionKey struct {
	Label     pcsr.Label
	Direction pcsr.Direction
}

// BothWays names the partitions of a label.
func BothWays(label pcsr.Label) []PartitionKey {
	return []PartitionKey{{label, pcsr.Out}, {label, pcsr.In}}
}

// mostListed bounds the edges of partitions whose lists are written anew, with places of 32 bits.
const mostListed = math.MaxUint32

// VertexOrder numbers the vertices that have neighbours in some partitions, from 0: those of more neighbours in all of them higher.
type VertexOrder struct {
	// Numbers are by vertex, and without a meaning for those that have no neighbours; Count is how many of the others there are.
	Numbers []uint32
	Count   int
}

// stopVertices is how many vertices are numbered between two looks at the context.
const stopVertices = 1 << 16

// OrderVertices numbers the vertices of partitions. It takes 4 bytes for each vertex of the graph, and as much for each number of neighbours up to the
// largest. An error is the context's.
func OrderVertices(ctx context.Context, g *pcsr.Graph, keys []PartitionKey) (*VertexOrder, error) {
	degrees, largest, looked := make([]uint32, g.Vertices()), uint32(0), 0
	for _, key := range keys {
		for v, degree := range g.Partition(key.Label, key.Direction).Degrees() {
			if looked++; looked%stopVertices == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			degrees[v] += uint32(degree)
			largest = max(largest, degrees[v])
		}
	}
	o := &VertexOrder{Numbers: degrees} // a vertex's number takes its degree's place
	begins := make([]uint32, int(largest)+2)
	for _, degree := range degrees {
		if degree > 0 {
			begins[degree+1]++
			o.Count++
		}
	}
	for degree := 1; degree < len(begins); degree++ {
		begins[degree] += begins[degree-1]
	}
	for v, degree := range degrees {
		if v%stopVertices == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if degree > 0 {
			o.Numbers[v] = begins[degree]
			begins[degree]++
		}
	}
	return o, nil
}

// Vertices are those of the partitions that were numbered, by number.
func (o *VertexOrder) Vertices(g *pcsr.Graph, keys []PartitionKey) []pcsr.Vertex {
	vertices := make([]pcsr.Vertex, o.Count)
	for _, key := range keys {
		for v := range g.Partition(key.Label, key.Direction).RowVertices() {
			vertices[o.Numbers[v]] = v
		}
	}
	return vertices
}

// Offsets is where the lists of one of the partitions begin, one behind the other in the order of their vertices' numbers, and where the last ends.
func (o *VertexOrder) Offsets(part *pcsr.Partition) []uint32 {
	offsets := make([]uint32, o.Count+1)
	for v, degree := range part.Degrees() {
		offsets[o.Numbers[v]+1] = uint32(degree)
	}
	for v := range o.Count {
		offsets[v+1] += offsets[v]
	}
	return offsets
}
