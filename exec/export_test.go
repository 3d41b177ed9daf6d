package exec

// SetTeam changes after how many rows several goroutines may take over the rest, and how many rows there must be for
// each group; a row need not take long then. Until the test ends.
func SetTeam(from, share int) (restore func()) {
	oldFrom, oldShare, oldTime := teamFrom, teamShare, teamNanoseconds
	teamFrom, teamShare, teamNanoseconds = from, share, 0
	return func() { teamFrom, teamShare, teamNanoseconds = oldFrom, oldShare, oldTime }
}
