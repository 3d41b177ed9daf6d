package match

import "slices"

// Group is a connected part of steps that are counted and not enumerated: its first step, and the parts that the rest
// falls into once that is bound. The number of solutions is the sum, over the first step's candidates, of the product of
// the children's (an AND/OR search tree over the plan).
type Group struct {
	Step     *Step
	Children []*Group
	// Reads are the slots bound outside that the group reads.
	Reads []int
	// Number tells the groups of one tail apart: 0 and up.
	Number int
}

// Groups splits steps, in the order of the plan, into the groups by which they are counted.
func Groups(steps []*Step) []*Group {
	var roots []*root
	for i := len(steps) - 1; i >= 0; i-- {
		roots = adopt(roots, steps[i], i)
	}
	n := 0
	return number(roots, &n)
}

// root is a group that no step looked at so far leads to; steps are looked at from the last to the first.
type root struct {
	group    *Group
	children []*root
	reads    slotSet
	last     int // the last of its steps
}

// adopt makes the roots that read a step's slot children of its group, which becomes a root.
func adopt(roots []*root, s *Step, at int) []*root {
	r := &root{group: &Group{Step: s}, last: at}
	for _, slot := range s.Reads {
		r.reads.add(slot)
	}
	rest := roots[:0]
	for _, other := range roots {
		if !other.reads.has(s.Slot) {
			rest = append(rest, other)
			continue
		}
		r.children = append(r.children, other)
		r.reads.addAll(other.reads)
		r.last = max(r.last, other.last)
	}
	r.reads.remove(s.Slot)
	return append(rest, r)
}

// number numbers groups, those first that end first, each before its children.
func number(roots []*root, n *int) []*Group {
	slices.SortFunc(roots, func(a, b *root) int { return a.last - b.last })
	var groups []*Group
	for _, r := range roots {
		g := r.group
		g.Number, g.Reads = *n, r.reads.members()
		*n++
		g.Children = number(r.children, n)
		groups = append(groups, g)
	}
	return groups
}

// Parts splits steps into parts of which none reads another's slots: their solutions multiply. Those come first that end
// first.
func Parts(steps []*Step) [][]*Step {
	if len(steps) == 1 {
		return [][]*Step{steps}
	}
	joined := make([]int, len(steps)) // by step: an earlier one of its part, or itself
	first := func(i int) int {
		for joined[i] != i {
			joined[i] = joined[joined[i]]
			i = joined[i]
		}
		return i
	}
	var bound slotSteps
	for i, s := range steps {
		joined[i] = i
		for _, slot := range s.Reads {
			if by := bound.step(slot); by >= 0 {
				a, b := first(by), first(i)
				joined[max(a, b)] = min(a, b)
			}
		}
		bound.bind(s.Slot, i)
	}
	members := make([][]*Step, len(steps)) // by the part's first step
	for i, s := range steps {
		f := first(i)
		members[f] = append(members[f], s)
	}
	out := make([][]*Step, 0, len(steps))
	for i, s := range steps {
		if part := members[first(i)]; part[len(part)-1] == s {
			out = append(out, part)
		}
	}
	return out
}

// slotSteps say which step binds a slot: its place plus one.
type slotSteps []int

func (b *slotSteps) bind(slot, step int) {
	for len(*b) <= slot {
		*b = append(*b, 0)
	}
	(*b)[slot] = step + 1
}

// step is the place of the step that binds a slot, or -1.
func (b slotSteps) step(slot int) int {
	if slot < len(b) {
		return b[slot] - 1
	}
	return -1
}

// Lengths is how many steps at the end can be counted by the lengths of their lists, one factor each: those that no
// other reads, and whose slot nobody reads where solutions are asked for.
func (l *Lowering) Lengths() int {
	var read []int
	n := 0
	for k := len(l.Steps) - 1; k >= 0; k-- {
		s := l.Steps[k]
		if !l.counting && !s.Plan.Counted || !s.isLength() || slices.Contains(read, s.Slot) {
			break
		}
		read = union(read, s.Reads)
		n++
	}
	return n
}
