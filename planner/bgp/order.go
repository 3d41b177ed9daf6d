package bgp

import (
	"math"
	"math/bits"
	"slices"
)

// order chooses the vertex order: dynamic programming over connected subsets where that is cheap beside the query,
// greedy beyond. Leaves and hanging trees that nobody reads and that do not drop partial matches come last, where
// they are counted instead of enumerated.
func (e *estimates) order(inputs []int, read []bool) []int {
	o := e.ordering(inputs)
	tail := o.deferLeaves(read, len(inputs) > 0)
	return o.settle(o.head(read), tail, read)
}

// head orders the vertices that are left to order.
func (o *ordering) head(read []bool) []int {
	head, cost := o.greedy()
	if n := len(o.rest); n > 2 && n <= maxExact && (n <= alwaysExact || float64(n)*math.Exp2(float64(n))*extensionPrice < cost) {
		head = o.exact(read)
	}
	return head
}

// settle puts the deferred leaves behind the other vertices; but one that is not expected to multiply partial matches goes
// to where these are fewest, if there it costs less than to be counted for every row at the end. Where nobody reads a
// vertex no rows are made, and leaves are counted for each vertex that they hang on.
func (o *ordering) settle(order, tail []int, read []bool) []int {
	if !slices.Contains(read, true) {
		return append(order, tail...)
	}
	for i := len(tail) - 1; i >= 0 && !o.over(); i-- {
		order = o.settleLeaf(order, tail, i)
	}
	return append(order, o.missing(order, tail)...)
}

// missing returns the vertices of the tail that are not in the order.
func (o *ordering) missing(order, tail []int) []int {
	copy(o.bound, o.inputs)
	for _, v := range order {
		o.bound[v] = true
	}
	return slices.DeleteFunc(tail, func(v int) bool { return o.bound[v] })
}

// settleLeaf inserts leaf number i of the tail into the order where that costs less.
func (o *ordering) settleLeaf(order, tail []int, i int) []int {
	v := tail[i]
	parent := slices.IndexFunc(order, func(w int) bool { return slices.Contains(o.adjacent[v], w) })
	if parent < 0 {
		return order // it hangs on another leaf
	}
	copy(o.bound, o.inputs)
	rows, fewest, place := 1.0, math.Inf(1), 0
	for k, w := range order {
		_, factor := o.extend(o.bound, w)
		rows *= factor
		o.bound[w] = true
		if k >= parent && rows < fewest {
			fewest, place = rows, k+1
		}
	}
	list, factor := o.extend(o.bound, v)
	if factor > mostSettled || 2*stepCost(fewest, list, factor) > rows*rowPrice {
		return order
	}
	return slices.Insert(order, place, v)
}

// mostSettled is how many neighbours a leaf may be expected to have where it is bound before the end.
const mostSettled = 1.1

const (
	// maxExact bounds the vertices of dynamic programming; up to alwaysExact it is always cheap enough.
	maxExact, alwaysExact = 14, 4
)

type ordering struct {
	*estimates
	rest     []int  // the vertices to order
	bound    []bool // scratch; inputs are always set
	inputs   []bool
	adjacent [][]int
}

func (e *estimates) ordering(inputs []int) *ordering {
	o := &ordering{
		estimates: e, bound: make([]bool, len(e.query.Vertices)), rest: e.variables(inputs), adjacent: e.adjacency(),
	}
	for _, v := range inputs {
		if v >= 0 {
			o.bound[v] = true
		}
	}
	o.inputs = slices.Clone(o.bound)
	return o
}

// variables lists the vertices that steps bind.
func (e *estimates) variables(inputs []int) []int {
	var out []int
	for v := range e.query.Vertices {
		if e.query.Vertices[v].Variable != "" && !slices.Contains(inputs, v) {
			out = append(out, v)
		}
	}
	return out
}

// adjacency lists the vertices that share a pattern with each vertex.
func (e *estimates) adjacency() [][]int {
	out := make([][]int, len(e.query.Vertices))
	few := make([]int, len(out)*fewPatterns)
	for v := range out {
		out[v] = few[v*fewPatterns : v*fewPatterns : (v+1)*fewPatterns]
		for _, i := range e.byVertex[v] {
			p := &e.patterns[i]
			for _, r := range [3]ref{p.from, p.label, p.to} {
				if !r.isConstant() && r.vertex != v && !slices.Contains(out[v], r.vertex) {
					out[v] = append(out[v], r.vertex)
				}
			}
		}
	}
	return out
}

