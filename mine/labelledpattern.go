package mine

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Arc is an edge of a pattern, from one of its vertices to another; without directions From is the smaller.
type Arc struct {
	From, To  int
	Predicate Predicate
}

// LabelledPattern is a small connected graph of labelled vertices and edges. Of isomorphic ones the canonical form is the same.
type LabelledPattern struct {
	Labels []Label
	Arcs   []Arc
}

// permuted is the pattern with vertex order[i] as its vertex i, its arcs in order.
func (p LabelledPattern) permuted(order []int, directed bool) LabelledPattern {
	q := LabelledPattern{Labels: make([]Label, len(order)), Arcs: make([]Arc, len(p.Arcs))}
	place := make([]int, len(order))
	for i, from := range order {
		q.Labels[i], place[from] = p.Labels[from], i
	}
	for i, a := range p.Arcs {
		a.From, a.To = place[a.From], place[a.To]
		if !directed && a.From > a.To {
			a.From, a.To = a.To, a.From
		}
		q.Arcs[i] = a
	}
	slices.SortFunc(q.Arcs, Arc.compare)
	return q
}

func (a Arc) compare(b Arc) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Predicate, b.Predicate))
}

// surroundings is what isomorphic patterns have in common about a vertex: its label, and the predicate, direction and other end of its arcs.
func (p LabelledPattern) surroundings(i int, directed bool) []uint32 {
	var arcs [][3]uint32
	for _, a := range p.Arcs {
		switch {
		case a.From == i:
			arcs = append(arcs, [3]uint32{a.Predicate, 0, p.Labels[a.To]})
		case a.To == i && directed:
			arcs = append(arcs, [3]uint32{a.Predicate, 1, p.Labels[a.From]})
		case a.To == i:
			arcs = append(arcs, [3]uint32{a.Predicate, 0, p.Labels[a.From]})
		}
	}
	slices.SortFunc(arcs, func(a, b [3]uint32) int { return slices.Compare(a[:], b[:]) })
	all := []uint32{p.Labels[i]}
	for _, a := range arcs {
		all = append(all, a[:]...)
	}
	return all
}

// orders yields the orders of the vertices by their surroundings: all that a canonical form has to choose among.
func (p LabelledPattern) orders(directed bool, yield func([]int)) {
	order, around := make([]int, len(p.Labels)), make([][]uint32, len(p.Labels))
	for i := range order {
		order[i], around[i] = i, p.surroundings(i, directed)
	}
	compare := func(a, b int) int { return slices.Compare(around[a], around[b]) }
	slices.SortFunc(order, compare)
	var permute func(int)
	permute = func(at int) {
		if at == len(order) {
			yield(order)
			return
		}
		for i := at; i < len(order) && compare(order[at], order[i]) == 0; i++ {
			order[at], order[i] = order[i], order[at]
			permute(at + 1)
			order[at], order[i] = order[i], order[at]
		}
	}
	permute(0)
}

// canonical is the form that all isomorphic patterns share, and how many automorphisms it has.
func (p LabelledPattern) canonical(directed bool) (best LabelledPattern, automorphisms int) {
	p.orders(directed, func(order []int) {
		q := p.permuted(order, directed)
		switch c := slices.CompareFunc(q.Arcs, best.Arcs, Arc.compare); {
		case automorphisms == 0 || c < 0:
			best, automorphisms = q, 1
		case c == 0:
			automorphisms++
		}
	})
	return best, automorphisms
}

// key tells canonical patterns apart.
func (p LabelledPattern) key() string {
	var b []byte
	for _, l := range p.Labels {
		b = binary.AppendUvarint(b, uint64(l))
	}
	b = append(b, 0xff)
	for _, a := range p.Arcs {
		b = append(b, byte(a.From), byte(a.To))
		b = binary.AppendUvarint(b, uint64(a.Predicate))
	}
	return string(b)
}

// with is the pattern with one arc more, whose ends may be a new vertex.
func (p LabelledPattern) with(a Arc, labels ...Label) LabelledPattern {
	return LabelledPattern{append(slices.Clone(p.Labels), labels...), append(slices.Clone(p.Arcs), a)}
}

// without is the pattern without an arc, and without an end of it that no other arc has; connected reports whether it is one pattern.
func (p LabelledPattern) without(arc int) (q LabelledPattern, connected bool) {
	arcs := slices.Delete(slices.Clone(p.Arcs), arc, arc+1)
	if len(arcs) == 0 {
		return q, false
	}
	reached := Positions(arcs[0].From)
	for range arcs {
		for _, a := range arcs {
			if both := Positions(a.From, a.To); reached&both != 0 {
				reached |= both
			}
		}
	}
	place := make([]int, len(p.Labels))
	for i, label := range p.Labels {
		if reached>>i&1 != 0 {
			place[i] = len(q.Labels)
			q.Labels = append(q.Labels, label)
		}
	}
	for _, a := range arcs {
		if reached>>a.From&1 == 0 {
			return q, false
		}
		q.Arcs = append(q.Arcs, Arc{place[a.From], place[a.To], a.Predicate})
	}
	return q, true
}

