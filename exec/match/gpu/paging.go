package gpu

import (
	"math"
	"sort"

	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// paging is how a partition is cut into pages that is larger than what the device has left: ranges of rows whose lists, with where they
// begin, fit a buffer of the page cache. The whole of it lies in pinned host memory too, where what is not on the device is read.
type paging struct {
	// starts are the pages' first rows, and behind them the number of rows; pageOf is u32[], the first page of each 1<<shift rows,
	// on the device.
	starts []uint32
	pageOf kernels.Address
	shift  uint
	// offsets and neighbours lie in pinned host memory; offsets is nil where each row has one neighbour.
	offsets, neighbours []uint32
	// flatOffsets and flatNeighbours are where kernels find them; offsetsResident: the former are on the device.
	flatOffsets, flatNeighbours kernels.Address
	offsetsResident             bool

	// What follows is under pageCache.mu.
	buffers []*buffer // by page; nil where it is not on the device
	heat    []heat
}

// heat is how much a page was wanted: rows that have a list in it, those of now and half as many of those of halfLife times before, as of a time
// (GAMMA's access heat, section 5.1.3, with a weight for the past that does not grow). Steps of many queries in turn are such times.
type heat struct {
	rows float64
	when uint64
}

func (h heat) at(now uint64) float64 { return h.rows * math.Exp2(-float64(now-h.when)/halfLife) }

// halfLife is after how many steps that wanted pages a page is wanted half as much.
const halfLife = 16

// granulesPerPage is about how many granules, the rows that have one entry in pageOf, make a page.
const granulesPerPage = 32

// cut cuts the lists of a partition into pages of up to so many bytes. A list that is longer makes a page that is never on the device.
func (p *paging) cut(a pcsr.Arrays, bytes int64) (pageOf []uint32) {
	p.offsets, p.neighbours = a.Offsets, a.Neighbours
	each := max(p.rowBytes(0, a.Rows)/max(int64(a.Rows), 1), 1)
	for p.shift < 16 && each<<(p.shift+1)*granulesPerPage <= bytes {
		p.shift++
	}
	for first := uint32(0); first < a.Rows; {
		p.starts = append(p.starts, first)
		fits := func(i int) bool { return p.rowBytes(first, first+1+uint32(i)) > bytes }
		first += max(uint32(sort.Search(int(a.Rows-first), fits)), 1)
		for uint64(len(pageOf))<<p.shift < uint64(first) {
			pageOf = append(pageOf, uint32(len(p.starts)-1))
		}
	}
	p.buffers, p.heat = make([]*buffer, len(p.starts)), make([]heat, len(p.starts))
	p.starts = append(p.starts, a.Rows)
	return pageOf
}

// rowBytes bounds what the rows from first to below end take in a buffer: the lists and, where that is not on the device anyway, where they
// begin. Lists are read in quads of 16 bytes.
func (p *paging) rowBytes(first, end uint32) int64 {
	switch {
	case p.offsets == nil:
		return 4*int64(end-first) + 32
	case p.offsetsResident:
		return 4*int64(p.offsets[end]-p.offsets[first]) + 32
	}
	return 4*int64(end-first+1) + 4*int64(p.offsets[end]-p.offsets[first]) + 48
}

// offsetsInPages reports whether a page is needed to tell how long a list in it is.
func (p *paging) offsetsInPages() bool { return p.offsets != nil && !p.offsetsResident }

func (p *paging) pages() int { return len(p.starts) - 1 }

// bytes is what a page takes in a buffer.
func (p *paging) bytes(page int) int64 { return p.rowBytes(p.starts[page], p.starts[page+1]) }

// flat is a page that is read where it lies in host memory.
func (p *paging) flat(page int) kernels.Page {
	return kernels.Page{Offsets: p.flatOffsets, Neighbours: p.flatNeighbours, End: p.starts[page+1]}
}

// inBuffer is a page that lies in a buffer.
func (p *paging) inBuffer(page int, at kernels.Address) kernels.Page {
	first, end := p.starts[page], p.starts[page+1]
	if p.offsets == nil {
		return kernels.Page{Neighbours: at - 4*kernels.Address(first), End: end}
	}
	out := kernels.Page{Offsets: p.flatOffsets, End: end}
	lists := at
	if !p.offsetsResident {
		out.Offsets = at - 4*kernels.Address(first)
		lists = at + kernels.Address(quads(4*int64(end-first+1)))
	}
	out.Neighbours = lists - 4*kernels.Address(p.offsets[first])
	return out
}

// quads rounds up to 16 bytes.
func quads(bytes int64) int64 { return (bytes + 15) &^ 15 }

// send begins to copy a page into a buffer and returns how many bytes that are.
func (p *paging) send(s kernels.Stream, page int, at kernels.Address) (int64, error) {
	first, end := p.starts[page], p.starts[page+1]
	lists, sent := p.neighbours, int64(0)
	if p.offsets == nil {
		lists = lists[first:end]
	} else {
		lists = lists[p.offsets[first]:p.offsets[end]]
		if !p.offsetsResident {
			where := kernels.Bytes(p.offsets[first : end+1])
			if err := s.Upload(at, where); err != nil {
				return 0, err
			}
			at += kernels.Address(quads(int64(len(where))))
			sent = int64(len(where))
		}
	}
	return sent + int64(4*len(lists)), s.Upload(at, kernels.Bytes(lists))
}
