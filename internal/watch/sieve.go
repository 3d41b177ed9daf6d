package watch

import (
	"runtime"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// sieve drops of the edges of a label those whose ends are not of the classes that seeds need there, in one pass for all seeds and queries: the
// encoding of a vertex is the classes that it has of those that any seed asks for, and what a pair of encodings stands for is looked up.
type sieve struct {
	classes []dictionary.ID // ascending
	meshes  []*mesh
}

// mesh is what some seeds need: a bit for each class, at each end. The seeds share the edges that pass.
type mesh struct {
	needs    [2][]dictionary.ID // at the subject, at the object
	bits     [2]uint64
	seeds    []*seed
	from, to []dictionary.ID
}

// needs are the classes that other patterns demand of the ends of a seed's edge, ascending.
func (s *seed) needs(typeLabel pcsr.Label) (at [2][]dictionary.ID) {
	p := &s.leaf.node.Patterns[s.position]
	if typeLabel == wildcard {
		return at
	}
	for i, e := range s.leaf.edges {
		if i == s.position || e.Label != typeLabel || e.From != wildcard || e.To == wildcard {
			continue
		}
		for end, t := range [2]string{p.Subject.Variable, p.Object.Variable} {
			if t != "" && t == s.leaf.node.Patterns[i].Subject.Variable {
				at[end] = append(at[end], e.To)
			}
		}
	}
	for end := range at {
		slices.Sort(at[end])
	}
	return at
}

// add takes a seed whose classes are to be looked at; false where it needs none.
func (v *sieve) add(s *seed, typeLabel pcsr.Label) bool {
	needs := s.needs(typeLabel)
	if len(needs[0])+len(needs[1]) == 0 {
		return false
	}
	i := slices.IndexFunc(v.meshes, func(m *mesh) bool {
		return slices.Equal(m.needs[0], needs[0]) && slices.Equal(m.needs[1], needs[1])
	})
	if i < 0 {
		i = len(v.meshes)
		v.meshes = append(v.meshes, &mesh{needs: needs})
	}
	v.meshes[i].seeds = append(v.meshes[i].seeds, s)
	return true
}

// sift finds the edges that pass each mesh, in a graph.
func (v *sieve) sift(g *pcsr.Graph, typeLabel pcsr.Label, edges []pcsr.Edge) {
	v.chooseClasses()
	codes := v.encode(g, typeLabel, edges)
	passes := v.passes(codes.sets)
	n := shares(len(edges))
	parts := make([][]mesh, n)
	machine.Parallel(n, func(i int) {
		low, high := len(edges)*i/n, len(edges)*(i+1)/n
		parts[i] = v.sift1(codes, passes, edges[low:high])
	})
	v.gather(parts)
}

// gather puts together what passed in each part of the edges.
func (v *sieve) gather(parts [][]mesh) {
	starts := make([][]int, len(v.meshes)) // by part
	for i, m := range v.meshes {
		total := 0
		for _, part := range parts {
			starts[i] = append(starts[i], total)
			total += len(part[i].from)
		}
		m.from, m.to = machine.Uncleared[dictionary.ID](total), machine.Uncleared[dictionary.ID](total)
	}
	machine.Parallel(len(parts), func(k int) {
		for i, m := range v.meshes {
			copy(m.from[starts[i][k]:], parts[k][i].from)
			copy(m.to[starts[i][k]:], parts[k][i].to)
		}
	})
}

// siftedEdges are about as many as are worth a goroutine of their own.
const siftedEdges = 1 << 14

// shares is how many goroutines so many edges, or vertices, are worth.
func shares(n int) int { return min(runtime.GOMAXPROCS(0), n/siftedEdges+1) }

// chooseClasses numbers the classes. No more than there are bits are looked at.
func (v *sieve) chooseClasses() {
	for _, m := range v.meshes {
		v.classes = append(append(v.classes, m.needs[0]...), m.needs[1]...)
	}
	slices.Sort(v.classes)
	v.classes = slices.Compact(v.classes)
	v.classes = v.classes[:min(len(v.classes), 64)]
	for _, m := range v.meshes {
		for end, needs := range m.needs {
			m.bits[end] = v.bitsOf(needs)
		}
	}
}

// bitsOf has the bits of those of some classes that are looked at.
func (v *sieve) bitsOf(classes []dictionary.ID) (set uint64) {
	for _, c := range classes {
		if i, ok := slices.BinarySearch(v.classes, c); ok {
			set |= 1 << i
		}
	}
	return set
}

// codes are the encodings of vertices: numbers of sets of classes. They are by vertex, or, where the edges are few, of their ends alone.
type codes struct {
	sets   []uint64
	dense  []uint8
	sparse map[dictionary.ID]uint8
}

// The first sets: no class, and any, which stands for those that are too many to be numbered.
const (
	noClass = iota
	anyClass
	mostSets = 64
)

func newCodes() *codes { return &codes{sets: []uint64{noClass: 0, anyClass: ^uint64(0)}} }

func (c *codes) of(v dictionary.ID) uint8 {
	if c.dense != nil {
		return c.dense[v]
	}
	return c.sparse[v]
}

// number is that of a set.
func (c *codes) number(set uint64) uint8 {
	i := slices.Index(c.sets, set)
	switch {
	case i >= 0:
	case len(c.sets) == mostSets:
		i = anyClass
	default:
		i = len(c.sets)
		c.sets = append(c.sets, set)
	}
	return uint8(i)
}

// encode encodes the ends of edges: by the members of the classes, or each end by its classes, whichever reads less.
func (v *sieve) encode(g *pcsr.Graph, typeLabel pcsr.Label, edges []pcsr.Edge) *codes {
	c := newCodes()
	in, members := g.Partition(typeLabel, pcsr.In), 0
	for _, class := range v.classes {
		if row, ok := in.Row(class); ok {
			members += in.Degree(row)
		}
	}
	if members+g.Vertices()/64 <= lookupPrice*len(edges) {
		v.encodeMembers(c, g, in)
		return c
	}
	c.sparse = make(map[dictionary.ID]uint8, len(edges))
	out := g.Partition(typeLabel, pcsr.Out)
	for _, e := range edges {
		for _, end := range [2]dictionary.ID{e.From, e.To} {
			if _, known := c.sparse[end]; !known {
				c.sparse[end] = c.number(v.bitsOf(out.Neighbours(end)))
			}
		}
	}
	return c
}

// lookupPrice is how many members of a class are read in the time that it takes to find the classes of the ends of an edge.
const lookupPrice = 16

// encodeMembers encodes all vertices: stretches of them, in each of which sets have numbers of their own at first.
func (v *sieve) encodeMembers(c *codes, g *pcsr.Graph, in *pcsr.Partition) {
	c.dense = make([]uint8, g.Vertices())
	n := shares(len(c.dense))
	own, failed := make([]*codes, n), make([]error, n)
	machine.Parallel(n, func(i int) {
		low, high := len(c.dense)*i/n, len(c.dense)*(i+1)/n
		own[i] = newCodes()
		failed[i] = section.Guard(func() error { // it reads mapped files
			v.encodeStretch(own[i], c.dense[low:high], dictionary.ID(low), in)
			return nil
		})
	})
	for _, err := range failed {
		if err != nil {
			panic(&section.Damage{Err: err})
		}
	}
	renumbered := make([][mostSets]uint8, n)
	for i, o := range own {
		for was, set := range o.sets {
			renumbered[i][was] = c.number(set)
		}
	}
	machine.Parallel(n, func(i int) {
		stretch := c.dense[len(c.dense)*i/n : len(c.dense)*(i+1)/n]
		for k, was := range stretch {
			stretch[k] = renumbered[i][was]
		}
	})
}

// encodeStretch encodes the vertices from first on, class by class.
func (v *sieve) encodeStretch(c *codes, stretch []uint8, first dictionary.ID, in *pcsr.Partition) {
	for i, class := range v.classes {
		with := [mostSets]uint8{anyClass: anyClass} // the number of each set with the class; 0: not known yet
		members := in.Neighbours(class)
		low, _ := slices.BinarySearch(members, first)
		for _, member := range members[low:] {
			if int(member-first) >= len(stretch) {
				break
			}
			was := stretch[member-first]
			if with[was] == 0 {
				with[was] = c.number(c.sets[was] | 1<<i)
			}
			stretch[member-first] = with[was]
		}
	}
}

// passes are the meshes that an edge passes, by the numbers of the sets of its ends: one set after the other at the subject, and within at the object.
func (v *sieve) passes(sets []uint64) [][]int32 {
	list := make([][]int32, len(sets)*mostSets)
	for i, m := range v.meshes {
		for a, from := range sets {
			for b, to := range sets {
				if m.bits[0]&^from|m.bits[1]&^to == 0 {
					list[a*mostSets+b] = append(list[a*mostSets+b], int32(i))
				}
			}
		}
	}
	return list
}

// sift1 finds those of some edges that pass each mesh.
func (v *sieve) sift1(codes *codes, passes [][]int32, edges []pcsr.Edge) []mesh {
	found := make([]mesh, len(v.meshes))
	for _, e := range edges {
		for _, i := range passes[int(codes.of(e.From))*mostSets+int(codes.of(e.To))] {
			m := &found[i]
			m.from, m.to = append(m.from, e.From), append(m.to, e.To)
		}
	}
	return found
}
