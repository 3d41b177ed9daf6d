package bgp

import "slices"

// treeOrder is a vertex order that begins with the vertices that are read and those on cycles, and ends with the trees that hang on
// them, for weights; nil where there are no trees. A part of the pattern that is a tree itself begins with one vertex of it: with root, if that
// is none of another part.
func (e *estimates) treeOrder(read []bool, root int) []int {
	o := e.ordering(nil)
	keep := slices.Clone(read)
	tail, gone := o.strip(keep)
	if len(tail) == 0 || o.over() {
		return nil
	}
	rooted := false
	for _, v := range o.rest {
		if !gone[v] && !keep[v] && !slices.ContainsFunc(o.adjacent[v], func(w int) bool { return !gone[w] }) {
			keep[o.treeRoot(v, root)], rooted = true, true
		}
	}
	if rooted {
		tail, gone = o.strip(keep)
	}
	o.rest = slices.DeleteFunc(o.rest, func(v int) bool { return gone[v] })
	head := o.head(read)
	if o.over() {
		return nil
	}
	slices.Reverse(tail)
	return append(head, tail...)
}

// strip takes leaves away that are not kept, and what becomes a leaf without them, and returns them in that order.
func (o *ordering) strip(keep []bool) (tail []int, gone []bool) {
	gone = make([]bool, len(o.query.Vertices))
	for changed := true; changed && !o.over(); {
		changed = false
		for _, v := range o.rest {
			if !gone[v] && !keep[v] && o.onlyEdge(v, gone) >= 0 {
				gone[v], changed = true, true
				tail = append(tail, v)
			}
		}
	}
	return tail, gone
}

// treeRoot is root where that is in the tree of v, else the vertex with the smallest domain in it, of those that are no leaves: the edges of leaves
// need no weights of their own.
func (o *ordering) treeRoot(v, root int) int {
	tree := []int{v}
	for i := 0; i < len(tree); i++ {
		for _, w := range o.adjacent[tree[i]] {
			if !slices.Contains(tree, w) {
				tree = append(tree, w)
			}
		}
	}
	if slices.Contains(tree, root) {
		return root
	}
	best := v
	for _, w := range tree {
		inner, bestInner := len(o.adjacent[w]) > 1, len(o.adjacent[best]) > 1
		if inner != bestInner && inner || inner == bestInner && o.domain[w] < o.domain[best] {
			best = w
		}
	}
	return best
}
