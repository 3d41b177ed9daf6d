package join

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/sideways"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/planner"
)

// merger makes solutions of pairs of rows, for one goroutine.
type merger struct {
	*Join
	x    *operator.Execution
	emit func(*vector.Batch) error
	// lone takes left rows without a partner; nil: emit does.
	lone func(*vector.Batch) error
	// most is how many rows are merged, or wait to be, at a time; sent is how many were emitted.
	most int
	sent uint64

	// own is what a goroutine beside others matches the right pattern with.
	own *sideways.Own

	prober  vector.Prober
	left    vector.Batch // view of the rows in work
	matched []bool
	li, ri  []uint32
	out     vector.Batch
	view    [][]dictionary.ID
	keep    []uint32
}

// probeTable joins the rows of b with a table.
func (m *merger) probeTable(b *vector.Batch, t *vector.Table) error {
	m.begin(b)
	if m.prober.Table != t {
		m.prober = vector.Prober{Table: t, Shared: m.Hashed.LeftShared, Overlap: m.Kind == planner.Minus, Fixed: m.prober.Fixed}
	}
	if m.Kind == planner.Minus {
		if err := m.prober.Meet(b, m.matched); err != nil {
			return err
		}
		return m.finish()
	}
	pairs := &vector.Pairs{Left: m.li[:0], Right: m.ri[:0]}
	pairs.Flush = func(li, ri []uint32) error {
		return m.pairs(t.Rows.Cols, li, ri, len(li), &m.Hashed.Spec)
	}
	if err := m.prober.Probe(b, pairs); err != nil {
		return err
	}
	if err := pairs.End(); err != nil {
		return err
	}
	m.li, m.ri = pairs.Left, pairs.Right
	return m.finish()
}

// seed matches the right pattern for the rows of b.
func (m *merger) seed(b *vector.Batch) error {
	m.begin(b)
	run := m.Seeds.Run
	if m.own != nil {
		run = m.own.Run
	}
	err := run(m.x, b, func(right *vector.Batch, side *sideways.Merge) error {
		return m.pairs(right.Cols, right.Origin, nil, right.N, side)
	})
	if err != nil {
		return err
	}
	return m.finish()
}

// begin starts the pairs of the left rows b.
func (m *merger) begin(b *vector.Batch) {
	m.left = *b
	if m.Kind == planner.Inner {
		return
	}
	if cap(m.matched) < b.N {
		m.matched = make([]bool, b.N)
	}
	m.matched = m.matched[:b.N]
	clear(m.matched)
}

// pairs takes pairs of rows: left row li[i] and right row ri[i] (or i, when ri is nil).
func (m *merger) pairs(right [][]dictionary.ID, li, ri []uint32, n int, side *sideways.Merge) error {
	if err := m.x.Ended(); err != nil {
		return err
	}
	if len(side.Checks) > 0 {
		li, ri = m.check(right, li, ri, n, side.Checks)
		n = len(li)
	}
	if n == 0 {
		return nil
	}
	if m.Kind == planner.Minus || m.Kind == planner.Left && m.Condition == nil {
		for _, l := range li {
			m.matched[l] = true
		}
	}
	if m.Kind == planner.Minus {
		return nil
	}
	for from := 0; from < n; from += m.most {
		to := min(from+m.most, n)
		if err := m.merge(right, li, ri, from, to, side); err != nil {
			return err
		}
	}
	return nil
}

// merge emits the pairs from … to that the condition allows.
func (m *merger) merge(right [][]dictionary.ID, li, ri []uint32, from, to int, side *sideways.Merge) error {
	if ri != nil {
		ri = ri[from:to]
	} else if from > 0 {
		right = m.from(right, from)
	}
	li = li[from:to]
	m.gather(right, li, ri, to-from, side.Columns)
	if m.Condition != nil {
		keep, err := m.Condition.Filter(m.x, &m.out, m.keep[:0])
		if err != nil {
			return err
		}
		m.keep = keep
		if m.Kind == planner.Left {
			for _, k := range keep {
				m.matched[li[k]] = true
			}
		}
		vector.Compact(&m.out, keep)
	}
	return m.send(m.emit)
}

