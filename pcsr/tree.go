package pcsr

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

// newLeaf makes a leaf of keys and their values.
func newLeaf[V ranked](keys []uint32, values []V) *node[V] {
	n, room := leafRoom[V](len(values))
	n.fill(keys, append(room, values...))
	return n
}

// fill makes an empty node a leaf, and takes the values over.
func (n *node[V]) fill(keys []uint32, values []V) {
	n.n, n.size, n.values = int32(len(keys)), int32(len(keys)), values
	copy(n.first[:], keys)
	n.at, _ = values[0].rank()
	n.shift = shiftOf(values)
}

// leafRoom is an empty node, and room for so many values, where these fit into a leaf in one piece of memory with it.
func leafRoom[V ranked](n int) (*node[V], []V) {
	switch {
	case n <= fan/4:
		x := &struct {
			node[V]
			room [fan / 4]V
		}{}
		return &x.node, x.room[:0]
	case n <= fan/2:
		x := &struct {
			node[V]
			room [fan / 2]V
		}{}
		return &x.node, x.room[:0]
	case n <= full:
		x := &struct {
			node[V]
			room [full]V
		}{}
		return &x.node, x.room[:0]
	case n <= fan:
		x := &struct {
			node[V]
			room [fan]V
		}{}
		return &x.node, x.room[:0]
	}
	return &node[V]{}, make([]V, 0, n)
}

// inner is a node with room for its children in one piece of memory, and for one that is too many.
type inner[V ranked] struct {
	node[V]
	room [fan + 1]*node[V]
}

// shiftOf is what some values shift.
func shiftOf[V ranked](values []V) (sum int32) {
	for i := range values {
		_, shift := values[i].rank()
		sum += shift
	}
	return sum
}

// newInner makes a node of others.
func newInner[V ranked](children []*node[V]) *node[V] {
	x := &inner[V]{}
	n := &x.node
	n.n, n.children, n.at = int32(len(children)), append(x.room[:0], children...), children[0].at
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
		i := n.lastRank(row, before)
		before += n.before(i)
		n = n.children[i]
	}
	i, shift := n.lastValue(row, before)
	return n.first[i], &n.values[i], before + shift
}

// lastRank returns the place of the last child whose first key has a rank that is not above row; that of the first child's has not.
func (n *node[V]) lastRank(row int, before int32) int {
	low := 0
	for left := len(n.children); left > 1; {
		half := left / 2
		if int(n.children[low+half].at)+int(before)+int(n.before(low+half)) <= row {
			low += half
		}
		left -= half
	}
	return low
}

// lastValue is lastRank for a leaf, with what the values before shift: one pass, as that is known of each from those before alone.
func (n *node[V]) lastValue(row int, before int32) (i int, shift int32) {
	_, by := n.values[0].rank()
	for k := 1; k < len(n.values); k++ {
		at, next := n.values[k].rank()
		if int(at)+int(before)+int(by) > row {
			break
		}
		i, shift, by = k, by, by+next
	}
	return i, shift
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
