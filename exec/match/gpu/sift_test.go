package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// siftCase is rows of three columns of IDs, maybe with weights, what the IDs stand for at a scale, conditions, and what is computed of each row: a number that is added up,
// maybe compared, and up to two that it is grouped by.
type siftCase struct {
	*figuresCase
	scale    uint8
	where    []*bgp.Formula
	of       *bgp.Formula
	extremes bool
	keys     []bgp.FoldKey
}

// drawSift draws rows and formulas; large: numbers may have too many bits, or be none.
func drawSift(r *rand.Rand, rows int, large bool) *siftCase {
	c := &siftCase{figuresCase: drawFigures(r, rows, 50, 0, r.IntN(2) == 0), scale: 2}
	if r.IntN(3) == 0 {
		c.scale = 4
	}
	for i, all := range c.doubles {
		for k := range all {
			switch {
			case !large:
				n := r.Int64N(200) - 100
				if c.scale > 2 && r.IntN(200) > 0 {
					n *= 100
				}
				c.doubles[i][k] = 2*n + r.Int64N(2)
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
	for c.drawFormulas(r); !c.hasCode(); c.drawFormulas(r) {
	}
	return c
}

// plan is a match's whose output are the columns.
func (c *siftCase) plan() *bgp.MatchPlan {
	return &bgp.MatchPlan{Output: []int{0, 1, 2}, Where: c.where, Fold: &bgp.Fold{Keys: c.keys, Value: 2, Of: c.of, Sums: true, Extremes: c.extremes}}
}

func (c *siftCase) hasCode() bool {
	plan := c.plan()
	_, _, err := siftCode(&kernels.Sifting{}, plan, plan.Output, c.scale)
	return err == nil
}

func (c *siftCase) drawFormulas(r *rand.Rand) {
	c.where, c.of, c.extremes = nil, nil, false
	for range r.IntN(3) {
		c.where = append(c.where, drawTruth(r, 2))
	}
	if len(c.where) == 0 || r.IntN(2) == 0 {
		c.of, c.extremes = drawNumber(r, 2), r.IntN(3) == 0
	}
	c.keys = []bgp.FoldKey{{Column: 0}, {Column: 1}}
	for i := range c.keys {
		if r.IntN(3) == 0 {
			c.keys[i].Of = drawNumber(r, 1)
		}
	}
}

func drawNumber(r *rand.Rand, depth int) *bgp.Formula {
	switch n := r.IntN(10); {
	case depth <= 0 && n < 7, n < 2:
		return &bgp.Formula{Op: bgp.ColumnNumber, Column: r.IntN(3)}
	case depth <= 0 || n < 4:
		return &bgp.Formula{Op: bgp.ConstantNumber, Int: r.Int64N(50) - 25, Scale: uint8(r.IntN(5)), Decimal: r.IntN(2) == 0}
	case n == 4:
		op := []bgp.FormulaOp{bgp.Negate, bgp.Absolute, bgp.Floor, bgp.Ceil, bgp.Round}[r.IntN(5)]
		if op > bgp.Absolute && r.IntN(2) == 0 {
			return &bgp.Formula{Op: op, Args: []*bgp.Formula{drawQuotient(r, depth-1)}}
		}
		return &bgp.Formula{Op: op, Args: []*bgp.Formula{drawNumber(r, depth-1)}}
	}
	op := []bgp.FormulaOp{bgp.Plus, bgp.Minus, bgp.Times}[r.IntN(3)]
	return &bgp.Formula{Op: op, Args: []*bgp.Formula{drawNumber(r, depth-1), drawNumber(r, depth-1)}}
}

func drawQuotient(r *rand.Rand, depth int) *bgp.Formula {
	return &bgp.Formula{Op: bgp.Quotient, Args: []*bgp.Formula{drawNumber(r, depth), drawNumber(r, depth)}}
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
		if r.IntN(4) == 0 {
			f.Args[r.IntN(2)] = drawQuotient(r, 0)
		}
	}
	if op == bgp.Not {
		f.Args = f.Args[:1]
	}
	return f
}

// errDivisor: a row has nothing that a formula says, for it divides by zero.
var errDivisor = errors.New("a divisor is zero")

// value is a formula's value in a row, by the definitions: a truth is 0 or 1, or nil for an error of SPARQL.
func (c *siftCase) value(f *bgp.Formula, row int) (n *big.Rat, decimal bool, err error) {
	ten := func(scale uint8) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil) }
	switch f.Op {
	case bgp.ColumnNumber:
		id, of := c.columns[f.Column][row], 0
		if id >= c.firsts[1] {
			of = 1
		}
		twice := c.doubles[of][id-c.firsts[of]]
		return new(big.Rat).SetFrac(big.NewInt(twice>>1), ten(c.scale)), twice&1 != 0, nil
	case bgp.ConstantNumber:
		return new(big.Rat).SetFrac(big.NewInt(f.Int), ten(f.Scale)), f.Decimal, nil
	}
	x, decimal, err := c.value(f.Args[0], row)
	if len(f.Args) == 1 && err == nil {
		return unaryValue(f.Op, x), decimal, nil
	}
	y, other, errOther := x, false, error(nil)
	if len(f.Args) > 1 {
		y, other, errOther = c.value(f.Args[1], row)
	}
	if decimal = decimal || other || f.Op == bgp.Quotient; f.Op == bgp.Quotient && err == nil && errOther == nil && y.Sign() == 0 {
		err = errDivisor
	}
	compares := f.Op == bgp.Less || f.Op == bgp.LessEqual || f.Op == bgp.Equal
	byZero := func(a *bgp.Formula, err error) bool {
		return compares && a.Op == bgp.Quotient && err == errDivisor && !c.dividesInside(a, row)
	}
	if byZero(f.Args[0], err) && errOther == nil || len(f.Args) > 1 && byZero(f.Args[1], errOther) && err == nil {
		return nil, false, nil
	}
	if err = cmp.Or(err, errOther); err != nil {
		return nil, false, err
	}
	return binaryValue(f.Op, x, y), decimal, nil
}

