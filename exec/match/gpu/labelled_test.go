package gpu

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// labelled is a generated graph with labels on vertices and edges.
type labelled struct{ *matchtest.Labelled }

func readLabelled(t testing.TB, path string) *labelled {
	t.Helper()
	g, err := matchtest.ReadLabelled(path)
	if err != nil {
		t.Fatal(err)
	}
	return &labelled{g}
}

// graph encodes the graph: undirected edges as label 1 both ways, or directed with all edge labels.
func (g *labelled) graph(t testing.TB, directed bool, options ...pcsr.Option) *pcsr.Graph {
	t.Helper()
	graph, err := g.Build(g.Edges(directed), options...)
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
func term(id dictionary.ID) parser.PatternTerm { return matchtest.PatternTerm(id) }

func lookup(t rdf.Term) (dictionary.ID, bool) { return matchtest.Lookup(t) }

func (g *labelled) readPatterns(t testing.TB, path string) (all []pattern) {
	t.Helper()
	list, err := g.ReadPatterns(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		all = append(all, pattern{p.Name, p.Triples})
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
