package exec

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
)

// Dataset is the RDF dataset that a query is answered over (SPARQL 1.1 section 13). All graphs share one dictionary.
type Dataset interface {
	// Default is the default graph.
	Default() *pcsr.Graph
	// Named returns the graph with a name.
	Named(name dictionary.ID) (*pcsr.Graph, bool)
	// NamedGraphs lists the names of the named graphs, sorted.
	NamedGraphs() []dictionary.ID
}

// selected is a dataset made of named graphs of another (SPARQL 1.1 section 13.2).
type selected struct {
	graph *pcsr.Graph
	from  Dataset
	names []dictionary.ID
}

// Select returns the dataset whose default graph is the merge of some named graphs of d, and whose named graphs are
// others: FROM and FROM NAMED. A name that d does not have stands for an empty graph.
func Select(d Dataset, from, named []dictionary.ID) (Dataset, error) {
	s := &selected{from: d}
	var parts []*pcsr.Graph
	for _, name := range from {
		if g, ok := d.Named(name); ok {
			parts = append(parts, g)
		}
	}
	switch len(parts) {
	case 0:
		base := d.Default()
		empty, err := pcsr.Build(base.Vertices(), base.Labels(), nil)
		if err != nil {
			return nil, err
		}
		s.graph = empty
	case 1:
		s.graph = parts[0]
	default:
		s.graph = pcsr.Merge(parts...)
	}
	for _, name := range named {
		if _, ok := d.Named(name); ok && !slices.Contains(s.names, name) {
			s.names = append(s.names, name)
		}
	}
	slices.Sort(s.names)
	return s, nil
}

func (s *selected) Default() *pcsr.Graph { return s.graph }

func (s *selected) Named(name dictionary.ID) (*pcsr.Graph, bool) {
	if _, ok := slices.BinarySearch(s.names, name); !ok {
		return nil, false
	}
	return s.from.Named(name)
}

func (s *selected) NamedGraphs() []dictionary.ID { return s.names }

// Listed implements planner.Lister.
func (s *selected) Listed(name dictionary.ID) ([]pcsr.Edge, bool) {
	from, lists := s.from.(planner.Lister)
	if _, ok := slices.BinarySearch(s.names, name); !ok || !lists {
		return nil, false
	}
	return from.Listed(name)
}

// Unlisted implements planner.Lister.
func (s *selected) Unlisted() (names []dictionary.ID) {
	from, lists := s.from.(planner.Lister)
	if !lists {
		return s.names
	}
	for _, name := range from.Unlisted() {
		if _, here := slices.BinarySearch(s.names, name); here {
			names = append(names, name)
		}
	}
	return names
}

// ListedWith implements planner.Lister.
func (s *selected) ListedWith(v dictionary.ID, d pcsr.Direction) (names []dictionary.ID, ok bool) {
	from, lists := s.from.(planner.Lister)
	if !lists {
		return nil, false
	}
	names, ok = from.ListedWith(v, d)
	return slices.DeleteFunc(names, func(name dictionary.ID) bool {
		_, here := slices.BinarySearch(s.names, name)
		return !here
	}), ok
}

// clause applies the dataset that the protocol, or else the query, asks for.
func clause(d Dataset, q *parser.Query, o *Options, dict TermSource) (Dataset, error) {
	from, named := q.From, q.FromNamed
	if len(o.DefaultGraphs)+len(o.NamedGraphs) > 0 {
		from, named = o.DefaultGraphs, o.NamedGraphs
	}
	if len(from)+len(named) == 0 {
		return d, nil
	}
	return Select(d, graphNames(from, dict), graphNames(named, dict))
}

// graphNames are the IDs of those IRIs that the data have.
func graphNames(iris []string, dict TermSource) []dictionary.ID {
	var ids []dictionary.ID
	for _, iri := range iris {
		if id, ok := dict.Lookup(rdf.NewIRI(iri)); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
