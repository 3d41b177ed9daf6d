package expr

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// computesNumbers reports whether the results of a node are numbers of its own making (parser.MakesNumbers), with the terms that are canonical for them.
func computesNumbers(n node) bool {
	switch n.(type) {
	case *calculation, *negative, *rounding, *part:
		return true
	}
	return false
}

func (n *column) numbers(c *run, rows []uint32, out *numbers) {
	ids := c.idsOf(c.cols[n.index], rows)
	if c.env.Dictionary == nil {
		for i := range out.classes {
			out.classes[i] = isOdd
		}
	} else {
		c.env.Dictionary.Numbers(ids, out.units, out.classes)
	}
	out.survey()
	if out.all > isOdd && out.all != isMixed {
		return
	}
	for i, k := range out.classes {
		if k == isOdd {
			var d datum
			d.setID(ids[i])
			out.setDatum(c, i, &d)
		}
	}
	out.survey()
}

// idsOf are the IDs that a variable has in some rows, valid until the next call.
func (c *run) idsOf(col []dictionary.ID, rows []uint32) []dictionary.ID {
	if n := len(rows); n > 0 && int(rows[n-1]-rows[0]) == n-1 { // ascending, so all between
		return col[rows[0] : rows[0]+uint32(n)]
	}
	c.ids = slices.Grow(c.ids[:0], len(rows))
	for _, r := range rows {
		c.ids = append(c.ids, col[r])
	}
	return c.ids
}

func (n *constant) numbers(c *run, rows []uint32, out *numbers) {
	if len(rows) == 0 {
		return
	}
	d := n.datum
	if out.setDatum(c, 0, &d); out.classes[0] != isOdd {
		out.fill(out.classes[0], out.units[0])
		return
	}
	for i := range rows {
		out.setOdd(i, &d)
	}
	out.all = isOdd
}

func (n *choose) numbers(c *run, rows []uint32, out *numbers) {
	tris := c.takeTris()[:len(rows)]
	c.test(n.condition, rows, tris)
	out.fail()
	c.scatterNumbers(n.yes, rows, out, func(i int) bool { return tris[i] == isTrue })
	c.scatterNumbers(n.no, rows, out, func(i int) bool { return tris[i] == isFalse })
	out.survey()
	c.trisTop--
}

func (n *coalesce) numbers(c *run, rows []uint32, out *numbers) {
	out.fail()
	for _, arg := range n.args {
		c.scatterNumbers(arg, rows, out, func(i int) bool { return out.classes[i] == isFailed })
	}
	out.survey()
}

// scatterNumbers evaluates n for the rows that pick chooses and puts the results in their places.
func (c *run) scatterNumbers(n node, rows []uint32, out *numbers, pick func(i int) bool) {
	some, places := c.takeList(), c.takeList()
	for i, r := range rows {
		if pick(i) {
			some, places = append(some, r), append(places, uint32(i))
		}
	}
	if len(some) > 0 {
		v := c.takeNumbers(len(some))
		c.numbersOf(n, some, v)
		for k, i := range places {
			switch v.classes[k] {
			case isOdd:
				out.setOdd(int(i), &v.odd[k])
			case isWide:
				out.setWide(int(i), v.high[k], v.units[k])
			default:
				out.setUnits(int(i), v.classes[k], v.units[k])
			}
		}
		c.numbersTop--
	}
	c.listsTop -= 2
}

// compareNumbers compares two nodes of which one computes numbers, or more.
func (c *run) compareNumbers(op operator, left, right node, rows []uint32, out []tri) {
	if q, ok := left.(*calculation); ok && q.op == '/' {
		c.compareQuotients(op, q, right, rows, out)
		return
	}
	if q, ok := right.(*calculation); ok && q.op == '/' {
		c.compareQuotients(mirrored[op], q, left, rows, out)
		return
	}
	x, y := c.takeNumbers(len(rows)), c.takeNumbers(len(rows))
	c.numbersOf(left, rows, x)
	c.numbersOf(right, rows, y)
	for i := range out {
		out[i] = c.compareRows(op, i, x, y)
	}
	c.numbersTop -= 2
}

// compareQuotients compares quotients with a node. Most are not computed: dividend and divisor times the other number tell (compareQuotient).
func (c *run) compareQuotients(op operator, q *calculation, with node, rows []uint32, out []tri) {
	x, y, z := c.takeNumbers(len(rows)), c.takeNumbers(len(rows)), c.takeNumbers(len(rows))
	c.numbersOf(q.left, rows, x)
	c.numbersOf(q.right, rows, y)
	c.numbersOf(with, rows, z)
	if !c.spend(2 * rowWork * len(rows)) {
		x.fail()
	}
	for i := range out {
		if order, ok := compareQuotient(x, y, z, i); ok {
			out[i] = op.holds(order)
			continue
		}
		c.combine(q.op, i, x, y)
		out[i] = c.compareRows(op, i, x, z)
	}
	c.numbersTop -= 3
}

// compareQuotient compares x / y of a row with z; not ok where the quotient has to be computed. Quotients are rounded to divisionDigits decimals, or more where they are
// small. One that is not z differs from it by 1 / (y · 10^s) at least, s being the decimals of z: by more than rounding changes it where y · 10^s < 2 · 10^divisionDigits.
func compareQuotient(x, y, z *numbers, i int) (order dictionary.Order, ok bool) {
	a, b, d := x.classes[i], y.classes[i], z.classes[i]
	if !fitsUnits(a) || !fitsUnits(b) || !fitsUnits(d) || scaleOf(a) != scaleOf(b) {
		return 0, false
	}
	ten := powerOfTen[scaleOf(d)]
	n, of, by := x.units[i], y.units[i], z.units[i]
	if of < 0 {
		n, of = -n, -of // math.MinInt64 is too large below
	}
	over, divisor := bits.Mul64(uint64(of), ten)
	if of == 0 || over != 0 || divisor >= 2*tenTo18 || n == math.MinInt64 {
		return 0, false
	}
	leftHigh, left := product(n, ten)
	rightHigh, right := product(by, uint64(of))
	return dictionary.Order(cmp.Or(cmp.Compare(leftHigh, rightHigh), cmp.Compare(left, right))), true
}

func (c *run) compareRows(op operator, i int, x, y *numbers) tri {
	a, b := x.classes[i], y.classes[i]
	switch {
	case a == isFailed || b == isFailed:
		return isError
	case a == isOdd || b == isOdd:
		var d, e datum
		x.datum(i, &d)
		y.datum(i, &e)
		return c.compare(op, &d, &e)
	}
	return op.holds(x.compare(c, i, y, i))
}
