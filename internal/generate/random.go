package generate

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Graph is a random graph with labelled vertices (rdf:type) and edges (predicates). Edges may repeat; a load drops
// repeats.
type Graph struct {
	// Vertices is rounded up to a power of two by RMAT.
	Vertices uint64
	// Edges is how many are drawn.
	Edges uint64
	// Classes and Predicates are how many vertex and edge labels there are; label k has a share of about 1/(k+1).
	// No classes: vertices have no label.
	Classes, Predicates int
	Seed                uint64
	// Undirected: each edge is there both ways, and none leads from a vertex to itself.
	Undirected bool
	// Ends draws the ends of an edge.
	Ends func(*rand.Rand) (from, to uint64)
}

// RMAT returns a recursive-matrix graph of 2^scale vertices (Chakrabarti, Zhan, Faloutsos: R-MAT, 2004) with the
// parameters of Graph500 (0.57, 0.19, 0.19, 0.05).
func RMAT(scale int, edges uint64, classes, predicates int, seed uint64) (Graph, error) {
	if scale < 1 || scale > 31 {
		return Graph{}, fmt.Errorf("generate: an R-MAT graph has 2^1 to 2^31 vertices, not 2^%d", scale)
	}
	ends := func(r *rand.Rand) (from, to uint64) {
		for range scale {
			from, to = from<<1, to<<1
			switch p := r.Float64(); {
			case p < 0.57:
			case p < 0.76:
				to |= 1
			case p < 0.95:
				from |= 1
			default:
				from, to = from|1, to|1
			}
		}
		return from, to
	}
	return Graph{Vertices: 1 << scale, Edges: edges, Classes: classes, Predicates: predicates, Seed: seed, Ends: ends}, nil
}

// Zipf returns a graph whose vertices have in- and out-degrees in proportion to rank^-exponent; the two rankings are
// independent.
func Zipf(vertices, edges uint64, exponent float64, classes, predicates int, seed uint64) (Graph, error) {
	if vertices < 1 || vertices > math.MaxUint32 || exponent <= 0 {
		return Graph{}, fmt.Errorf("generate: a Zipf graph needs 1 to 2^32-1 vertices and a positive exponent")
	}
	subjects, objects := newPermutation(vertices, seed), newPermutation(vertices, seed+1)
	ends := func(r *rand.Rand) (from, to uint64) {
		from = subjects.at(zipfRank(r, vertices, exponent))
		return from, objects.at(zipfRank(r, vertices, exponent))
	}
	return Graph{Vertices: vertices, Edges: edges, Classes: classes, Predicates: predicates, Seed: seed, Ends: ends}, nil
}

// zipfRank draws a rank below n with probability in proportion to (rank+1)^-s. It inverts the continuous distribution
// around each rank, begun such that the first rank is exact (the start of Hörmann and Derflinger's rejection-inversion,
// 1996); the second is 2 % too likely, later ones ever less.
func zipfRank(r *rand.Rand, n uint64, s float64) uint64 {
	u, top := r.Float64(), float64(n)+0.5
	var x float64
	if s == 1 {
		const low = 1.5 / math.E
		x = low * math.Pow(top/low, u)
	} else {
		q := 1 - s
		low := math.Pow(1.5, q) - q
		x = math.Pow(low+u*(math.Pow(top, q)-low), 1/q)
	}
	return min(uint64(max(x-0.5, 0)), n-1)
}

// permutation is an affine permutation of 0 … n-1.
type permutation struct{ n, step, first uint64 }

func newPermutation(n, seed uint64) permutation {
	step := mix(seed)%n | 1
	for gcd(step, n) != 1 {
		step += 2
	}
	return permutation{n, step % n, mix(seed+7) % n}
}

func (p permutation) at(rank uint64) uint64 { return (rank*p.step + p.first) % p.n }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// ClassOf returns the class of a vertex.
func (g Graph) ClassOf(vertex uint64) int {
	r := rand.New(rand.NewPCG(g.Seed, ^vertex))
	return int(zipfRank(r, uint64(g.Classes), 1))
}

// Edge is a labelled edge of a Graph.
type Edge struct {
	From, To  uint64
	Predicate int
}

// blockSize is how many edges (or vertices) are made from one seed.
const blockSize = 1 << 16

// Block calls emit for the edges of one block; blocks are numbered from 0 and can be made concurrently.
func (g Graph) Block(number int, emit func(Edge)) {
	r := rand.New(rand.NewPCG(g.Seed, uint64(number)))
	first := uint64(number) * blockSize
	for range min(blockSize, g.Edges-first) {
		from, to := g.Ends(r)
		label := 0
		if g.Predicates > 1 {
			label = int(zipfRank(r, uint64(g.Predicates), 1))
		}
		switch {
		case !g.Undirected:
			emit(Edge{from, to, label})
		case from != to:
			emit(Edge{from, to, label})
			emit(Edge{to, from, label})
		}
	}
}

// Blocks is the number of blocks of edges.
func (g Graph) Blocks() int { return int((g.Edges + blockSize - 1) / blockSize) }

// WriteNTriples writes the graph as N-Triples and returns the number of triples: vertex labels first, then edges.
func (g Graph) WriteNTriples(ctx context.Context, w io.Writer) (uint64, error) {
	labels := 0
	if g.Classes > 0 {
		labels = int((g.Vertices + blockSize - 1) / blockSize)
	}
	return writeBlocks(ctx, w, labels+g.Blocks(), func(n int, text []byte) ([]byte, uint64) {
		if n < labels {
			return g.appendLabels(n, text)
		}
		count := uint64(0)
		g.Block(n-labels, func(e Edge) {
			text = appendNumbered(text, 'v', e.From)
			text = appendNumbered(append(text, ' '), 'p', uint64(e.Predicate))
			text = appendNumbered(append(text, ' '), 'v', e.To)
			text = append(text, " .\n"...)
			count++
		})
		return text, count
	})
}

func (g Graph) appendLabels(block int, text []byte) ([]byte, uint64) {
	first := uint64(block) * blockSize
	n := min(blockSize, g.Vertices-first)
	for v := first; v < first+n; v++ {
		text = appendNumbered(text, 'v', v)
		text = append(text, " <"+rdf.RDFType+"> "...)
		text = appendNumbered(text, 'c', uint64(g.ClassOf(v)))
		text = append(text, " .\n"...)
	}
	return text, n
}

// graphNS is the namespace of generated graphs; example.org is reserved for such use.
const graphNS = "http://example.org/graph/"

// appendNumbered appends the IRI of a vertex (v), predicate (p) or class (c).
func appendNumbered(text []byte, sort byte, number uint64) []byte {
	text = append(text, '<')
	text = append(text, graphNS...)
	text = strconv.AppendUint(append(text, sort), number, 10)
	return append(text, '>')
}
