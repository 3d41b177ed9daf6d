package live

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// translation turns IDs of a ground into those that a dictionary has for the same terms, None where it has none. The dictionary has
// the ground's segments and others behind them, so that only the tail's terms have other IDs.
func (g *ground) translation(to *dictionary.Dictionary) func(dictionary.ID) dictionary.ID {
	from := g.tail.Dictionary(g.tail.Len())
	first := from.Ordered()
	ids := make([]dictionary.ID, from.Len()-int(first))
	var key []byte
	for i := range ids {
		key = from.AppendKey(key[:0], first+dictionary.ID(i))
		var known bool
		if ids[i], known = to.LookupKey(key); !known {
			ids[i] = dictionary.None
		}
	}
	return func(id dictionary.ID) dictionary.ID {
		if id < first {
			return id
		}
		return ids[id-first]
	}
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
