package matchtest

import "pgregory.net/rapid"

// DrawOrder draws for a case which of its variables are to be less than others.
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
}
