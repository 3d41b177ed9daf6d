package mine

import (
	"fmt"
	"slices"
)

// form is what a program's rows are, whatever the order in which they are found: which positions are adjacent, apart, or either, and which
// filters each passes.
type form struct {
	size            int
	adjacent, apart uint32 // bits of pairs, as in Pattern.Edges
	filters         [][]Filter
	labels          [MaxPattern]Label // positions with the same filters have the same, NoLabel without any
	above           [][2]int          // order constraints: the first is above the second
	orbits          []int             // position → the first that an exchange of positions puts there
	// Of the embeddings that are the same but for an exchange of positions, symmetries of them, times fulfil the order constraints.
	times, symmetries int
}

// form checks a program. The error wraps ErrProgram or ErrExtension.
func (p Program) form() (*form, error) {
	s := &form{size: len(p.Extensions) + 1}
	if s.size > MaxPattern {
		return nil, fmt.Errorf("%w: %d vertices, and at most %d are allowed", ErrProgram, s.size, MaxPattern)
	}
	for i, e := range p.Extensions {
		if err := e.check(i + 1); err != nil {
			return nil, err
		}
		if e.Adjacent == 0 {
			return nil, fmt.Errorf("%w: the extension to vertex %d names none that it is adjacent to", ErrProgram, i+1)
		}
		s.extend(i+1, e)
	}
	if err := s.filter(p.Filters); err != nil {
		return nil, err
	}
	return s, s.exchange()
}

// extend adds the pairs of an extension.
func (s *form) extend(to int, e Extension) {
	for i := range to {
		switch {
		case e.Adjacent>>i&1 != 0:
			s.adjacent |= bit(to, i)
		case e.Apart>>i&1 != 0:
			s.apart |= bit(to, i)
		}
		switch {
		case e.Above>>i&1 != 0:
			s.above = append(s.above, [2]int{to, i})
		case e.Below>>i&1 != 0:
			s.above = append(s.above, [2]int{i, to})
		}
	}
}

// filter gives positions their filters, and labels by which these can be told apart.
func (s *form) filter(filters []Filter) error {
	s.filters = make([][]Filter, s.size)
	for _, f := range filters {
		if f.Vertex < 0 || f.Vertex >= s.size {
			return fmt.Errorf("%w: a filter of vertex %d, and there are %d", ErrProgram, f.Vertex, s.size)
		}
		s.filters[f.Vertex] = append(s.filters[f.Vertex], f)
	}
	same := func(a, b Filter) bool { return slices.Equal(a.Any, b.Any) }
	for i := range s.size {
		first := slices.IndexFunc(s.filters[:i+1], func(other []Filter) bool { return slices.EqualFunc(other, s.filters[i], same) })
		if len(s.filters[i]) > 0 {
			s.labels[i] = Label(first + 1)
		}
	}
	return nil
}

// exchange finds the permutations of positions that leave the form as it is, and how many of the embeddings that they make of each other
// fulfil the order constraints: the same number whatever the order of the vertices, or the error wraps ErrProgram.
func (s *form) exchange() error {
	symmetries := s.permutations(s.preserves)
	s.symmetries, s.times, s.orbits = len(symmetries), -1, make([]int, s.size)
	for i := range s.orbits {
		s.orbits[i] = i
		for _, p := range symmetries {
			s.orbits[i] = min(s.orbits[i], int(p[i]))
		}
	}
	if len(s.above) == 0 {
		s.times = s.symmetries
		return nil
	}
	seen := map[string]bool{}
	for _, order := range s.permutations(func([]byte) bool { return true }) {
		if seen[string(order)] {
			continue
		}
		times := 0
		for _, p := range symmetries {
			moved := make([]byte, s.size)
			for i, from := range p {
				moved[i] = order[from]
			}
			seen[string(moved)] = true
			if s.ordered(moved) {
				times++
			}
		}
		if s.times >= 0 && s.times != times {
			return fmt.Errorf("%w: order constraints do more than choose one of rows that are the same but for their order", ErrProgram)
		}
		s.times = times
	}
	return nil
}

// preserves reports whether the last of the first positions of a permutation has there the pairs and filters that it has.
func (s *form) preserves(image []byte) bool {
	i := len(image) - 1
	if s.labels[i] != s.labels[image[i]] {
		return false
	}
	for j := range i {
		from, to := bit(i, j), bit(int(image[i]), int(image[j]))
		if (s.adjacent&from == 0) != (s.adjacent&to == 0) || (s.apart&from == 0) != (s.apart&to == 0) {
			return false
		}
	}
	return true
}

// permutations lists those of the positions whose every beginning is allowed.
func (s *form) permutations(allowed func([]byte) bool) (all [][]byte) {
	var permute func(image []byte)
	permute = func(image []byte) {
		if len(image) == s.size {
			all = append(all, slices.Clone(image))
			return
		}
		for to := range byte(s.size) {
			if !slices.Contains(image, to) {
				if longer := append(image, to); allowed(longer) {
					permute(longer)
				}
			}
		}
	}
	permute(make([]byte, 0, s.size))
	return all
}

// ordered reports whether ranks of positions fulfil the order constraints.
func (s *form) ordered(rank []byte) bool {
	return !slices.ContainsFunc(s.above, func(pair [2]int) bool { return rank[pair[0]] <= rank[pair[1]] })
}

// nothing is what is found where no row can be.
func (s *form) nothing(collect Collect) Findings {
	if s == nil || collect != CountImages {
		return Findings{}
	}
	return Findings{Images: make([]uint64, s.size)}
}
