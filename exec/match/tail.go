package match

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Group is a connected part of steps that are counted and not enumerated: its first step, and the parts that the rest
// falls into once that is bound. The number of solutions is the sum, over the first step's candidates, of the product of
// the children's (an AND/OR search tree over the plan). A group that is a branch of the plan binds nothing itself: it is
// what the branch's weight makes of the product of the children's.
type Group struct {
	// Step is nil where the group is a branch.
	Step *Step
	// Branch is what the group weighs, and Test what must hold of slots that are bound outside, nil for nothing. Never: it
	// has no solution, whatever is bound outside.
	Branch   *bgp.Branch
	Test     *Step
	Never    bool
	Children []*Group
	// Weighed: the plan wants the group's numbers made once for each vertex of the slot that it reads, or once where it reads none.
	Weighed bool
	// Reads are the slots bound outside that the group reads.
	Reads []int
	// Number tells the groups of one tail apart: 0 and up.
	Number int
}

// Groups splits steps, in the order of the plan, into the groups by which they are counted. The steps of branches are
// among them all or not at all.
func (l *Lowering) Groups(steps []*Step) []*Group {
	n := 0
	return l.groups(l.units(steps, 0), &n)
}

// unit is what groups are made of: a step, or a branch with all that hangs in it.
type unit struct {
	step   *Step
	branch int // of Plan.Branches, counted from 1; 0 for a step
	within []*Step
	reads  []int // bound outside
	binds  []int
}

// units are the steps of a branch and the branches that hang in it; 0 is the plan itself.
func (l *Lowering) units(steps []*Step, in int) (out []*unit) {
	all, slots := make([]unit, 0, len(steps)), make([]int, 0, len(steps))
	out = make([]*unit, 0, len(steps)+len(l.Plan.Branches))
	for _, s := range steps {
		if s.Plan.Branch == in {
			slots = append(slots, s.Slot)
			all = append(all, unit{step: s, reads: s.Reads, binds: slots[len(slots)-1 : len(slots) : len(slots)]})
			out = append(out, &all[len(all)-1])
		}
	}
	for i := range l.Plan.Branches {
		if l.Plan.Branches[i].Within == in {
			out = append(out, l.branchUnit(steps, i+1))
		}
	}
	return out
}

func (l *Lowering) branchUnit(steps []*Step, branch int) *unit {
	u := &unit{branch: branch}
	l.gather(u, steps, branch)
	u.reads = slices.DeleteFunc(u.reads, func(slot int) bool { return slices.Contains(u.binds, slot) })
	return u
}

// gather adds the steps of a branch and of those in it.
func (l *Lowering) gather(u *unit, steps []*Step, branch int) {
	for _, s := range steps {
		if s.Plan.Branch == branch {
			u.within, u.binds, u.reads = append(u.within, s), append(u.binds, s.Slot), union(u.reads, s.Reads)
		}
	}
	if t := l.Tests[branch-1]; t != nil {
		u.reads = union(u.reads, t.Reads)
	}
	for i := range l.Plan.Branches {
		if l.Plan.Branches[i].Within == branch {
			l.gather(u, steps, i+1)
		}
	}
}

func (l *Lowering) groups(units []*unit, n *int) []*Group {
	var roots []*root
	for i := len(units) - 1; i >= 0; i-- {
		roots = adopt(roots, units[i], i)
	}
	return l.number(roots, n)
}

// root is a group that no unit looked at so far leads to; units are looked at from the last to the first.
type root struct {
	*unit
	children []*root
	reads    slotSet
	last     int // the last of its units
}

// adopt makes the roots that read what a unit binds children of its group, which becomes a root.
func adopt(roots []*root, u *unit, at int) []*root {
	r := &root{unit: u, last: at}
	for _, slot := range u.reads {
		r.reads.add(slot)
	}
	rest := roots[:0]
	for _, other := range roots {
		if !slices.ContainsFunc(u.binds, other.reads.has) {
			rest = append(rest, other)
			continue
		}
		r.children = append(r.children, other)
		r.reads.addAll(other.reads)
		r.last = max(r.last, other.last)
	}
	for _, slot := range u.binds {
		r.reads.remove(slot)
	}
	return append(rest, r)
}

// number numbers groups, those first that end first, each before its children.
func (l *Lowering) number(roots []*root, n *int) []*Group {
	slices.SortFunc(roots, func(a, b *root) int { return a.last - b.last })
	var groups []*Group
	for _, r := range roots {
		g := &Group{Number: *n, Reads: r.reads.members()}
		*n++
		if r.step != nil {
			g.Step, g.Children = r.step, l.number(r.children, n)
		} else {
			l.weigh(g, r.unit, n)
		}
		g.Weighed = g.mayBeWeighed()
		groups = append(groups, g)
	}
	return groups
}

// mayBeWeighed reports whether the plan wants weights and the order that breaks symmetries does not keep it from them.
func (g *Group) mayBeWeighed() bool {
	if len(g.Reads) > 1 || slices.ContainsFunc(g.Children, func(c *Group) bool { return !c.Weighed }) {
		return false
	}
	if g.Step != nil {
		return g.Step.Plan.Weighed && !g.Step.IsOrdered()
	}
	return g.Branch.Weighed
}

// weigh makes a group of a branch that stands alone: nothing that is bound with it is read by another.
func (l *Lowering) weigh(g *Group, u *unit, n *int) {
	g.Branch, g.Test = &l.Plan.Branches[u.branch-1], l.Tests[u.branch-1]
	g.Never = slices.ContainsFunc(u.within, func(s *Step) bool { return s.never && s.Plan.Branch == u.branch })
	if !g.Never {
		g.Children = l.groups(l.units(u.within, u.branch), n)
	}
}

// Parts splits steps of a plan without branches into parts of which none reads another's slots: their solutions multiply. Those come first that end
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
	bound := make(slotSteps, 0, 16)
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

// Lengths is how many of the plan's own steps, at their end, can be counted by the lengths of their lists, one factor each:
// those that no other step and no branch reads, and whose slot nobody reads where solutions are asked for.
func (l *Lowering) Lengths() int {
	var read []int
	own := l.Plan.Own()
	for _, s := range l.Steps[own:] {
		read = union(read, s.Reads)
	}
	for _, t := range l.Tests {
		if t != nil {
			read = union(read, t.Reads)
		}
	}
	n := 0
	for k := own - 1; k >= 0; k-- {
		s := l.Steps[k]
		if !l.counting && !s.Plan.Counted || !s.isLength() || slices.Contains(read, s.Slot) {
			break
		}
		read = union(read, s.Reads)
		n++
	}
	return n
}

// IsLeaf reports whether the group is a step whose candidates are counted by the length of a list.
func (g *Group) IsLeaf() bool { return g.Step != nil && len(g.Children) == 0 && g.Step.isLength() }
