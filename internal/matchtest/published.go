package matchtest

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Published is a pattern of a paper: undirected edges of one label, and the time that the paper tells.
type Published struct {
	Name         string
	Milliseconds float64
	label        parser.PatternTerm
	edges        [][2]string
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
		p := Published{Name: fields[0], label: label}
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
