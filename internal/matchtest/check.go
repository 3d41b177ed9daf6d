package matchtest

import (
	"context"
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Check compares a matcher with brute force on one case: the rows of Match, with weights, with and without a limit, and Count.
// The error shows the case.
func Check(m match.Matcher, c *Case) error {
	g, err := c.Graph()
	if err != nil {
		return err
	}
	return CheckOn(m, c, g)
}

// CheckOn is Check over a graph that has the case's edges.
func CheckOn(m match.Matcher, c *Case, g *pcsr.Graph) error {
	plan, err := c.Plan(g)
	if err != nil {
		return fmt.Errorf("planning: %w\n%v", err, c)
	}
	return CheckPlan(m, c, g, plan)
}

// CheckPlan is CheckOn with a plan that may have been made over another graph.
func CheckPlan(m match.Matcher, c *Case, g *pcsr.Graph, plan *bgp.MatchPlan) error {
	want := keys(c.Solutions())
	plan.ForManyRuns()
	task := match.Match{Graph: g, Plan: plan, Input: c.Seeds, Trace: &match.Trace{}}
	got, err := collect(m, task)
	if err != nil {
		return fmt.Errorf("match: %w\n%v", err, c)
	}
	if err := compare(got, want, plan.Once); err != nil {
		return fmt.Errorf("match: %w\n%v", err, c)
	}
	task.Weighted = true
	if got, err = collect(m, task); err != nil {
		return fmt.Errorf("match with weights: %w\n%v", err, c)
	}
	if err := compare(got, want, plan.Once); err != nil {
		return fmt.Errorf("match with weights: %w\n%v", err, c)
	}
	for _, lists := range slices.Compact([]int{min(1, plan.Leaves()), plan.Leaves()}) {
		if lists == 0 {
			break
		}
		listed := *plan
		listed.Lists = lists
		task.Plan = &listed
		if got, err = collect(m, task); err != nil {
			return fmt.Errorf("match with %d lists: %w\n%v", listed.Lists, err, c)
		}
		if err := compare(got, want, plan.Once); err != nil {
			return fmt.Errorf("match with %d lists: %w\n%v", listed.Lists, err, c)
		}
		if task.Input != nil || lists < plan.Leaves() {
			continue
		}
		if got, err = collect(factored{m}, task); err == nil {
			err = compare(got, want, plan.Once)
		}
		if err != nil {
			return fmt.Errorf("match with %d lists in two parts: %w\n%v", listed.Lists, err, c)
		}
	}
	task.Plan, task.Weighted, task.Limit = plan, false, c.Limit
	limited, err := collect(m, task)
	if err != nil {
		return fmt.Errorf("match with limit: %w\n%v", err, c)
	}
	if err := compareLimited(limited, want, c.Limit, plan.Once); err != nil {
		return fmt.Errorf("match with limit %d: %w\n%v", c.Limit, err, c)
	}
	plan.ForManyRuns()
	for range 2 { // a matcher has kept what it has made for the first, if it keeps anything
		n, err := m.Count(context.Background(), &match.Match{Graph: g, Plan: plan, Input: c.Seeds})
		if err != nil || n != uint64(len(want)) {
			return fmt.Errorf("count is %d (error %v), brute force finds %d\n%v", n, err, len(want), c)
		}
	}
	return nil
}

// factored runs matches by match.Factor.
type factored struct{ match.Matcher }

func (f factored) Match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) error {
	core := func(m *match.Match, emit func(*match.Batch) error) error { return f.Matcher.Match(ctx, m, emit) }
	return match.Factor(ctx, m, core, f.Matcher, emit)
}

// keys prints solutions, sorted, so that multisets can be compared.
func keys(solutions []Solution) []string {
	out := make([]string, len(solutions))
	for i, s := range solutions {
		out[i] = key(s.Origin, s.Values)
	}
	slices.Sort(out)
	return out
}

func key(origin int, values []dictionary.ID) string {
	if len(values) == 0 {
		values = nil
	}
	return fmt.Sprint(origin, values)
}

func collect(m match.Matcher, task match.Match) ([]string, error) {
	var out []string
	rows, distinct := map[string]int{}, false
	err := m.Match(context.Background(), &task, func(b *match.Batch) error {
		distinct = distinct || b.Distinct
		if len(b.Cols) != len(task.Plan.Output) || task.Input != nil && b.Origin == nil {
			return fmt.Errorf("a batch has %d columns, origin %v", len(b.Cols), b.Origin != nil)
		}
		for r := range b.N {
			origin := 0
			if b.Origin != nil {
				origin = int(b.Origin[r])
			}
			weight := uint64(1)
			if b.Weights != nil {
				weight = b.Weights[r]
			}
			if weight > 1<<20 {
				return fmt.Errorf("a row stands for %d solutions", weight)
			}
			one := b.Part(r, r+1)
			one.Weights = nil
			cols := one.Enumerate(&match.Batch{}).Cols
			for i := range one.AllSolutions() {
				values := make([]dictionary.ID, len(cols))
				for c := range cols {
					values[c] = cols[c][i]
				}
				rows[key(origin, values)]++
				for range weight {
					out = append(out, key(origin, values))
				}
			}
		}
		return nil
	})
	for row, n := range rows {
		if distinct && n > 1 && err == nil {
			err = fmt.Errorf("its rows are said to be distinct, but %s comes %d times", row, n)
		}
	}
	slices.Sort(out)
	return out, err
}

func compare(got, want []string, once bool) error {
	if once {
		got, want = slices.Compact(slices.Clone(got)), slices.Compact(slices.Clone(want))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("got %v\nwant %v", got, want)
	}
	return nil
}

// compareLimited asks for a part of the solutions, as many as the limit allows.
func compareLimited(got, want []string, limit uint64, once bool) error {
	if !once && uint64(len(got)) != min(limit, uint64(len(want))) || uint64(len(got)) > limit || (len(got) == 0) != (len(want) == 0) {
		return fmt.Errorf("got %d rows of %d", len(got), len(want))
	}
	left := slices.Clone(want)
	for _, k := range got {
		i := slices.Index(left, k)
		if i < 0 {
			return fmt.Errorf("got %v, which brute force does not find (so often)", k)
		}
		left = slices.Delete(left, i, i+1)
	}
	return nil
}