// deferLeaves takes unread leaves, and what becomes a leaf without them, out of the vertices to order.
func (o *ordering) deferLeaves(read []bool, seeded bool) (tail []int) {
	gone := make([]bool, len(o.query.Vertices))
	for changed := true; changed && !o.over(); {
		changed = false
		for k, v := range o.rest {
			if len(o.rest) == 1 && !seeded {
				break
			}
			if read[v] || o.hangs(v, gone) < 0.99 {
				continue
			}
			gone[v], changed = true, true
			tail = append(tail, v)
			o.rest = slices.Delete(o.rest, k, k+1)
			break
		}
	}
	slices.Reverse(tail)
	return tail
}

// hangs returns how many times v, which hangs on one other vertex by one edge, multiplies partial matches; 0 where it hangs
// on none or on more.
func (o *ordering) hangs(v int, gone []bool) float64 {
	if edge := o.onlyEdge(v, gone); edge >= 0 {
		return o.domain[v] * o.edges[edge].selectivity
	}
	return 0
}

// onlyEdge is the one edge by which v hangs on one other vertex that is not gone; -1 where it hangs on none or on more.
func (o *ordering) onlyEdge(v int, gone []bool) int {
	edge := -1
	for _, i := range o.byVertex[v] {
		p := &o.patterns[i]
		if !p.label.isConstant() || p.from.vertex == p.to.vertex {
			return -1
		}
		if other := p.from.vertex + p.to.vertex - v; gone[other] {
			continue
		}
		if edge >= 0 {
			return -1
		}
		edge = i
	}
	return edge
}

// stepCost is what extending so many partial matches costs, in candidates read.
func stepCost(rows, list, factor float64) float64 {
	return rows*(rowPrice+list) + rows*factor
}

// greedy tries the most promising first vertices and extends each by the cheapest step.
func (o *ordering) greedy() (best []int, bestCost float64) {
	starts := o.starts()
	bestCost = math.Inf(1)
	for _, first := range starts {
		order, cost := o.greedyFrom(first, bestCost)
		if order != nil && (best == nil || cost < bestCost) {
			best, bestCost = order, cost
		}
	}
	return best, bestCost
}

// starts lists the vertices a greedy order begins with: the few smallest domains, -1 where inputs are bound.
func (o *ordering) starts() []int {
	if slices.Contains(o.inputs, true) || len(o.rest) == 0 {
		return []int{-1}
	}
	out := slices.Clone(o.rest)
	slices.SortStableFunc(out, func(v, w int) int { return compareFloat(o.domain[v], o.domain[w]) })
	return out[:min(len(out), 4)]
}

func (o *ordering) greedyFrom(first int, limit float64) ([]int, float64) {
	copy(o.bound, o.inputs)
	order := make([]int, 0, len(o.rest))
	rows, cost := 1.0, 0.0
	for len(order) < len(o.rest) {
		v := first
		if len(order) > 0 || first < 0 {
			v = o.cheapest(rows)
		}
		list, factor := o.extend(o.bound, v)
		cost += stepCost(rows, list, factor)
		rows *= factor
		o.bound[v] = true
		order = append(order, v)
		if cost > limit || o.over() {
			return nil, cost
		}
	}
	return order, cost
}

// cheapest returns the connected vertex whose step leaves the fewest partial matches, any vertex where none is
// connected.
func (o *ordering) cheapest(rows float64) int {
	best, bestCost, bestConnected := -1, 0.0, false
	for _, v := range o.rest {
		if o.bound[v] {
			continue
		}
		connected := o.connected(v)
		if best >= 0 && bestConnected && !connected {
			continue
		}
		list, factor := o.extend(o.bound, v)
		cost := stepCost(rows, list, 2*factor)
		if best < 0 || connected && !bestConnected || cost < bestCost {
			best, bestCost, bestConnected = v, cost, connected
		}
	}
	return best
}

func (o *ordering) connected(v int) bool {
	for _, w := range o.adjacent[v] {
		if o.bound[w] {
			return true
		}
	}
	return false
}

// subset is the best known order of a set of vertices.
type subset struct {
	cost, rows float64
	last       int8 // -1: not reached
}

// exact finds the cheapest order by dynamic programming over subsets. A set is extended by the vertices connected
// with it; by any vertex where none is.
func (o *ordering) exact(read []bool) []int {
	table := o.fill()
	if o.over() {
		return nil
	}
	return o.readOff(table, o.bestCore(table, read))
}

