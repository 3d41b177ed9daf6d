package gpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// figure is what the numbers of one group come to.
type figure struct {
	count           uint64
	sum             string
	decimal         bool
	least, greatest uint32
}

// figuresCase is rows of up to two key columns, IDs and maybe weights, and what the IDs stand for.
type figuresCase struct {
	keys     int
	weighted bool
	columns  [][]uint32 // the keys, the IDs and the halves of the weights
	doubles  [2][]int64
	firsts   [2]uint32
	// wide are numbers of the rows themselves in place of what IDs stand for: twice each, as kernels.Summing has them; nil: there are none.
	wide []uint64
	// ordered are words of such rows that are compared in place of the IDs.
	ordered []uint32
	// first are the groups that are needed; nil: all.
	first *bgp.FirstGroups
}

// isFirst checks that groups have all that are among the first, and reports how many there are. Of a mean that is about the last one's nothing is expected.
func (c *figuresCase) isFirst(got, want map[[2]uint32]figure) error {
	place := func(f figure) *big.Rat {
		sum, _ := new(big.Rat).SetString(f.sum)
		switch c.first.By {
		case bgp.ByCount:
			return new(big.Rat).SetUint64(f.count)
		case bgp.ByMean:
			return sum.Quo(sum, new(big.Rat).SetUint64(f.count))
		}
		return sum
	}
	var all []*big.Rat
	for _, f := range want {
		all = append(all, place(f))
	}
	slices.SortFunc(all, func(a, b *big.Rat) int {
		if c.first.Descending {
			a, b = b, a
		}
		return a.Cmp(b)
	})
	last := all[min(len(all), int(c.first.Rows))-1]
	for key, f := range want {
		order := place(f).Cmp(last)
		if c.first.Descending {
			order = -order
		}
		if g, ok := got[key]; ok && g != f || !ok && order <= 0 && f.count > 0 {
			return fmt.Errorf("%v: %+v, want %+v", key, g, f)
		}
	}
	return nil
}

// widen gives the rows numbers of up to 94 bits.
func (c *figuresCase) widen(r *rand.Rand) {
	for range c.columns[c.keys] {
		high := uint64((r.Int64N(1<<31) - 1<<30) >> r.IntN(30))
		if r.IntN(3) > 0 {
			high = -uint64(r.IntN(2))
		}
		c.wide = append(c.wide, r.Uint64(), high)
		c.ordered = append(c.ordered, 1+r.Uint32N(math.MaxUint32-1))
	}
}

// twice is twice the number of a row.
func (c *figuresCase) twice(row int, id uint32) *big.Int {
	if c.wide != nil {
		n := new(big.Int).Lsh(big.NewInt(int64(c.wide[2*row+1])), 64)
		return n.Add(n, new(big.Int).SetUint64(c.wide[2*row]))
	}
	of := 0
	if id >= c.firsts[1] {
		of = 1
	}
	return big.NewInt(c.doubles[of][id-c.firsts[of]])
}

// drawFigures draws rows in so many groups.
func drawFigures(r *rand.Rand, rows, groups, keys int, weighted bool) *figuresCase {
	c := &figuresCase{keys: keys, weighted: weighted, columns: make([][]uint32, keys+1), firsts: [2]uint32{0, 70_000}}
	for i, n := range []int{300, 5000} {
		for range n {
			v := r.Int64N(2000) - 1000
			switch r.IntN(20) {
			case 0:
				v = r.Int64N(1<<61) - 1<<60
			case 1:
				v = (1<<61 - 1) * (1 - 2*r.Int64N(2))
			}
			c.doubles[i] = append(c.doubles[i], 2*v+r.Int64N(200)/199)
		}
	}
	if weighted {
		c.columns = append(c.columns, nil, nil)
	}
	for range rows {
		group := r.Uint32N(1 + r.Uint32N(uint32(groups)))
		for k := range keys {
			c.columns[k] = append(c.columns[k], []uint32{group * 0x9E3779B1, group%7 + math.MaxUint32 - 10}[k])
		}
		of := r.IntN(2)
		c.columns[keys] = append(c.columns[keys], c.firsts[of]+r.Uint32N(uint32(len(c.doubles[of]))))
		if weighted {
			weight := uint64(r.IntN(4))
			if r.IntN(10) == 0 {
				weight = r.Uint64() >> r.IntN(64)
			}
			c.columns[keys+1] = append(c.columns[keys+1], uint32(weight))
			c.columns[keys+2] = append(c.columns[keys+2], uint32(weight>>32))
		}
	}
	return c
}

