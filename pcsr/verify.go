package pcsr

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Verify reads the whole graph and checks everything that the format promises: the checksums of the file, row layers,
// order and range of every list, the same edges in both directions, and what is derived against the partitions.
func (g *Graph) Verify() error {
	switch {
	case g.over != nil:
		return g.over.verify(g)
	case g.live != nil:
		return g.verifyLive()
	}
	if g.file != nil {
		if err := g.file.Verify(); err != nil {
			return fmt.Errorf("pcsr: %w", err)
		}
	}
	if err := section.Guard(g.verify); err != nil {
		if g.file != nil && !errors.Is(err, section.ErrDamaged) {
			err = g.file.Damaged("%w", err)
		}
		return fmt.Errorf("pcsr: %w", err)
	}
	return nil
}

// checkInvariants is Verify in programs built with the tag "invariants", and nothing otherwise.
func (g *Graph) checkInvariants() error {
	if !invariants {
		return nil
	}
	return g.Verify()
}

func (g *Graph) verify() error {
	errs := make([]error, len(g.parts))
	machine.Parallel(len(g.parts), func(i int) {
		if err := g.verifyLabel(i); err != nil {
			errs[i] = fmt.Errorf("label %d %w", g.used[i], err)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return g.verifyDerived()
}

// verifyLabel checks both partitions of g.used[i].
func (g *Graph) verifyLabel(i int) error {
	parts := &g.parts[i]
	hashes, err := g.verifyParts([2]*Partition{&parts[Out], &parts[In]})
	if err != nil {
		return err
	}
	for d := range hashes {
		if g.records != nil && hashes[d] != g.records[2*i+d].hash {
			return fmt.Errorf("%v: the edges are not those that were written", Direction(d))
		}
	}
	return nil
}

// verifyParts checks the partitions of a label and returns the hashes of their edges.
func (g *Graph) verifyParts(parts [2]*Partition) (hashes [2]uint64, err error) {
	for d, p := range parts {
		if err := p.verify(g.vertices, g.vertices); err != nil {
			return hashes, fmt.Errorf("%v: %w", Direction(d), err)
		}
		for v, list := range p.Lists() {
			for _, w := range list {
				hashes[d] += keyHash(Direction(d), v, w)
			}
		}
	}
	if hashes[Out] != hashes[In] || parts[Out].Edges() != parts[In].Edges() {
		return hashes, errors.New("has other edges out than in")
	}
	return hashes, nil
}

// verify checks a partition whose row vertices are below vertices and whose neighbours are below neighbours.
func (p *Partition) verify(vertices, neighbours int) error {
	if p.layer != Patched {
		if err := p.checkShape(); p.rows > 0 && err != nil {
			return err
		}
		p.check()
	}
	if err := p.verifyRows(vertices); err != nil {
		return err
	}
	if err := p.verifyOffsets(); err != nil {
		return err
	}
	for row := range int(p.rows) {
		list := p.List(row)
		for i, w := range list {
			if uint64(w) >= uint64(neighbours) || i > 0 && w <= list[i-1] {
				return fmt.Errorf("row %d: neighbour %d is out of order or out of range", row, w)
			}
		}
	}
	return nil
}

// verifyRows checks that the row layer finds exactly the row vertices, in order.
func (p *Partition) verifyRows(vertices int) error {
	row, last := 0, Vertex(0)
	for v := range p.RowVertices() {
		if uint64(v) >= uint64(vertices) || row > 0 && v <= last {
			return fmt.Errorf("row vertex %d is out of order or out of range", v)
		}
		if r, ok := p.Row(v); !ok || r != row {
			return fmt.Errorf("row vertex %d is found in row %d, not in row %d", v, r, row)
		}
		row, last = row+1, v
	}
	if row != int(p.rows) {
		return fmt.Errorf("it has %d row vertices for %d rows", row, p.rows)
	}
	if p.layer == Patched {
		return p.patch.verify()
	}
	if p.rows == 0 {
		return nil
	}
	// The vertices are in order and in range: the index that belongs to them can be made again.
	index, probes := buildLayer(p.layer, p.AppendVertices(nil, 0, int(p.rows)))
	if !slices.Equal(index, p.index) || probes != p.probes {
		return fmt.Errorf("its %v index is not that of its row vertices", p.layer)
	}
	return nil
}

func (p *Partition) verifyOffsets() error {
	if p.offsets == nil {
		return nil
	}
	for i, o := range p.offsets {
		if i == 0 && o != 0 || i > 0 && o <= p.offsets[i-1] {
			return fmt.Errorf("the offset of row %d is out of order", i)
		}
	}
	if last := p.offsets[p.rows]; uint64(last) != uint64(len(p.neighbours)) {
		return fmt.Errorf("its offsets end at %d of %d edges", last, len(p.neighbours))
	}
	return nil
}

// verifyDerived derives everything again and compares.
func (g *Graph) verifyDerived() error {
	fresh := &Graph{vertices: g.vertices, labels: g.labels, edges: g.edges, typeLabel: g.typeLabel, hasType: g.hasType}
	fresh.slots, fresh.parts, fresh.used = g.slots, g.parts, g.used
	fresh.derive(settings{})
	for d := range g.sets {
		got, want := &g.sets[d], &fresh.sets[d]
		if err := got.of.verify(g.vertices, want.labels.Rows()); err != nil {
			return fmt.Errorf("label sets %v: %w", Direction(d), err)
		}
		if err := got.labels.verify(want.labels.Rows(), g.labels); err != nil {
			return fmt.Errorf("label sets %v: %w", Direction(d), err)
		}
		if !sameLists(&got.of, &want.of) || !sameLists(&got.labels, &want.labels) {
			return fmt.Errorf("label sets %v: they are not those of the partitions", Direction(d))
		}
	}
	arrays := fresh.derivedArrays()
	for i, a := range g.derivedArrays() {
		if !slices.Equal(*a.words, *arrays[i].words) {
			return fmt.Errorf("the section %q is not that of the partitions", a.name)
		}
	}
	t, u := &g.signatures, &fresh.signatures
	if t.base != u.base || t.rows != u.rows || t.words != u.words || t.stride != u.stride {
		return errors.New("the shape of the signature table is not that of the partitions")
	}
	return nil
}

// sameLists reports whether two verified partitions hold the same edges.
func sameLists(a, b *Partition) bool {
	return a.rows == b.rows && slices.Equal(a.neighbours, b.neighbours) && slices.Equal(a.offsets, b.offsets) &&
		slices.Equal(a.AppendVertices(nil, 0, int(a.rows)), b.AppendVertices(nil, 0, int(b.rows)))
}
