package rdfgpu

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/mine"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// closedMotif is the size of motifs that the processor counts faster by closed forms, and the time of making a graph, than as queries;
// with so many edges the GPU is faster than both, opening it included.
const (
	closedMotif      = 4
	deviceMotifEdges = 4 << 20
)

// counts reports whether what is looked for is numbers of patterns that may be counted as queries are.
func (o *MineOptions) counts() bool {
	sized := o.What == Triangles || o.What == Cliques && !o.Maximal && o.Size <= mine.MaxPattern || o.What == Motifs && len(o.Classes) == 0
	return sized && o.Each == nil && o.Size >= 2
}

// closes reports whether motifs are better counted by closed forms.
func (m *miner) closes(s *Store) bool {
	if m.What != Motifs || m.Size != closedMotif || m.Device == GPU {
		return false
	}
	device := cmp.Or(m.Device, s.options.Device)
	return device == CPU || device != GPU && (m.report.Edges < deviceMotifEdges || !s.Device().Available)
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
	case fits && m.closes(s):
		return false, nil
	case fits:
		err = m.match(func(p mine.Pattern) (uint64, error) { return m.homomorphisms(s, &mined, p) })
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

// match counts what is looked for by a function that counts the homomorphisms of a pattern.
func (m *miner) match(count func(mine.Pattern) (uint64, error)) error {
	if m.What == Motifs {
		asked, all := 0, len(mine.ConnectedPatterns(min(m.Size, mine.MaxMotif)))
		supports, err := mine.MotifsBy(m.Size, m.Induced, func(p mine.Pattern) (uint64, error) {
			if m.Progress != nil {
				m.Progress(MineProgress{"patterns", asked, all})
			}
			asked++
			return count(p)
		})
		m.patterns(supports)
		return err
	}
	clique := mine.Clique(m.Size)
	n, err := count(clique)
	if err == nil {
		m.cliquesFound(n / uint64(clique.Automorphisms()))
	}
	return err
}

// homomorphisms is how many of a pattern there are. Those of a clique are its embeddings.
func (m *miner) homomorphisms(s *Store, mined *Mined, p mine.Pattern) (uint64, error) {
	options := QueryOptions{Device: m.Device, CountOnly: true}
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
	return r.Count()
}
