package watch

import (
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// pass is a change of the data that is brought to standing queries: from one state to another over the same files.
type pass struct {
	before, after *live.State
	graphs        []*graphChange
	tuning        *tuning
	// work lists, by query, the edges that its seeds take.
	work map[*standing][]*task
	// open are the tasks of the side of a graph that is looked at.
	open map[*seed]*task
}

// task is what is to be done for one seed and one side of the change of a graph.
type task struct {
	hits
	of *graphChange
	// at is which side it is, came or went.
	at int
}

func (t *task) side() *side { return &t.of.sides[t.at] }

// newPass begins with what has changed.
func newPass(r *runner, before, after *live.State, changes map[live.Quad]bool) (*pass, error) {
	graphs, err := byGraph(changes, before, after)
	return &pass{before: before, after: after, graphs: graphs, tuning: r.tuning, work: map[*standing][]*task{}, open: map[*seed]*task{}}, err
}

// distribute finds for each changed edge the seeds that it fits, among those that an index has.
func (p *pass) distribute(x *index, stale func(*standing)) {
	for _, g := range p.graphs {
		for at := range g.sides {
			clear(p.open)
			side := &g.sides[at]
			if len(side.edges) < p.tuning.manyEdges {
				for _, e := range side.edges {
					x.find(g.name, side.graph, e, func(s *seed) { p.give(s, g, at, e) }, stale)
				}
				continue
			}
			for _, of := range side.byLabel() {
				var v sieve
				x.findMany(g.name, side.graph, of, func(s *seed) {
					if p.tuning.unsifted || !v.add(s, x.typeLabel) {
						p.giveAll(s, g, at, of)
					}
				}, func(s *seed, e pcsr.Edge) { p.give(s, g, at, e) }, stale)
				p.giveSifted(&v, x.typeLabel, g, at, of)
			}
		}
	}
}

// foresee tells somebody of the graphs that large searches will read, before edges are handed out. Where both sides have edges, there is more to be made first.
func (p *pass) foresee(tell func(graph *pcsr.Graph, labels ...pcsr.Label)) {
	for _, g := range p.graphs {
		for at := range g.sides {
			side := &g.sides[at]
			if tell == nil || len(side.edges) < p.tuning.leastForeseen || len(g.sides[1-at].edges) > 0 || !side.canStandApart() {
				continue
			}
			var labels []pcsr.Label
			for _, l := range slices.Sorted(maps.Keys(side.byLabel())) {
				labels = append(labels, l, unchangedLabel(l))
			}
			tell(g.apart(at), labels...)
		}
	}
}

// give hands an edge to a seed, whose constants it has.
func (p *pass) give(s *seed, g *graphChange, side int, e pcsr.Edge) {
	if !s.repeats || s.fits(e) {
		p.task(s, g, side).add(e)
	}
}

// giveAll hands the edges of a label to a seed that names it, and whose ends are variables.
func (p *pass) giveAll(s *seed, g *graphChange, side int, of *stretch) {
	if !s.repeats {
		p.task(s, g, side).share(of.columns())
		return
	}
	for _, e := range of.edges {
		p.give(s, g, side, e)
	}
}

// giveSifted hands edges of a label to seeds that demand classes of their ends: those that have them there.
func (p *pass) giveSifted(v *sieve, typeLabel pcsr.Label, g *graphChange, side int, of *stretch) {
	if len(v.meshes) == 0 {
		return
	}
	v.sift(g.sides[side].graph, typeLabel, of.edges)
	for _, m := range v.meshes {
		for _, s := range m.seeds {
			switch {
			case s.repeats:
				for i, from := range m.from {
					p.give(s, g, side, pcsr.Edge{From: from, Label: of.label, To: m.to[i]})
				}
			case len(m.from) > 0:
				p.task(s, g, side).share(m.from, m.to)
			}
		}
	}
}

// task is the one of a seed for the side of a graph that is looked at.
func (p *pass) task(s *seed, g *graphChange, side int) *task {
	t := p.open[s]
	if t == nil {
		t = &task{hits: hits{seed: s}, of: g, at: side}
		p.open[s] = t
		q := s.leaf.owner
		p.work[q] = append(p.work[q], t)
	}
	return t
}

// differences finds what the pass does to the solutions of the queries that it touches, and hands that out, or why there is none. What a
// query cannot hold is no other's loss: those that failed beside others are tried once more alone, by one goroutine, with budgets of their own.
func (p *pass) differences(r *runner, renew func(), deliver func(*standing, *tally, error)) error {
	c := newCrew(p.matcher(r, r.options.Workers), r.budget, p.work)
	if err := c.work(); err != nil {
		return err
	}
	for _, j := range c.jobs {
		found, err := p.finish(r, j)
		if err != nil {
			if renew(); len(c.jobs) > 1 && r.ctx.Err() == nil {
				found, err = p.alone(r, nil, j.query)
			}
			if err != nil {
				renew()
			}
		}
		deliver(j.query, found, err)
	}
	return nil
}

// alone is what the pass does to the solutions of one query.
func (p *pass) alone(r *runner, workers *schedule.Share, q *standing) (*tally, error) {
	c := newCrew(p.matcher(r, workers), r.budget, map[*standing][]*task{q: p.work[q]})
	if err := c.work(); err != nil {
		return nil, err
	}
	return p.finish(r, c.jobs[0])
}

// finish makes a difference of what was found for a query.
func (p *pass) finish(r *runner, j *job) (*tally, error) {
	found, err := j.gather()
	if err != nil {
		return nil, err
	}
	return p.difference(r, j.query, found)
}

// matcher runs the seeds of the pass.
func (p *pass) matcher(r *runner, workers *schedule.Share) *matcher {
	terms := p.after.Dictionary()
	return &matcher{
		ctx: r.ctx, terms: terms, lookup: terms.Lookup, pick: r.options.Matcher, together: r.together, charge: r.budget.Meter("partial matches").Charge,
		workers: workers, tuning: p.tuning,
	}
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
