package pcsr

import (
	"math"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Identity says which rows and lists a partition has: those of two partitions are the same where these are equal. It can be
// compared, and be the key of a map; what it is of in memory stays there as long as it does.
type Identity struct {
	place section.Place // in a file
	first *Vertex       // of arrays in memory
	patch *patch
}

// Identity is that of the partition. It is the same for one part of a file, by whichever graph that has it open, and for all
// graphs that Change made between which nothing was changed in the partition.
func (p *Partition) Identity() Identity {
	switch {
	case p.layer == Patched:
		return Identity{patch: p.patch}
	case p.rows == 0 || len(p.neighbours) == 0:
		return Identity{}
	}
	if at, ok := p.file.Place(p.neighbours); ok {
		return Identity{place: at}
	}
	return Identity{first: &p.neighbours[0]}
}

// InFile reports whether the identity is of a part of a file, which other graphs may have.
func (i Identity) InFile() bool { return i.place != section.Place{} }

// Ground is the partition of arrays that a Patched one differs little from; another is its own.
func (p *Partition) Ground() *Partition { return p.ground() }

// Ground is the graph that Change began with, or the graph itself where Change did not make it.
func (g *Graph) Ground() *Graph {
	if g.live != nil {
		return g.live.line.ground
	}
	return g
}

// Form is what can be told of a partition's Arrays without having them.
type Form struct {
	Layer       Layer
	Base        Vertex
	Rows, Edges uint32
	// Words is the length of the index.
	Words uint32
	// Single: there are no offsets.
	Single bool
}

// Form is that of the Arrays. It takes next to no time, also for a Patched partition.
func (p *Partition) Form() Form {
	f := Form{
		Layer: p.layer, Base: p.base, Rows: p.rows, Edges: uint32(min(p.Edges(), math.MaxUint32)), Words: uint32(len(p.index)),
		Single: p.offsets == nil,
	}
	if p.layer != Patched {
		return f
	}
	f.Layer, f.Single = Range, p.Single()
	if p.rows == 0 {
		return f
	}
	last := p.Vertex(int(p.rows) - 1)
	f.Base = p.Vertex(0)
	f.Layer = layerOf(int(p.rows), f.Base, last)
	switch f.Layer {
	case Bitmap:
		f.Words = uint32(bitmapWords(uint64(last-f.Base) + 1))
	case Hash:
		f.Words = hashBuckets(int(p.rows)) * bucketWords
	}
	return f
}

// Edits are what makes the lists of one partition those of another.
type Edits struct {
	// Rows are those that differ, ascending.
	Rows []EditedRow
	// Neighbours are those that came and that went, row by row and ascending in each; Came says which they are.
	Neighbours []Vertex
	Came       []bool
}

// EditedRow is a row that differs.
type EditedRow struct {
	Vertex Vertex
	// Before is how many rows of the first partition have a lower vertex.
	Before uint32
	// Was and Is say whether the first partition has the row, and the second.
	Was, Is bool
	// End is the number of Neighbours in all rows up to this one.
	End uint32
}

// EditsFrom returns what makes the lists of another partition this one's, in time in proportion to that; ok is false where the two
// have not the same Ground.
func (p *Partition) EditsFrom(from *Partition) (e Edits, ok bool) {
	if p.ground() != from.ground() {
		return Edits{}, false
	}
	for row := range patchDifferences(from, p) {
		before, was := from.Row(row.v)
		if !was {
			before = from.RowFrom(row.v)
		}
		e.merge(row.came, row.went)
		e.Rows = append(e.Rows, EditedRow{
			Vertex: row.v, Before: uint32(before), Was: was, Is: p.Has(row.v), End: uint32(len(e.Neighbours)),
		})
	}
	return e, true
}

// merge appends what came and what went, ascending keys of which the lower half counts.
func (e *Edits) merge(came, went []uint64) {
	for len(came)+len(went) > 0 {
		next, isCame := &went, false
		if len(went) == 0 || len(came) > 0 && Vertex(came[0]) < Vertex(went[0]) {
			next, isCame = &came, true
		}
		e.Neighbours, e.Came = append(e.Neighbours, Vertex((*next)[0])), append(e.Came, isCame)
		*next = (*next)[1:]
	}
}
