package gpu

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

var lookupKinds = map[bgp.LookupKind]kernels.Lookup{
	bgp.Has: kernels.LookupSome, bgp.HasNot: kernels.LookupNone, bgp.HasTimes: kernels.LookupTimes, bgp.HasTimesOrOne: kernels.LookupAtLeastOne,
}

// looksUp reports whether the rows of a match, which has tables to look them up in, can be.
func looksUp(m *match.Match) bool {
	return len(m.Tables) == len(m.Plan.Lookups) && len(m.Tables) <= kernels.MostProbes && m.Limit == 0 && m.Plan.Inputs == 0 && len(m.Plan.Output) <= kernels.MostTop-2 &&
		(m.Dictionary != nil || len(m.Plan.Where) == 0 && m.Plan.Fold == nil)
}

// lookUp is Match of a plan whose rows are looked up.
func (d *Device) lookUp(ctx context.Context, m *match.Match, emit func(*match.Batch) error) (err error) {
	if !looksUp(m) || !d.numbers.hasCode(m.Plan.Unfolded().Unordered(), m.Dictionary) {
		return match.ErrNotLookedUp
	}
	var tables []*table
	defer func() {
		for _, t := range tables {
			err = cmp.Or(err, t.groups.close()) // that of emit as it is
		}
	}()
	for _, rows := range m.Tables {
		t, err := d.tableOf(ctx, rows)
		if tables = append(tables, t); err != nil {
			return err
		}
	}
	return d.matchRows(ctx, m, tables, emit)
}

// table is groups that rows are looked up in, by columns in the order of key; rows are yet to be added to them.
type table struct {
	groups *combination
	key    []int
	rows   *match.Table
}

// tableOf runs the match that a table's rows are of. Its groups stay on the device, rows that were too few for that are copied.
func (d *Device) tableOf(ctx context.Context, rows *match.Table) (*table, error) {
	t := &table{rows: rows}
	for i := range rows.Cols {
		t.key = append(t.key, i)
	}
	if rows.Of == nil {
		return t, nil
	}
	t.rows = &match.Table{Cols: make([][]dictionary.ID, len(rows.Cols))}
	m := rows.Of
	if !Fits(m, false) || !Combines(m.Plan) || m.Plan.Tally > 0 || len(slices.Compact(slices.Sorted(slices.Values(m.Plan.Output)))) != len(rows.Cols) {
		return t, match.ErrNotLookedUp
	}
	_, err := d.run(ctx, m, emits{
		emit: func(b *match.Batch) error { t.rows.Add(b, t.key); return nil },
		keep: func(c *combination) {
			if t.groups = c; m.Trace != nil {
				m.Trace.Combined.Groups = c.Used
			}
			for i := range t.key {
				t.key[i] = slices.Index(m.Plan.Output, c.q.output[i])
			}
		},
	})
	return t, err
}

// makeTables makes the tables that a query's rows are looked up in, where that is not done.
func (s *sifting) makeTables() error {
	plan := s.q.Plan
	for i, l := range plan.Lookups {
		t := s.q.lookups[i]
		if err := s.q.complete(t); err != nil {
			return err
		}
		p := &s.Probes[i]
		*p = kernels.Probe{Groups: t.groups.Groups, Mask: t.groups.Mask, Least: l.Least, Most: l.Most, Second: kernels.None, Kind: lookupKinds[l.Kind]}
		if l.Most == 0 {
			p.Most = math.MaxUint64
		}
		for k, of := range t.key {
			*[]*uint32{&p.First, &p.Second}[k] = uint32(slices.Index(s.q.output, plan.Output[l.Columns[of]]))
		}
	}
	s.ProbeCount = uint32(len(plan.Lookups))
	return nil
}

// uploaded is how many rows of a table are copied at a time.
const uploaded = 1 << 20

// complete adds the rows of a table that are yet to be added.
func (q *query) complete(t *table) (err error) {
	if t.groups == nil {
		if t.groups, err = q.newCombination(int64(t.rows.N)); err != nil {
			return err
		}
		t.groups.Sums = 1
	}
	c := t.groups
	c.q, c.tallies = q, true
	if t.rows.N == 0 {
		return nil
	}
	most := int64(min(t.rows.N, uploaded))
	memory, err := q.d.alloc(16 * most)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.d.give(memory)) }()
	at := func(column int64) kernels.Address { return memory + kernels.Address(4*column*most) }
	c.First, c.Second, c.WeightLow, c.WeightHigh = at(0), 0, 0, 0
	if len(t.key) > 1 {
		c.Second = at(1)
	}
	if t.rows.Weights != nil {
		c.WeightLow, c.WeightHigh = at(2), at(3)
	}
	for ; t.rows.N > 0; t.rows = t.rows.From(int(most)) {
		if err := q.uploadTable(t, int(most), at); err != nil {
			return err
		}
		if err := c.takeColumns(uint64(min(int(most), t.rows.N))); err != nil {
			return err
		}
	}
	return nil
}

// uploadTable copies the first rows of a table to the device: its columns in the order of the key, and the halves of the weights.
func (q *query) uploadTable(t *table, most int, at func(column int64) kernels.Address) error {
	stream, rows := q.lane.stream, min(most, t.rows.N)
	for i, of := range t.key {
		if err := stream.Upload(at(int64(i)), kernels.Bytes(t.rows.Cols[of][:rows])); err != nil {
			return err
		}
	}
	var low, high []dictionary.ID
	if t.rows.Weights != nil {
		for _, n := range t.rows.Weights[:rows] {
			low, high = append(low, dictionary.ID(n)), append(high, dictionary.ID(n>>32))
		}
	}
	return errors.Join(stream.Upload(at(2), kernels.Bytes(low)), stream.Upload(at(3), kernels.Bytes(high)), stream.Synchronize())
}
