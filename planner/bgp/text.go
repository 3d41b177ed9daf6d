package bgp

import (
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// String prints the plan with IDs for constants, a line for each step: golden tests and logs read it.
func (p *MatchPlan) String() string {
	return p.Format(func(id dictionary.ID) string { return fmt.Sprintf("#%d", id) })
}

// Format prints the plan, a line for each step, with constants as term names them.
func (p *MatchPlan) Format(term func(dictionary.ID) string) string {
	w := planWriter{plan: p, term: term}
	w.printf("%s\n", p.Query.Semantics)
	if p.Empty {
		w.printf("empty: %s\n", p.Reason)
		return w.text.String()
	}
	for i := range p.Inputs {
		w.printf("seeded ?%s\n", p.Slots[i].Variable)
	}
	w.inputs()
	for i := range p.Steps {
		w.step(&p.Steps[i], p.Inputs+i)
	}
	for i := range p.Branches {
		w.branch(i+1, &p.Branches[i])
	}
	w.output()
	return w.text.String()
}

type planWriter struct {
	plan *MatchPlan
	term func(dictionary.ID) string
	text strings.Builder
}

func (w *planWriter) printf(format string, args ...any) { fmt.Fprintf(&w.text, format, args...) }

func (w *planWriter) operand(o Operand) string {
	if o.IsConstant() {
		return w.term(o.Constant)
	}
	return "?" + w.plan.Slots[o.Slot].Variable
}

func (w *planWriter) check(c EdgeCheck) string {
	text := w.operand(c.From) + " " + w.operand(c.Label) + " " + w.operand(c.To)
	if c.Absent {
		return "absent " + text
	}
	return text
}

func (w *planWriter) pairs(pairs [][2]EdgeCheck) {
	for _, p := range pairs {
		w.printf("  %s is not %s\n", w.check(p[0]), w.check(p[1]))
	}
}

func (w *planWriter) inputs() {
	for _, c := range w.plan.InputChecks {
		w.printf("  check %s\n", w.check(c))
	}
	for _, c := range w.plan.InputClasses {
		w.printf("  class %s of %s\n", w.term(c.Class), w.operand(c.Of))
	}
	for _, p := range w.plan.InputDistinct {
		w.printf("  %s is not %s\n", w.operand(p[0]), w.operand(p[1]))
	}
	w.pairs(w.plan.InputEdgeDistinct)
}

func (w *planWriter) step(s *Step, slot int) {
	verb := "bind"
	if s.Counted {
		verb = "count"
	}
	if s.Weighed {
		verb = "weigh"
	}
	if s.Branch > 0 {
		w.printf("branch %d: ", s.Branch)
	}
	w.printf("%s ?%s part %d candidates %.3g rows %.3g\n", verb, w.plan.Slots[slot].Variable, s.Component, s.EstimatedCandidates, s.EstimatedRows)
	for _, l := range s.Links {
		w.printf("  in %s\n", w.link(l))
	}
	for _, c := range s.Classes {
		w.printf("  class %s\n", w.term(c))
	}
	for _, c := range s.Checks {
		w.printf("  check %s\n", w.check(c))
	}
	if s.High != 0 || s.Low != 0 {
		w.printf("  from %d below %d\n", s.Low, s.High)
	}
	if s.Candidates != nil {
		w.printf("  one of %d candidates\n", len(s.Candidates))
	}
	if !s.Signature.IsZero() {
		w.printf("  signature %x\n", s.Signature.Words)
	}
	for _, o := range s.Distinct {
		w.printf("  is not %s\n", w.operand(o))
	}
	w.pairs(s.EdgeDistinct)
}

func (w *planWriter) branch(number int, b *Branch) {
	weighed := ""
	if b.Weighed {
		weighed = ", weighed"
	}
	w.printf("branch %d within %d: %s%s\n", number, b.Within, b.Weight, weighed)
	for _, c := range b.Checks {
		w.printf("  check %s\n", w.check(c))
	}
	for _, c := range b.Classes {
		w.printf("  class %s of %s\n", w.term(c.Class), w.operand(c.Of))
	}
	for _, p := range b.Distinct {
		w.printf("  %s is not %s\n", w.operand(p[0]), w.operand(p[1]))
	}
	w.pairs(b.EdgeDistinct)
}

func (w *planWriter) link(l Link) string {
	switch l.Kind {
	case Neighbours:
		return fmt.Sprintf("N(%s, %s, %s)", w.operand(l.From), w.operand(l.Label), l.Dir)
	case Rows:
		return fmt.Sprintf("rows of (%s, %s)", w.operand(l.Label), l.Dir)
	case EdgeLabels:
		return fmt.Sprintf("labels of %s, %s", w.operand(l.From), l.Dir)
	case AllEdgeLabels:
		return "all labels"
	}
	return "all vertices with an edge " + l.Dir.String()
}

func (w *planWriter) output() {
	if len(w.plan.Output) == 0 {
		return
	}
	w.printf("output")
	for _, slot := range w.plan.Output {
		w.printf(" ?%s", w.plan.Slots[slot].Variable)
	}
	if w.plan.Once {
		w.printf(", repeats not wanted")
	}
	if w.plan.Combine {
		w.printf(", equal rows combined")
	}
	if w.plan.Combine && w.plan.Tally > 0 {
		w.printf(", counted by %s", w.plan.Slots[w.plan.Output[w.plan.Tally-1]].Variable)
	}
	if w.plan.Fold != nil {
		keys, value := w.plan.FoldedBy()
		w.printf(", numbers of %s by %v", value, keys)
	}
	for i := range w.plan.Lookups {
		w.printf(", %s", w.plan.LookupText(i))
	}
	for _, f := range w.plan.Where {
		w.printf(", where %s", w.plan.FormulaText(f))
	}
	w.printf("\n")
}
