package pcsr

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"

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
	each      int // keys that a goroutine sorts, about
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
	s := settings{each: keysEach}
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
	used, keys, err := splitKeys(vertices, labels, edges)
	if err != nil {
		return nil, err
	}
	return buildKeys(vertices, labels, used, keys, newSettings(options))
}

// BuildKeys is Build for edges that are there by label, for graphs of billions of them: keys[i], which it takes over, are the edges of label used[i], from<<32 | to, in any
// order. Labels ascend. Beside the keys, 8 bytes an edge, the graph, 8 bytes an edge and some for each row, grows to what it takes, and the most edges of a label take
// 8 bytes each once more.
func BuildKeys(vertices, labels int, used []Label, keys [][]uint64, options ...Option) (*Graph, error) {
	s := newSettings(options)
	for i, l := range used {
		if uint64(l) >= uint64(labels) || i > 0 && used[i-1] >= l {
			return nil, fmt.Errorf("pcsr: label %d is outside %d labels, or comes after itself", l, labels)
		}
		var outside atomic.Pointer[Edge]
		s.inParts(len(keys[i]), func(_, low, high int) {
			for _, k := range keys[i][low:high] {
				if k>>32 >= uint64(vertices) || k&noVertex >= uint64(vertices) {
					outside.Store(&Edge{From: Vertex(k >> 32), Label: l, To: Vertex(k)})
				}
			}
		})
		if e := outside.Load(); e != nil {
			return nil, outsideError(*e, vertices, labels)
		}
	}
	return buildKeys(vertices, labels, used, keys, s)
}

func outsideError(e Edge, vertices, labels int) error {
	return fmt.Errorf("pcsr: edge %d --%d--> %d is outside %d vertices and %d labels", e.From, e.Label, e.To, vertices, labels)
}

func buildKeys(vertices, labels int, used []Label, keys [][]uint64, s settings) (*Graph, error) {
	g, err := newGraph(vertices, labels, s)
	if err != nil {
		return nil, err
	}
	g.fill(s, used, keys)
	return g, g.checkInvariants()
}

// splitKeys gathers the keys of the edges of each label in use, which ascend, in the order of the edges.
func splitKeys(vertices, labels int, edges []Edge) (used []Label, keys [][]uint64, err error) {
	counts := map[Label]int{}
	for at := 0; at < len(edges); {
		first, from := edges[at].Label, at
		for ; at < len(edges) && edges[at].Label == first; at++ {
			if e := edges[at]; uint64(e.From) >= uint64(vertices) || uint64(e.To) >= uint64(vertices) || uint64(e.Label) >= uint64(labels) {
				return nil, nil, outsideError(e, vertices, labels)
			}
		}
		counts[first] += at - from
	}
	used = slices.Sorted(maps.Keys(counts))
	find := Graph{used: used, slots: slotsOf(used)}
	keys = make([][]uint64, len(used))
	for i, l := range used {
		keys[i] = make([]uint64, 0, counts[l])
	}
	for _, e := range edges {
		i := find.slot(e.Label)
		keys[i] = append(keys[i], edgeKey(e.From, e.To))
	}
	return used, keys, nil
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

// fill makes the partitions of the labels in use from the keys of their edges, those of many edges on all cores in turn and then the others side by side, and then what
// is derived from them.
func (g *Graph) fill(s settings, used []Label, keys [][]uint64) {
	parts := make([][2]Partition, len(used))
	order := make([]int, len(used))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(len(keys[b]), len(keys[a])) })
	many := 0
	for by := (keySorter{each: s.each}); many < len(order) && by.parts(len(keys[order[many]])) > 1; many++ {
		i := order[many]
		parts[i] = s.bothWays(&by, keys[i])
		keys[i] = nil
	}
	machine.Parallel(len(order)-many, func(n int) {
		i := order[many+n]
		parts[i] = s.bothWays(&keySorter{}, keys[i])
		keys[i] = nil
	})
	g.setParts(used, parts)
	g.derive(s)
}

// keysEach is about how many keys a goroutine sorts.
const keysEach = 1 << 16

// bothWays makes the partitions of a label from the keys of its edges, whose memory it takes over.
func (s *settings) bothWays(by *keySorter, keys []uint64) (parts [2]Partition) {
	keys = by.sort(keys, nil)
	parts[Out] = *s.partition(keys)
	s.inParts(len(keys), func(_, low, high int) {
		for i, k := range keys[low:high] {
			keys[low+i] = k<<32 | k>>32
		}
	})
	parts[In] = *s.partition(by.sortUpper(keys, 32))
	return parts
}

// partition makes a partition of sorted distinct keys.
func (s *settings) partition(keys []uint64) *Partition {
	begins := func(i int) bool { return i == 0 || keys[i]>>32 != keys[i-1]>>32 }
	first := make([]int, partsOf(len(keys), s.each)+1) // row that begins in each part, or behind it
	s.inParts(len(keys), func(part, low, high int) {
		for i := low; i < high; i++ {
			first[part+1] += oneIf(begins(i))
		}
	})
	for part := 1; part < len(first); part++ {
		first[part] += first[part-1]
	}
	rows := first[len(first)-1]
	vertices, offsets, neighbours := machine.Uncleared[Vertex](rows), machine.Uncleared[uint32](rows+1), machine.Uncleared[Vertex](len(keys))
	s.inParts(len(keys), func(part, low, high int) {
		row := first[part]
		for i := low; i < high; i++ {
			if begins(i) {
				vertices[row], offsets[row] = Vertex(keys[i]>>32), uint32(i)
				row++
			}
			neighbours[i] = Vertex(keys[i])
		}
	})
	offsets[rows] = uint32(len(keys))
	return newPartition(s.layerFor(vertices), vertices, offsets, neighbours)
}

// inParts has goroutines do the parts of n keys.
func (s *settings) inParts(n int, do func(part, low, high int)) {
	parts := partsOf(n, s.each)
	machine.Parallel(parts, func(i int) { do(i, n*i/parts, n*(i+1)/parts) })
}

// derive makes what follows from the partitions: label sets and signatures.
func (g *Graph) derive(s settings) {
	machine.Parallel(2, func(d int) { g.sets[d] = g.makeLabelSets(s, Direction(d)) })
	g.count().makeSignatures()
}
