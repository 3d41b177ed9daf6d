package gpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/match"
)

// mostSeen is the number of words of the table by which a step drops repeats: 16 MB.
const mostSeen = 2 << 20

// laySeen finds the steps behind which rows can be alike, where the plan lets repeats go, and returns the memory for
// telling them. A step makes equal rows of different ones when it drops a slot; its rows can be told when they have one
// or two columns.
func (j *join) laySeen(m *match.Match) int64 {
	if !m.Plan.Once || j.count || j.d.options.repeats {
		return 0
	}
	for k := range j.tables {
		next := j.output
		if k+1 < len(j.tables) {
			next = j.tables[k+1]
		}
		if len(next) > 0 && len(next) <= 2 && j.drops(k, next) {
			j.lossy = append(j.lossy, k)
		}
	}
	if len(j.lossy) == 0 {
		return 0
	}
	j.seenWords = mostSeen
	for j.seenWords*8*int64(len(j.lossy)) > j.lane.arena.left()/4 {
		j.seenWords /= 2
	}
	return int64(len(j.lossy)) * aligned(8*j.seenWords)
}

// drops reports whether a step hands on fewer slots than its table has and it binds.
func (j *join) drops(k int, next []int) bool {
	missing := func(slot int) bool { return !slices.Contains(next, slot) }
	return slices.ContainsFunc(j.tables[k], missing) || j.slot(k) != match.NoSlot && missing(j.slot(k))
}
