package gpu

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// layLinks translates lists of a step as device step k sees them.
func (j *join) layLinks(k int, lists []match.List) (links []kernels.Link, err error) {
	for i := range lists {
		link, err := j.link(k, &lists[i], len(lists) > 1)
		if err != nil {
			return nil, err
		}
		links = append(links, link)
	}
	if len(links) == 0 { // nothing to bind: one candidate
		links = append(links, kernels.Link{Kind: uint32(kernels.Numbers), Length: 1})
	}
	for i := range links {
		j.variants[k] += linkName(&links[i]) + " "
	}
	return links, nil
}

// bounds are those of a step as the device has them: high 0 for none.
func (j *join) bounds(k int, s *match.Step) (low, high uint32) {
	low, high = s.Low, s.High
	if high == dictionary.None {
		high = 0
	}
	if low != 0 || high != 0 {
		j.variants[k] += "range "
	}
	return low, high
}

// listColumns gives a link the columns for the lists of so many rows.
func (j *join) listColumns(l *kernels.Link, rows int64) (err error) {
	if l.Begin, err = j.lane.arena.take(8 * rows); err != nil {
		return err
	}
	l.Size, err = j.lane.arena.take(4 * rows)
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

// inImage reports whether a list is laid down beside the program, as it lies nowhere on the device.
func inImage(l *match.List) bool {
	return l.Kind == match.Set || l.Kind == match.Fixed && l.Link.Kind == bgp.AllEdgeLabels
}

// link translates one list; several says that the step has others.
func (j *join) link(k int, list *match.List, several bool) (kernels.Link, error) {
	if inImage(list) {
		return kernels.Link{Kind: uint32(kernels.List), ListAt: put(j.image, list.Members), Length: uint64(len(list.Members))}, nil
	}
	l := &list.Link
	out := kernels.Link{Direction: uint32(l.Dir)}
	var err error
	switch l.Kind {
	case bgp.Neighbours:
		if list.Kind == match.Fixed {
			return j.constant(l, several)
		}
		out.Kind = uint32(kernels.Neighbours)
		if out.From, err = j.operand(k, l.From); err != nil {
			return out, err
		}
		return j.withLabel(k, l, out, false)
	case bgp.Rows:
		if list.Kind == match.Rows {
			if f := list.Partition.Form(); f.Layer == pcsr.Range {
				return kernels.Link{Kind: uint32(kernels.Numbers), ListAt: uint64(f.Base), Length: uint64(f.Rows)}, nil
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
	entry, err := j.r.load(j.ctx, at, vertices)
	if err == nil && j.r.paged[at] != nil && out.Kind == uint32(kernels.Neighbours) {
		var v *view
		if v, err = j.r.view(at, entry); v != nil {
			out.Partition = v.at
		}
	}
	return out, err
}

// constant is N(from, label) as a list that is the same for every row: a range of numbers where the members are
// consecutive, and with a bitmap where they are many and others are tested against them.
func (j *join) constant(l *bgp.Link, several bool) (kernels.Link, error) {
	label, from := l.Label.Constant, l.From.Constant
	p := j.Graph.Partition(label, l.Dir)
	row, ok := p.Row(from)
	if !ok {
		return empty(), nil
	}
	list := p.List(row)
	n := uint64(len(list))
	if uint64(list[n-1]-list[0])+1 == n && !several {
		return kernels.Link{Kind: uint32(kernels.Numbers), ListAt: uint64(list[0]), Length: n}, nil
	}
	at, _ := j.r.place(label, l.Dir) // it has this list, so it is in use
	loaded, err := j.r.load(j.ctx, at, false)
	if err != nil {
		return kernels.Link{}, err
	}
	key := listKey{at, row}
	first, err := j.r.first(key, &loaded)
	if err != nil {
		return kernels.Link{}, err
	}
	out := kernels.Link{Kind: uint32(kernels.List), ListAt: loaded.Neighbours + 4*uint64(first), Length: n}
	if several && n > bitmapFrom && !j.d.options.noBitmaps {
		out.Bitmap, err = j.r.bitmap(key, out.ListAt, n)
	}
	return out, err
}

// bitmapFrom is the length from which a list that candidates are tested against gets a bitmap.
const bitmapFrom = 64
