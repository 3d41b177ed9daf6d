package gpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Rows that came from the same row are siblings, and what they bound is a sorted list: the intersection that the step before
// computed. A later step whose candidates must pass all that step's tests need look at that list alone, and at what it asks
// beyond (code motion in STMatch, SC 2022). In a clique that is nearly everything: the last vertex is a neighbour of the
// last but one among its siblings. The kernels tell each row where its siblings are (kernels.Step.GroupFirst).

// noSharing is the source of a step whose candidates are not looked for among siblings.
const noSharing = -1

// mostCovered bounds the steps back that are tried.
const mostCovered = 8

// findSharing finds, for each step, the earlier one whose siblings its candidates are among, and adds the columns that say
// where they are to the tables between.
func (s *shape) findSharing(options *Options) {
	s.siblings = make([]int, len(s.steps))
	for k := range s.steps {
		s.siblings[k] = noSharing
	}
	if options.NoSharing || options.Signatures || options.Strategy != Flattened || s.plan.Once {
		return
	}
	for k := range s.steps {
		for j := k - 1; j >= max(0, k-mostCovered); j-- {
			if s.covers(j, k, !options.NoClassCuts) {
				s.siblings[k] = j
				s.keepGroups(j, k)
				break
			}
		}
	}
}

// keepGroups adds the columns of step j's siblings to all tables up to that which step k reads.
func (s *shape) keepGroups(j, k int) {
	for t := s.first + j + 1; t <= s.first+k; t++ {
		for _, slot := range []int{firstSibling(j), endSibling(j)} {
			if !slices.Contains(s.tables[t], slot) {
				s.tables[t] = append(s.tables[t], slot)
			}
		}
	}
}

// firstSibling and endSibling stand among the slots for where the siblings are that a step made.
func firstSibling(step int) int { return weightHigh - 1 - 2*step }
func endSibling(step int) int   { return weightHigh - 2 - 2*step }

// covers reports whether every candidate of step k passes all of step j's tests, of which there are enough to share;
// ranges says that classes of consecutive members are bounds.
func (s *shape) covers(j, k int, ranges bool) bool {
	a, b := &s.steps[j], &s.steps[k]
	if len(a.Links) < 2 || a.Candidates != nil || b.Candidates != nil || len(a.Checks)+len(a.EdgeDistinct) > 0 || !a.Signature.IsZero() {
		return false
	}
	if a.Low > b.Low || a.High != 0 && (b.High == 0 || b.High > a.High) {
		return false
	}
	for i := range b.Links {
		if l := &b.Links[i]; l.Kind != bgp.Neighbours || !l.Label.IsConstant() || l.From.IsConstant() {
			return false
		}
	}
	for _, class := range b.Classes {
		if _, _, consecutive := membersRange(s.graph, class); !consecutive || !ranges {
			return false
		}
	}
	return subset(lists(a), lists(b)) && subset(a.Classes, b.Classes) && subset(a.Distinct, b.Distinct) &&
		subset(s.above[s.inputs+j], s.above[s.inputs+k]) && slices.Contains(s.tables[s.first+j+1], s.inputs+j)
}

func subset[T comparable](some, all []T) bool {
	return !slices.ContainsFunc(some, func(x T) bool { return !slices.Contains(all, x) })
}

// lists are the links of a step without the query edges that they stand for.
func lists(s *bgp.Step) []bgp.Link {
	all := slices.Clone(s.Links)
	for i := range all {
		all[i].Edge = 0
	}
	return all
}

// sharedStep is a plan's step with what its siblings do not pass of themselves in front, and how much that is.
func (s *shape) sharedStep(k int) (step *bgp.Step, ownLinks, ownDistinct int) {
	from, shared := &s.steps[s.siblings[k]], s.steps[k]
	shared.Links, ownLinks = ownFirst(lists(&shared), lists(from))
	shared.Distinct, ownDistinct = ownFirst(shared.Distinct, from.Distinct)
	return &shared, ownLinks, ownDistinct
}

// ownFirst puts the members that others do not have in front.
func ownFirst[T comparable](all, others []T) (sorted []T, own int) {
	theirs := func(x T) bool { return slices.Contains(others, x) }
	sorted = slices.DeleteFunc(slices.Clone(all), theirs)
	own = len(sorted)
	for _, x := range all {
		if theirs(x) {
			sorted = append(sorted, x)
		}
	}
	return sorted, own
}
