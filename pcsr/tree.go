package pcsr

import "slices"

// tree is an immutable map from numbers to values in the order of the numbers (a B⁺-tree). An edit makes another tree,
// which shares with the old one all nodes but those on the ways to what was edited. The zero value is empty.
type tree[V ranked] struct{ root *node[V] }

// ranked are values of a tree. Those of a patch say where their rows stand; the others are rank 0.
type ranked interface {
	// rank returns how many rows of the ground come before the key, and by how many rows those after it are shifted.
	rank() (at uint32, shift int32)
}

// unranked is embedded in values whose order alone counts.
type unranked struct{}

func (unranked) rank() (uint32, int32) { return 0, 0 }

// node is a leaf, which has values, or has children, all of one height.
type node[V ranked] struct {
	first    [fan]uint32 // see keys
	n        int32
	at       uint32 // of the first value
	shift    int32  // of all values
	size     int32  // the number of values
	values   []V    // nil but in a leaf
	children []*node[V]
	shifts   []int32 // what the children before each shift; nil where that is nothing
}

const (
	// fan is the most keys of a node; full is how many one has that is made with others of many.
	fan, full = 16, 12
)

// newLeaf makes a leaf of keys and their values, and takes the values over.
func newLeaf[V ranked](keys []uint32, values []V) *node[V] {
	n := &node[V]{n: int32(len(keys)), size: int32(len(keys)), values: values}
	copy(n.first[:], keys)
	n.at, _ = values[0].rank()
	n.shift = shiftOf(values)
	return n
}

// shiftOf is what some values shift.
func shiftOf[V ranked](values []V) (sum int32) {
	for i := range values {
		_, shift := values[i].rank()
		sum += shift
	}
	return sum
}

// newInner makes a node of others, and takes the slice over.
func newInner[V ranked](children []*node[V]) *node[V] {
	n := &node[V]{n: int32(len(children)), children: children, at: children[0].at}
	for i, c := range children {
		n.first[i] = c.first[0]
		n.size += c.size
		if c.shift != 0 && n.shifts == nil {
			n.shifts = make([]int32, len(children))
		}
		if n.shifts != nil {
			n.shifts[i] = n.shift
		}
		n.shift += c.shift
	}
	return n
}

// keys are those of the values, ascending, or the first of each child.
func (n *node[V]) keys() []uint32 { return n.first[:n.n] }

// before is what the values before those of key i shift, from the node's beginning.
func (n *node[V]) before(i int) int32 {
	switch {
	case n.children == nil:
		return shiftOf(n.values[:i])
	case n.shifts == nil:
		return 0
	}
	return n.shifts[i]
}

// lastUpTo returns the place of the last of ascending keys that is not above k, or 0.
func lastUpTo(keys []uint32, k uint32) int {
	low := 0
	for n := len(keys); n > 1; {
		half := n / 2
		if keys[low+half] <= k {
			low += half
		}
		n -= half
	}
	return low
}

// size is the number of values.
func (t tree[V]) size() int {
	if t.root == nil {
		return 0
	}
	return int(t.root.size)
}

// get returns the value of k, nil where there is none.
func (t tree[V]) get(k uint32) *V {
	n := t.root
	if n == nil {
		return nil
	}
	for n.children != nil {
		n = n.children[lastUpTo(n.keys(), k)]
	}
	if i := lastUpTo(n.keys(), k); n.first[i] == k {
		return &n.values[i]
	}
	return nil
}

// seek is get, and returns what the values before k shift.
func (t tree[V]) seek(k uint32) (v *V, before int32) {
	n := t.root
	if n == nil {
		return nil, 0
	}
	for n.children != nil {
		i := lastUpTo(n.keys(), k)
		before += n.before(i)
		n = n.children[i]
	}
	i := lastUpTo(n.keys(), k)
	switch before += n.before(i); {
	case n.first[i] == k:
		return &n.values[i], before
	case n.first[i] < k:
		_, shift := n.values[i].rank()
		before += shift
	}
	return nil, before
}

// seekRow returns the last key whose rank is not above row, with its value and what those before it shift; nil where the
// rank of every key is. The rank of a key is the number of rows before it.
func (t tree[V]) seekRow(row int) (k uint32, v *V, before int32) {
	n := t.root
	if n == nil || int(n.at) > row {
		return 0, nil, 0
	}
	for n.children != nil {
		i := n.lastRank(row, func(i int) uint32 { return n.children[i].at }, before)
		before += n.before(i)
		n = n.children[i]
	}
	i := n.lastRank(row, func(i int) uint32 { at, _ := n.values[i].rank(); return at }, before)
	return n.first[i], &n.values[i], before + n.before(i)
}

