package pcsr

import (
	"fmt"
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Option is a setting of Build and of a Writer.
type Option func(*settings)

type settings struct {
	typeLabel Label
	hasType   bool
	layer     Layer
	forced    bool
	disk      *section.Disk
}

// WithTypeLabel says which label is rdf:type.
func WithTypeLabel(l Label) Option {
	return func(s *settings) { s.typeLabel, s.hasType = l, true }
}

// OnDisk says where a Writer writes.
func OnDisk(disk *section.Disk) Option {
	return func(s *settings) { s.disk = disk }
}

// WithLayer forces one row layer on every partition that can have it, for comparison; a Range layer is used only
// where the row vertices are contiguous, whatever is asked.
func WithLayer(layer Layer) Option {
	return func(s *settings) { s.layer, s.forced = layer, true }
}

func newSettings(options []Option) settings {
	var s settings
	for _, o := range options {
		o(&s)
	}
	return s
}

// layerFor returns the row layer of a partition with these row vertices.
func (s *settings) layerFor(vertices []Vertex) Layer {
	if !s.forced || len(vertices) == 0 || s.layer >= layers {
		return chooseLayer(vertices)
	}
	if s.layer == Range && uint64(vertices[len(vertices)-1]-vertices[0])+1 != uint64(len(vertices)) {
		return chooseLayer(vertices)
	}
	return s.layer
}

// Build encodes edges in memory. vertices is the size of the ID space and labels the number of predicates; edges may
// come in any order and more than once. It is an error for an edge to be outside them.
func Build(vertices, labels int, edges []Edge, options ...Option) (*Graph, error) {
	s := newSettings(options)
	g, err := newGraph(vertices, labels, s)
	if err != nil {
		return nil, err
	}
	used := make([]Label, len(edges))
	for i, e := range edges {
		if uint64(e.From) >= uint64(vertices) || uint64(e.To) >= uint64(vertices) || uint64(e.Label) >= uint64(labels) {
			return nil, fmt.Errorf("pcsr: edge %d --%d--> %d is outside %d vertices and %d labels", e.From, e.Label, e.To, vertices, labels)
		}
		used[i] = e.Label
	}
	slices.Sort(used)
	used = slices.Compact(used)
	g.fill(s, used, splitKeys(used, edges))
	return g, g.checkInvariants()
}

// splitKeys gathers the keys of the edges of each label in use, in the order of the edges.
func splitKeys(used []Label, edges []Edge) [][]uint64 {
	find := Graph{used: used, slots: slotsOf(used)}
	keys := make([][]uint64, len(used))
	for _, e := range edges {
		i := find.slot(e.Label)
		keys[i] = append(keys[i], edgeKey(e.From, e.To))
	}
	return keys
}

func newGraph(vertices, labels int, s settings) (*Graph, error) {
	if vertices < 0 || labels < 0 || uint64(vertices) > math.MaxUint32 || labels > vertices {
		return nil, fmt.Errorf("pcsr: no graph has %d vertices and %d labels", vertices, labels)
	}
	if s.hasType && uint64(s.typeLabel) >= uint64(labels) {
		return nil, fmt.Errorf("pcsr: the type label %d is outside %d labels", s.typeLabel, labels)
	}
	return &Graph{vertices: vertices, labels: labels, typeLabel: s.typeLabel, hasType: s.hasType, facts: newFacts()}, nil
}

// edgeKey orders the edges of one label by from, then to.
func edgeKey(from, to Vertex) uint64 { return uint64(from)<<32 | uint64(to) }

// fill makes the partitions of the labels in use from the keys of their edges, several labels at a time, and then what
// is derived from them.
func (g *Graph) fill(s settings, used []Label, keys [][]uint64) {
	parts := make([][2]Partition, len(used))
	machine.Parallel(len(used), func(i int) {
		out := keys[i]
		slices.Sort(out)
		out = slices.Compact(out)
		in := make([]uint64, len(out))
		for j, k := range out {
			in[j] = k<<32 | k>>32
		}
		slices.Sort(in)
		parts[i] = [2]Partition{*s.partition(out), *s.partition(in)}
	})
	g.setParts(used, parts)
	g.derive(s)
}

// partition makes a partition of sorted distinct keys.
func (s *settings) partition(keys []uint64) *Partition {
	rows := 0
	for i, k := range keys {
		if i == 0 || k>>32 != keys[i-1]>>32 {
			rows++
		}
	}
	vertices := make([]Vertex, 0, rows)
	offsets := make([]uint32, 0, rows+1)
	neighbours := make([]Vertex, len(keys))
	for i, k := range keys {
		if i == 0 || k>>32 != keys[i-1]>>32 {
			vertices = append(vertices, Vertex(k>>32))
			offsets = append(offsets, uint32(i))
		}
		neighbours[i] = Vertex(k)
	}
	offsets = append(offsets, uint32(len(keys)))
	return newPartition(s.layerFor(vertices), vertices, offsets, neighbours)
}

// derive makes what follows from the partitions: label sets and signatures.
func (g *Graph) derive(s settings) {
	machine.Parallel(2, func(d int) { g.sets[d] = g.makeLabelSets(s, Direction(d)) })
	g.count().makeSignatures()
}