// from views columns from a row on.
func (m *merger) from(cols [][]dictionary.ID, row int) [][]dictionary.ID {
	m.view = m.view[:0]
	for _, col := range cols {
		m.view = append(m.view, col[row:])
	}
	return m.view
}

// send emits the output columns of the merged rows.
func (m *merger) send(emit func(*vector.Batch) error) error {
	if m.out.N == 0 {
		return nil
	}
	b := vector.Batch{Cols: m.out.Cols[:len(m.Join.Out)], N: m.out.N, Origin: m.out.Origin}
	m.sent += uint64(b.N)
	return emit(&b)
}

// check drops the pairs that bind a shared variable to different terms.
func (m *merger) check(right [][]dictionary.ID, li, ri []uint32, n int, checks []sideways.ColumnPair) ([]uint32, []uint32) {
	outL, outR := make([]uint32, 0, n), make([]uint32, 0, n)
next:
	for i := range n {
		l, rr := li[i], uint32(i)
		if ri != nil {
			rr = ri[i]
		}
		for _, c := range checks {
			a, b := m.left.Cols[c.Left][l], right[c.Right][rr]
			if a != b && a != dictionary.None && b != dictionary.None {
				continue next
			}
		}
		outL, outR = append(outL, l), append(outR, rr)
	}
	return outL, outR
}

// gather writes the merged columns of the pairs to m.out.
func (m *merger) gather(right [][]dictionary.ID, li, ri []uint32, n int, merge []sideways.ColumnPair) {
	m.size(len(merge))
	for c, pair := range merge {
		col := m.out.Cols[c][:0]
		switch {
		case pair.Left < 0 && pair.Right < 0:
			col = append(col, vector.Unbound(n)...)
		case pair.Left < 0 && ri == nil:
			col = append(col, right[pair.Right][:n]...)
		case pair.Left < 0:
			col = vector.Gather(col, right[pair.Right], ri)
		default:
			col = vector.Gather(col, m.left.Cols[pair.Left], li)
			if pair.Right >= 0 {
				fillUnbound(col, right[pair.Right], ri)
			}
		}
		m.out.Cols[c] = col
	}
	m.out.N = n
	m.origin(li)
}

// fillUnbound replaces unbound values by those of the right row.
func fillUnbound(col, right []dictionary.ID, ri []uint32) {
	for i, id := range col {
		if id != dictionary.None {
			continue
		}
		if ri == nil {
			col[i] = right[i]
		} else {
			col[i] = right[ri[i]]
		}
	}
}

// size makes m.out width columns wide. Columns are the run's own: compact works in place.
func (m *merger) size(width int) {
	if cap(m.out.Cols) < width {
		m.out.Cols = make([][]dictionary.ID, width)
	}
	m.out.Cols = m.out.Cols[:width]
}

func (m *merger) origin(li []uint32) {
	if !m.Seeded {
		m.out.Origin = nil
		return
	}
	m.out.Origin = vector.Gather(m.out.Origin[:0], m.left.Origin, li)
}

// finish emits the left rows without a partner, where the kind of join wants them.
func (m *merger) finish() error {
	if m.Kind == planner.Inner {
		return nil
	}
	alone := m.keep[:0]
	for i, matched := range m.matched {
		if !matched {
			alone = append(alone, uint32(i))
		}
	}
	m.keep = alone
	if len(alone) == 0 {
		return nil
	}
	lone, emit := m.loneSpec(), m.emit
	if m.lone != nil {
		emit = m.lone
	}
	for from := 0; from < len(alone); from += m.most {
		some := alone[from:min(from+m.most, len(alone))]
		m.gather(nil, some, nil, len(some), lone)
		if err := m.send(emit); err != nil {
			return err
		}
	}
	return nil
}

// loneSpec merges left rows with nothing.
func (m *merger) loneSpec() []sideways.ColumnPair {
	lone := make([]sideways.ColumnPair, len(m.Join.Out))
	for i, l := range operator.Indexes(m.Join.Left.Columns(), m.Join.Out) {
		lone[i] = sideways.ColumnPair{Left: int32(l), Right: -1}
	}
	return lone
}
