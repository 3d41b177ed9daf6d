package matchtest

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"pgregory.net/rapid"
)

// DrawOrder draws for a case which of its variables are to be less than others, and leaves it those of its seeds that are in this order.
func DrawOrder(t *rapid.T, c *Case) {
	var before []string
	var groups []int
	for _, name := range rapid.Permutation(usedVariables(c.Patterns)).Draw(t, "order") {
		group := rapid.IntRange(0, 2).Draw(t, "ordered with") // 0: with nothing
		for i, smaller := range before {
			if group > 0 && groups[i] == group {
				c.Order = append(c.Order, [2]string{smaller, name})
			}
		}
		before, groups = append(before, name), append(groups, group)
	}
	if c.Seeds != nil {
		c.Seeds = c.seedsInOrder()
	}
}

// seedsInOrder are the seeds whose variables are in the case's order.
func (c *Case) seedsInOrder() *match.Input {
	var keep []int
	for row := range c.Seeds.N {
		if !slices.ContainsFunc(c.Order, func(pair [2]string) bool {
			less, more := slices.Index(c.Options.Inputs, pair[0]), slices.Index(c.Options.Inputs, pair[1])
			return less >= 0 && more >= 0 && c.Seeds.Cols[less][row] >= c.Seeds.Cols[more][row]
		}) {
			keep = append(keep, row)
		}
	}
	kept := &match.Input{N: len(keep)}
	for _, from := range c.Seeds.Cols {
		var column []dictionary.ID
		for _, row := range keep {
			column = append(column, from[row])
		}
		kept.Cols = append(kept.Cols, column)
	}
	return kept
}
