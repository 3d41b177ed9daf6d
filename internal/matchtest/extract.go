package matchtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// DrawLabelled draws an undirected graph without loops: some vertices have many more edges than others, and many wedges are closed. Edges have no labels.
func DrawLabelled(random *rand.Rand, vertices, edges, labels int) *Labelled {
	g := &Labelled{vertices: vertices, labels: labels, edgeLabels: 1, label: make([]byte, vertices)}
	for v := range g.label {
		g.label[v] = byte(random.IntN(labels))
	}
	lists := make([][]uint32, vertices)
	for range edges {
		a := uint32(random.IntN(1 + random.IntN(vertices)))
		b := uint32(random.IntN(vertices))
		if list := lists[a]; len(list) > 0 && random.IntN(2) == 0 {
			next := lists[list[random.IntN(len(list))]]
			b = next[random.IntN(len(next))]
		}
		if a == b || slices.Contains(lists[a], b) {
			continue
		}
		lists[a], lists[b] = append(lists[a], b), append(lists[b], a)
		g.from, g.to = append(g.from, a), append(g.to, b)
	}
	g.edgeLabel, g.reversed = make([]byte, len(g.from)), make([]byte, len(g.from))
	return g
}

// PatternKind is a kind of patterns by how many edges they have.
type PatternKind string

// The kinds of the literature on graphs that change: an average degree of at least 3, below 3 with a circle, and no circle.
const (
	DensePattern  PatternKind = "dense"
	SparsePattern PatternKind = "sparse"
	TreePattern   PatternKind = "tree"
)

// PatternKinds are all of them.
var PatternKinds = []PatternKind{DensePattern, SparsePattern, TreePattern}

// Extractor takes patterns out of a graph, so that each has a match there.
type Extractor struct {
	*Labelled
	lists [][]uint32 // the neighbours of each vertex, ascending
}

// NewExtractor makes the lists of the graph's vertices.
func NewExtractor(g *Labelled) *Extractor {
	x := &Extractor{g, make([][]uint32, g.vertices)}
	for i, a := range g.from {
		b := g.to[i]
		x.lists[a], x.lists[b] = append(x.lists[a], b), append(x.lists[b], a)
	}
	for _, list := range x.lists {
		slices.Sort(list)
	}
	return x
}

// Pattern walks at random from a random edge until there are n vertices, and returns the pattern of edges between them, with the labels of
// the vertices; false where they have not the edges for its kind. Each edge has one direction.
func (x *Extractor) Pattern(random *rand.Rand, n int, kind PatternKind) (p LabelledPattern, ok bool) {
	if len(x.from) == 0 {
		return p, false
	}
	members := []uint32{x.from[random.IntN(len(x.from))]}
	var edges, others [][2]int
	for tries := 0; len(members) < n; tries++ {
		if tries == 20*n {
			return p, false
		}
		at, next := x.step(random, members, kind)
		if at < 0 {
			continue
		}
		for i, m := range members {
			if _, linked := slices.BinarySearch(x.lists[m], next); linked && i != at {
				others = append(others, [2]int{i, len(members)})
			}
		}
		edges, members = append(edges, [2]int{at, len(members)}), append(members, next)
	}
	switch kind {
	case DensePattern:
		edges = append(edges, others...)
		ok = 2*len(edges) >= 3*n
	case SparsePattern:
		random.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		most := min(len(others), (3*n-1)/2-len(edges))
		edges = append(edges, others[:max(most, 0)]...)
		ok = most > 0
	default:
		ok = true
	}
	p.Name = fmt.Sprint(kind, " ", n)
	p.Triples = x.triples(random, members, edges)
	return p, ok
}

// step chooses a vertex that is not a member yet, and the place of a member that it is next to, -1 where it finds none. For dense patterns it looks at
// several, and takes the one with most edges to members.
func (x *Extractor) step(random *rand.Rand, members []uint32, kind PatternKind) (at int, next uint32) {
	looks, best := 1, -1
	if kind == DensePattern {
		looks = 8
	}
	at = -1
	for range looks {
		i := random.IntN(len(members))
		list := x.lists[members[i]]
		v := list[random.IntN(len(list))]
		if slices.Contains(members, v) {
			continue
		}
		links := 0
		for _, m := range members {
			if _, linked := slices.BinarySearch(x.lists[m], v); linked {
				links++
			}
		}
		if links > best {
			at, next, best = i, v, links
		}
	}
	return at, next
}

// triples are the patterns of edges and of the labels of vertices.
func (x *Extractor) triples(random *rand.Rand, members []uint32, edges [][2]int) (list []parser.TriplePattern) {
	variable := func(i int) parser.PatternTerm { return parser.PatternTerm{Variable: "v" + strconv.Itoa(i)} }
	for i, v := range members {
		list = append(list, parser.TriplePattern{Subject: variable(i), Predicate: PatternTerm(0), Object: PatternTerm(x.Class(int(x.label[v])))})
	}
	for _, e := range edges {
		if random.IntN(2) == 0 {
			e[0], e[1] = e[1], e[0]
		}
		list = append(list, parser.TriplePattern{Subject: variable(e[0]), Predicate: PatternTerm(dictionary.ID(1)), Object: variable(e[1])})
	}
	return list
}
