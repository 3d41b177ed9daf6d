package live

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// translation turns IDs of a state, and of what was interned since, into those that another one has for the same terms, None where it has
// none. Not for concurrent use.
func (s *State) translation(to *State) func(dictionary.ID) dictionary.ID {
	if s.ground == to.ground {
		return func(id dictionary.ID) dictionary.ID { return id }
	}
	from := s.ground.tail.Dictionary(s.ground.tail.Len())
	same := sharedTerms(s.ground.files.Manifest(), to.ground.files.Manifest())
	found := make([]dictionary.ID, from.Len()-int(same)) // 0 until it is looked for, else one more
	var key []byte
	return func(id dictionary.ID) dictionary.ID {
		if id < same || id == dictionary.None {
			return id
		}
		n := &found[id-same]
		if *n == 0 {
			key = from.AppendKey(key[:0], id)
			other, known := to.dictionary.LookupKey(key)
			if !known {
				return dictionary.None
			}
			*n = other + 1
		}
		return *n - 1
	}
}

// sharedTerms is how many terms the segments have that two stores begin with.
func sharedTerms(a, b *store.Manifest) (n dictionary.ID) {
	for i := range min(len(a.Segments), len(b.Segments)) {
		if a.Segments[i].Folder != b.Segments[i].Folder {
			break
		}
		n += dictionary.ID(a.Segments[i].Terms)
	}
	return n
}

// commonEdges counts the edges of a graph that another one has too, which calls vertices as translate says.
func commonEdges(a *pcsr.Graph, translate func(dictionary.ID) dictionary.ID, b *pcsr.Graph) (n uint64) {
	if b.Edges() == 0 {
		return 0
	}
	var list []pcsr.Vertex
	for _, label := range a.UsedLabels() {
		other := translate(label)
		if other == dictionary.None {
			continue
		}
		partition := b.Partition(other, pcsr.Out)
		for from, to := range a.Lists(label, pcsr.Out) {
			if from = translate(from); from == dictionary.None {
				continue
			}
			list = list[:0]
			for _, v := range to {
				if v = translate(v); v != dictionary.None {
					list = append(list, v)
				}
			}
			slices.Sort(list)
			n += commonMembers(list, partition.Neighbours(from))
		}
	}
	return n
}

// commonMembers counts what two ascending lists share.
func commonMembers(a, b []pcsr.Vertex) (n uint64) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			a, b = a[1:], b[1:]
			n++
		}
	}
	return n
}
