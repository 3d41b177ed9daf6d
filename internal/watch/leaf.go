package watch

import (
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// leaf is a basic graph pattern of a query, over the default graph or over a named one.
type leaf struct {
	// node stands for the leaf in the query's pattern. Its triple patterns differ from each other.
	node *parser.BGP
	// graph is the name of the graph: a variable, a constant, or zero for the default graph.
	graph parser.PatternTerm
	// columns are the variables that are read above the leaf.
	columns []string
	// exposed says for each variable of the query which column it is, -1 where it is none.
	exposed []int
	seeds   []*seed
	owner   *standing

	// known: the dictionary has all constants, which are in edges, with wildcards for variables, and in name.
	known bool
	edges []pcsr.Edge
	name  dictionary.ID
	// highest is the highest of these IDs.
	highest dictionary.ID
}

// wildcard stands for a variable where constants are kept. It is no ID of a term, and not that of no graph either.
const wildcard = dictionary.None - 1

// newLeaf makes a leaf; nil where its matches cannot be found from changed triples: it has no variables, or a constant that stands for
// several terms of the data.
func newLeaf(patterns []parser.TriplePattern, graph parser.PatternTerm) *leaf {
	l := &leaf{node: &parser.BGP{}, graph: graph}
	variables := false
	for _, p := range patterns {
		if p.Object.Term.Language != "" {
			return nil
		}
		variables = variables || len(variablesOf(p)) > 0
		if !slices.Contains(l.node.Patterns, p) {
			l.node.Patterns = append(l.node.Patterns, p)
		}
	}
	if !variables {
		return nil
	}
	return l
}

// variablesOf lists the variables of a triple pattern, each once.
func variablesOf(p parser.TriplePattern) (list []string) {
	for _, t := range [3]parser.PatternTerm{p.Subject, p.Predicate, p.Object} {
		if t.IsVariable() && !slices.Contains(list, t.Variable) {
			list = append(list, t.Variable)
		}
	}
	return list
}

// visible lists the variables that can be read above the leaf.
func (l *leaf) visible() (list []string) {
	for _, p := range l.node.Patterns {
		list = union(list, variablesOf(p)...)
	}
	list = slices.DeleteFunc(list, func(v string) bool { return strings.HasPrefix(v, parser.BlankPrefix) })
	if l.graph.IsVariable() {
		list = union(list, l.graph.Variable)
	}
	return list
}

func union(list []string, more ...string) []string {
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// prepare makes the seeds, once it is known what is read.
func (l *leaf) prepare() {
	var below []string
	var all []string
	for _, p := range l.node.Patterns {
		all = union(all, variablesOf(p)...)
	}
	read := slices.DeleteFunc(slices.Clone(l.columns), func(v string) bool { return !slices.Contains(all, v) })
	if slices.Contains(all, l.graph.Variable) {
		read = union(read, l.graph.Variable)
	}
	for i, p := range l.node.Patterns {
		s := &seed{leaf: l, position: i, inputs: variablesOf(p), output: union(slices.Clone(read), below...), read: len(read)}
		s.place()
		l.seeds = append(l.seeds, s)
		below = union(below, variablesOf(p)...)
	}
}

// resolve looks the constants up and returns the keys of those that the dictionary does not have.
func (l *leaf) resolve(lookup bgp.Lookup) (missing []string) {
	l.known, l.highest, l.edges = true, 0, l.edges[:0]
	find := func(t parser.PatternTerm) dictionary.ID {
		if t.IsVariable() {
			return wildcard
		}
		id, ok := lookup(t.Term)
		if !ok {
			l.known = false
			missing = append(missing, keyOf(t.Term))
			return wildcard
		}
		l.highest = max(l.highest, id)
		return id
	}
	for _, p := range l.node.Patterns {
		l.edges = append(l.edges, pcsr.Edge{From: find(p.Subject), Label: find(p.Predicate), To: find(p.Object)})
	}
	if l.name = dictionary.None; l.graph != (parser.PatternTerm{}) {
		l.name = find(l.graph)
	}
	return missing
}

// keyOf is the key of a term, "" where it can have none.
func keyOf(t rdf.Term) string {
	key, _ := dictionary.AppendKey(nil, t)
	return string(key)
}

// namesLabels reports whether all labels are constants.
func (l *leaf) namesLabels() bool {
	return !slices.ContainsFunc(l.edges, func(e pcsr.Edge) bool { return e.Label == wildcard })
}

// holds reports whether the leaf can have matches in a graph as far as its patterns without variables say.
func (l *leaf) holds(g *pcsr.Graph) bool {
	if l.highest >= dictionary.ID(g.Vertices()) {
		return false
	}
	for _, e := range l.edges {
		if e.From != wildcard && e.Label != wildcard && e.To != wildcard && !g.HasEdge(e.From, e.Label, e.To) {
			return false
		}
	}
	return true
}
