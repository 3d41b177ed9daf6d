package planner

import "github.com/rdfgpu/rdfgpu/dictionary"

// filter is the filtering phase (SGSI, section 3.1).
func (b *bgp) filter(e *estimates, inputs []int, budget float64) [][]dictionary.ID {
	return nil
}
