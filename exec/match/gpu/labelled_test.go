package gpu

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// labelled is a generated graph with labels on vertices and edges, as the subgraph matchers of the literature take it.
type labelled struct {
	vertices, labels, edgeLabels int
	label                        []byte
	from, to                     []uint32
	edgeLabel, reversed          []byte
}

// readLabelled reads a graph file: a header of eight 64-bit words, then the arrays.
func readLabelled(t testing.TB, path string) *labelled {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	word := func(i int) int { return int(binary.LittleEndian.Uint64(data[8*i:])) }
	g := &labelled{vertices: word(1), labels: word(3), edgeLabels: word(4)}
	m, at := word(2), 64
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
	return g
}

// The IDs of a labelled graph's RDF form: rdf:type, the edge labels, the classes, then the vertices by class.
func (g *labelled) class(l int) dictionary.ID { return dictionary.ID(1 + g.edgeLabels + l) }

// graph encodes the graph: undirected edges as label 1 both ways, or directed with all edge labels.
func (g *labelled) graph(t testing.TB, directed bool, options ...pcsr.Option) *pcsr.Graph {
	t.Helper()
	first := 1 + g.edgeLabels + g.labels
	start := make([]int, g.labels+1)
	for _, l := range g.label {
		start[l+1]++
	}
	for l := range g.labels {
		start[l+1] += start[l]
	}
	id := make([]uint32, g.vertices)
	for v, l := range g.label {
		id[v] = uint32(first + start[l])
		start[l]++
	}
	var edges []pcsr.Edge
	for v, l := range g.label {
		edges = append(edges, pcsr.Edge{From: id[v], Label: 0, To: g.class(int(l))})
	}
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
	graph, err := pcsr.Build(first+g.vertices, first, edges, append(options, pcsr.WithTypeLabel(0))...)
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

// pattern is one query of a query file.
type pattern struct {
	name    string
	triples []parser.TriplePattern
}

// term stands for an ID in a pattern; lookup is its inverse.
func term(id dictionary.ID) parser.PatternTerm {
	return parser.PatternTerm{Term: rdf.NewIRI("x:" + strconv.Itoa(int(id)))}
}

func lookup(t rdf.Term) (dictionary.ID, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(t.Value, "x:"))
	return dictionary.ID(n), err == nil
}

// readPatterns reads "q NAME …", "v NUMBER LABEL" and "e FROM TO [LABEL]" lines.
func (g *labelled) readPatterns(t testing.TB, path string) []pattern {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []pattern
	variable := func(v string) parser.PatternTerm { return parser.PatternTerm{Variable: "v" + v} }
	for scan := bufio.NewScanner(f); scan.Scan(); {
		w := strings.Fields(scan.Text())
		if len(w) == 0 {
			continue
		}
		if w[0] == "q" {
			all = append(all, pattern{name: w[1]})
			continue
		}
		p := &all[len(all)-1]
		n, _ := strconv.Atoi(w[len(w)-1])
		switch {
		case w[0] == "v" && n >= 0:
			p.triples = append(p.triples, parser.TriplePattern{Subject: variable(w[1]), Predicate: term(0), Object: term(g.class(n))})
		case w[0] == "e" && len(w) == 4:
			p.triples = append(p.triples, parser.TriplePattern{Subject: variable(w[1]), Predicate: term(dictionary.ID(1 + n)), Object: variable(w[2])})
		case w[0] == "e":
			p.triples = append(p.triples, parser.TriplePattern{Subject: variable(w[1]), Predicate: term(1), Object: variable(w[2])})
		}
	}
	return all
}

func (p *pattern) plan(g *pcsr.Graph, semantics bgp.Semantics, count bool) (*bgp.MatchPlan, error) {
	options := bgp.Options{Semantics: semantics, CountOnly: count, Speed: bgp.GPUSpeed}
	for _, x := range p.triples {
		for _, v := range []string{x.Subject.Variable, x.Object.Variable} {
			if v != "" && !slices.Contains(options.Output, v) {
				options.Output = append(options.Output, v)
			}
		}
	}
	plan, err := bgp.Plan(context.Background(), p.triples, g, lookup, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return plan, nil
}

// peer is what another matcher took, in milliseconds.
type peer struct {
	tool           string
	kernels, whole float64
}

// readPeers returns the right answers of other matchers by "set query", the quickest first.
func readPeers(t testing.TB, path string) map[string][]peer {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	peers := map[string][]peer{}
	for _, line := range strings.Split(string(data), "\n") {
		w := strings.Fields(line)
		if len(w) != 7 || w[6] != "ok" {
			continue
		}
		kernels, _ := strconv.ParseFloat(w[4], 64)
		whole, _ := strconv.ParseFloat(w[5], 64)
		key := w[1] + " " + w[2]
		peers[key] = append(peers[key], peer{w[0], kernels, whole})
	}
	for _, p := range peers {
		slices.SortFunc(p, func(a, b peer) int {
			if a.whole < b.whole {
				return -1
			}
			return 1
		})
	}
	return peers
}
