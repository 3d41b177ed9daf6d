package gpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// findSharing finds the steps whose candidates are among siblings, and adds the columns that say where these are to the
// tables between. The kernels tell each row where its siblings are (kernels.Step.GroupFirst).
func (s *shape) findSharing(options *Options) {
	s.sharing = make([]*match.Sharing, len(s.steps))
	if options.signatures || options.strategy != kernels.Flattened || s.Plan.Once {
		return
	}
	kept := func(j, k int) bool {
		return s.first+k < len(s.steps) && slices.Contains(s.tables[s.first+j+1], s.Steps[j].Slot)
	}
	for k, sharing := range s.Sharing(options.Tuning, kept) {
		if sharing != nil {
			s.sharing[s.first+k] = sharing
			s.keepGroups(sharing.From, k)
		}
	}
}

// keepGroups adds the columns of step j's siblings to all tables up to that which step k reads.
func (s *shape) keepGroups(j, k int) {
	for t := s.first + j + 1; t <= s.first+k; t++ {
		for _, slot := range []int{s.firstSibling(j), s.endSibling(j)} {
			if !slices.Contains(s.tables[t], slot) {
				s.tables[t] = append(s.tables[t], slot)
			}
		}
	}
}
