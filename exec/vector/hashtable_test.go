package vector

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// tableCase is a table and rows that probe it, which share some columns.
type tableCase struct {
	rows         Rows
	probes       Batch
	shared, left []int
}

// randomIDs is where the IDs of a column come from: some that lie close together, wherever that is, few, or any.
func randomIDs(r *rand.Rand, n int) func() dictionary.ID {
	base := []uint32{0, 1000, 1 << 31, dictionary.None - 1<<20}[r.IntN(4)]
	span := []int{1, 5, n + 1, 3 * n, 20 * n, 1 << 20}[r.IntN(6)]
	unbound := []float64{0, 0, 0, 0.1, 0.9}[r.IntN(5)]
	sparse, ascending, last := r.IntN(4) == 0, r.IntN(3) == 0, base
	return func() dictionary.ID {
		switch {
		case r.Float64() < unbound:
			return dictionary.None
		case sparse:
			return dictionary.ID(r.IntN(max(1, span)) * 2909 % int(dictionary.None))
		case ascending:
			last = min(last+uint32(r.IntN(3)), dictionary.None-1)
			return last
		}
		return min(base+uint32(r.IntN(max(1, span))), dictionary.None-1)
	}
}

func randomTable(r *rand.Rand, n int) tableCase {
	width := 1 + r.IntN(3)
	c := tableCase{rows: *NewRows(width), probes: Batch{N: 1 + r.IntN(300)}}
	c.rows.N = n
	perm, probed := r.Perm(width), r.Perm(width)
	for i := range 1 + r.IntN(width) {
		c.shared, c.left = append(c.shared, perm[i]), append(c.left, probed[i])
	}
	c.probes.Cols = make([][]dictionary.ID, width)
	for i := range width {
		next, other := randomIDs(r, n), randomIDs(r, n)
		col := make([]dictionary.ID, n)
		for k := range col {
			col[k] = next()
		}
		c.rows.Cols[i] = col
		to := slices.Index(perm, i)
		for range c.probes.N {
			id := other()
			if n > 0 && r.IntN(2) == 0 {
				id = col[r.IntN(n)]
			}
			c.probes.Cols[probed[to]] = append(c.probes.Cols[probed[to]], id)
		}
	}
	return c
}

// agree is the definition: what both bind is the same, and with overlap there is such a variable.
func (c *tableCase) agree(left, right int, overlap bool) bool {
	met := false
	for i, s := range c.shared {
		a, b := c.probes.Cols[c.left[i]][left], c.rows.Cols[s][right]
		if a == dictionary.None || b == dictionary.None {
			continue
		}
		if met = true; a != b {
			return false
		}
	}
	return met || !overlap
}

// beside does units of work in goroutines.
func beside(units int, do func(int) error) error {
	errs := make([]error, units)
	var wg sync.WaitGroup
	for i := range units {
		wg.Go(func() { errs[i] = do(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func TestTableFindsWhatAgrees(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		n := r.IntN(200)
		if testing.Short() && seed%4 > 0 {
			continue
		}
		if seed%80 == 0 {
			n = chainTogether + r.IntN(chainTogether)
		}
		c := randomTable(r, n)
		if n >= chainTogether {
			c.probes = *c.probes.Part(0, min(c.probes.N, 20))
		}
		for _, each := range []Each{nil, beside} {
			checkTable(t, seed, &c, each)
		}
	}
}

func checkTable(t *testing.T, seed uint64, c *tableCase, each Each) {
	t.Helper()
	ended := func() error { return nil }
	for _, overlap := range []bool{false, true} {
		type pair struct{ left, right uint32 }
		var want, got []pair
		met := make([]bool, c.probes.N)
		for l := range c.probes.N {
			for r := range c.rows.N {
				if c.agree(l, r, overlap) {
					want, met[l] = append(want, pair{uint32(l), uint32(r)}), true
				}
			}
		}
		table, err := NewTable(ended, &Rows{Cols: slices.Clone(c.rows.Cols), N: c.rows.N}, c.shared, each)
		if err != nil {
			t.Fatal(err)
		}
		pairs := &Pairs{Flush: func(li, ri []uint32) error {
			for i, l := range li {
				got = append(got, pair{l, ri[i]})
			}
			return nil
		}}
		p := Prober{Table: table, Shared: c.left, Overlap: overlap}
		if err := p.Probe(&c.probes, pairs); err != nil {
			t.Fatal(err)
		}
		if err := pairs.End(); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got, func(a, b pair) int { return cmp.Or(cmp.Compare(a.left, b.left), cmp.Compare(a.right, b.right)) })
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, overlap %v, together %v: %d pairs of %d rows, want %d", seed, overlap, each != nil, len(got), c.rows.N, len(want))
		}
		for _, only := range []bool{false, true} {
			if table, err = NewTable(ended, &Rows{Cols: slices.Clone(c.rows.Cols), N: c.rows.N}, c.shared, each); err != nil {
				t.Fatal(err)
			}
			some := make([]bool, c.probes.N)
			p := Prober{Table: table, Shared: c.left, Overlap: overlap}
			if !only { // there is an index to find rows by then
				if err := p.Probe(&c.probes, &Pairs{Flush: func(_, _ []uint32) error { return nil }}); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Meet(&c.probes, some); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(some, met) {
				t.Fatalf("seed %d, overlap %v, together %v, only %v: rows with a partner are %v, want %v", seed, overlap, each != nil, only, some, met)
			}
		}
	}
}

// TestTablesEndWithTheirQuery, whatever they are at.
func TestTablesEndWithTheirQuery(t *testing.T) {
	t.Parallel()
	r, bad := rand.New(rand.NewPCG(3, 4)), errors.New("over")
	for _, n := range []int{50_000, 3 * chainTogether} {
		for _, span := range []uint32{100, 1 << 17, 1 << 30} {
			rows := Rows{Cols: [][]dictionary.ID{make([]dictionary.ID, n)}, N: n}
			for i := range n {
				rows.Cols[0][i] = r.Uint32N(span)
			}
			for _, each := range []Each{nil, beside} {
				for after := range int32(6) {
					if testing.Short() && after%3 > 0 {
						continue
					}
					endsAfter(t, &rows, each, after, bad)
				}
			}
		}
	}
}

// endsAfter makes tables of rows and looks up some, where the query has ended after so many looks at that.
func endsAfter(t *testing.T, rows *Rows, each Each, after int32, bad error) {
	t.Helper()
	for _, met := range []bool{false, true} {
		var looks atomic.Int32
		ended := func() error {
			if looks.Add(1) > after {
				return bad
			}
			return nil
		}
		table, err := NewTable(ended, &Rows{Cols: slices.Clone(rows.Cols), N: rows.N}, []int{0}, each)
		if err == nil {
			p, b := Prober{Table: table, Shared: []int{0}}, &Batch{Cols: [][]dictionary.ID{rows.Cols[0][:4096]}, N: 4096}
			if met {
				err = p.Meet(b, make([]bool, b.N))
			} else {
				err = p.Probe(b, &Pairs{Flush: func(_, _ []uint32) error { return nil }})
			}
		}
		if err != nil && !errors.Is(err, bad) || err == nil && looks.Load() > after {
			t.Errorf("%d rows, each %v, met %v: %v after %d looks, want that it ends after %d", rows.N, each != nil, met, err, looks.Load(), after)
		}
	}
}
