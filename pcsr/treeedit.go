package pcsr

import "slices"

// edit returns the tree with other values for ascending keys: do is called for each in turn, with the value that there is or nil,
// and returns the new one and whether there shall be one.
func (t tree[V]) edit(keys []uint32, do func(i int, old *V) (V, bool)) tree[V] {
	return new(editor[V]).run(t, keys, do)
}

// run is tree.edit; the editor may be used again.
func (e *editor[V]) run(t tree[V], keys []uint32, do func(i int, old *V) (V, bool)) tree[V] {
	if len(keys) == 0 {
		return t
	}
	e.keys, e.do, e.leaf = keys, do, e.space[:0]
	root := t.root
	if root == nil {
		root = &node[V]{}
	}
	nodes := e.edit(e.roots[:0], root, 0, len(keys))
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
	// space is for the keys of a leaf, roots for what becomes of the root, where these are few.
	space [fan + 1]uint32
	roots [2]*node[V]
}

// edit appends what becomes of a node with the keys low … high-1, none or nodes of the same height.
func (e *editor[V]) edit(dst []*node[V], n *node[V], low, high int) []*node[V] {
	if n.children == nil {
		return e.editLeaf(dst, n, low, high)
	}
	next := &inner[V]{}
	children := next.room[:0]
	same := true // as many children as there were, and none that has become small
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
		same = same && len(children) == i+1 && (children[i].n >= child.n || children[i].n >= fan/2)
		low = end
	}
	if same {
		next.with(n, children)
		return append(dst, &next.node)
	}
	return pack(dst, join(children))
}

// with makes an inner node of another one, with the same children or others in their places, and takes the slice over. It looks at none but
// the others: most edits are of one key, and the children that stay need not be in the cache.
func (next *node[V]) with(n *node[V], children []*node[V]) {
	*next = *n
	next.children = children
	by, copied := int32(0), false
	for i, c := range children {
		was := n.children[i]
		if by != 0 {
			next.shifts[i] += by
		}
		if c == was {
			continue
		}
		if i == 0 {
			next.at = c.at
		}
		next.first[i] = c.first[0]
		next.size += c.size - was.size
		if by += c.shift - was.shift; by != 0 && !copied {
			next.shifts, copied = make([]int32, len(children)), true
			copy(next.shifts, n.shifts)
		}
	}
	next.shift += by
}

func (e *editor[V]) editLeaf(dst []*node[V], n *node[V], low, high int) []*node[V] {
	e.leaf = e.leaf[:0]
	leaf, values := leafRoom[V](int(n.n) + e.count(n, low, high))
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
		leaf.fill(e.leaf, values)
		return append(dst, leaf)
	}
	return cut(dst, len(e.leaf), func(from, to int) *node[V] {
		return newLeaf(e.leaf[from:to], values[from:to])
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
	return cut(dst, len(children), func(from, to int) *node[V] { return newInner(children[from:to]) })
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
