package exec

import (
	"github.com/rdfgpu/rdfgpu/exec/group"
	"github.com/rdfgpu/rdfgpu/exec/operator"
)

// SetTeam changes after how many rows several goroutines may take over the rest, and how many rows there must be for
// each group; a row need not take long then. Until the test ends.
func SetTeam(from, share int) (restore func()) {
	oldFrom, oldShare, oldTime := operator.TeamFrom, group.TeamShare, operator.TeamNanoseconds
	operator.TeamFrom, group.TeamShare, operator.TeamNanoseconds = from, share, 0
	return func() { operator.TeamFrom, group.TeamShare, operator.TeamNanoseconds = oldFrom, oldShare, oldTime }
}
