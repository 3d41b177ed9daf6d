package mine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrMemory: the distinct vertices of the patterns' positions, or the neighbourhoods of maximal cliques, need more than Options.Memory allows.
var ErrMemory = errors.New("mine: what has to be kept does not fit into the memory that mining may take")

// ErrPattern: only rows of up to 8 vertices are patterns.
var ErrPattern = fmt.Errorf("mine: a pattern has at most %d vertices", MaxPattern)

// Measures say what an Aggregation finds out beside the counts.
type Measures struct {
	// Labels tells patterns apart by the labels of their vertices.
	Labels bool
	// Images measures minimum image support.
	Images bool
}

// Support is a pattern and how often it was found.
type Support struct {
	// Pattern is in canonical form.
	Pattern Pattern
	// Count is the number of rows that were aggregated.
	Count uint64
	// Images, where it was asked for, is the minimum image support of the rows: over the vertices of the pattern, the least number of
	// different vertices of the graph that stand for one, automorphisms applied.
	Images uint64
}

// Aggregation counts the rows of tables by pattern: the subgraphs that their vertices induce, up to isomorphism. Any number of tables
// of one Run may be aggregated into it at once.
type Aggregation struct {
	graph    *Graph
	measures Measures
	taken    atomic.Int64 // by bitmaps, in bytes

	mu      sync.Mutex
	tallies []*tally // by worker
}

// NewAggregation is one of no rows.
func NewAggregation(g *Graph, measures Measures) *Aggregation {
	return &Aggregation{graph: g, measures: measures}
}

// tally is what one worker has counted.
type tally struct {
	shapes map[Pattern]*shape
	recent *shape // of the row before, since rows of one shape stand together
	groups map[Pattern]*group
	kinds  []uint64 // code → rows, in bulk
}

// shape is a pattern as rows have it, with its vertices in their order.
type shape struct {
	pattern Pattern
	group   *group
	set     []int // vertex of a row → which of the group's sets it belongs to
	count   uint64
}

// group is all shapes of one canonical pattern: a set of vertices for each orbit, nil for the other vertices.
type group struct {
	pattern Pattern
	sets    []*vertexSet
	count   uint64
}

// Aggregate counts every row of the table. The error is ErrPattern where rows are too long, or wraps ErrMemory.
func (t *Table) Aggregate(a *Aggregation) error {
	if len(t.columns) > MaxPattern {
		return ErrPattern
	}
	if err := t.look(t.Len()); err != nil {
		return err
	}
	tally := a.of(t.worker)
	p := Pattern{Size: len(t.columns)}
	missing := t.missing()
	codes := t.last().codes
	if kinds := 1 << (p.Size * (p.Size - 1) / 2); missing == 0 && a.measures == (Measures{}) && len(codes) >= kinds {
		tally.bulk(a, p, codes, kinds)
		return nil
	}
	for row := range codes {
		p.Edges = codes[row]
		if a.measures.Labels || a.measures.Images || missing != 0 {
			t.complete(row, &p, missing, a.measures.Labels)
		}
		s := tally.shape(a, p)
		s.count++
		if a.measures.Images {
			if err := a.mark(s, t.row, t.run.options.memory()/2); err != nil {
				return err
			}
		}
	}
	return nil
}

// bulk counts rows by their codes, of which there are fewer kinds than rows, and then looks for the shape of each kind.
func (y *tally) bulk(a *Aggregation, p Pattern, codes []uint32, kinds int) {
	y.kinds = append(y.kinds[:0], make([]uint64, kinds)...)
	for _, code := range codes {
		y.kinds[code]++
	}
	for code, n := range y.kinds {
		if n > 0 {
			p.Edges = uint32(code)
			y.shape(a, p).count += n
		}
	}
}

// of is the tally of a worker.
func (a *Aggregation) of(worker int) *tally {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.tallies) <= worker {
		a.tallies = append(a.tallies, &tally{shapes: map[Pattern]*shape{}, groups: map[Pattern]*group{}})
	}
	return a.tallies[worker]
}

