package exec

import (
	"math"
	"time"
)

// SetMaxRuns changes how many sorted runs are kept apart and returns what changes it back.
func SetMaxRuns(n int) (restore func()) {
	old := maxRuns
	maxRuns = n
	return func() { maxRuns = old }
}

// ShareAlways lets unions match what their branches have in common once, whatever it costs, until the test ends.
func ShareAlways() (restore func()) {
	gain := sharedGain
	sharedGain = math.Inf(1)
	return func() { sharedGain = gain }
}

// SetAheadTime changes how long conditions may be computed while a query is planned, until the test ends.
func SetAheadTime(d time.Duration) (restore func()) {
	before := aheadTime
	aheadTime = d
	return func() { aheadTime = before }
}

// ShareNever lets unions match each branch by itself.
func ShareNever() (restore func()) {
	gain := sharedGain
	sharedGain = 0
	return func() { sharedGain = gain }
}

// SetTeam changes after how many rows several goroutines may take over the rest, and how many rows there must be for
// each group; a row need not take long then. Until the test ends.
func SetTeam(from, share int) (restore func()) {
	oldFrom, oldShare, oldTime := teamFrom, teamShare, teamNanoseconds
	teamFrom, teamShare, teamNanoseconds = from, share, 0
	return func() { teamFrom, teamShare, teamNanoseconds = oldFrom, oldShare, oldTime }
}

// SetProductCost changes from which cost on patterns of several parts are taken apart, until the test ends.
func SetProductCost(cost float64) (restore func()) {
	old := productCost
	productCost = cost
	return func() { productCost = old }
}
