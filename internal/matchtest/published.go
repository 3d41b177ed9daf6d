package matchtest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Published is a pattern of STMatch's paper: undirected edges of one label, and the times that the paper tells of them in wiki-Vote (tables II and III), one
// RTX 3090: Milliseconds edge-induced, Induced vertex-induced, Labelled edge-induced with ten labels drawn for the vertices of graph and pattern.
type Published struct {
	Name         string
	Milliseconds float64
	Induced      float64
	Labelled     float64
	label        parser.PatternTerm
	edges        [][2]string
}

// publishedTimes are Induced and Labelled.
var publishedTimes = map[string][2]float64{
	"q1": {296, 6}, "q2": {850, 6}, "q3": {106, 4}, "q4": {186, 5}, "q5": {194, 4}, "q6": {65, 4}, "q7": {28, 4}, "q8": {36, 4},
	"q9": {2088, 4}, "q10": {6380, 6}, "q11": {707, 5}, "q12": {21384, 7}, "q13": {2668, 6}, "q14": {497, 5}, "q15": {86, 4}, "q16": {48, 5},
	"q17": {2216, 7}, "q18": {6729, 8}, "q19": {2301, 10}, "q20": {2037, 6}, "q21": {1567, 6}, "q22": {996, 6}, "q23": {285, 6}, "q24": {139, 6},
}

// ReadPublished reads lines of a name, milliseconds and edges (0-1 0-2 ...), parted by tabs; edges get a label.
func ReadPublished(path string, label parser.PatternTerm) (all []Published, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(fields) < 3 {
			continue
		}
		times := publishedTimes[fields[0]]
		p := Published{Name: fields[0], Induced: times[0], Labelled: times[1], label: label}
		if p.Milliseconds, err = strconv.ParseFloat(fields[1], 64); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, edge := range strings.Fields(fields[2]) {
			from, to, _ := strings.Cut(edge, "-")
			p.edges = append(p.edges, [2]string{from, to})
		}
		all = append(all, p)
	}
	return all, nil
}

// Patterns are the triple patterns: each edge one way, and both ways where it is matched induced.
func (p *Published) Patterns(semantics bgp.Semantics) (out []parser.TriplePattern) {
	vertex := func(v string) parser.PatternTerm { return parser.PatternTerm{Variable: "v" + v} }
	for _, e := range p.edges {
		out = append(out, parser.TriplePattern{Subject: vertex(e[0]), Predicate: p.label, Object: vertex(e[1])})
		if semantics == bgp.Induced {
			out = append(out, parser.TriplePattern{Subject: vertex(e[1]), Predicate: p.label, Object: vertex(e[0])})
		}
	}
	return out
}

// Draw gives each vertex a label of a graph, one as likely as another.
func (p *Published) Draw(g *Labelled, random *rand.Rand) *PublishedDraw {
	out := &PublishedDraw{*p, nil}
	out.label = PatternTerm(1)
	for _, e := range p.edges {
		for _, v := range e {
			if slices.ContainsFunc(out.classes, func(t parser.TriplePattern) bool { return t.Subject.Variable == "v"+v }) {
				continue
			}
			class := PatternTerm(g.Class(random.IntN(g.labels)))
			out.classes = append(out.classes, parser.TriplePattern{Subject: parser.PatternTerm{Variable: "v" + v}, Predicate: PatternTerm(0), Object: class})
		}
	}
	return out
}

// PublishedDraw is a pattern with labels of its vertices.
type PublishedDraw struct {
	Published
	classes []parser.TriplePattern
}

// Patterns are the triple patterns, of classes too.
func (p *PublishedDraw) Patterns(semantics bgp.Semantics) []parser.TriplePattern {
	return slices.Concat(p.classes, p.Published.Patterns(semantics))
}
