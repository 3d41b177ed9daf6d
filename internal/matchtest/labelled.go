package matchtest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Labelled is a generated graph with labels on vertices and edges, as the subgraph matchers of the literature take it. The IDs of its RDF form
// are: rdf:type, the edge labels, the classes, then the vertices by class.
type Labelled struct {
	vertices, labels, edgeLabels int
	label                        []byte
	from, to                     []uint32
	edgeLabel, reversed          []byte
}

// ReadLabelled reads a graph file: a header of eight 64-bit words, then the arrays.
func ReadLabelled(path string) (*Labelled, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) < 64 {
		return nil, fmt.Errorf("%s: %d bytes are no graph", path, len(data))
	}
	word := func(i int) int { return int(binary.LittleEndian.Uint64(data[8*i:])) }
	g := &Labelled{vertices: word(1), labels: word(3), edgeLabels: word(4)}
	m, at := word(2), 64
	if len(data) < at+g.vertices+10*m {
		return nil, fmt.Errorf("%s: %d bytes are too few for %d vertices and %d edges", path, len(data), g.vertices, m)
	}
	take := func(n int) []byte { at += n; return data[at-n : at] }
	words := func(n int) []uint32 {
		out := make([]uint32, n)
		for i, b := 0, take(4*n); i < n; i++ {
			out[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		return out
	}
	g.label = take(g.vertices)
	g.from, g.to = words(m), words(m)
	g.edgeLabel, g.reversed = take(m), take(m)
	return g, nil
}

// Labelled is the graph of one edge label, which leads both ways, with a vertex label of n for each vertex that has edges, one as likely as another.
func (d *Dataset) Labelled(edge pcsr.Label, n int, random *rand.Rand) *Labelled {
	g := &Labelled{labels: n, edgeLabels: 1}
	number := map[pcsr.Vertex]uint32{}
	for v := range pcsr.Vertex(d.Graph.Vertices()) {
		if d.Graph.Degree(v, edge, pcsr.Out) > 0 {
			number[v] = uint32(len(number))
			g.label = append(g.label, byte(random.IntN(n)))
		}
	}
	g.vertices = len(number)
	for v, from := range number {
		for _, w := range d.Graph.Neighbours(v, edge, pcsr.Out) {
			if v < w {
				g.from, g.to = append(g.from, from), append(g.to, number[w])
			}
		}
	}
	return g
}

// Class is the ID of a vertex label.
func (g *Labelled) Class(l int) dictionary.ID { return dictionary.ID(1 + g.edgeLabels + l) }

// ids are the vertices' IDs: by class.
func (g *Labelled) ids() []uint32 {
	start := make([]int, g.labels+1)
	for _, l := range g.label {
		start[l+1]++
	}
	for l := range g.labels {
		start[l+1] += start[l]
	}
	id := make([]uint32, g.vertices)
	for v, l := range g.label {
		id[v] = uint32(1 + g.edgeLabels + g.labels + start[l])
		start[l]++
	}
	return id
}

// Types are the vertices' classes as edges.
func (g *Labelled) Types() (edges []pcsr.Edge) {
	for v, id := range g.ids() {
		edges = append(edges, pcsr.Edge{From: id, Label: 0, To: g.Class(int(g.label[v]))})
	}
	return edges
}

// Edges are the edges: directed with all edge labels, or undirected as label 1, each both ways, one behind the other.
func (g *Labelled) Edges(directed bool) (edges []pcsr.Edge) {
	id := g.ids()
	for i := range g.from {
		a, b := id[g.from[i]], id[g.to[i]]
		if !directed {
			edges = append(edges, pcsr.Edge{From: a, Label: 1, To: b}, pcsr.Edge{From: b, Label: 1, To: a})
			continue
		}
		if g.reversed[i] != 0 {
			a, b = b, a
		}
		edges = append(edges, pcsr.Edge{From: a, Label: 1 + uint32(g.edgeLabel[i]), To: b})
	}
	return edges
}

// Build encodes edges of the graph, and types.
func (g *Labelled) Build(edges []pcsr.Edge, options ...pcsr.Option) (*pcsr.Graph, error) {
	first := 1 + g.edgeLabels + g.labels
	return pcsr.Build(first+g.vertices, first, append(g.Types(), edges...), append(options, pcsr.WithTypeLabel(0))...)
}

// LabelledPattern is one query of a query file.
type LabelledPattern struct {
	Name    string
	Triples []parser.TriplePattern
}

// ReadPatterns reads "q NAME …", "v NUMBER LABEL" and "e FROM TO [LABEL]" lines. Constants are Terms.
func (g *Labelled) ReadPatterns(path string) ([]LabelledPattern, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []LabelledPattern
	variable := func(v string) parser.PatternTerm { return parser.PatternTerm{Variable: "v" + v} }
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		w := strings.Fields(scan.Text())
		if len(w) == 0 {
			continue
		}
		if w[0] == "q" {
			all = append(all, LabelledPattern{Name: w[1]})
			continue
		}
		p := &all[len(all)-1]
		n, _ := strconv.Atoi(w[len(w)-1])
		switch {
		case w[0] == "v" && n >= 0:
			p.Triples = append(p.Triples, parser.TriplePattern{Subject: variable(w[1]), Predicate: PatternTerm(0), Object: PatternTerm(g.Class(n))})
		case w[0] == "e" && len(w) == 4:
			p.Triples = append(p.Triples, parser.TriplePattern{Subject: variable(w[1]), Predicate: PatternTerm(dictionary.ID(1 + n)), Object: variable(w[2])})
		case w[0] == "e":
			p.Triples = append(p.Triples, parser.TriplePattern{Subject: variable(w[1]), Predicate: PatternTerm(1), Object: variable(w[2])})
		}
	}
	return all, scan.Err()
}

// PatternTerm stands for an ID in a pattern.
func PatternTerm(id dictionary.ID) parser.PatternTerm { return parser.PatternTerm{Term: Term(id)} }

// Lookup is the inverse of Term.
func Lookup(t rdf.Term) (dictionary.ID, bool) {
	id := idOf(t)
	return id, id != dictionary.None
}
