package match

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Rows that came from the same row are siblings, and what they bound is a sorted list: the intersection that the step before
// computed. A later step whose candidates must pass all that step's tests need look at that list alone, and at what it asks
// beyond (code motion in STMatch, SC 2022). In a clique that is nearly everything: the last vertex is a neighbour of the
// last but one among its siblings.

// Sharing says that the candidates of a step are among the siblings that an earlier step made, and what it asks beyond.
type Sharing struct {
	// From is the earlier step's place among the steps.
	From int
	// Lists are the step's, Distinct what it must differ from; the first OwnLists and OwnDistinct of them siblings do not
	// pass of themselves.
	Lists                 []List
	Distinct              []bgp.Operand
	OwnLists, OwnDistinct int
}

// mostCovered bounds the steps back that are tried.
const mostCovered = 8

// Sharing returns, for each step, where its candidates are among siblings, nil elsewhere. kept reports whether what step j
// bound can still be read when step k runs.
func (l *Lowering) Sharing(t Tuning, kept func(j, k int) bool) []*Sharing {
	all := make([]*Sharing, len(l.Steps))
	if t.NoSharing {
		return all
	}
	for k := range l.Steps {
		for j := k - 1; j >= max(0, k-mostCovered); j-- {
			if l.Steps[k].Plan.Branch == 0 && kept(j, k) && l.Steps[j].covers(l.Steps[k]) {
				all[k] = l.Steps[k].among(l.Steps[j])
				break
			}
		}
	}
	return all
}

// covers reports whether every candidate of a later step passes all of this step's tests, of which there are enough to
// share.
func (s *Step) covers(later *Step) bool {
	if len(s.Lists) < 2 || len(s.Plan.Checks)+len(s.Plan.EdgeDistinct) > 0 || !s.Plan.Signature.IsZero() {
		return false
	}
	if s.Low > later.Low || s.High < later.High {
		return false
	}
	return !slices.ContainsFunc(later.Lists, (List).readsOther) && subset(s.Lists, later.Lists, List.same) &&
		subset(s.Distinct, later.Plan.Distinct, same[bgp.Operand]) && subset(s.Above, later.Below, same[int]) && subset(s.Under, later.Over, same[int])
}

// readsOther reports whether a list is anything but the neighbours of a slot by a constant label.
func (l List) readsOther() bool {
	return l.Kind != Dynamic || l.Link.Kind != bgp.Neighbours || !l.Link.Label.IsConstant()
}

// same reports whether two lists of neighbours are the same for every partial match.
func (l List) same(other List) bool {
	a, b := l.Link, other.Link
	return a.Kind == b.Kind && a.From == b.From && a.Label == b.Label && a.Dir == b.Dir
}

func same[T comparable](a, b T) bool { return a == b }

// among is what the step asks beyond what an earlier one does that covers it.
func (s *Step) among(earlier *Step) *Sharing {
	sharing := &Sharing{From: earlier.Index}
	sharing.Lists, sharing.OwnLists = ownFirst(s.Lists, earlier.Lists, List.same)
	sharing.Distinct, sharing.OwnDistinct = ownFirst(s.Distinct, earlier.Distinct, same[bgp.Operand])
	return sharing
}

// ownFirst puts the members that another list does not have in front, and tells how many they are.
func ownFirst[T any](all, others []T, same func(a, b T) bool) (sorted []T, own int) {
	sorted = without(all, others, same)
	own = len(sorted)
	for _, x := range all {
		if slices.ContainsFunc(others, func(y T) bool { return same(x, y) }) {
			sorted = append(sorted, x)
		}
	}
	return sorted, own
}

func subset[T any](some, all []T, same func(a, b T) bool) bool {
	for i := range some {
		if !slices.ContainsFunc(all, func(y T) bool { return same(some[i], y) }) {
			return false
		}
	}
	return true
}

// without returns the members of a list that another does not have.
func without[T any](all, others []T, same func(a, b T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool {
		return slices.ContainsFunc(others, func(y T) bool { return same(x, y) })
	})
}
