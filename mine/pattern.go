package mine

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// MaxPattern is how many vertices a pattern may have.
const MaxPattern = 8

// Pattern is a small labelled graph, of up to 8 vertices; patterns are comparable. Of isomorphic ones Canonical is the same.
type Pattern struct {
	// Size is the number of vertices.
	Size int
	// Edges has the bit i(i-1)/2 + j where vertices i and j < i are adjacent.
	Edges uint32
	// Labels are those of the vertices, NoLabel behind the last.
	Labels [MaxPattern]Label
}

// Clique is the pattern of size vertices, up to MaxPattern, that are all adjacent.
func Clique(size int) Pattern { return Pattern{Size: size, Edges: 1<<(size*(size-1)/2) - 1} }

// bit is the edge between two vertices.
func bit(i, j int) uint32 {
	i, j = max(i, j), min(i, j)
	return 1 << (i*(i-1)/2 + j)
}

// HasEdge reports whether two vertices are adjacent.
func (p Pattern) HasEdge(i, j int) bool { return i != j && p.Edges&bit(i, j) != 0 }

// EdgeCount is the number of edges.
func (p Pattern) EdgeCount() int { return bits.OnesCount32(p.Edges) }

// Degree is how many neighbours a vertex has.
func (p Pattern) Degree(i int) (n int) {
	for j := range p.Size {
		if p.HasEdge(i, j) {
			n++
		}
	}
	return n
}

// Connected reports whether every vertex is reached from the first.
func (p Pattern) Connected() bool {
	reached := Positions(0)
	for range p.Size {
		for i := range p.Size {
			for j := range p.Size {
				if reached>>i&1 != 0 && p.HasEdge(i, j) {
					reached |= 1 << j
				}
			}
		}
	}
	return reached == First(p.Size)
}

// permuted is the pattern with vertex order[i] as its vertex i.
func (p Pattern) permuted(order []int) Pattern {
	q := Pattern{Size: p.Size}
	for i, from := range order {
		q.Labels[i] = p.Labels[from]
		for j, to := range order[:i] {
			if p.HasEdge(from, to) {
				q.Edges |= bit(i, j)
			}
		}
	}
	return q
}

// orders yields the orders of the vertices in which labels, and among equal ones degrees, ascend: all that a canonical form has to
// choose among, and all automorphisms when applied to the form itself.
func (p Pattern) orders(yield func([]int)) {
	order := p.order()
	compare := p.compareVertices
	var permute func(int)
	permute = func(at int) {
		if at == len(order) {
			yield(order)
			return
		}
		for i := at; i < len(order) && compare(order[at], order[i]) == 0; i++ {
			order[at], order[i] = order[i], order[at]
			permute(at + 1)
			order[at], order[i] = order[i], order[at]
		}
	}
	permute(0)
}

// order is the first of orders.
func (p Pattern) order() []int {
	order := make([]int, p.Size)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, p.compareVertices)
	return order
}

func (p Pattern) compareVertices(a, b int) int {
	return cmp.Or(cmp.Compare(p.Labels[a], p.Labels[b]), cmp.Compare(p.Degree(a), p.Degree(b)))
}

// complete reports whether all vertices are adjacent: whatever the order, the edges are the same.
func (p Pattern) complete() bool { return p.Edges == Clique(p.Size).Edges }

// Canonical is the form that all isomorphic patterns share, and which vertex of p each of its vertices is.
func (p Pattern) Canonical() (Pattern, []int) {
	if p.complete() {
		order := p.order()
		return p.permuted(order), order
	}
	best, chosen := Pattern{}, []int(nil)
	p.orders(func(order []int) {
		if q := p.permuted(order); chosen == nil || q.Edges < best.Edges {
			best, chosen = q, slices.Clone(order)
		}
	})
	return best, chosen
}

// Automorphisms is how many ways there are to put the pattern onto itself: every instance is so many embeddings.
func (p Pattern) Automorphisms() (n int) {
	if !p.complete() {
		p.automorphisms(func([]int) { n++ })
		return n
	}
	n = 1
	for i := range p.Size { // as many factors as there are vertices so far with its label
		same := 1
		for j := range i {
			if p.Labels[j] == p.Labels[i] {
				same++
			}
		}
		n *= same
	}
	return n
}

func (p Pattern) automorphisms(yield func([]int)) {
	sorted, _ := p.Canonical()
	sorted.orders(func(order []int) {
		if sorted.permuted(order) == sorted {
			yield(order)
		}
	})
}

// orbits gives, for each vertex of a canonical pattern, the first vertex that an automorphism puts onto it.
func (p Pattern) orbits() []int {
	orbits := make([]int, p.Size)
	for i := range orbits {
		orbits[i] = i
	}
	p.automorphisms(func(order []int) {
		for i, j := range order {
			orbits[i] = min(orbits[i], j)
		}
	})
	return orbits
}

// names of the connected patterns of up to four vertices, by size, edges and greatest degree.
var names = map[[3]int]string{
	{1, 0, 0}: "vertex", {2, 1, 1}: "edge", {3, 2, 2}: "path of 3", {3, 3, 2}: "triangle",
	{4, 3, 2}: "path of 4", {4, 3, 3}: "star of 3 edges", {4, 4, 2}: "square", {4, 4, 3}: "triangle with a tail",
	{4, 5, 3}: "square with a diagonal", {4, 6, 3}: "4-clique",
}

// Name says what the pattern is called, without its labels: cliques, and connected patterns of up to 4 vertices, have names; others are
// told by their edges.
func (p Pattern) Name() string {
	greatest := 0
	for i := range p.Size {
		greatest = max(greatest, p.Degree(i))
	}
	if name := names[[3]int{p.Size, p.EdgeCount(), greatest}]; name != "" && p.Connected() {
		return name
	}
	if p.EdgeCount() == p.Size*(p.Size-1)/2 {
		return fmt.Sprintf("%d-clique", p.Size)
	}
	return p.String()
}

// String lists the edges: a-b b-c.
func (p Pattern) String() string {
	var edges []string
	for i := range p.Size {
		for j := i + 1; j < p.Size; j++ {
			if p.HasEdge(i, j) {
				edges = append(edges, fmt.Sprintf("%c-%c", 'a'+i, 'a'+j))
			}
		}
	}
	return strings.Join(edges, " ")
}
