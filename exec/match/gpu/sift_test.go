package gpu

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// siftCase is rows of three columns of IDs, maybe with weights, what the IDs stand for at scale 2, conditions, and what is computed of each row.
type siftCase struct {
	*figuresCase
	where []*bgp.Formula
	of    *bgp.Formula
}

const siftScale = 2

// drawSift draws rows and formulas; large: numbers may have too many bits, or be none.
func drawSift(r *rand.Rand, rows int, large bool) *siftCase {
	c := &siftCase{figuresCase: drawFigures(r, rows, 50, 0, r.IntN(2) == 0)}
	for i, all := range c.doubles {
		for k := range all {
			switch {
			case !large:
				c.doubles[i][k] = 2*(r.Int64N(200)-100) + r.Int64N(2)
			case r.IntN(500) == 0:
				c.doubles[i][k] = -kernels.NoNumber
			}
		}
	}
	values := c.columns[0]
	columns := [][]uint32{values, slices.Clone(values), slices.Clone(values)}
	for _, column := range columns[1:] {
		r.Shuffle(rows, func(i, j int) { column[i], column[j] = column[j], column[i] })
	}
	c.columns = append(columns, c.columns[1:]...)
	for range r.IntN(3) {
		c.where = append(c.where, drawTruth(r, 2))
	}
	if len(c.where) == 0 || r.IntN(2) == 0 {
		c.of = drawNumber(r, 2)
	}
	return c
}

func drawNumber(r *rand.Rand, depth int) *bgp.Formula {
	switch n := r.IntN(10); {
	case depth <= 0 && n < 7, n < 2:
		return &bgp.Formula{Op: bgp.ColumnNumber, Column: r.IntN(3)}
	case depth <= 0 || n < 4:
		return &bgp.Formula{Op: bgp.ConstantNumber, Int: r.Int64N(50) - 25, Scale: uint8(r.IntN(5)), Decimal: r.IntN(2) == 0}
	case n == 4:
		return &bgp.Formula{Op: bgp.Negate, Args: []*bgp.Formula{drawNumber(r, depth-1)}}
	}
	op := []bgp.FormulaOp{bgp.Plus, bgp.Minus, bgp.Times}[r.IntN(3)]
	return &bgp.Formula{Op: op, Args: []*bgp.Formula{drawNumber(r, depth-1), drawNumber(r, depth-1)}}
}

func drawTruth(r *rand.Rand, depth int) *bgp.Formula {
	draw := drawNumber
	op := []bgp.FormulaOp{bgp.Less, bgp.LessEqual, bgp.Equal}[r.IntN(3)]
	if depth > 0 && r.IntN(3) > 0 {
		draw, op = drawTruth, []bgp.FormulaOp{bgp.And, bgp.Or, bgp.Not}[r.IntN(3)]
	}
	f := &bgp.Formula{Op: op, Args: []*bgp.Formula{draw(r, depth-1), draw(r, depth-1)}}
	if op < bgp.And {
		f.Args = []*bgp.Formula{drawNumber(r, 1), drawNumber(r, 1)}
	}
	if op == bgp.Not {
		f.Args = f.Args[:1]
	}
	return f
}

// value is a formula's value in a row, by the definitions: a truth is 0 or 1.
func (c *siftCase) value(f *bgp.Formula, row int) (n *big.Rat, decimal bool) {
	truth := func(is bool) (*big.Rat, bool) {
		if is {
			return big.NewRat(1, 1), false
		}
		return new(big.Rat), false
	}
	ten := func(scale uint8) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil) }
	switch f.Op {
	case bgp.ColumnNumber:
		id, of := c.columns[f.Column][row], 0
		if id >= c.firsts[1] {
			of = 1
		}
		twice := c.doubles[of][id-c.firsts[of]]
		return new(big.Rat).SetFrac(big.NewInt(twice>>1), ten(siftScale)), twice&1 != 0
	case bgp.ConstantNumber:
		return new(big.Rat).SetFrac(big.NewInt(f.Int), ten(f.Scale)), f.Decimal
	}
	x, decimal := c.value(f.Args[0], row)
	switch f.Op {
	case bgp.Negate:
		return new(big.Rat).Neg(x), decimal
	case bgp.Not:
		return truth(x.Sign() == 0)
	}
	y, other := c.value(f.Args[1], row)
	decimal = decimal || other
	switch f.Op {
	case bgp.Plus:
		return new(big.Rat).Add(x, y), decimal
	case bgp.Minus:
		return new(big.Rat).Sub(x, y), decimal
	case bgp.Times:
		return new(big.Rat).Mul(x, y), decimal
	case bgp.Less:
		return truth(x.Cmp(y) < 0)
	case bgp.LessEqual:
		return truth(x.Cmp(y) <= 0)
	case bgp.Equal:
		return truth(x.Cmp(y) == 0)
	case bgp.And:
		return truth(x.Sign() != 0 && y.Sign() != 0)
	}
	return truth(x.Sign() != 0 || y.Sign() != 0)
}

