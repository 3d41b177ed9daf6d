package pcsr

import (
	"context"
	"sort"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// What is read of a mapped file is compared with its checksums when it is first read; where it is not what was written,
// the method panics with a *section.Damage. header, table and label sets are checked when the graph is opened. Each
// method that reads an array asks file.Unchecked, which is one branch that never changes once the file is whole.

// openChecked are the sections that Open reads.
var openChecked = []string{sectionHeader, sectionTable, sectionLabelSets}

// CheckAll compares the checksums of what has not been read yet, slowly, beside other work. From then on reading costs no
// checks. The error is section.ErrDamaged and names the file, or it is the context's.
func (g *Graph) CheckAll(ctx context.Context) error {
	if g.live != nil {
		return g.live.line.ground.CheckAll(ctx)
	}
	for _, part := range g.owned {
		if err := part.CheckAll(ctx); err != nil {
			return err
		}
	}
	if g.file == nil {
		return nil
	}
	return g.file.CheckAll(ctx)
}

// guard makes the methods of all that was read from a file check it.
func (g *Graph) guard(f *section.File) {
	g.signatures.file = f
	for i := range g.parts {
		g.parts[i][Out].file, g.parts[i][In].file = f, f
	}
	for d := range g.sets {
		g.sets[d].of.file, g.sets[d].labels.file = f, f
	}
}

// check checks all arrays.
func (p *Partition) check() {
	for _, array := range [][]uint32{p.index, p.vertices, p.offsets, p.neighbours} {
		section.Check(p.file, array)
	}
}

// Checked is the partition for who reads most of it: all of it is checked now, and nothing when it is read.
func (p *Partition) Checked() *Partition {
	if p.layer == Patched || !p.file.Unchecked() {
		return p
	}
	p.check()
	out := *p
	out.file = nil
	return &out
}

// Same reports whether two partitions are one, or one is the other Checked.
func (p *Partition) Same(q *Partition) bool {
	return p == q || p != nil && q != nil && len(p.neighbours) > 0 && len(p.neighbours) == len(q.neighbours) && &p.neighbours[0] == &q.neighbours[0] && p.patch == q.patch
}

// checkList checks the list of a row and the offsets that lead to it.
func (p *Partition) checkList(row int) {
	if p.offsets == nil {
		section.Check(p.file, p.neighbours[row:row+1])
		return
	}
	p.checkOffsets(row)
	if low, high := p.offsets[row], p.offsets[row+1]; low <= high && uint64(high) <= uint64(len(p.neighbours)) {
		section.Check(p.file, p.neighbours[low:high])
	}
}

func (p *Partition) checkOffsets(row int) { section.Check(p.file, p.offsets[row:row+2]) }

// checkIndex checks words of the row layer.
func (p *Partition) checkIndex(at uint64, words int) {
	section.Check(p.file, p.index[at:at+uint64(words)])
}

// searchVertices is searchFrom in the row vertices.
func (p *Partition) searchVertices(v Vertex) int {
	if !p.file.Unchecked() {
		return searchFrom(p.vertices, v)
	}
	return sort.Search(len(p.vertices), func(i int) bool {
		section.Check(p.file, p.vertices[i:i+1])
		return p.vertices[i] >= v
	})
}