// dividesInside reports whether a number of a quotient divides by zero.
func (c *siftCase) dividesInside(q *bgp.Formula, row int) bool {
	return slices.ContainsFunc(q.Args, func(a *bgp.Formula) bool {
		_, _, err := c.value(a, row)
		return err != nil
	})
}

func truthValue(is bool) *big.Rat {
	if is {
		return big.NewRat(1, 1)
	}
	return new(big.Rat)
}

func unaryValue(op bgp.FormulaOp, x *big.Rat) *big.Rat {
	floor := func(x *big.Rat) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Div(x.Num(), x.Denom())) } // a denominator is positive
	switch {
	case x == nil:
		return nil
	case op == bgp.Not:
		return truthValue(x.Sign() == 0)
	}
	switch op {
	case bgp.Negate:
		return new(big.Rat).Neg(x)
	case bgp.Absolute:
		return new(big.Rat).Abs(x)
	case bgp.Floor:
		return floor(x)
	case bgp.Ceil:
		return new(big.Rat).Neg(floor(new(big.Rat).Neg(x)))
	}
	return floor(new(big.Rat).Add(x, big.NewRat(1, 2)))
}

func binaryValue(op bgp.FormulaOp, x, y *big.Rat) *big.Rat {
	switch op {
	case bgp.Plus:
		return new(big.Rat).Add(x, y)
	case bgp.Minus:
		return new(big.Rat).Sub(x, y)
	case bgp.Times:
		return new(big.Rat).Mul(x, y)
	case bgp.Quotient:
		return new(big.Rat).Quo(x, y)
	case bgp.Less:
		return truthValue(x.Cmp(y) < 0)
	case bgp.LessEqual:
		return truthValue(x.Cmp(y) <= 0)
	case bgp.Equal:
		return truthValue(x.Cmp(y) == 0)
	}
	decides := op == bgp.Or // a truth that decides, whatever the other is
	for _, of := range []*big.Rat{x, y} {
		if of != nil && (of.Sign() != 0) == decides {
			return truthValue(decides)
		}
	}
	if x == nil || y == nil {
		return nil
	}
	return truthValue(!decides)
}

// keyText is a number as it is grouped by; an error where it has no word: it is no integer where it has to be, or has more than two decimals. Drawn ones are small.
func keyText(n *big.Rat, decimal bool) (string, error) {
	hundred := new(big.Rat).Mul(n, big.NewRat(100, 1))
	if !hundred.IsInt() || !decimal && !n.IsInt() || hundred.Num().BitLen() > 28 {
		return "", errNoKey
	}
	return fmt.Sprint(n.RatString(), decimal, " "), nil
}

// hasWord is an error where a number that is compared has no word: it is no integer or, where all are decimals, has too many decimals, or is too large.
func (c *siftCase) hasWord(n *big.Rat, decimal bool) error {
	if c.of.MayBeInteger() && decimal {
		return errNoKey
	}
	units := new(big.Rat).Mul(n, new(big.Rat).SetInt64(c.units()))
	if !units.IsInt() || units.Num().CmpAbs(big.NewInt(kernels.KeyOrdered-2)) > 0 && units.Num().Cmp(big.NewInt(1-kernels.KeyOrdered)) != 0 {
		return errNoKey
	}
	return nil
}

// units is how many of what is compared are one.
func (c *siftCase) units() int64 {
	if c.of.MayBeInteger() {
		return 1
	}
	return int64(math.Pow10(int(unitsScale(c.of, c.scale))))
}

