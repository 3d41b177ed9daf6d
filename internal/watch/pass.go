package watch

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// pass is a change of the data that is brought to standing queries: from one state to another over the same files.
type pass struct {
	before, after *live.State
	graphs        []*graphChange
	// work lists, by query, the edges that its seeds take.
	work map[*standing][]*task
	// open are the tasks of the side of a graph that is looked at.
	open map[*seed]*task
}

// task is what is to be done for one seed and one side of the change of a graph.
type task struct {
	hits
	name dictionary.ID
	side *side
	sign int64
}

// newPass begins with what has changed.
func newPass(before, after *live.State, changes map[live.Quad]bool) (*pass, error) {
	graphs, err := byGraph(changes, before, after)
	return &pass{before: before, after: after, graphs: graphs, work: map[*standing][]*task{}, open: map[*seed]*task{}}, err
}

// distribute finds for each changed edge the seeds that it fits, among those that an index has.
func (p *pass) distribute(x *index, stale func(*standing)) {
	p.eachEdge(func(g *graphChange, side int, e pcsr.Edge) {
		x.find(g.name, g.sides[side].graph, e, func(s *seed) {
			if !s.repeats || s.fits(e) { // constants are right where the index has it
				p.give(s, g, side, e)
			}
		}, stale)
	})
}

// distributeTo does so for one query.
func (p *pass) distributeTo(q *standing) {
	p.eachEdge(func(g *graphChange, side int, e pcsr.Edge) {
		for _, l := range q.leaves {
			if !l.known || !l.covers(g.name) {
				continue
			}
			for _, s := range l.seeds {
				if s.fits(e) {
					p.give(s, g, side, e)
				}
			}
		}
	})
}

func (p *pass) eachEdge(visit func(g *graphChange, side int, e pcsr.Edge)) {
	for _, g := range p.graphs {
		for side := range g.sides {
			clear(p.open)
			for _, e := range g.sides[side].edges {
				visit(g, side, e)
			}
		}
	}
}

// give hands an edge to a seed, which it fits.
func (p *pass) give(s *seed, g *graphChange, side int, e pcsr.Edge) {
	t := p.open[s]
	if t == nil {
		t = &task{hits: hits{seed: s}, name: g.name, side: &g.sides[side], sign: signs[side]}
		p.open[s] = t
		q := s.leaf.owner
		p.work[q] = append(p.work[q], t)
	}
	t.add(e)
}

// difference finds what the pass does to the solutions of a query.
func (p *pass) difference(r *runner, q *standing) (*tally, error) {
	m := &matcher{
		ctx: r.ctx, lookup: p.after.Dictionary().Lookup, semantics: q.semantics, pick: r.options.Matcher,
		charge: r.budget.Meter("partial matches").Charge, workers: r.options.Workers,
	}
	if q.direct {
		return p.direct(m, q)
	}
	return p.rest(r, m, q)
}

// direct makes solutions of the leaves' matches.
func (p *pass) direct(m *matcher, q *standing) (*tally, error) {
	out := newTally()
	terms := p.after.Dictionary()
	var solution []byte
	for _, t := range p.work[q] {
		columns := t.seed.leaf.exposed
		err := m.run(&t.hits, t.name, t.side, func(b *match.Batch, row int) {
			solution = solution[:0]
			for _, c := range columns {
				if c < 0 {
					solution = append(solution, 0)
					continue
				}
				solution = appendStored(solution, terms, t.seed.value(b, row, c, t.name))
			}
			out.add(solution, t.sign*weight(b, row))
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// weight is how many matches a row stands for.
func weight(b *match.Batch, row int) int64 {
	if b.Weights == nil {
		return 1
	}
	return int64(b.Weights[row])
}

// value is what a row of the seed binds to a column of the leaf.
func (s *seed) value(b *match.Batch, row, column int, name dictionary.ID) dictionary.ID {
	if at := s.columns[column]; at >= 0 {
		return b.Cols[at][row]
	}
	return name
}

// rest puts the leaves' matches, as tables, in the place of the leaves and evaluates what stands above them.
func (p *pass) rest(r *runner, m *matcher, q *standing) (*tally, error) {
	out := newTally()
	for side, state := range [2]*live.State{came: p.after, went: p.before} {
		tables := map[parser.Node]*parser.Values{}
		for _, t := range p.work[q] {
			if t.sign != signs[side] {
				continue
			}
			if err := p.fill(m, t, tables); err != nil {
				return nil, err
			}
		}
		if len(tables) == 0 {
			continue
		}
		if err := r.evaluate(q, state, q.replaced(q.pattern, tables), q.variables, signs[side], out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fill adds the matches of a task to the table of its leaf.
func (p *pass) fill(m *matcher, t *task, tables map[parser.Node]*parser.Values) error {
	l, terms := t.seed.leaf, p.after.Dictionary()
	return m.run(&t.hits, t.name, t.side, func(b *match.Batch, row int) {
		table := tables[l.node]
		if table == nil {
			table = &parser.Values{Variables: l.columns}
			tables[l.node] = table
		}
		values := make([]rdf.Term, len(l.columns))
		for c := range values {
			values[c] = terms.Term(t.seed.value(b, row, c, t.name))
		}
		for range weight(b, row) {
			table.Rows = append(table.Rows, values)
		}
	})
}

// replaced is a pattern with tables for the leaves: empty ones for those that have none.
func (q *standing) replaced(n parser.Node, tables map[parser.Node]*parser.Values) parser.Node {
	if pattern, ok := n.(*parser.BGP); ok {
		if table := tables[pattern]; table != nil {
			return table
		}
		return &parser.Values{Variables: q.columnsOf(pattern)}
	}
	return parser.Map(n, func(in parser.Node) parser.Node { return q.replaced(in, tables) })
}

// columnsOf are the columns of a leaf.
func (q *standing) columnsOf(pattern *parser.BGP) []string {
	for _, l := range q.leaves {
		if l.node == pattern {
			return l.columns
		}
	}
	return nil
}
