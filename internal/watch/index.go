package watch

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// index finds the seeds that a changed edge may stand for, by graph and by what of their pattern is constant, so that a change costs what
// it touches and not how many queries there are. Of queries that are evaluated again it has the labels that they read.
type index struct {
	seeds map[place][]*seed
	// guarded are those that need another edge beside theirs.
	guarded map[place][]*guarded
	// typeLabel is the label of rdf:type, wildcard where there is none.
	typeLabel pcsr.Label
	// forms counts the entries of each form, which parts of a pattern are constant, and labels those of each form and label.
	forms  [forms]int
	labels map[formLabel]int
	// readers are the queries that are evaluated again when an edge of a label changes; those of wildcard at any.
	readers map[pcsr.Label][]*standing
	// missing are queries that wait for a term, by its key.
	missing map[string][]*standing
}

// place is where a seed stands: a graph, and an edge, with wildcards.
type place struct {
	graph dictionary.ID
	edge  pcsr.Edge
}

// formLabel is a form of patterns with a label, wildcard where they have a variable there.
type formLabel struct {
	form  int
	label pcsr.Label
}

// A form has a bit for each part of a place that is a wildcard, the last for the graph.
const (
	anyEnds  = 1<<0 | 1<<2
	anyEdge  = 1<<3 - 1
	anyGraph = 1 << 3
	forms    = 1 << 4
)

func newIndex(lookup bgp.Lookup) *index {
	typeLabel, ok := lookup(rdf.NewIRI(rdf.RDFType))
	if !ok {
		typeLabel = wildcard
	}
	return &index{
		typeLabel: typeLabel, labels: map[formLabel]int{}, seeds: map[place][]*seed{}, guarded: map[place][]*guarded{},
		readers: map[pcsr.Label][]*standing{}, missing: map[string][]*standing{},
	}
}

// placeOf is where a seed stands.
func (s *seed) placeOf() place { return place{s.leaf.name, s.leaf.edges[s.position]} }

// form is the form of a place.
func (p place) form() (f int) {
	for i, id := range [4]dictionary.ID{p.edge.From, p.edge.Label, p.edge.To, p.graph} {
		if id == wildcard {
			f |= 1 << i
		}
	}
	return f
}

// as is a place with the wildcards of a form.
func (p place) as(form int) place {
	for i, id := range [4]*dictionary.ID{&p.edge.From, &p.edge.Label, &p.edge.To, &p.graph} {
		if form>>i&1 == 1 {
			*id = wildcard
		}
	}
	return p
}

// add files a query, whose leaves are resolved.
func (x *index) add(q *standing) {
	for _, l := range q.leaves {
		if !l.known {
			continue
		}
		for _, s := range l.seeds {
			x.count(s, 1)
			x.file(s)
		}
	}
	for _, label := range q.reads {
		x.readers[label] = append(x.readers[label], q)
	}
	for _, key := range q.missing {
		x.missing[key] = append(x.missing[key], q)
	}
}

// remove takes a query out.
func (x *index) remove(q *standing) {
	for _, l := range q.leaves {
		if !l.known {
			continue
		}
		for _, s := range l.seeds {
			x.count(s, -1)
			x.unfile(s)
		}
	}
	for _, label := range q.reads {
		without(x.readers, label, q)
	}
	for _, key := range q.missing {
		without(x.missing, key, q)
	}
}

// count counts a seed that comes or goes.
func (x *index) count(s *seed, n int) {
	p := s.placeOf()
	at := formLabel{p.form(), p.edge.Label}
	x.forms[at.form] += n
	if x.labels[at] += n; x.labels[at] == 0 {
		delete(x.labels, at)
	}
}

// has reports whether there are seeds of a form for edges of a label.
func (x *index) has(form int, l pcsr.Label) bool {
	return x.labels[formLabel{form, place{edge: pcsr.Edge{Label: l}}.as(form).edge.Label}] > 0
}