// fill computes the best order of every connected subset.
func (o *ordering) fill() []subset {
	table := make([]subset, 1<<len(o.rest))
	for s := range table {
		table[s].last = -1
	}
	table[0] = subset{rows: 1}
	for s := 0; s < len(table)-1 && !o.over(); s++ {
		if s != 0 && table[s].last < 0 {
			continue
		}
		o.bindSet(s)
		connectedOnly := o.anyConnected(s)
		for k, v := range o.rest {
			if s>>k&1 == 1 || connectedOnly && !o.connected(v) {
				continue
			}
			list, factor := o.extend(o.bound, v)
			next := subset{cost: table[s].cost + stepCost(table[s].rows, list, factor), rows: table[s].rows * factor, last: int8(k)}
			if t := &table[s|1<<k]; t.last < 0 || next.cost < t.cost {
				*t = next
			}
		}
	}
	return table
}

// readOff returns the best order of a core, and the other vertices after it.
func (o *ordering) readOff(table []subset, core int) []int {
	order := make([]int, bits.OnesCount(uint(core)), len(o.rest))
	for s := core; s != 0; {
		k := table[s].last
		order[bits.OnesCount(uint(s))-1] = o.rest[k]
		s &^= 1 << k
	}
	for k, v := range o.rest {
		if core>>k&1 == 0 {
			order = append(order, v)
		}
	}
	return order
}

// alternatives are the orders with the most promising cores, while finding them costs no more than the budget (in
// candidates read), and the greedy orders from every first vertex. None comes twice.
func (e *estimates) alternatives(inputs []int, read []bool, budget float64) [][]int {
	o := e.ordering(inputs)
	tail := o.deferLeaves(read, false)
	var out [][]int
	add := func(order []int) {
		order = o.settle(order, slices.Clone(tail), read)
		if !slices.ContainsFunc(out, func(other []int) bool { return slices.Equal(other, order) }) {
			out = append(out, order)
		}
	}
	if n := len(o.rest); n > 2 && n <= maxCores && float64(n)*math.Exp2(float64(n))*extensionPrice <= budget {
		table := o.fill()
		if o.over() {
			return nil
		}
		for _, core := range o.cores(table, read) {
			add(o.readOff(table, core))
		}
	}
	for _, v := range o.rest[:min(len(o.rest), maxAlternatives)] {
		order, _ := o.greedyFrom(v, math.Inf(1))
		add(order)
	}
	return out
}

// maxAlternatives bounds the orders of each sort that sampled walks compare; maxCores the vertices of which all
// cores are looked at.
const maxAlternatives, maxCores = 8, 9

// cores lists the most promising cores.
func (o *ordering) cores(table []subset, read []bool) []int {
	all := len(table) - 1
	var sets []int
	costs := make(map[int]float64)
	for s := range table {
		if s == 0 || table[s].last < 0 || s != all && !o.countable(all&^s, read) {
			continue
		}
		sets = append(sets, s)
		costs[s] = o.coreCost(table, s)
	}
	slices.SortStableFunc(sets, func(a, b int) int { return compareFloat(costs[a], costs[b]) })
	return sets[:min(len(sets), maxAlternatives)]
}

// coreCost estimates what it costs to enumerate a core and count the rest.
func (o *ordering) coreCost(table []subset, s int) float64 {
	o.bindSet(s)
	cost := table[s].cost
	for k, v := range o.rest {
		if s>>k&1 == 0 {
			list, _ := o.extend(o.bound, v)
			cost += table[s].rows * (rowPrice + list)
		}
	}
	return cost
}

// bestCore chooses the set that is enumerated: all vertices, or those without some that nobody reads and that share
// no pattern. Each of these is counted by itself for each partial match of the core.
func (o *ordering) bestCore(table []subset, read []bool) int {
	all := len(table) - 1
	best, bestCost := all, table[all].cost
	for s := range table[:all] {
		if table[s].last < 0 || table[s].cost >= bestCost || s == 0 || !o.countable(all&^s, read) {
			continue
		}
		if cost := o.coreCost(table, s); cost < bestCost {
			best, bestCost = s, cost
		}
	}
	return best
}

// countable reports whether nobody reads the vertices of a set and no two of them share a pattern.
func (o *ordering) countable(set int, read []bool) bool {
	for k, v := range o.rest {
		if set>>k&1 == 0 {
			continue
		}
		if read[v] {
			return false
		}
		for _, w := range o.adjacent[v] {
			if j := slices.Index(o.rest, w); j >= 0 && set>>j&1 == 1 {
				return false
			}
		}
	}
	return true
}

func (o *ordering) bindSet(s int) {
	copy(o.bound, o.inputs)
	for k, v := range o.rest {
		if s>>k&1 == 1 {
			o.bound[v] = true
		}
	}
}

func (o *ordering) anyConnected(s int) bool {
	for k, v := range o.rest {
		if s>>k&1 == 0 && o.connected(v) {
			return true
		}
	}
	return false
}
