package mine

import "math/bits"

// vertexSet is a set of vertices: pages of a bitmap, those that are empty left out.
type vertexSet struct{ pages []*page }

// page is the bits of 4,096 vertices.
type page [pageVertices / 64]uint64

const pageVertices = 1 << 12

func newVertexSet(vertices int) *vertexSet {
	return &vertexSet{make([]*page, (vertices+pageVertices-1)/pageVertices)}
}

// add puts a vertex in, and returns by how many bytes the set has grown.
func (s *vertexSet) add(v Vertex) (grown int64) {
	p := s.pages[v/pageVertices]
	if p == nil {
		p = &page{}
		s.pages[v/pageVertices], grown = p, pageVertices/8
	}
	p[v%pageVertices/64] |= 1 << (v % 64)
	return grown
}

// join puts the vertices of another set in.
func (s *vertexSet) join(other *vertexSet) {
	for i, p := range other.pages {
		switch {
		case p == nil:
		case s.pages[i] == nil:
			s.pages[i] = p
		default:
			for word, bits := range p {
				s.pages[i][word] |= bits
			}
		}
	}
}

// size is the number of vertices.
func (s *vertexSet) size() (n uint64) {
	for _, p := range s.pages {
		if p == nil {
			continue
		}
		for _, word := range p {
			n += uint64(bits.OnesCount64(word))
		}
	}
	return n
}
