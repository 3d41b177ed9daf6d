package parser

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Graphs is a set of graphs.
type Graphs struct {
	// Default is the default graph, AllNamed all named ones.
	Default, AllNamed bool
	// Named are IRIs, in their order; none where AllNamed is set.
	Named []string
}

// Footprint returns the graphs that an update may read to find out what to do, and those that it may change. What LOAD
// and SERVICE ask for elsewhere is not among them. It takes time linear in the size of the update.
func (u *Update) Footprint() (reads, writes Graphs) {
	var f footprint
	for _, o := range u.Operations {
		f.operation(o)
	}
	return f.reads.set(), f.writes.set()
}

type footprint struct{ reads, writes graphNames }

// graphNames collects graphs; the zero Term is the default graph.
type graphNames struct {
	all   bool // named graphs
	named map[rdf.Term]bool
}

func (g *graphNames) add(graph rdf.Term) {
	if g.named == nil {
		g.named = map[rdf.Term]bool{}
	}
	g.named[graph] = true
}

// addName adds what the name of a GRAPH stands for.
func (g *graphNames) addName(name PatternTerm) {
	if name.IsVariable() {
		g.all = true
	} else {
		g.add(name.Term)
	}
}

func (g *graphNames) addRef(ref GraphRefAll) {
	switch ref.Kind {
	case GraphRefOne:
		g.add(ref.Graph)
	case GraphRefDefault:
		g.add(rdf.Term{})
	case GraphRefNamed:
		g.all = true
	case GraphRefAllGraphs:
		g.add(rdf.Term{})
		g.all = true
	}
}

func (g *graphNames) set() (set Graphs) {
	set.AllNamed = g.all
	for graph := range g.named {
		switch {
		case graph.IsZero():
			set.Default = true
		case !g.all:
			set.Named = append(set.Named, graph.Value)
		}
	}
	slices.Sort(set.Named)
	return set
}

func (f *footprint) operation(o Operation) {
	switch o := o.(type) {
	case *InsertData:
		f.data(&o.Data)
	case *DeleteData:
		f.data(&o.Data)
	case *Modify:
		f.modify(o)
	case *Load:
		f.writes.add(o.Into)
	case *Clear:
		f.writes.addRef(o.Graphs)
	case *Drop:
		f.writes.addRef(o.Graphs)
	case *Create:
		f.writes.add(o.Graph)
	case *Copy:
		f.reads.add(o.From)
		f.writes.add(o.To)
	case *Move:
		f.reads.add(o.From)
		f.writes.add(o.From)
		f.writes.add(o.To)
	case *Add:
		f.reads.add(o.From)
		f.writes.add(o.To)
	}
}

func (f *footprint) data(d *Data) {
	for i, q := range d.Quads {
		if i == 0 || q.Graph != d.Quads[i-1].Graph {
			f.writes.add(d.Terms[q.Graph])
		}
	}
}

func (f *footprint) modify(m *Modify) {
	for _, list := range [...][]QuadPattern{m.Delete, m.Insert} {
		for _, q := range list {
			if q.Graph == (PatternTerm{}) {
				q.Graph.Term = m.With
			}
			f.writes.addName(q.Graph)
		}
	}
	w := whereGraphs{into: &f.reads, defaults: []rdf.Term{m.With}}
	if len(m.Using)+len(m.UsingNamed) > 0 {
		w.defaults, w.closed, w.named = nil, true, m.UsingNamed
		for _, iri := range m.Using {
			w.defaults = append(w.defaults, rdf.NewIRI(iri))
		}
	}
	w.node(m.Where, w.readDefault)
}

// whereGraphs finds the graphs that a pattern reads.
type whereGraphs struct {
	into *graphNames
	// defaults are what the default graph is made of. Where closed is set, there are no named graphs but named.
	defaults []rdf.Term
	closed   bool
	named    []string
}

func (w *whereGraphs) readDefault() {
	for _, graph := range w.defaults {
		w.into.add(graph)
	}
}

func (w *whereGraphs) readNamed(name PatternTerm) {
	if !w.closed {
		w.into.addName(name)
		return
	}
	for _, iri := range w.named {
		if name.IsVariable() || name.Term.Value == iri {
			w.into.add(rdf.NewIRI(iri))
		}
	}
}

// node finds the graphs of a pattern; read adds those that are active in it.
func (w *whereGraphs) node(n Node, read func()) {
	switch n := n.(type) {
	case *BGP:
		if len(n.Patterns) > 0 {
			read()
		}
	case *PathPattern:
		read()
	case *Service:
		return
	case *Graph:
		read = func() { w.readNamed(n.Name) }
		read()
	}
	for _, e := range Expressions(n) {
		w.expression(e, read)
	}
	for _, c := range Children(n) {
		w.node(c, read)
	}
}

func (w *whereGraphs) expression(e Expr, read func()) {
	if exists, ok := e.(*Exists); ok {
		w.node(exists.Pattern, read)
	}
	for _, a := range Arguments(e) {
		w.expression(a, read)
	}
}
