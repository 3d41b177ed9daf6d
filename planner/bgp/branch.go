package bgp

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// Weight says what a branch makes of the number n of its solutions for a partial match.
type Weight uint8

const (
	// AtLeastOne is max(1, n): OPTIONAL.
	AtLeastOne Weight = iota
	// Some is 1 where n > 0, else 0: EXISTS.
	Some
	// None is 1 where n = 0, else 0: NOT EXISTS, MINUS.
	None
)

func (w Weight) String() string { return [...]string{"optional", "exists", "not exists"}[w] }

// Branch is a pattern that hangs on slots of a plan. Nobody reads what it binds: the number of solutions that it has for a
// partial match becomes a factor of how many solutions that stands for. Its steps stand behind the plan's own, with slots
// behind theirs; Step.Branch tells them.
type Branch struct {
	Weight Weight
	// Within is the branch that it hangs in, numbered as Step.Branch is: 0 is the plan itself.
	Within int
	// Checks, Classes, Distinct and EdgeDistinct are what must hold of slots that are bound outside, or there is no solution:
	// those of MatchPlan for inputs.
	Checks       []EdgeCheck
	Classes      []ClassCheck
	Distinct     [][2]Operand
	EdgeDistinct [][2]EdgeCheck
	// Weighed is what Step.Weighed is.
	Weighed bool

	rows float64 // partial matches that it is expected to be looked at for
}

// Hang adds the plan of a pattern, and the branches that hang in it, as a branch: input i of that plan is a slot of this one. The
// pattern is expected to be looked at for so many rows. What hangs must be neither Empty nor read by anybody.
func (p *MatchPlan) Hang(weight Weight, of *MatchPlan, inputs []int, rows float64) {
	first, number := len(p.Slots), len(p.Branches)+1
	r := renaming{func(slot int) int {
		if slot < of.Inputs {
			return inputs[slot]
		}
		return first + slot - of.Inputs
	}}
	b := Branch{
		Weight: weight, rows: rows, Checks: r.checks(of.InputChecks), Distinct: r.operandPairs(of.InputDistinct), EdgeDistinct: r.pairs(of.InputEdgeDistinct),
	}
	for _, c := range of.InputClasses {
		b.Classes = append(b.Classes, ClassCheck{Of: r.operand(c.Of), Class: c.Class})
	}
	p.Branches = append(p.Branches, b)
	for i := range of.Branches {
		inner := r.branch(&of.Branches[i], number)
		inner.rows *= rows
		p.Branches = append(p.Branches, inner)
	}
	for i := range of.Steps {
		s := r.step(&of.Steps[i])
		s.Branch, s.Counted = number+s.Branch, true
		s.EstimatedCandidates *= rows
		s.EstimatedRows *= rows
		p.Steps = append(p.Steps, s)
		p.Slots = append(p.Slots, Slot{Variable: of.Slots[of.Inputs+i].Variable, Vertex: -1})
	}
	p.Cost += rows * (of.Cost + 1)
	p.enumerateRead()
}

// IsShallow reports whether each step's candidates are counted by what one list, or a few, have in common, to none of which another step leads.
func (p *MatchPlan) IsShallow() bool {
	for i := range p.Steps {
		deep := false
		p.Steps[i].EachSlot(func(slot int) { deep = deep || slot >= p.Inputs && slot != p.Inputs+i })
		if deep || !p.Steps[i].isMeet() || !p.Steps[i].Signature.IsZero() {
			return false
		}
	}
	return true
}

// Own is how many of the steps are the plan's own: those behind them are branches'.
func (p *MatchPlan) Own() int {
	if k := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Branch > 0 }); k >= 0 {
		return k
	}
	return len(p.Steps)
}

// enumerateRead takes the mark of counted steps off those that a branch reads, and off those before them.
func (p *MatchPlan) enumerateRead() {
	last := -1
	read := func(o Operand) { last = max(last, min(o.Slot-p.Inputs, p.Own()-1)) }
	for i := range p.Branches {
		p.Branches[i].eachOperand(read)
	}
	for i := range p.Steps {
		if p.Steps[i].Branch > 0 {
			p.Steps[i].EachSlot(func(slot int) {
				if slot < p.Inputs+p.Own() {
					read(Bound(slot))
				}
			})
		}
	}
	for k := range p.Steps[:last+1] {
		p.Steps[k].Counted = false
	}
}

// eachOperand calls visit for every slot that the branch's own conditions read.
func (b *Branch) eachOperand(visit func(Operand)) {
	s := Step{Checks: b.Checks, EdgeDistinct: b.EdgeDistinct}
	s.EachSlot(func(slot int) { visit(Bound(slot)) })
	for _, c := range b.Classes {
		visit(c.Of)
	}
	for _, pair := range b.Distinct {
		for _, o := range pair {
			if !o.IsConstant() {
				visit(o)
			}
		}
	}
}

// renaming gives slots other numbers.
type renaming struct{ slot func(int) int }

func (r renaming) operand(o Operand) Operand {
	if o.IsConstant() {
		return o
	}
	return Bound(r.slot(o.Slot))
}

func (r renaming) check(c EdgeCheck) EdgeCheck {
	return EdgeCheck{From: r.operand(c.From), Label: r.operand(c.Label), To: r.operand(c.To), Absent: c.Absent}
}

func (r renaming) checks(list []EdgeCheck) (out []EdgeCheck) {
	for _, c := range list {
		out = append(out, r.check(c))
	}
	return out
}

func (r renaming) pairs(list [][2]EdgeCheck) (out [][2]EdgeCheck) {
	for _, p := range list {
		out = append(out, [2]EdgeCheck{r.check(p[0]), r.check(p[1])})
	}
	return out
}

func (r renaming) operands(list []Operand) (out []Operand) {
	for _, o := range list {
		out = append(out, r.operand(o))
	}
	return out
}

func (r renaming) operandPairs(list [][2]Operand) (out [][2]Operand) {
	for _, p := range list {
		out = append(out, [2]Operand{r.operand(p[0]), r.operand(p[1])})
	}
	return out
}

func (r renaming) branch(from *Branch, outer int) Branch {
	b := Branch{
		Weight: from.Weight, Within: from.Within + outer, rows: from.rows, Checks: r.checks(from.Checks),
		Distinct: r.operandPairs(from.Distinct), EdgeDistinct: r.pairs(from.EdgeDistinct),
	}
	for _, c := range from.Classes {
		b.Classes = append(b.Classes, ClassCheck{Of: r.operand(c.Of), Class: c.Class})
	}
	return b
}

func (r renaming) step(from *Step) Step {
	s := *from
	s.Links = slices.Clone(from.Links)
	for i := range s.Links {
		l := &s.Links[i]
		l.From, l.Label, l.Edge = r.operand(l.From), r.operand(l.Label), -1
		switch l.Kind {
		case Rows, AllEdgeLabels, AllVertices:
			l.From = Const(dictionary.ID(0))
		}
		switch l.Kind {
		case EdgeLabels, AllEdgeLabels, AllVertices:
			l.Label = Const(dictionary.ID(0))
		}
	}
	s.Checks, s.Distinct, s.EdgeDistinct = r.checks(from.Checks), r.operands(from.Distinct), r.pairs(from.EdgeDistinct)
	return s
}
