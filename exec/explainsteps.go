package exec

import (
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// describeSteps fills in the steps of the match plans in the tree; term names constants.
func (e *Explain) describeSteps(term func(dictionary.ID) string) {
	for _, child := range e.Children {
		child.describeSteps(term)
	}
	if e.Match == nil || e.Match.Empty || e.Steps != nil {
		return
	}
	for i := range e.Match.Steps {
		s := &e.Match.Steps[i]
		in := ""
		if s.Branch > 0 {
			in = fmt.Sprintf("%s %d: ", e.Match.Branches[s.Branch-1].Weight, s.Branch)
		}
		text := fmt.Sprintf("%s?%s: %s", in, e.Match.Slots[e.Match.Inputs+i].Variable, describeStep(e.Match, s, term))
		if e.Match.IsListed(i) {
			text += ", as a list"
		}
		if !s.Weighed {
			text += fmt.Sprintf(", estimated %.0f rows from %.0f candidates", s.EstimatedRows, s.EstimatedCandidates)
		}
		e.Steps = append(e.Steps, text)
	}
	for i := range e.Match.Branches {
		b := &e.Match.Branches[i]
		if n := len(b.Checks) + len(b.Classes); n+len(b.Distinct)+len(b.EdgeDistinct) > 0 {
			e.Steps = append(e.Steps, fmt.Sprintf("%s %d: %d checks, %d inequalities", b.Weight, i+1, n, len(b.Distinct)+len(b.EdgeDistinct)))
		}
	}
	if a := e.Match.Ahead; a != nil {
		first := "least"
		switch {
		case a.Both:
			first = "least and the greatest"
		case a.Descending:
			first = "greatest"
		}
		e.Steps = append(e.Steps, fmt.Sprintf("from the %s ?%s on, until the first rows are there: about %.2g of the rows, on the processor", first, e.Match.Slots[0].Variable, a.Share))
	}
	if len(e.Match.Where)+len(e.Match.Lookups) > 0 {
		e.sifts = len(e.Steps)
		e.Steps = append(e.Steps, describeSifting(e.Match))
	}
	if e.Match.Combine || e.Match.Fold != nil || e.Match.Top != nil {
		e.combines = len(e.Steps)
		e.Steps = append(e.Steps, describeCombining(e.Match))
	}
}

// describeSifting says which rows the matcher leaves out.
func describeSifting(plan *bgp.MatchPlan) string {
	var texts []string
	for _, f := range plan.Where {
		texts = append(texts, plan.FormulaText(f))
	}
	text := ""
	if len(texts) > 0 {
		text = "where " + strings.Join(texts, ", ") + ", of exact numbers"
	}
	for i := range plan.Lookups {
		if text != "" {
			text += ", "
		}
		text += plan.LookupText(i)
	}
	return text
}

// describeFold says what the matcher does with the rows' numbers.
func describeFold(plan *bgp.MatchPlan) string {
	keys, value := plan.FoldedBy()
	text, what := value, []string{"added up", "least and greatest"}
	switch f := plan.Fold; {
	case !f.Extremes:
		what = what[:1]
	case !f.Sums:
		what = what[1:]
	}
	switch text += ": " + strings.Join(what, ", "); {
	case value != "":
	case plan.Fold.Sums:
		text = "rows counted"
	default:
		text = "told apart"
	}
	for i, k := range keys {
		text += []string{" by ", ", "}[i] + k
	}
	if f := plan.Fold.First; f != nil {
		text += fmt.Sprintf(", the first %d by %s", f.Rows, f.By)
	}
	return text + ", where all are exact numbers"
}

// describeCombining says which rows the matcher makes one of.
func describeCombining(plan *bgp.MatchPlan) string {
	switch {
	case plan.Fold != nil:
		return describeFold(plan)
	case plan.Top != nil:
		where := "its values are in order"
		if plan.Top.Of != nil {
			where = "all are exact numbers"
		}
		return fmt.Sprintf("the first %d by %s, and those that may be, where %s", plan.Top.Rows, plan.OrderedBy(), where)
	}
	text := "equal rows of"
	for _, slot := range plan.Output {
		text += " ?" + plan.Slots[slot].Variable
	}
	if plan.Tally > 0 {
		return text + " combined, and counted by ?" + plan.Slots[plan.Output[plan.Tally-1]].Variable
	}
	if plan.Once {
		return text + " combined"
	}
	return text + " combined, with their number"
}

// describeStep says in a few words what limits a step's candidates.
func describeStep(plan *bgp.MatchPlan, s *bgp.Step, term func(dictionary.ID) string) string {
	name := func(o bgp.Operand) string { return operandName(plan, o, term) }
	text := ""
	add := func(format string, args ...any) {
		if text != "" {
			text += " ∩ "
		}
		text += fmt.Sprintf(format, args...)
	}
	for _, c := range s.Classes {
		add("class %s", term(c))
	}
	for _, l := range s.Links {
		switch l.Kind {
		case bgp.Neighbours:
			add("N(%s, %s, %s)", name(l.From), name(l.Label), l.Dir)
		case bgp.Rows:
			add("rows(%s, %s)", name(l.Label), l.Dir)
		case bgp.EdgeLabels:
			add("labels(%s, %s)", name(l.From), l.Dir)
		case bgp.AllEdgeLabels:
			add("all labels")
		case bgp.AllVertices:
			add("all vertices(%s)", l.Dir)
		}
	}
	if s.High != 0 || s.Low != 0 {
		add("ids %d…%d", s.Low, s.High)
	}
	if s.Candidates != nil {
		add("%d candidates", len(s.Candidates))
	}
	text += checksText(s.Checks)
	if len(s.Distinct)+len(s.EdgeDistinct) > 0 {
		text += fmt.Sprintf(", %d inequalities", len(s.Distinct)+len(s.EdgeDistinct))
	}
	switch {
	case s.Weighed:
		text += ", weights" + weightsOf(plan, s)
	case s.Counted:
		text += ", counted"
	}
	return text
}

// checksText tells how many edges a step tests, and how many that must not be there.
func checksText(checks []bgp.EdgeCheck) (text string) {
	absent := 0
	for _, c := range checks {
		if c.Absent {
			absent++
		}
	}
	if n := len(checks) - absent; n > 0 {
		text = fmt.Sprintf(", %d checks", n)
	}
	if absent > 0 {
		text += fmt.Sprintf(", %d edges absent", absent)
	}
	return text
}

// weightsOf names the slot that the weights which a step makes belong to.
func weightsOf(plan *bgp.MatchPlan, s *bgp.Step) (text string) {
	for _, l := range s.Links {
		if l.Kind == bgp.Neighbours && !l.From.IsConstant() {
			text = " of ?" + plan.Slots[l.From.Slot].Variable
		}
	}
	return text
}

func operandName(plan *bgp.MatchPlan, o bgp.Operand, term func(dictionary.ID) string) string {
	if o.IsConstant() {
		return term(o.Constant)
	}
	return "?" + plan.Slots[o.Slot].Variable
}
