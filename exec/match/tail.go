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
	n := 0
	return groups(steps, &n)
}

func groups(steps []*Step, n *int) []*Group {
	var out []*Group
	for _, part := range Parts(steps) {
		g := &Group{Step: part[0], Number: *n}
		*n++
		g.Children = groups(part[1:], n)
		for _, s := range part {
			g.Reads = union(g.Reads, s.Reads)
		}
		g.Reads = slices.DeleteFunc(g.Reads, func(slot int) bool {
			return slices.ContainsFunc(part, func(s *Step) bool { return s.Slot == slot })
		})
		out = append(out, g)
	}
	return out
}

// Parts splits steps into parts of which none reads another's slots: their solutions multiply.
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
