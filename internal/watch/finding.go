package watch

import (
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// finding is what was found of the matches that belong to some changed edges.
type finding struct {
	// solutions are those of a query that is direct.
	solutions *tally
	solution  []byte
	// tables are the matches of the leaves of any other, by side.
	tables [2]map[parser.Node]*parser.Values
}

func newFinding() *finding { return &finding{solutions: newTally()} }

// search adds the matches of a piece.
func (f *finding) search(m *matcher, p piece) error {
	s, into := p.search, f.addRow
	if s.seed.leaf.owner.direct {
		into = f.addSolution
	}
	return s.find(m, p.low, p.high, func(b *match.Batch, row int) { into(m, s.task, b, row, s.each*weight(b, row)) })
}

// addSolution makes a solution of a match, so many times.
func (f *finding) addSolution(m *matcher, t *task, b *match.Batch, row int, times int64) {
	f.solution = f.solution[:0]
	for _, c := range t.seed.leaf.exposed {
		if c < 0 {
			f.solution = append(f.solution, 0)
			continue
		}
		f.solution = appendStored(f.solution, m.terms, t.seed.value(b, row, c, t.of.name))
	}
	f.solutions.add(f.solution, signs[t.at]*times)
}

// addRow adds a match to the table of its leaf, so many times.
func (f *finding) addRow(m *matcher, t *task, b *match.Batch, row int, times int64) {
	l := t.seed.leaf
	table := f.table(t.at, l.node, l.columns)
	values := make([]rdf.Term, len(l.columns))
	for c := range values {
		values[c] = m.terms.Term(t.seed.value(b, row, c, t.of.name))
	}
	for range times {
		table.Rows = append(table.Rows, values)
	}
}

func (f *finding) table(side int, of parser.Node, columns []string) *parser.Values {
	table := f.tables[side][of]
	if table == nil {
		if f.tables[side] == nil {
			f.tables[side] = map[parser.Node]*parser.Values{}
		}
		table = &parser.Values{Variables: columns}
		f.tables[side][of] = table
	}
	return table
}

// add adds another finding.
func (f *finding) add(other *finding) {
	f.solutions.addAll(other.solutions, 1)
	for side, tables := range other.tables {
		for of, t := range tables {
			into := f.table(side, of, t.Variables)
			into.Rows = append(into.Rows, t.Rows...)
		}
	}
}

// difference makes of what was found what the pass does to the solutions of a query: what is no solution yet stands in the place of the
// leaves, and what stands above them is evaluated.
func (p *pass) difference(r *runner, q *standing, found *finding) (*tally, error) {
	for side, state := range [2]*live.State{came: p.after, went: p.before} {
		tables := found.tables[side]
		if len(tables) == 0 {
			continue
		}
		if err := r.evaluate(q, state, q.replaced(q.pattern, tables), q.variables, signs[side], found.solutions); err != nil {
			return nil, err
		}
	}
	return found.solutions, nil
}