var errNoKey = errors.New("a number has no word")

// want is the rows that pass, with what is computed of them, and how many of them are odd: of those only that they pass is known.
func (c *siftCase) want() (rows []string, odd uint64) {
	for row := range c.columns[0] {
		text, passes, err := c.wanted(row)
		if err != nil {
			odd++
		} else if passes {
			rows = append(rows, text)
		}
	}
	slices.Sort(rows)
	return rows, odd
}

func (c *siftCase) wanted(row int) (text string, passes bool, err error) {
	for _, f := range c.where {
		if n, _, err := c.value(f, row); err != nil || n == nil || n.Sign() == 0 {
			return "", false, err
		}
	}
	for i, column := range c.columns {
		if i < 2 && c.keys[i].Of != nil {
			n, decimal, err := c.value(c.keys[i].Of, row)
			if err != nil {
				return "", true, err
			}
			key, err := keyText(n, decimal)
			if err != nil {
				return "", true, err
			}
			text += key
			continue
		}
		text += fmt.Sprint(column[row], " ")
	}
	if c.of == nil {
		return text, true, nil
	}
	n, decimal, err := c.value(c.of, row)
	if err == nil && c.extremes {
		err = c.hasWord(n, decimal)
	}
	if err != nil {
		return "", true, err
	}
	if text += fmt.Sprint(n, decimal); c.extremes {
		text += " " + n.RatString()
	}
	return text, true, nil
}

// on sifts the rows on a device.
func (c *siftCase) on(d *Device) (rows []string, odd uint64, err error) {
	l, err := d.lanes.lane(8<<20, false)
	if err != nil {
		return nil, 0, err
	}
	defer l.release()
	plan := c.plan()
	q, h, err := c.query(d, l, plan)
	if err != nil {
		return nil, 0, err
	}
	h.scale = c.scale
	defer func() { err = errors.Join(err, q.sifting.close()) }()
	if err := q.sifter(true, uint64(len(c.columns[0])), h); err != nil {
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
	stream := s.q.lane.stream
	fetch := func(at kernels.Address) []uint32 {
		if at == 0 {
			return nil
		}
		out := make([]uint32, s.Kept)
		err = errors.Join(err, stream.Download(kernels.Bytes(out), at), stream.Synchronize())
		return out
	}
	columns, results, words := make([][]uint32, len(s.out)), make([]uint64, 2*s.Kept), [kernels.MostKeys][]uint32{}
	for i, at := range s.out {
		columns[i] = fetch(at)
	}
	for i, at := range s.Words {
		words[i] = fetch(at)
	}
	if c.of != nil {
		err = errors.Join(err, stream.Download(kernels.Bytes(results), s.Doubled), stream.Synchronize())
	}
	if err != nil {
		return nil, err
	}
	for r := range s.Kept {
		rows = append(rows, c.keptRow(s, r, columns, results, words))
	}
	return rows, nil
}

func (c *siftCase) keptRow(s *sifting, r uint64, columns [][]uint32, results []uint64, words [kernels.MostKeys][]uint32) (text string) {
	for i, column := range columns {
		if i >= len(c.keys) || words[i] == nil {
			text += fmt.Sprint(column[r], " ")
			continue
		}
		n := numbersOfWords(words[i][r : r+1])
		scale, decimal := int64(1), n.Classes[0] != dictionary.IntegerUnits
		for k := dictionary.DecimalUnits; decimal && k < n.Classes[0]; k++ {
			scale *= 10
		}
		text += fmt.Sprint(big.NewRat(n.Units[0], scale).RatString(), decimal, " ")
	}
	if c.of == nil {
		return text
	}
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(s.scale)), nil)
	twice := new(big.Int).Lsh(big.NewInt(int64(results[2*r+1])), 64)
	twice.Add(twice, new(big.Int).SetUint64(results[2*r]))
	text += fmt.Sprint(new(big.Rat).SetFrac(new(big.Int).Rsh(twice, 1), ten), twice.Bit(0) != 0)
	if c.extremes {
		text += " " + big.NewRat(int64(words[extremesWord][r])-kernels.KeyOrdered, c.units()).RatString()
	}
	return text
}

// without is the rows of a list that are not among some others, both sorted.
func without(list, some []string) (rest []string) {
	for _, s := range list {
		if len(some) > 0 && some[0] == s {
			some = some[1:]
		} else {
			rest = append(rest, s)
		}
	}
	return append(rest, some...)
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
			if want, strange := c.want(); odd != strange || len(without(got, want)) != int(odd) {
				t.Fatalf("case %d: %d rows passed, want %d; %d are odd, want %d", i, len(got), len(want), odd, strange)
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
