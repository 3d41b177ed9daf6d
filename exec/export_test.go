package exec

import "time"

// SetMaxRuns changes how many sorted runs are kept apart and returns what changes it back.
func SetMaxRuns(n int) (restore func()) {
	old := maxRuns
	maxRuns = n
	return func() { maxRuns = old }
}

// SetAheadTime changes how long conditions may be computed while a query is planned, until the test ends.
func SetAheadTime(d time.Duration) (restore func()) {
	before := aheadTime
	aheadTime = d
	return func() { aheadTime = before }
}