// lastRank returns the place of the node's last key whose rank is not above row; that of the first is not.
func (n *node[V]) lastRank(row int, at func(i int) uint32, before int32) int {
	low := 0
	for left := int(n.n); left > 1; {
		half := left / 2
		if int(at(low+half))+int(before)+int(n.before(low+half)) <= row {
			low += half
		}
		left -= half
	}
	return low
}

// ascend visits the keys from a number on, ascending, until a visit returns false, and reports whether none did.
func (t tree[V]) ascend(from uint32, visit func(k uint32, v *V) bool) bool {
	return t.root == nil || t.root.ascend(from, visit)
}

func (n *node[V]) ascend(from uint32, visit func(k uint32, v *V) bool) bool {
	for i := lastUpTo(n.keys(), from); i < int(n.n); i++ {
		if n.children != nil {
			if !n.children[i].ascend(from, visit) {
				return false
			}
		} else if n.first[i] >= from && !visit(n.first[i], &n.values[i]) {
			return false
		}
	}
	return true
}

// edit returns the tree with other values for ascending keys: do is called for each in turn, with the value that there is or nil,
// and returns the new one and whether there shall be one.
func (t tree[V]) edit(keys []uint32, do func(i int, old *V) (V, bool)) tree[V] {
	if len(keys) == 0 {
		return t
	}
	e := editor[V]{keys: keys, do: do, leaf: make([]uint32, 0, fan+1)}
	root := t.root
	if root == nil {
		root = &node[V]{}
	}
	nodes := e.edit(nil, root, 0, len(keys))
	for len(nodes) > 1 {
		nodes = pack(nil, nodes)
	}
	if len(nodes) == 0 {
		return tree[V]{}
	}
	for root = nodes[0]; len(root.children) == 1; {
		root = root.children[0]
	}
	return tree[V]{root}
}

type editor[V ranked] struct {
	keys []uint32
	do   func(i int, old *V) (V, bool)
	leaf []uint32 // keys of the leaf at hand
}

// edit appends what becomes of a node with the keys low … high-1, none or nodes of the same height.
func (e *editor[V]) edit(dst []*node[V], n *node[V], low, high int) []*node[V] {
	if n.children == nil {
		return e.editLeaf(dst, n, low, high)
	}
	children := make([]*node[V], 0, len(n.children)+1)
	for i, child := range n.children {
		if low == high {
			children = append(children, n.children[i:]...)
			break
		}
		end := high
		if i+1 < len(n.children) {
			end = low + searchFrom(e.keys[low:high], n.first[i+1])
		}
		if end == low {
			children = append(children, child)
			continue
		}
		children = e.edit(children, child, low, end)
		low = end
	}
	return pack(dst, join(children))
}

func (e *editor[V]) editLeaf(dst []*node[V], n *node[V], low, high int) []*node[V] {
	e.leaf = e.leaf[:0]
	values := make([]V, 0, int(n.n)+e.count(n, low, high))
	was, i := n.keys(), 0
	for ; low < high; low++ {
		k := e.keys[low]
		next := i + searchFrom(was[i:], k)
		e.leaf, values = append(e.leaf, was[i:next]...), append(values, n.values[i:next]...)
		i = next
		var old *V
		if i < len(was) && was[i] == k {
			old = &n.values[i]
			i++
		}
		if v, ok := e.do(low, old); ok {
			e.leaf, values = append(e.leaf, k), append(values, v)
		}
	}
	e.leaf, values = append(e.leaf, was[i:]...), append(values, n.values[i:]...)
	if n := len(e.leaf); n > 0 && n <= fan {
		return append(dst, newLeaf(e.leaf, values))
	}
	return cut(dst, len(e.leaf), func(from, to int) *node[V] {
		return newLeaf(e.leaf[from:to], slices.Clone(values[from:to]))
	})
}

// count returns how many of the keys low … high-1 a leaf does not have.
func (e *editor[V]) count(n *node[V], low, high int) int {
	more, was := 0, n.keys()
	for _, k := range e.keys[low:high] {
		was = was[searchFrom(was, k):]
		more += oneIf(len(was) == 0 || was[0] != k)
	}
	return more
}

