package bgp

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// estimates are what vertex orders are compared by. A partial match of a set S of query vertices is
// expected domain(v) times for each v in S, times the selectivity of every edge inside S: the estimate for S does not
// depend on the order in which S was bound.
type estimates struct {
	*bgp
	// domain is how many data vertices pass what the patterns ask of a query vertex alone.
	domain []float64
	// source is the length of the shortest list that holds the domain.
	source []float64
	// lists are the sorted lists known before the match that a query vertex must lie in.
	lists [][][]pcsr.Vertex
	// interval bounds the data vertices of a query vertex: interval[v].Low ≤ id < interval[v].High.
	interval []Range
	// candidates are the sets that the caller pushed down; nil where there is none.
	candidates [][]dictionary.ID
	// byVertex lists the patterns that mention a vertex, without those that only narrow its domain.
	byVertex [][]int
	edges    []edgeEstimate
	// scratch holds the sides of the vertex that is sampled.
	scratch []side
	// apart keeps what was found of pairs of query vertices: 1 that they are disjoint, -1 that they may not be.
	apart []int8
}

// samples is how many members of a domain are looked at in a first estimate; a second one, for queries that are expensive
// enough, tries one for each samplePrice candidates, up to deepSamples.
const (
	samples     = 24
	deepSamples = 400
)

func (b *bgp) estimate(inputs []int, sampleSize int) *estimates {
	n := len(b.query.Vertices)
	e := &estimates{
		bgp: b, domain: make([]float64, n), source: make([]float64, n), lists: make([][][]pcsr.Vertex, n),
		interval: make([]Range, n), candidates: make([][]dictionary.ID, n), byVertex: make([][]int, n),
		edges: make([]edgeEstimate, len(b.patterns)),
	}
	few := make([]int, n*fewPatterns)
	for v := range e.byVertex {
		e.byVertex[v] = few[v*fewPatterns : v*fewPatterns : (v+1)*fewPatterns]
	}
	for i := range b.patterns {
		e.file(i)
	}
	for v := range b.query.Vertices {
		if b.query.Vertices[v].Variable == "" {
			continue
		}
		if !slices.Contains(inputs, v) {
			e.pushDown(v)
		}
	}
	for v := range b.query.Vertices {
		if b.query.Vertices[v].Variable != "" {
			sides := e.sides(v)
			if e.narrow(v, sides); b.reason != "" || b.over() {
				return e
			}
			e.sampleDomain(v, sides, sampleSize)
		}
	}
	for i := range b.patterns {
		if b.over() {
			break
		}
		e.estimateEdge(i)
	}
	return e
}

// fewPatterns is how many patterns most vertices stand in.
const fewPatterns = 4

// file notes the pattern with the vertices that it mentions.
func (e *estimates) file(i int) {
	p := &e.patterns[i]
	if list, ok := e.constantList(p); ok {
		v := max(p.from.vertex, p.to.vertex)
		e.lists[v] = append(e.lists[v], list)
		return
	}
	for k, r := range [3]ref{p.from, p.label, p.to} {
		known := !r.isConstant() && !slices.Contains([]ref{p.from, p.label, p.to}[:k], r)
		if known {
			e.byVertex[r.vertex] = append(e.byVertex[r.vertex], i)
		}
	}
}

// pushDown files the filters that the caller pushed down to a variable.
func (e *estimates) pushDown(v int) {
	name := e.query.Vertices[v].Variable
	e.interval[v] = e.options.Ranges[name]
	if c, ok := e.options.Candidates[name]; ok {
		if c == nil {
			c = []dictionary.ID{}
		}
		e.candidates[v] = c
		e.lists[v] = append(e.lists[v], c)
	}
}