// missing are the bits of codes that no extension told.
func (t *Table) missing() (bits uint32) {
	for i, c := range t.columns {
		bits |= (uint32(First(i)) &^ c.known) << (i * (i - 1) / 2)
	}
	return bits
}

// complete reads a row, and looks up what its code does not tell.
func (t *Table) complete(row int, p *Pattern, missing uint32, labels bool) {
	g, vertices := t.Graph(), t.Row(row)
	for i, v := range vertices {
		if labels {
			p.Labels[i] = g.Label(v)
		}
		for j := 0; j < i && missing != 0; j++ {
			if missing&bit(i, j) != 0 && g.HasEdge(v, vertices[j]) {
				p.Edges |= bit(i, j)
			}
		}
	}
}

// shape is that of a pattern, which is brought into canonical form when it is met first.
func (y *tally) shape(a *Aggregation, p Pattern) *shape {
	if y.recent != nil && y.recent.pattern == p {
		return y.recent
	}
	s := y.shapes[p]
	if s == nil {
		s = y.meet(a, p)
		y.shapes[p] = s
	}
	y.recent = s
	return s
}

// meet makes a shape.
func (y *tally) meet(a *Aggregation, p Pattern) *shape {
	canonical, order := p.Canonical()
	g := y.groups[canonical]
	if g == nil {
		g = &group{pattern: canonical, sets: make([]*vertexSet, canonical.Size)}
		y.groups[canonical] = g
	}
	s := &shape{pattern: p, group: g}
	if a.measures.Images {
		s.set = make([]int, p.Size)
		for i, orbit := range canonical.orbits() {
			s.set[order[i]] = orbit
			if g.sets[orbit] == nil {
				g.sets[orbit] = newVertexSet(a.graph.Len())
			}
		}
	}
	return s
}

// mark puts the vertices of a row into the sets of their positions.
func (a *Aggregation) mark(s *shape, row []Vertex, memory int64) error {
	for i, set := range s.set {
		if grown := s.group.sets[set].add(row[i]); grown > 0 && a.taken.Add(grown) > memory {
			return fmt.Errorf("%w: %d bytes were allowed for the sets of distinct vertices", ErrMemory, memory)
		}
	}
	return nil
}

// Supports are the patterns that were found, the most frequent first. It must not be called while tables are aggregated.
func (a *Aggregation) Supports() []Support {
	groups := map[Pattern]*group{}
	for _, y := range a.tallies {
		for _, s := range y.shapes {
			sum := groups[s.group.pattern]
			if sum == nil {
				sum = &group{pattern: s.group.pattern, sets: make([]*vertexSet, s.group.pattern.Size)}
				groups[sum.pattern] = sum
			}
			sum.count += s.count
		}
		for p, g := range y.groups {
			groups[p].join(g)
		}
	}
	supports := make([]Support, 0, len(groups))
	for _, g := range groups {
		supports = append(supports, Support{g.pattern, g.count, g.images()})
	}
	slices.SortFunc(supports, func(a, b Support) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), a.Pattern.compare(b.Pattern))
	})
	return supports
}

// compare orders patterns.
func (p Pattern) compare(q Pattern) int {
	return cmp.Or(cmp.Compare(p.Size, q.Size), cmp.Compare(p.Edges, q.Edges), slices.Compare(p.Labels[:], q.Labels[:]))
}

// join adds the sets of another worker, which are not used any more.
func (g *group) join(other *group) {
	for i, set := range other.sets {
		if g.sets[i] == nil {
			g.sets[i] = set
		} else if set != nil {
			g.sets[i].join(set)
		}
	}
}

// images is the size of the smallest set.
func (g *group) images() (least uint64) {
	for _, set := range g.sets {
		if set != nil && (least == 0 || set.size() < least) {
			least = set.size()
		}
	}
	return least
}
