package gpu

import (
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// layConditions translates everything of a step but its lists, as device step k sees it.
func (j *join) layConditions(k int, from *match.Step, distinct []bgp.Operand, s *kernels.Step) error {
	checks, pairs, err := j.layChecks(k, from)
	if err != nil {
		return err
	}
	differ, err := j.operands(k, distinct)
	if err != nil {
		return err
	}
	greater, err := j.slots(k, from.Above)
	if err != nil {
		return err
	}
	less, err := j.slots(k, from.Under)
	if err != nil {
		return err
	}
	s.Above, s.AboveCount = put(j.image, greater), uint32(len(greater))
	s.Under, s.UnderCount = put(j.image, less), uint32(len(less))
	s.Checks, s.CheckCount = put(j.image, checks), uint32(len(checks))
	s.Pairs, s.PairCount = put(j.image, pairs), uint32(len(pairs))
	s.Distinct, s.DistinctCount = put(j.image, differ), uint32(len(differ))
	return nil
}

// layChecks translates the edges that a step tests, and those that must differ.
func (j *join) layChecks(k int, from *match.Step) (checks []kernels.Check, pairs []kernels.Pair, err error) {
	for _, c := range from.Plan.Checks {
		if err := j.loadChecked(c.Label); err != nil {
			return nil, nil, err
		}
		check, err := j.check(k, c)
		if err != nil {
			return nil, nil, err
		}
		checks = append(checks, check)
	}
	for _, c := range from.Plan.EdgeDistinct {
		a, err := j.check(k, c[0])
		if err != nil {
			return nil, nil, err
		}
		b, err := j.check(k, c[1])
		if err != nil {
			return nil, nil, err
		}
		pairs = append(pairs, kernels.Pair{A: a, B: b})
	}
	return checks, pairs, nil
}

func (j *join) check(k int, c bgp.EdgeCheck) (kernels.Check, error) {
	from, err := j.operand(k, c.From)
	if err != nil {
		return kernels.Check{}, err
	}
	label, err := j.operand(k, c.Label)
	if err != nil {
		return kernels.Check{}, err
	}
	to, err := j.operand(k, c.To)
	return kernels.Check{From: from, Label: label, To: to, Absent: asFlag(c.Absent)}, err
}

// loadChecked loads both directions of the label of an edge that is tested, or all partitions for a variable.
func (j *join) loadChecked(label bgp.Operand) error {
	if !label.IsConstant() {
		return j.r.all(j.ctx)
	}
	for _, dir := range []pcsr.Direction{pcsr.Out, pcsr.In} {
		at, used := j.r.place(label.Constant, dir)
		if !used {
			return nil
		}
		if _, err := j.r.load(j.ctx, at, false); err != nil {
			return err
		}
	}
	return nil
}