// want is what the rows come to, added up plainly.
func (c *figuresCase) want() map[[2]uint32]figure {
	type state struct {
		count, sum *big.Int
		figure
	}
	all := map[[2]uint32]*state{}
	for row, id := range c.columns[c.keys] {
		var key [2]uint32
		for k := range c.keys {
			key[k] = c.columns[k][row]
		}
		weight := new(big.Int).SetUint64(1)
		if c.weighted {
			weight.SetUint64(uint64(c.columns[c.keys+2][row])<<32 | uint64(c.columns[c.keys+1][row]))
		}
		twice := c.twice(row, id)
		s := all[key]
		if c.ordered != nil {
			id = c.ordered[row]
		}
		if s == nil {
			s = &state{count: new(big.Int), sum: new(big.Int), figure: figure{least: id, greatest: id}}
			all[key] = s
		}
		s.count.Add(s.count, weight)
		s.sum.Add(s.sum, new(big.Int).Mul(weight, new(big.Int).Rsh(twice, 1)))
		s.decimal = s.decimal || twice.Bit(0) != 0
		s.least, s.greatest = min(s.least, id), max(s.greatest, id)
	}
	out := map[[2]uint32]figure{}
	for key, s := range all {
		s.figure.count = math.MaxUint64
		if s.count.IsUint64() {
			s.figure.count = s.count.Uint64()
		}
		s.figure.sum = s.sum.String()
		out[key] = s.figure
	}
	return out
}

// on adds the rows up on a device.
func (c *figuresCase) on(d *Device, rows int64) (got map[[2]uint32]figure, err error) {
	l, err := d.lanes.lane(4<<20, false)
	if err != nil {
		return nil, err
	}
	defer l.release()
	plan := &bgp.MatchPlan{Fold: &bgp.Fold{Value: c.keys, Sums: true, Extremes: true, First: c.first}}
	for i := range c.keys + 1 {
		plan.Output = append(plan.Output, i)
		if i < c.keys {
			plan.Fold.Keys = append(plan.Fold.Keys, bgp.FoldKey{Column: i})
		}
	}
	q, h, err := c.query(d, l, plan)
	if err != nil {
		return nil, err
	}
	got = map[[2]uint32]figure{}
	q.emit = func(b *match.Batch) error { return c.take(b, got) }
	if c.wide != nil {
		plan.Fold.Value, plan.Fold.Of = -1, &bgp.Formula{Op: bgp.Plus}
		q.sifting = &sifting{Sifting: &kernels.Sifting{}}
		var others error
		q.sifting.Doubled, err = upload(l, kernels.Bytes(c.wide))
		q.sifting.Words[extremesWord], others = upload(l, kernels.Bytes(c.ordered))
		if err = errors.Join(err, others); err != nil {
			return nil, err
		}
	}
	err = q.makeSums(rows, h)
	if err == nil {
		err = q.sums.takeRows(uint64(len(c.columns[0])))
	}
	if err == nil {
		err = q.sums.handOut()
	}
	return got, errors.Join(err, q.sums.close())
}

// upload copies words to a lane's arena.
func upload(l *lane, words []byte) (kernels.Address, error) {
	at, err := l.arena.take(int64(len(words)))
	if err == nil {
		err = errors.Join(l.stream.Upload(at, words), l.stream.Synchronize())
	}
	return at, err
}

// query is one whose output columns the rows are, in a lane, with the tables of what IDs stand for.
func (c *figuresCase) query(d *Device, l *lane, plan *bgp.MatchPlan) (*query, *heldNumbers, error) {
	s := &shape{Lowering: &match.Lowering{Plan: plan}, weighted: c.weighted}
	q := &query{task: &match.Match{Plan: plan}, permit: permit{permits: d.permits}, join: &join{ctx: context.Background(), d: d, lane: l, shape: s}}
	for i, column := range c.columns {
		at, err := upload(l, kernels.Bytes(column))
		if err != nil {
			return nil, nil, err
		}
		s.output, q.out = append(s.output, i), append(q.out, at)
	}
	h := &heldNumbers{of: d.numbers}
	for i, words := range c.doubles {
		at, err := upload(l, kernels.Bytes(words))
		if err != nil {
			return nil, nil, err
		}
		h.ranges = append(h.ranges, kernels.NumberRange{Doubles: at, First: c.firsts[i], Count: uint32(len(words))})
	}
	return q, h, nil
}

