package mine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Program is a mining algorithm as data: rows that extensions make, filters that their vertices pass, and what is collected of them. It has
// no function in it, so that whoever has the graph can run it: Run in tables, Matched by a matcher of patterns.
type Program struct {
	// Extensions are of the second vertex of a row and of those after it, up to MaxPattern. Each names a vertex that the new one is adjacent to.
	// Their order constraints may only choose among rows that are the same but for their order, so that it does not matter what
	// the order of vertices is.
	Extensions []Extension
	// Filters are conditions on vertices, all of which hold.
	Filters []Filter
	Collect Collect
}

// Filter is a condition on the vertex at a position of rows: at least one of the comparisons holds.
type Filter struct {
	Vertex int
	Any    []Comparison
}

// Comparison is one of what a vertex has with a number.
type Comparison struct {
	Of Property
	Is Relation
	To uint32
}

// Property is a number that vertices have.
type Property uint8

// What can be compared.
const (
	OfDegree Property = iota // the number of neighbours
	OfLabel
)

// Relation is how numbers compare.
type Relation uint8

// How numbers may compare.
const (
	Equal Relation = iota
	NotEqual
	Less
	LessOrEqual
	Greater
	GreaterOrEqual
)

// Holds reports whether a number is in a relation to another.
func (r Relation) Holds(a, b uint32) bool {
	switch r {
	case Equal:
		return a == b
	case NotEqual:
		return a != b
	case Less:
		return a < b
	case LessOrEqual:
		return a <= b
	case Greater:
		return a > b
	}
	return a >= b
}

// Holds reports whether a vertex of a degree and label passes the filter.
func (f Filter) Holds(degree, label uint32) bool {
	return slices.ContainsFunc(f.Any, func(c Comparison) bool {
		if c.Of == OfLabel {
			return c.Is.Holds(label, c.To)
		}
		return c.Is.Holds(degree, c.To)
	})
}

// Collect is what a program makes of its rows.
type Collect uint8

// What can be made of rows.
const (
	// CountRows counts them.
	CountRows Collect = iota
	// CountPatterns counts them by the subgraphs that their vertices induce.
	CountPatterns
	// CountImages counts the different vertices at each position, those of positions that can be exchanged together: the least of these
	// numbers is the minimum image support of the pattern of the extensions.
	CountImages
)

// Findings are what a program collected: Count, Patterns or Images.
type Findings struct {
	Count    uint64
	Patterns []Support // without Images, the most frequent first
	Images   []uint64  // by position
}

// ErrProgram: a program that means nothing, or not the same for each order of the vertices.
var ErrProgram = errors.New("mine: no program")

// Run runs the program in tables, on all cores. The error wraps ErrProgram, ErrExtension, ErrMemory or is the cause of ctx.
func (p Program) Run(ctx context.Context, g *Graph, options Options) (Findings, error) {
	s, err := p.form()
	if err != nil || s.times == 0 {
		return s.nothing(p.Collect), err
	}
	r := &programRun{Program: p, form: s, graph: g, patterns: NewAggregation(g, Measures{})}
	if err := Run(ctx, g, options, r.row); err != nil {
		return Findings{}, err
	}
	switch p.Collect {
	case CountPatterns:
		return Findings{Patterns: r.patterns.Supports()}, nil
	case CountImages:
		return Findings{Images: r.images()}, nil
	}
	return Findings{Count: r.count.Load()}, nil
}

// programRun is a program in tables.
type programRun struct {
	Program
	form     *form
	graph    *Graph
	count    atomic.Uint64
	patterns *Aggregation
	taken    atomic.Int64

	mu   sync.Mutex
	sets [][]*vertexSet // worker → orbit → its vertices
}

// row goes on with rows whose last vertex is new.
func (r *programRun) row(t *Table) error {
	at := t.Width() - 1
	if filters := r.form.filters[at]; len(filters) > 0 {
		if err := t.Filter(func(row []Vertex) bool { return r.passes(row[at], filters) }); err != nil {
			return err
		}
	}
	switch {
	case t.Width() == r.form.size:
		return r.collect(t)
	case t.Width() == r.form.size-1 && r.Collect == CountRows && len(r.form.filters[at+1]) == 0:
		n, err := t.Count(r.Extensions[at])
		r.count.Add(n)
		return err
	}
	return t.Extend(r.Extensions[at], r.row)
}

func (r *programRun) passes(v Vertex, filters []Filter) bool {
	degree, label := uint32(r.graph.Degree(v)), r.graph.Label(v)
	return !slices.ContainsFunc(filters, func(f Filter) bool { return !f.Holds(degree, label) })
}

func (r *programRun) collect(t *Table) error {
	switch r.Collect {
	case CountPatterns:
		return t.Aggregate(r.patterns)
	case CountImages:
		return r.mark(t)
	}
	r.count.Add(uint64(t.Len()))
	return nil
}

// mark puts the vertices of rows into the sets of their orbits.
func (r *programRun) mark(t *Table) error {
	sets, grown := r.setsOf(t.worker), int64(0)
	for row := range t.Len() {
		for i, v := range t.Row(row) {
			grown += sets[r.form.orbits[i]].add(v)
		}
	}
	if memory := t.run.options.memory() / 2; r.taken.Add(grown) > memory {
		return fmt.Errorf("%w: %d bytes were allowed for the sets of distinct vertices", ErrMemory, memory)
	}
	return t.look(t.Len())
}

// setsOf are those of a worker.
func (r *programRun) setsOf(worker int) []*vertexSet {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.sets) <= worker {
		sets := make([]*vertexSet, r.form.size)
		for i := range sets {
			sets[i] = newVertexSet(r.graph.Len())
		}
		r.sets = append(r.sets, sets)
	}
	return r.sets[worker]
}

// images are the sizes of the orbits' sets, by position.
func (r *programRun) images() []uint64 {
	sizes := make([]uint64, r.form.size)
	for i, orbit := range r.form.orbits {
		if orbit == i && len(r.sets) > 0 {
			for _, sets := range r.sets[1:] {
				r.sets[0][i].join(sets[i])
			}
			sizes[i] = r.sets[0][i].size()
		}
		sizes[i] = sizes[orbit]
	}
	return sizes
}
