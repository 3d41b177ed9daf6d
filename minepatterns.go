package rdfgpu

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/mine"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// counts reports whether what is looked for is numbers of patterns that are better counted as queries are. The processor counts motifs
// faster by closed forms and the time of making a graph than by joins.
func (o *MineOptions) counts() bool {
	sized := o.What == Triangles || o.What == Cliques && !o.Maximal && o.Size <= mine.MaxPattern || o.What == Motifs && o.Device == GPU && len(o.Classes) == 0
	return sized && o.Each == nil && o.Size >= 2
}

// counted counts patterns in the graph as the store has it, as queries are counted, on the device that suits; false where a graph has to be made:
// edges must be the triples of one predicate, all of which lead both ways, and none from a resource to itself.
func (m *miner) counted(s *Store) (done bool, err error) {
	mined := Mined{snapshot: m.snapshot}
	if mined.snapshot == nil {
		mined.snapshot = s.live.Snapshot()
		defer mined.snapshot.Release()
	}
	fits := false
	err = section.Guard(func() (err error) {
		fits, err = m.survey(&mined)
		return err
	})
	switch {
	case err != nil:
		return false, err
	case fits:
		err = m.match(func(p mine.Pattern) (uint64, error) { return m.instances(s, &mined, p) })
		if m.Device != GPU && errors.Is(err, ErrTooMany) {
			return false, nil // embeddings, which are more than instances
		}
		return true, err
	case m.Device == GPU:
		return false, fmt.Errorf("%w: on the GPU edges are the triples of one predicate, which all lead both ways, and none from a resource to itself", ErrMineOptions)
	}
	return false, nil
}

// survey reports what the graph is, and whether its patterns can be counted where it is.
func (m *miner) survey(mined *Mined) (bool, error) {
	g, err := mined.graph(m.Graph)
	if err != nil {
		return false, err
	}
	labels, err := mined.predicates(g, m.Edges)
	if err != nil || len(labels) != 1 || !g.Undirected(labels[0]) || g.HasLoop(labels[0]) {
		return false, err
	}
	edges := g.Partition(labels[0], pcsr.Out)
	mined.Predicates = []string{mined.snapshot.Dictionary().Term(labels[0]).Value}
	m.report.of(mined, edges.Rows(), uint64(edges.Edges())/2)
	return true, nil
}

// match counts what is looked for by a function that counts the instances of a pattern.
func (m *miner) match(count func(mine.Pattern) (uint64, error)) error {
	if m.What == Motifs {
		supports, err := mine.MotifsBy(m.Size, m.Induced, count)
		m.patterns(supports)
		return err
	}
	n, err := count(mine.Clique(m.Size))
	if err == nil {
		m.cliquesFound(n)
	}
	return err
}

// instances is how many of a pattern there are.
func (m *miner) instances(s *Store, mined *Mined, p mine.Pattern) (uint64, error) {
	options := QueryOptions{Semantics: Isomorphism, Device: m.Device, CountOnly: true}
	if m.Graph != "" {
		options.DefaultGraphs = []string{m.Graph}
	}
	predicate := rdf.NewIRI(mined.Predicates[0])
	var text strings.Builder
	text.WriteString("SELECT * {")
	for i := range p.Size {
		for j := range i {
			if p.HasEdge(i, j) {
				fmt.Fprintf(&text, " ?v%d %s ?v%d .", j, predicate, i)
			}
		}
	}
	text.WriteString(" }")
	r, err := s.query(m.ctx, text.String(), options, mined.snapshot.Again)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	n, err := r.Count()
	return n / uint64(p.Automorphisms()), err
}
