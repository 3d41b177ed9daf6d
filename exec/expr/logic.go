package expr

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
)

// column reads a variable.
type column struct{ index int }

func (n *column) eval(c *run, rows []uint32, out []datum) {
	col := c.cols[n.index]
	for i, r := range rows {
		out[i].setID(col[r])
	}
}

// constant is a term or a folded result; an error when it is the zero datum.
type constant struct{ datum datum }

func (n *constant) eval(_ *run, rows []uint32, out []datum) {
	for i := range rows {
		out[i] = n.datum
	}
}

func (n *constant) test(c *run, rows []uint32, out []tri) {
	d := n.datum
	t := c.effective(&d)
	for i := range rows {
		out[i] = t
	}
}

// and is "&&": false where either side is, whatever the other (section 17.2).
type and struct{ left, right node }

func (n *and) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *and) test(c *run, rows []uint32, out []tri) { c.connect(n.left, n.right, rows, out, isFalse) }

// or is "||".
type or struct{ left, right node }

func (n *or) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *or) test(c *run, rows []uint32, out []tri) { c.connect(n.left, n.right, rows, out, isTrue) }

// connect evaluates left, and right for the rows that left does not decide. deciding decides whatever the other side
// is; otherwise an error on either side is an error.
func (c *run) connect(left, right node, rows []uint32, out []tri, deciding tri) {
	c.test(left, rows, out)
	rest, places := c.takeList(), c.takeList()
	for i, t := range out {
		if t != deciding {
			rest, places = append(rest, rows[i]), append(places, uint32(i))
		}
	}
	if len(rest) > 0 {
		second := c.takeTris()[:len(rest)]
		c.test(right, rest, second)
		for k, i := range places {
			if second[k] == deciding || out[i] != isError {
				out[i] = second[k]
			}
		}
		c.trisTop--
	}
	c.listsTop -= 2
}

// not is "!".
type not struct{ of node }

func (n *not) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *not) test(c *run, rows []uint32, out []tri) {
	c.test(n.of, rows, out)
	for i, t := range out {
		if t != isError {
			out[i] = isTrue - t
		}
	}
}

// bound is BOUND.
type bound struct{ index int }

func (n *bound) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *bound) test(c *run, rows []uint32, out []tri) {
	for i, r := range rows {
		out[i] = truth(n.index >= 0 && c.cols[n.index][r] != dictionary.None)
	}
}

// choose is IF.
type choose struct{ condition, yes, no node }

func (n *choose) eval(c *run, rows []uint32, out []datum) {
	tris := c.takeTris()[:len(rows)]
	c.test(n.condition, rows, tris)
	for i := range out {
		out[i].known = 0
	}
	c.scatter(n.yes, rows, out, func(i int) bool { return tris[i] == isTrue })
	c.scatter(n.no, rows, out, func(i int) bool { return tris[i] == isFalse })
	c.trisTop--
}

// scatter evaluates n for the rows that pick chooses and puts the results in their places.
func (c *run) scatter(n node, rows []uint32, out []datum, pick func(i int) bool) {
	some, places := c.takeList(), c.takeList()
	for i, r := range rows {
		if pick(i) {
			some, places = append(some, r), append(places, uint32(i))
		}
	}
	if len(some) > 0 {
		data := c.take()[:len(some)]
		n.eval(c, some, data)
		for k, i := range places {
			out[i] = data[k]
		}
		c.dataTop--
	}
	c.listsTop -= 2
}

// coalesce is COALESCE: the first argument that is no error.
type coalesce struct{ args []node }

func (n *coalesce) eval(c *run, rows []uint32, out []datum) {
	for i := range out {
		out[i].known = 0
	}
	for _, arg := range n.args {
		c.scatter(arg, rows, out, func(i int) bool { return !out[i].ok() })
	}
}

// in is IN and NOT IN: "=" with each item, an error when none is equal and one comparison failed. A value that is an
// error makes an error of either, of an empty list too (sections 17.2 and 17.4.1.9).
type in struct {
	value  node
	items  []node
	negate bool
	// ids holds the items when all are IRIs, for which equality is equality of IDs.
	ids map[dictionary.ID]bool
}

func (n *in) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *in) test(c *run, rows []uint32, out []tri) {
	values := c.take()[:len(rows)]
	n.value.eval(c, rows, values)
	for i := range out {
		out[i] = isFalse
		if !values[i].ok() {
			out[i] = isError
		}
	}
	for i := range out {
		if n.ids != nil && values[i].ok() {
			out[i] = truth(n.ids[c.idOf(&values[i])])
		}
	}
	for _, item := range n.items {
		if n.ids != nil {
			break
		}
		data := c.take()[:len(rows)]
		item.eval(c, rows, data)
		for i := range out {
			if out[i] == isTrue || !values[i].ok() {
				continue
			}
			if t := c.equal(&values[i], &data[i]); t != isFalse {
				out[i] = t
			}
		}
		c.dataTop--
	}
	c.dataTop--
	if n.negate {
		for i, t := range out {
			if t != isError {
				out[i] = isTrue - t
			}
		}
	}
}
