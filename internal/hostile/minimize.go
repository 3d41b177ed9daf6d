package hostile

import "strings"

// Minimize makes a query smaller while fails still reports true for its text; fails is called at most trials times. It
// works on the tree first (fewer repetitions, fewer parts, a part in place of what holds it) and on words then.
func Minimize(tree *Node, fails func(query string) bool, trials int) string {
	m := &minimizer{root: tree, fails: fails, left: trials}
	for m.pass(tree) && m.left > 0 {
	}
	return m.words(tree.String())
}

type minimizer struct {
	root  *Node
	fails func(string) bool
	left  int
}

// try keeps a change of the tree if the query is shorter for it and still fails, and takes it back otherwise.
func (m *minimizer) try(n *Node, change func(*Node)) bool {
	before, length := *n, len(m.root.String())
	change(n)
	if query := m.root.String(); m.left > 0 && len(query) < length && query != "" {
		if m.left--; m.fails(query) {
			return true
		}
	}
	*n = before
	return false
}

// pass tries every change of a node and then those of its parts; it reports whether one was kept.
func (m *minimizer) pass(n *Node) bool {
	kept := m.simplify(n) || m.hoist(n)
	kept = m.shrink(n, &n.Copies) || kept
	kept = m.shrink(n, &n.Wraps) || kept
	kept = m.drop(n) || kept
	for _, part := range n.Parts {
		if m.left <= 0 {
			break
		}
		kept = m.pass(part) || kept
	}
	return kept
}

// simplify puts the shortest of its kind in place of a node.
func (m *minimizer) simplify(n *Node) bool {
	return simplest[n.Kind] != "" && m.try(n, func(n *Node) { *n = Node{Kind: n.Kind, Open: simplest[n.Kind]} })
}

// hoist puts a descendant of the same kind in place of a node.
func (m *minimizer) hoist(n *Node) bool {
	if n.Kind == Text {
		return false
	}
	for _, inner := range within(n, n.Kind) {
		if m.try(n, func(n *Node) { *n = *inner }) {
			return true
		}
	}
	return false
}

// within lists the nearest nodes of a kind below n.
func within(n *Node, kind Kind) []*Node {
	var list []*Node
	for _, part := range n.Parts {
		if part.Kind == kind {
			list = append(list, part)
		} else {
			list = append(list, within(part, kind)...)
		}
	}
	return list
}

// shrink makes a number of repetitions smaller, by halves and at last by one.
func (m *minimizer) shrink(n *Node, times *int) bool {
	kept := false
	for *times > 1 {
		half, less := *times/2, *times-1
		if !m.try(n, func(*Node) { *times = half }) && !m.try(n, func(*Node) { *times = less }) {
			break
		}
		kept = true
	}
	return kept
}

// drop leaves out parts of a list: halves first, then smaller runs.
func (m *minimizer) drop(n *Node) bool {
	if !n.List {
		return false
	}
	kept := false
	for run := max(1, len(n.Parts)/2); run > 0; run /= 2 {
		for i := 0; i < len(n.Parts); {
			if m.try(n, func(n *Node) { n.Parts = without(n.Parts, i, run) }) {
				kept = true
			} else {
				i += run
			}
		}
	}
	return kept
}

// words leaves out words of a text as drop does parts.
func (m *minimizer) words(query string) string {
	words := strings.Fields(query)
	for run := max(1, len(words)/2); run > 0 && m.left > 0; run /= 2 {
		for i := 0; i < len(words) && m.left > 0; {
			shorter := without(words, i, run)
			if m.left--; m.fails(strings.Join(shorter, " ")) {
				words, query = shorter, strings.Join(shorter, " ")
			} else {
				i += run
			}
		}
	}
	return query
}

// without is a copy of a list that lacks a run of its entries.
func without[T any](list []T, from, n int) []T {
	return append(append([]T(nil), list[:from]...), list[min(len(list), from+n):]...)
}
