package match

import (
	"math"
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
	var out []*Group
	for _, part := range parts(units) {
		g := &Group{Number: *n}
		*n++
		first := part[0]
		if first.step != nil {
			g.Step, g.Children = first.step, l.groups(part[1:], n)
		} else {
			l.weigh(g, first, n)
		}
		var binds []int
		for _, u := range part {
			g.Reads, binds = union(g.Reads, u.reads), append(binds, u.binds...)
		}
		g.Reads = slices.DeleteFunc(g.Reads, func(slot int) bool { return slices.Contains(binds, slot) })
		out = append(out, g)
	}
	return out
}

// weigh makes a group of a branch that stands alone: nothing that is bound with it is read by another.
func (l *Lowering) weigh(g *Group, u *unit, n *int) {
	g.Branch, g.Test = &l.Plan.Branches[u.branch-1], l.Tests[u.branch-1]
	g.Never = slices.ContainsFunc(u.within, func(s *Step) bool { return s.never && s.Plan.Branch == u.branch })
	if !g.Never {
		g.Children = l.groups(l.units(u.within, u.branch), n)
	}
}

// parts splits units into parts of which none reads what another binds. A step stands before what reads it.
func parts(units []*unit) [][]*unit {
	if len(units) == 1 {
		return [][]*unit{units}
	}
	var out [][]*unit
	for _, u := range units {
		joined := []*unit{u}
		rest := out[:0]
		for _, part := range out {
			if slices.ContainsFunc(part, func(p *unit) bool { return meets(u.reads, p.binds) }) {
				joined = append(joined, part...)
			} else {
				rest = append(rest, part)
			}
		}
		if len(joined) > 1 {
			slices.SortFunc(joined, func(a, b *unit) int { return a.place() - b.place() })
		}
		out = append(rest, joined)
	}
	return out
}

// place is where a unit stands in the order of the plan: branches last.
func (u *unit) place() int {
	if u.step != nil {
		return u.step.Index
	}
	return math.MaxInt32 + u.branch
}

func meets(a, b []int) bool {
	return slices.ContainsFunc(a, func(x int) bool { return slices.Contains(b, x) })
}

// Parts splits steps of a plan without branches into parts of which none reads another's slots: their solutions multiply.
func Parts(steps []*Step) [][]*Step {
	if len(steps) == 1 {
		return [][]*Step{steps}
	}
	var out [][]*Step
	for _, s := range steps {
		joined := []*Step{s}
		rest := out[:0]
		for _, part := range out {
			if slices.ContainsFunc(part, func(p *Step) bool { return slices.Contains(s.Reads, p.Slot) }) {
				joined = append(joined, part...)
			} else {
				rest = append(rest, part)
			}
		}
		if len(joined) > 1 {
			slices.SortFunc(joined, func(a, b *Step) int { return a.Index - b.Index })
		}
		out = append(rest, joined)
	}
	return out
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