// want is the rows that pass, with what is computed of them.
func (c *siftCase) want() (rows []string) {
next:
	for row := range c.columns[0] {
		for _, f := range c.where {
			if n, _ := c.value(f, row); n.Sign() == 0 {
				continue next
			}
		}
		text := ""
		for _, column := range c.columns {
			text += fmt.Sprint(column[row], " ")
		}
		if c.of != nil {
			n, decimal := c.value(c.of, row)
			text += fmt.Sprint(n, decimal)
		}
		rows = append(rows, text)
	}
	slices.Sort(rows)
	return rows
}

// on sifts the rows on a device.
func (c *siftCase) on(d *Device) (rows []string, odd uint64, err error) {
	l, err := d.lanes.lane(8<<20, false)
	if err != nil {
		return nil, 0, err
	}
	defer l.release()
	plan := &bgp.MatchPlan{Output: []int{0, 1, 2}, Where: c.where, Fold: &bgp.Fold{Keys: []int{0, 1}, Value: 2, Of: c.of}}
	q, h, err := c.query(d, l, plan)
	if err != nil {
		return nil, 0, err
	}
	h.scale = siftScale
	defer func() { err = errors.Join(err, q.sifting.close()) }()
	if err := q.sifter(true, h); err != nil {
		return nil, 0, err
	}
	sifting := q.sifting
	err = sifting.each(&kernels.State{Rows: uint64(len(c.columns[0]))}, func(*kernels.State) error {
		odd += sifting.Odd
		some, err := c.kept(sifting)
		rows = append(rows, some...)
		return err
	})
	slices.Sort(rows)
	return rows, odd, err
}

// kept are the rows that a launch has kept.
func (c *siftCase) kept(s *sifting) (rows []string, err error) {
	columns, results := make([][]uint32, len(s.out)), make([]uint64, 2*s.Kept)
	stream := s.q.lane.stream
	for i, at := range s.out {
		columns[i] = make([]uint32, s.Kept)
		err = errors.Join(err, stream.Download(kernels.Bytes(columns[i]), at))
	}
	if c.of != nil {
		err = errors.Join(err, stream.Download(kernels.Bytes(results), s.Doubled))
	}
	if err = errors.Join(err, stream.Synchronize()); err != nil {
		return nil, err
	}
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(s.scale)), nil)
	for r := range s.Kept {
		twice := new(big.Int).Lsh(big.NewInt(int64(results[2*r+1])), 64)
		twice.Add(twice, new(big.Int).SetUint64(results[2*r]))
		text := ""
		for _, column := range columns {
			text += fmt.Sprint(column[r], " ")
		}
		if c.of != nil {
			text += fmt.Sprint(new(big.Rat).SetFrac(new(big.Int).Rsh(twice, 1), ten), twice.Bit(0) != 0)
		}
		rows = append(rows, text)
	}
	return rows, nil
}

// checkSifts compares what a device keeps of random rows with the definitions and, where numbers are large, with the twin.
func checkSifts(t *testing.T, d *Device, cases, rows int) {
	t.Helper()
	twin := open(t, Options{})
	r := rand.New(rand.NewPCG(5, 6))
	for i := range cases {
		c := drawSift(r, rows, i%3 == 0)
		var got []string
		var odd uint64
		err := d.use(func() (err error) { got, odd, err = c.on(d); return err })
		if err != nil {
			t.Fatal(err)
		}
		if i%3 > 0 {
			if want := c.want(); odd > 0 || !slices.Equal(got, want) {
				t.Fatalf("case %d: %d rows passed, want %d; %d are odd", i, len(got), len(want), odd)
			}
			continue
		}
		want, strange, err := c.on(twin)
		if err != nil || odd != strange || !slices.Equal(got, want) {
			t.Fatalf("case %d: %d rows passed, the twin has %d; %d are odd, the twin has %d (error %v)", i, len(got), len(want), odd, strange, err)
		}
	}
	for _, d := range []*Device{twin, d} {
		if err := d.Close(); err != nil || d.memory.inUse() != 0 {
			t.Errorf("%d bytes are left (error %v)", d.memory.inUse(), err)
		}
	}
}

func TestRowsAreSifted(t *testing.T) {
	t.Parallel()
	checkSifts(t, open(t, Options{}), 40, 700)
	checkSifts(t, open(t, Options{tuning: tuning{sifted: 100}}), 20, 700)
}

func TestDeviceSiftsRows(t *testing.T) {
	gpu := driver(t)
	checkSifts(t, open(t, Options{Driver: gpu}), 40, 700)
	checkSifts(t, open(t, Options{Driver: gpu}), 9, 5000)
}
