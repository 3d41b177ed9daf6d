package exec

// SetMaxRuns changes how many sorted runs are kept apart and returns what changes it back.
func SetMaxRuns(n int) (restore func()) {
	old := maxRuns
	maxRuns = n
	return func() { maxRuns = old }
}
