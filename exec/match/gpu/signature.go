package gpu

import (
	"errors"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// signatureOf is the signature that a step's candidates are tested against: the plan's, or with tuning.signatures one
// made of all edges of the query vertex.
func (j *join) signatureOf(k int) pcsr.Signature {
	planned := j.steps[k].Plan.Signature
	if !planned.IsZero() || !j.d.options.signatures || j.slot(k) == match.NoSlot {
		return planned
	}
	vertex, q := j.Plan.Slots[j.slot(k)].Vertex, j.Plan.Query
	if vertex < 0 || q == nil || q.Vertices[vertex].EdgeLabel {
		return planned
	}
	var edges []pcsr.KnownEdge
	for _, e := range q.Edges {
		if e.LabelVertex >= 0 {
			continue
		}
		if e.From == vertex {
			edges = append(edges, knownEdge(q, e.Label, pcsr.Out, e.To))
		}
		if e.To == vertex {
			edges = append(edges, knownEdge(q, e.Label, pcsr.In, e.From))
		}
	}
	return j.Graph.Signatures().Encode(edges, q.Vertices[vertex].Classes)
}

func knownEdge(q *bgp.QueryGraph, l pcsr.Label, dir pcsr.Direction, neighbour int) pcsr.KnownEdge {
	e := pcsr.KnownEdge{Side: pcsr.Side{Label: l, Dir: dir}}
	e.Classes = append(e.Classes, q.Vertices[neighbour].Classes...)
	return e
}

// copyColumns brings the signature table to the device.
func (r *resident) copyColumns(table *pcsr.SignatureTable) (err error) {
	p := r.d.partitions
	p.work.Lock()
	defer p.work.Unlock()
	r.columns, err = p.copyWords(&r.storage, table.Columns())
	return err
}

// mostSignatures is the number of signatures whose bitmaps are kept.
const mostSignatures = 64

// filter returns the bitmap of the vertices that pass a signature, or 0 where there is no room for one, or updates have changed the
// graph: a signature only saves work.
func (r *resident) filter(s pcsr.Signature) (kernels.Address, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.filters[s]; ok {
		return at, nil
	}
	table := r.graph.Signatures()
	if table.Rows() == 0 || r.graph.Patched() || len(r.filters) >= mostSignatures {
		return 0, nil
	}
	if r.columns == 0 {
		if err := r.copyColumns(table); err != nil {
			return 0, err
		}
	}
	vertices := uint64(r.graph.Vertices())
	at, err := r.d.memory.take(int64(vertices+31)/32*4, r.d.memory.limit/4)
	if errors.Is(err, ErrOutOfMemory) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	r.kept = append(r.kept, at)
	base := uint64(table.Base())
	if s.Subject {
		base |= 1 << 32
	}
	blocks := min(uint64(r.d.blocks), vertices/kernels.Block+1)
	err = r.stream.Launch(kernels.Filter, int(blocks), 0, r.columns, uint64(table.Stride()), base, uint64(table.Rows()), vertices, at,
		uint64(s.Words[0])|uint64(s.Words[1])<<32, uint64(s.Words[2])|uint64(s.Words[3])<<32)
	if err == nil {
		err = r.stream.Synchronize()
	}
	if err != nil {
		return 0, err
	}
	r.filters[s] = at
	return at, nil
}
