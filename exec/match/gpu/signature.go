package gpu

import (
	"context"
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

// mostSignatures is the number of signatures whose bitmaps are kept for a graph.
const mostSignatures = 64

// filter returns the bitmap of the vertices that pass a signature, or 0 where there is no room for one: a signature only
// saves work.
func (r *reading) filter(ctx context.Context, s pcsr.Signature) (kernels.Address, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.filters[s]; ok {
		return at, nil
	}
	table := r.graph.Signatures()
	if table.Rows() == 0 || len(r.filters) >= mostSignatures {
		return 0, nil
	}
	at, err := r.d.memory.take(int64(r.graph.Vertices()+31)/32*4, r.d.memory.limit/4)
	if errors.Is(err, ErrOutOfMemory) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	r.kept = append(r.kept, at)
	if err := r.fill(ctx, at, table, s); err != nil {
		return 0, err
	}
	r.filters[s] = at
	return at, nil
}

// fill sets the bits of the vertices that pass a signature: those whose words have its bits, and those that were touched since the words
// were written.
func (r *reading) fill(ctx context.Context, bitmap kernels.Address, table *pcsr.SignatureTable, s pcsr.Signature) error {
	columns, err := r.d.partitions.columns(ctx, r.ground, table)
	if err != nil {
		return err
	}
	vertices, base := uint64(r.graph.Vertices()), uint64(table.Base())
	if s.Subject {
		base |= 1 << 32
	}
	blocks := min(uint64(r.d.blocks), vertices/kernels.Block+1)
	err = r.stream.Launch(kernels.Filter, int(blocks), 0, columns.entry.Neighbours, uint64(table.Stride()), base, uint64(table.Rows()), vertices, bitmap,
		uint64(s.Words[0])|uint64(s.Words[1])<<32, uint64(s.Words[2])|uint64(s.Words[3])<<32)
	if err == nil {
		err = r.markTouched(bitmap, table)
	}
	return errors.Join(err, r.stream.Synchronize(), r.d.partitions.letGo(columns))
}

// markTouched sets the bits of the vertices that pass every signature.
func (r *reading) markTouched(bitmap kernels.Address, table *pcsr.SignatureTable) error {
	var touched []pcsr.Vertex
	table.Touched(func(v pcsr.Vertex) {
		if int(v) < r.graph.Vertices() {
			touched = append(touched, v)
		}
	})
	if len(touched) == 0 {
		return nil
	}
	p, n := r.d.partitions, int64(len(touched))
	at, err := p.alloc(4*n, p.d.memory.take)
	if err != nil {
		return err
	}
	if err = r.stream.Upload(at, kernels.Bytes(touched)); err == nil {
		err = r.stream.Launch(kernels.Mark, int(min(int64(r.d.blocks), n/kernels.Block+1)), 0, at, uint64(n), bitmap)
	}
	return errors.Join(err, r.stream.Synchronize(), r.d.memory.give(at))
}

// columns holds the words of a signature table, and brings them to the device where they are not there.
func (p *partitions) columns(ctx context.Context, ground *pcsr.Graph, table *pcsr.SignatureTable) (*loaded, error) {
	words, identity := table.Stored()
	if l, _ := p.find(identity, false); l != nil {
		return l, nil
	}
	var l *loaded
	err := p.d.apart(ctx, func() (err error) {
		p.work.Lock()
		defer p.work.Unlock()
		l, err = p.bringColumns(ctx, ground, words, identity)
		return err
	}, func() error { return p.letGo(l) })
	if err != nil {
		return nil, err
	}
	return l, nil
}

// bringColumns is columns for who holds work.
func (p *partitions) bringColumns(ctx context.Context, ground *pcsr.Graph, words []uint32, identity pcsr.Identity) (*loaded, error) {
	if l, _ := p.find(identity, false); l != nil {
		return l, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := &loaded{identity: identity, ground: ground}
	var err error
	if l.entry.Neighbours, err = p.copyWords(&l.storage, words); err != nil {
		return nil, errors.Join(err, l.storage.release(p.d, p.d.memory.free))
	}
	return l, p.add(l)
}