// take takes groups that were handed out.
func (c *figuresCase) take(b *match.Batch, into map[[2]uint32]figure) error {
	for r := range b.N {
		var key [2]uint32
		for k := range c.keys {
			key[k] = b.Cols[k][r]
		}
		if _, known := into[key]; known {
			return fmt.Errorf("the group %v came twice", key)
		}
		f := b.Folds
		sum := new(big.Int).Lsh(big.NewInt(int64(f.High[r])), 64)
		sum.Add(sum, new(big.Int).SetUint64(f.Low[r]))
		of := figure{count: f.Counts[r], sum: sum.String(), decimal: f.Decimal[r]}
		if f.Least != nil {
			of.least, of.greatest = f.Least[r], f.Greatest[r]
		} else {
			of.least, of.greatest = uint32(f.LeastUnits[r]+kernels.KeyOrdered), uint32(f.GreatestUnits[r]+kernels.KeyOrdered)
		}
		into[key] = of
	}
	return nil
}

// checkFigures adds random rows up in tables that suit them and in such that grow, with few groups and many.
func checkFigures(t *testing.T, d *Device, rows int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, groups := range []int{1, 60, 3000, rows} {
		for keys := range 3 {
			for _, weighted := range []bool{false, true} {
				c := drawFigures(r, rows, groups, keys, weighted)
				if !weighted && r.IntN(2) == 0 {
					c.widen(r)
				}
				want := c.want()
				for _, expected := range []int64{10, int64(rows)} {
					var got map[[2]uint32]figure
					run := func() error { return d.use(func() (err error) { got, err = c.on(d, expected); return err }) }
					if err := run(); err != nil || !maps.Equal(got, want) {
						t.Fatalf("%d groups by %d, weighted %v, for %d rows: %d groups, want %d (error %v)%s", groups, keys, weighted, expected, len(got), len(want), err, firstDifference(got, want))
					}
					all := len(got)
					c.first = &bgp.FirstGroups{By: bgp.FoldOrder(r.IntN(3)), Descending: r.IntN(2) == 0, Rows: 1 + r.Uint64N(20)}
					if weighted && c.first.By == bgp.ByMean {
						c.first.By = bgp.BySum
					}
					err := run()
					if err == nil {
						err = c.isFirst(got, want)
					}
					if err == nil && c.first.By == bgp.BySum && all > 2000 && len(got) > all/2 {
						err = fmt.Errorf("%d of %d groups came", len(got), all)
					}
					if err != nil {
						t.Fatalf("the first %+v of %d groups by %d, weighted %v: %v", c.first, groups, keys, weighted, err)
					}
					c.first = nil
				}
			}
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func firstDifference(got, want map[[2]uint32]figure) string {
	for key, w := range want {
		if got[key] != w {
			return fmt.Sprintf("; %v: %+v, want %+v", key, got[key], w)
		}
	}
	return ""
}

func TestFiguresAreAddedUp(t *testing.T) {
	t.Parallel()
	checkFigures(t, open(t, Options{}), 5000)
	checkFigures(t, open(t, Options{tuning: tuning{slice: 3, blocks: 1, firstListed: 2048}}), 3000)
}

func TestDeviceAddsFiguresUp(t *testing.T) {
	gpu := driver(t)
	for _, rows := range []int{100, 40_000} {
		checkFigures(t, open(t, Options{Driver: gpu}), rows)
	}
}

// TestOddFiguresAreTold: an ID of no table, or one that is no number there, ends all.
func TestOddFiguresAreTold(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	for _, odd := range []uint32{299, 300, 69_999, 80_000} {
		c := drawFigures(rand.New(rand.NewPCG(3, 4)), 500, 10, 1, false)
		c.doubles[0] = slices.Clone(c.doubles[0])
		c.doubles[0][299] = -kernels.NoNumber
		for i, id := range c.columns[1] {
			if id == 299 {
				c.columns[1][i] = 298
			}
		}
		run := func() error { return d.use(func() error { _, err := c.on(d, 500); return err }) }
		if err := run(); err != nil {
			t.Fatal(err)
		}
		c.columns[1][77] = odd
		if err := run(); !errors.Is(err, errUnfolded) {
			t.Errorf("an ID %d: error %v", odd, err)
		}
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%d bytes are left (error %v)", d.memory.inUse(), err)
	}
}