// file files a seed whose leaf is resolved.
func (x *index) file(s *seed) {
	p := s.placeOf()
	g, constant, ok := s.guardOf(x.typeLabel)
	if !ok {
		x.seeds[p] = append(x.seeds[p], s)
		return
	}
	list := x.guarded[p]
	i := slices.IndexFunc(list, func(k *guarded) bool { return k.guard == g })
	if i < 0 {
		i = len(list)
		list = append(list, &guarded{g, map[dictionary.ID][]*seed{}})
		x.guarded[p] = list
	}
	list[i].seeds[constant] = append(list[i].seeds[constant], s)
}

// unfile takes a seed out again.
func (x *index) unfile(s *seed) {
	p := s.placeOf()
	g, constant, ok := s.guardOf(x.typeLabel)
	if !ok {
		without(x.seeds, p, s)
		return
	}
	for _, k := range x.guarded[p] {
		if k.guard == g {
			if without(k.seeds, constant, s); len(k.seeds) == 0 {
				without(x.guarded, p, k)
			}
			return
		}
	}
}

// without takes a value off a list of a map.
func without[K, V comparable](lists map[K][]V, key K, value V) {
	list := lists[key]
	i := slices.Index(list, value)
	if i < 0 {
		return
	}
	last := len(list) - 1
	list[i] = list[last]
	clear(list[last:])
	if lists[key] = list[:last]; last == 0 {
		delete(lists, key)
	}
}

// find visits the seeds that an edge of a graph may stand for, where that is as it is on the edge's side of a change, and the queries that are to be evaluated again.
func (x *index) find(graph dictionary.ID, in *pcsr.Graph, e pcsr.Edge, visit func(*seed), stale func(*standing)) {
	at := place{graph, e}
	for form, n := range x.forms {
		if n == 0 || form&anyGraph != 0 && graph == dictionary.None {
			continue
		}
		x.findIn(at.as(form), in, e, visit)
	}
	x.findReaders(e.Label, stale)
}

// findMany is find for many edges of one label: seeds of patterns whose ends are variables are handed to all, which take them all, but
// where others are to be told apart by an edge beside theirs and there are more than a few.
func (x *index) findMany(graph dictionary.ID, in *pcsr.Graph, of *stretch, all func(*seed), one func(*seed, pcsr.Edge), stale func(*standing)) {
	for form := range x.forms {
		if !x.has(form, of.label) || form&anyGraph != 0 && graph == dictionary.None {
			continue
		}
		if form&anyEdge == anyEnds {
			x.findAll(place{graph, pcsr.Edge{Label: of.label}}.as(form), in, of, all, one)
			continue
		}
		for _, e := range of.edges {
			x.findIn(place{graph, e}.as(form), in, e, func(s *seed) { one(s, e) })
		}
	}
	x.findReaders(of.label, stale)
}

// findAll visits the seeds at a place whose ends are wildcards.
func (x *index) findAll(p place, in *pcsr.Graph, of *stretch, all func(*seed), one func(*seed, pcsr.Edge)) {
	each(x.seeds[p], all)
	for _, k := range x.guarded[p] {
		if len(k.seeds) <= fewGuarded {
			for _, seeds := range k.seeds {
				each(seeds, all)
			}
			continue
		}
		for _, e := range of.edges {
			k.find(in, e, func(s *seed) { one(s, e) })
		}
	}
}

// fewGuarded is for how many constants looking at what is next to each of many edges costs more than matching them.
const fewGuarded = 16

// findIn visits the seeds at a place of an edge.
func (x *index) findIn(p place, in *pcsr.Graph, e pcsr.Edge, visit func(*seed)) {
	each(x.seeds[p], visit)
	for _, k := range x.guarded[p] {
		k.find(in, e, visit)
	}
}

// findReaders visits the queries that are to be evaluated again where an edge of a label changes.
func (x *index) findReaders(l pcsr.Label, stale func(*standing)) {
	for _, label := range [2]pcsr.Label{l, wildcard} {
		each(x.readers[label], stale)
	}
}
