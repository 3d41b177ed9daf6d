package gpu

import (
	"fmt"
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// layLinks translates the lists of a step as device step k sees them: links, classes, the candidate set. Ranges of
// numbers beside other lists become bounds: low ≤ candidate < high, high 0 for none.
func (j *join) layLinks(k int, s *bgp.Step) (links []kernels.Link, low, high uint32, err error) {
	several := len(s.Links)+len(s.Classes) > 1 || s.Candidates != nil && len(s.Links)+len(s.Classes) > 0
	for i := range s.Links {
		link, err := j.link(k, &s.Links[i], several)
		if err != nil {
			return nil, 0, 0, err
		}
		links = append(links, link)
	}
	for _, class := range s.Classes {
		link, err := j.class(class, several)
		if err != nil {
			return nil, 0, 0, err
		}
		links = append(links, link)
	}
	if s.Candidates != nil {
		set := candidatesBelow(s.Candidates, j.graph.Vertices())
		links = append(links, kernels.Link{Kind: uint32(kernels.List), ListAt: put(j.image, set), Length: uint64(len(set))})
	}
	if len(links) == 0 { // nothing to bind: one candidate
		links = append(links, kernels.Link{Kind: uint32(kernels.Numbers), Length: 1})
	}
	links, low, high = foldRanges(links, s.Low, s.High)
	for i := range links {
		j.variants[k] += linkName(&links[i]) + " "
	}
	if low != 0 || high != 0 {
		j.variants[k] += "range "
	}
	return links, low, high, nil
}

// foldRanges makes bounds of the ranges of numbers among the links, where another list is left.
func foldRanges(links []kernels.Link, low, high uint32) ([]kernels.Link, uint32, uint32) {
	for i := 0; i < len(links) && len(links) > 1; {
		l := links[i]
		if kernels.LinkKind(l.Kind) != kernels.Numbers || l.Length == 0 || l.ListAt+l.Length > math.MaxUint32 {
			i++
			continue
		}
		low = max(low, uint32(l.ListAt))
		if end := uint32(l.ListAt + l.Length); high == 0 || end < high {
			high = end
		}
		links = slices.Delete(links, i, i+1)
	}
	return links, low, high
}

// listColumns gives a link the columns for each row's list.
func (j *join) listColumns(l *kernels.Link) (err error) {
	if l.Begin, err = j.lane.arena.take(8 * j.capacity); err != nil {
		return err
	}
	l.Size, err = j.lane.arena.take(4 * j.capacity)
	return err
}

func linkName(l *kernels.Link) string {
	switch kind := kernels.LinkKind(l.Kind); {
	case kind == kernels.List && l.Bitmap != 0:
		return "bitmap"
	case kind == kernels.List:
		return "list"
	case kind == kernels.Numbers:
		return "range"
	case kind == kernels.Rows:
		return "rows"
	case kind == kernels.EdgeLabels:
		return "labels"
	}
	return "N"
}

func empty() kernels.Link { return kernels.Link{Kind: uint32(kernels.Numbers)} }

// link translates one link.
func (j *join) link(k int, l *bgp.Link, several bool) (kernels.Link, error) {
	out := kernels.Link{Direction: uint32(l.Dir)}
	var err error
	switch l.Kind {
	case bgp.Neighbours:
		if l.From.IsConstant() && l.Label.IsConstant() {
			return j.constant(l.Label.Constant, l.Dir, l.From.Constant, several)
		}
		out.Kind = uint32(kernels.Neighbours)
		if out.From, err = j.operand(k, l.From); err != nil {
			return out, err
		}
		return j.withLabel(k, l, out, false)
	case bgp.Rows:
		if l.Label.IsConstant() {
			if a := j.graph.Partition(l.Label.Constant, l.Dir).Arrays(); a.Layer == pcsr.Range {
				return kernels.Link{Kind: uint32(kernels.Numbers), ListAt: uint64(a.Base), Length: uint64(a.Rows)}, nil
			}
		}
		out.Kind = uint32(kernels.Rows)
		return j.withLabel(k, l, out, true)
	case bgp.EdgeLabels:
		out.Kind = uint32(kernels.EdgeLabels)
		if out.From, err = j.operand(k, l.From); err != nil {
			return out, err
		}
		return out, j.r.labelSets(j.ctx)
	case bgp.AllEdgeLabels:
		labels := j.graph.UsedLabels()
		return kernels.Link{Kind: uint32(kernels.List), ListAt: put(j.image, labels), Length: uint64(len(labels))}, nil
	case bgp.AllVertices:
		out.Kind = uint32(kernels.Rows)
		at := j.r.incident(l.Dir)
		out.Partition = j.r.address(at)
		_, err := j.r.load(j.ctx, at, true)
		return out, err
	}
	return out, fmt.Errorf("gpu: the plan has a link of unknown kind %d", l.Kind)
}

// withLabel completes a link that reads a partition.
func (j *join) withLabel(k int, l *bgp.Link, out kernels.Link, vertices bool) (_ kernels.Link, err error) {
	if !l.Label.IsConstant() {
		if out.Label, err = j.operand(k, l.Label); err != nil {
			return out, err
		}
		return out, j.r.all(j.ctx)
	}
	at, used := j.r.place(l.Label.Constant, l.Dir)
	if !used {
		return empty(), nil
	}
	out.Partition = j.r.address(at)
	_, err = j.r.load(j.ctx, at, vertices)
	return out, err
}

// class is the list of a class's members.
func (j *join) class(class dictionary.ID, several bool) (kernels.Link, error) {
	label, ok := j.graph.TypeLabel()
	if !ok {
		return empty(), nil
	}
	return j.constant(label, pcsr.In, class, several)
}

// constant is N(from, label) as a list that is the same for every row: a range of numbers where the members are
// consecutive, and with a bitmap where they are many and others are tested against them.
func (j *join) constant(label pcsr.Label, dir pcsr.Direction, from dictionary.ID, several bool) (kernels.Link, error) {
	p := j.graph.Partition(label, dir)
	row, ok := p.Row(from)
	if !ok {
		return empty(), nil
	}
	list := p.List(row)
	n := uint64(len(list))
	if n == 0 {
		return empty(), nil
	}
	if uint64(list[n-1]-list[0])+1 == n && !(several && j.d.options.NoClassCuts) {
		return kernels.Link{Kind: uint32(kernels.Numbers), ListAt: uint64(list[0]), Length: n}, nil
	}
	at, _ := j.r.place(label, dir) // it has this list, so it is in use
	loaded, err := j.r.load(j.ctx, at, false)
	if err != nil {
		return kernels.Link{}, err
	}
	first := uint64(row)
	if loaded.arrays.Offsets != nil {
		first = uint64(loaded.arrays.Offsets[row])
	}
	out := kernels.Link{Kind: uint32(kernels.List), ListAt: loaded.entry.Neighbours + 4*first, Length: n}
	if several && n > bitmapFrom && !j.d.options.NoBitmaps {
		out.Bitmap, err = j.r.bitmap(out.ListAt, n)
	}
	return out, err
}

// bitmapFrom is the length from which a list that candidates are tested against gets a bitmap.
const bitmapFrom = 64