// cut appends nodes of n parts in all.
func cut[V ranked](dst []*node[V], n int, make func(from, to int) *node[V]) []*node[V] {
	if n == 0 {
		return dst
	}
	nodes := 1
	if n > fan {
		nodes = (n + full - 1) / full
	}
	for i := range nodes {
		dst = append(dst, make(n*i/nodes, n*(i+1)/nodes))
	}
	return dst
}

// pack appends nodes that have the given ones as children.
func pack[V ranked](dst, children []*node[V]) []*node[V] {
	return cut(dst, len(children), func(from, to int) *node[V] { return newInner(children[from:to:to]) })
}

// join makes one node of neighbours that have few keys.
func join[V ranked](nodes []*node[V]) []*node[V] {
	if len(nodes) < 2 {
		return nodes
	}
	out := nodes[:1]
	for _, n := range nodes[1:] {
		if last := out[len(out)-1]; last.n+n.n <= fan/2 {
			out[len(out)-1] = concat(last, n)
		} else {
			out = append(out, n)
		}
	}
	return out
}

func concat[V ranked](a, b *node[V]) *node[V] {
	if a.children != nil {
		return newInner(slices.Concat(a.children, b.children))
	}
	return newLeaf(slices.Concat(a.keys(), b.keys()), slices.Concat(a.values, b.values))
}

// difference visits, ascending, the keys at which two trees may differ, with the value of each or nil. Nodes that they share are passed
// over: it takes time in the number of leaves, and of values in those that they do not share.
func difference[V ranked](a, b tree[V], visit func(k uint32, a, b *V) bool) {
	var own [2][]*node[V]
	left, right := a.leaves(), b.leaves()
	for len(left) > 0 || len(right) > 0 {
		switch {
		case len(right) == 0 || len(left) > 0 && left[0].first[0] < right[0].first[0]:
			own[0], left = append(own[0], left[0]), left[1:]
		case len(left) == 0 || right[0].first[0] < left[0].first[0]:
			own[1], right = append(own[1], right[0]), right[1:]
		default:
			if left[0] != right[0] {
				own[0], own[1] = append(own[0], left[0]), append(own[1], right[0])
			}
			left, right = left[1:], right[1:]
		}
	}
	x, y := cursorOf(own[0]...), cursorOf(own[1]...)
	for {
		i, v := x.peek()
		j, w := y.peek()
		if v == nil && w == nil {
			return
		}
		if v == nil || w != nil && j < i {
			i, v = j, nil
		} else if w != nil && i < j {
			w = nil
		}
		if v != nil {
			x.at++
		}
		if w != nil {
			y.at++
		}
		if !visit(i, v, w) {
			return
		}
	}
}

// cursor goes through the values below nodes.
type cursor[V ranked] struct {
	nodes [][]*node[V] // those to come, of each height
	leaf  *node[V]
	at    int
}

func cursorOf[V ranked](nodes ...*node[V]) cursor[V] { return cursor[V]{nodes: [][]*node[V]{nodes}} }

// cursor begins before the first value.
func (t tree[V]) cursor() cursor[V] {
	if t.root == nil {
		return cursor[V]{}
	}
	return cursorOf(t.root)
}

// peek returns the next value, nil behind the last one.
func (c *cursor[V]) peek() (k uint32, v *V) {
	for c.leaf == nil || c.at == int(c.leaf.n) {
		last := len(c.nodes) - 1
		if last < 0 {
			return 0, nil
		}
		if len(c.nodes[last]) == 0 {
			c.nodes = c.nodes[:last]
			continue
		}
		n := c.nodes[last][0]
		c.nodes[last] = c.nodes[last][1:]
		if n.children == nil {
			c.leaf, c.at = n, 0
		} else {
			c.nodes = append(c.nodes, n.children)
		}
	}
	return c.leaf.first[c.at], &c.leaf.values[c.at]
}

// leaves are all leaves, in order.
func (t tree[V]) leaves() []*node[V] {
	if t.root == nil {
		return nil
	}
	level := []*node[V]{t.root}
	for level[0].children != nil {
		below := make([]*node[V], 0, len(level)*full)
		for _, n := range level {
			below = append(below, n.children...)
		}
		level = below
	}
	return level
}
