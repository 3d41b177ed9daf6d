package gpu

import (
	"errors"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

var lookups = map[bgp.LookupKind]kernels.Lookup{
	bgp.Has: kernels.LookupSome, bgp.HasNot: kernels.LookupNone, bgp.HasTimes: kernels.LookupTimes, bgp.HasTimesOrOne: kernels.LookupAtLeastOne,
}

// looksUp reports whether the rows of a match, which has tables to look them up in, can be.
func looksUp(m *match.Match) bool {
	return len(m.Tables) == len(m.Plan.Lookups) && len(m.Tables) <= kernels.MostProbes && m.Limit == 0 && m.Plan.Inputs == 0 && len(m.Plan.Output) <= kernels.MostTop-2 &&
		(m.Dictionary != nil || len(m.Plan.Where) == 0 && m.Plan.Fold == nil)
}

// makeTables makes the tables that a query's rows are looked up in.
func (s *sifting) makeTables() error {
	plan := s.q.Plan
	for i, l := range plan.Lookups {
		t := s.q.task.Tables[i]
		c, err := s.q.tableOf(t)
		if s.tables = append(s.tables, c); err != nil {
			return err
		}
		p := &s.Probes[i]
		*p = kernels.Probe{Groups: c.Groups, Mask: c.Mask, Second: kernels.None, Kind: lookups[l.Kind]}
		for k, column := range l.Columns {
			*[]*uint32{&p.First, &p.Second}[k] = uint32(slices.Index(s.q.output, plan.Output[column]))
		}
	}
	s.ProbeCount = uint32(len(plan.Lookups))
	return nil
}

// uploaded is how many rows of a table are copied at a time.
const uploaded = 1 << 20

// tableOf makes a table of rows: the caller closes what it returns, with an error too.
func (q *query) tableOf(t *match.Table) (c *combination, err error) {
	if c, err = q.newCombination(int64(t.N)); err != nil {
		return c, err
	}
	c.tallies, c.Sums = true, 1
	most := int64(min(max(t.N, 1), uploaded))
	memory, err := q.d.alloc(16 * most)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, q.d.give(memory)) }()
	at := func(column int64) kernels.Address { return memory + kernels.Address(4*column*most) }
	c.First = at(0)
	if len(t.Cols) > 1 {
		c.Second = at(1)
	}
	if t.Weights != nil {
		c.WeightLow, c.WeightHigh = at(2), at(3)
	}
	for from := 0; from < t.N; from += int(most) {
		if err := q.uploadTable(t, from, min(from+int(most), t.N), at); err != nil {
			return c, err
		}
		if err := c.takeColumns(uint64(min(int(most), t.N-from))); err != nil {
			return c, err
		}
	}
	return c, nil
}

// uploadTable copies rows of a table to the device: its columns, and the halves of the weights.
func (q *query) uploadTable(t *match.Table, from, to int, at func(column int64) kernels.Address) error {
	stream := q.lane.stream
	for i, column := range t.Cols {
		if err := stream.Upload(at(int64(i)), kernels.Bytes(column[from:to])); err != nil {
			return err
		}
	}
	var low, high []dictionary.ID
	if t.Weights != nil {
		for _, n := range t.Weights[from:to] {
			low, high = append(low, dictionary.ID(n)), append(high, dictionary.ID(n>>32))
		}
	}
	return errors.Join(stream.Upload(at(2), kernels.Bytes(low)), stream.Upload(at(3), kernels.Bytes(high)), stream.Synchronize())
}