// tree reports whether there is one way only between any two vertices.
func (p LabelledPattern) tree() bool { return len(p.Arcs) == len(p.Labels)-1 }

// touching reports whether an arc joins two vertices.
func (p LabelledPattern) touching(i, j int) bool {
	return slices.ContainsFunc(p.Arcs, func(a Arc) bool { return a.From == i && a.To == j || a.From == j && a.To == i })
}

// Names are what the predicates and labels of a graph are called in queries.
type Names struct {
	// Predicates are by number. Classes are those of the labels from 1 on. Values are of the labels after these: each is of vertices that
	// stand for a value of one resource, and gives the condition on a variable that has such a value.
	Predicates, Classes []string
	Values              []func(variable string) string
}

// value is the condition of a vertex that stands for a value; nil for a resource.
func (n Names) value(label Label) func(variable string) string {
	if int(label) <= len(n.Classes) {
		return nil
	}
	return n.Values[int(label)-len(n.Classes)-1]
}

// triples are the triple patterns of the pattern, ?a ?b … being its vertices, and the filters on those that are values.
func (p LabelledPattern) triples(names Names, directed bool) (triples, filters []string) {
	for i, label := range p.Labels {
		if condition := names.value(label); condition != nil {
			filters = append(filters, "FILTER ("+condition(fmt.Sprintf("?%c", 'a'+i))+")")
		} else if label != NoLabel {
			triples = append(triples, fmt.Sprintf("?%c a %s", 'a'+i, names.Classes[label-1]))
		}
	}
	for _, a := range p.Arcs {
		way := names.Predicates[a.Predicate]
		switch {
		case names.value(p.Labels[a.To]) != nil:
		case names.value(p.Labels[a.From]) != nil: // without directions the smaller end is first
			a.From, a.To = a.To, a.From
		case !directed:
			way = "(" + way + "|^" + way + ")"
		}
		triples = append(triples, fmt.Sprintf("?%c %s ?%c", 'a'+a.From, way, 'a'+a.To))
	}
	return triples, filters
}

// Triples are the triple patterns of the pattern, ?a ?b … being its vertices, and the filters on those that are values. The names are
// written as they are.
func (p LabelledPattern) Triples(names Names, directed bool) string {
	triples, filters := p.triples(names, directed)
	return strings.Join(append(triples, filters...), " . ")
}

// Query is the SPARQL query whose solutions are the embeddings of the pattern, ?a ?b … being its vertices: each instance as often as the
// pattern has automorphisms. Values are not among its variables, because a resource may have several that count as one. The names of
// predicates and classes are IRIs.
func (p LabelledPattern) Query(names Names, directed bool) string {
	classes := names.Classes
	names.Predicates, names.Classes = bracketed(names.Predicates), bracketed(classes)
	triples, filters := p.triples(names, directed)
	var resources []string
	var conditions strings.Builder
	for _, filter := range filters {
		conditions.WriteString("  " + filter + "\n")
	}
	for i, label := range p.Labels {
		if names.value(label) != nil {
			continue
		}
		for _, other := range resources {
			fmt.Fprintf(&conditions, "  FILTER (%s != ?%c)\n", other, 'a'+i)
		}
		resources = append(resources, fmt.Sprintf("?%c", 'a'+i))
	}
	for i, label := range p.Labels {
		if label == NoLabel {
			p.writeUnlabelled(&conditions, i, classes)
		}
	}
	distinct := ""
	if !directed || len(filters) > 0 {
		distinct = "DISTINCT "
	}
	return fmt.Sprintf("SELECT %s%s {\n  %s .\n%s}\n", distinct, strings.Join(resources, " "), strings.Join(triples, " .\n  "), conditions.String())
}

// bracketed writes IRIs as terms.
func bracketed(iris []string) []string {
	terms := make([]string, len(iris))
	for i, iri := range iris {
		terms[i] = "<" + iri + ">"
	}
	return terms
}

// writeUnlabelled says that a vertex is a resource of none of the classes.
func (p LabelledPattern) writeUnlabelled(b *strings.Builder, i int, classes []string) {
	fmt.Fprintf(b, "  FILTER (!isLiteral(?%c))\n", 'a'+i)
	if len(classes) > 0 {
		fmt.Fprintf(b, "  FILTER NOT EXISTS { VALUES ?class { <%s> } ?%c a ?class }\n", strings.Join(classes, "> <"), 'a'+i)
	}
}
