package expr

import "github.com/rdfgpu/rdfgpu/dictionary"

// function computes one result from arguments none of which is an error. It leaves out as it is, an error, when it has
// no result. c.row is the row.
type function func(c *run, a []*datum, out *datum)

// call applies a function.
type call struct {
	fn   function
	args []node
	// repeats: equal arguments give equal results, in whatever row. Runs of one ID are common: rows come in the order
	// of the graph's lists.
	repeats bool
}

func (n *call) eval(c *run, rows []uint32, out []datum) {
	var columns [4][]datum
	args := c.evaluated(columns[:0], n.args, rows)
	pointers := make([]*datum, len(args))
	for i := range out {
		ok := true
		for k := range args {
			pointers[k] = &args[k][i]
			ok = ok && pointers[k].ok()
		}
		if n.repeats && i > 0 && args[0][i].sameID(&args[0][i-1]) {
			out[i] = out[i-1]
			continue
		}
		out[i].known = 0
		if ok && c.spend(rowWork*max(1, len(args))) {
			c.row = rows[i]
			n.fn(c, pointers, &out[i])
		}
	}
	c.dataTop -= len(n.args)
}

// evaluated appends the values of arguments, which the caller gives back.
func (c *run) evaluated(columns [][]datum, args []node, rows []uint32) [][]datum {
	for _, arg := range args {
		data := c.take()[:len(rows)]
		arg.eval(c, rows, data)
		columns = append(columns, data)
	}
	return columns
}

// rowWork is what a call of a function counts as for each argument, in bytes, beside the strings that it reads and makes.
const rowWork = 16

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
	args := c.evaluated(columns[:0], n.args, rows)
	pointers := make([]*datum, len(args))
	for i := range out {
		ok := true
		for k := range args {
			pointers[k] = &args[k][i]
			ok = ok && pointers[k].ok()
		}
		out[i] = isError
		if ok && c.spend(rowWork*max(1, len(args))) {
			out[i] = n.fn(c, pointers)
		}
	}
	c.dataTop -= len(n.args)
}

// memoEntries bounds how many IDs of computed integers are remembered.
const memoEntries = 1 << 14

// memory remembers results by ID. Each ID has one place, where a later ID replaces an earlier one: looking and
// remembering cost the same whether values repeat or not. It starts small and grows with what it missed.
type memory[T any] struct {
	keys    []uint64 // 1 + the ID, 0 for none
	results []T
	misses  int
}

const (
	firstMemory = 1 << 6
	lastMemory  = 1 << 12
)

// place is where an ID is remembered.
func (m *memory[T]) place(id dictionary.ID) int {
	return int(id*0x9e3779b1>>16) & (len(m.keys) - 1)
}

// find returns the result of an ID; nil when it is not remembered.
func (m *memory[T]) find(id dictionary.ID) *T {
	if len(m.keys) == 0 {
		return nil
	}
	if i := m.place(id); m.keys[i] == uint64(id)+1 {
		return &m.results[i]
	}
	return nil
}

func (m *memory[T]) remember(id dictionary.ID, result T) {
	if m.misses++; len(m.keys) == 0 || m.misses > 2*len(m.keys) && len(m.keys) < lastMemory {
		n := max(firstMemory, 4*len(m.keys))
		*m = memory[T]{keys: make([]uint64, n), results: make([]T, n)}
	}
	i := m.place(id)
	m.keys[i], m.results[i] = uint64(id)+1, result
}

// fill sets out[i] to the result of row rows[i], which depends on the row's ID in one column alone: what is remembered, or
// what compute finds. It needs as much scratch as out. What is not light, where that is asked, is not remembered.
func (m *memory[T]) fill(c *run, col []dictionary.ID, rows []uint32, out, scratch []T, compute func(c *run, rows []uint32, out []T), light func(*T) bool) {
	unseen, places := c.takeList(), c.takeList()
	for i, r := range rows {
		if known := m.find(col[r]); known != nil {
			out[i] = *known
		} else {
			unseen, places = append(unseen, r), append(places, uint32(i))
		}
	}
	if len(unseen) > 0 {
		scratch = scratch[:len(unseen)]
		compute(c, unseen, scratch)
		for k, i := range places {
			out[i] = scratch[k]
			if light == nil || light(&scratch[k]) {
				m.remember(col[unseen[k]], scratch[k])
			}
		}
	}
	c.listsTop -= 2
}

// memoValue remembers the results of a costly node that depends on one column, by ID.
type memoValue struct {
	of    node
	index int
	slot  int
}

func (n *memoValue) eval(c *run, rows []uint32, out []datum) {
	c.memos[n.slot].fill(c, c.cols[n.index], rows, out, c.take(), n.of.eval, (*datum).light)
	c.dataTop--
}

// memoTest is memoValue for conditions.
type memoTest struct {
	of    condition
	index int
	slot  int
}

func (n *memoTest) eval(c *run, rows []uint32, out []datum) { evalCondition(n, c, rows, out) }

func (n *memoTest) test(c *run, rows []uint32, out []tri) {
	c.tests[n.slot].fill(c, c.cols[n.index], rows, out, c.takeTris(), n.of.test, nil)
	c.trisTop--
}
