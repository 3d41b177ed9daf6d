package expr

import "github.com/rdfgpu/rdfgpu/dictionary"

// function computes one result from arguments none of which is an error. It leaves out as it is, an error, when it has
// no result. c.row is the row.
type function func(c *run, a []*datum, out *datum)

// call applies a function.
type call struct {
	fn   function
	args []node
}

func (n *call) eval(c *run, rows []uint32, out []datum) {
	var columns [4][]datum
	args := columns[:0]
	for _, arg := range n.args {
		data := c.take()[:len(rows)]
		arg.eval(c, rows, data)
		args = append(args, data)
	}
	pointers := make([]*datum, len(args))
	for i := range out {
		ok := true
		for k := range args {
			pointers[k] = &args[k][i]
			ok = ok && pointers[k].ok()
		}
		out[i].known = 0
		if ok {
			c.row = rows[i]
			n.fn(c, pointers, &out[i])
		}
	}
	c.dataTop -= len(n.args)
}

// predicate computes a truth value from arguments none of which is an error.
type predicate func(c *run, a []*datum) tri

// ask applies a predicate.
type ask struct {
	fn   predicate
	args []node
}

func (n *ask) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *ask) test(c *run, rows []uint32, out []tri) {
	var columns [4][]datum
	args := columns[:0]
	for _, arg := range n.args {
		data := c.take()[:len(rows)]
		arg.eval(c, rows, data)
		args = append(args, data)
	}
	pointers := make([]*datum, len(args))
	for i := range out {
		ok := true
		for k := range args {
			pointers[k] = &args[k][i]
			ok = ok && pointers[k].ok()
		}
		out[i] = isError
		if ok {
			out[i] = n.fn(c, pointers)
		}
	}
	c.dataTop -= len(n.args)
}

// memoEntries bounds what one memory of computed results holds; a full one starts anew.
const memoEntries = 1 << 14

// memoValue remembers the results of a costly node that depends on one column, by ID.
type memoValue struct {
	of    node
	index int
	slot  int
}

func (n *memoValue) eval(c *run, rows []uint32, out []datum) {
	memo := c.memos[n.slot]
	if memo == nil || len(memo) >= memoEntries {
		memo = make(map[dictionary.ID]datum)
		c.memos[n.slot] = memo
	}
	col := c.cols[n.index]
	c.unseen(rows, func(i int, r uint32) bool {
		d, seen := memo[col[r]]
		if seen {
			out[i] = d
		}
		return seen
	}, func(some, places []uint32) {
		data := c.take()[:len(some)]
		n.of.eval(c, some, data)
		for k, i := range places {
			out[i] = data[k]
			memo[col[some[k]]] = data[k]
		}
		c.dataTop--
	})
}

// unseen hands the rows that seen knows nothing of, with their places, to compute.
func (c *run) unseen(rows []uint32, seen func(i int, r uint32) bool, compute func(some, places []uint32)) {
	some, places := c.takeList(), c.takeList()
	for i, r := range rows {
		if !seen(i, r) {
			some, places = append(some, r), append(places, uint32(i))
		}
	}
	if len(some) > 0 {
		compute(some, places)
	}
	c.listsTop -= 2
}

// memoTest is memoValue for conditions.
type memoTest struct {
	of    condition
	index int
	slot  int
}

func (n *memoTest) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *memoTest) test(c *run, rows []uint32, out []tri) {
	memo := c.tests[n.slot]
	if memo == nil || len(memo) >= memoEntries {
		memo = make(map[dictionary.ID]tri)
		c.tests[n.slot] = memo
	}
	col := c.cols[n.index]
	c.unseen(rows, func(i int, r uint32) bool {
		t, seen := memo[col[r]]
		out[i] = t
		return seen
	}, func(some, places []uint32) {
		tris := c.takeTris()[:len(some)]
		n.of.test(c, some, tris)
		for k, i := range places {
			out[i] = tris[k]
			memo[col[some[k]]] = tris[k]
		}
		c.trisTop--
	})
}
