package pcsr

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
