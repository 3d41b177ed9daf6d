package operator

import (
	"time"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Tuning has numbers of the operators that tests change; 0 stands for what is used.
type Tuning struct {
	// ShareFrom is how many rows an operator takes by itself before workers may take over the rest.
	ShareFrom uint64
	// ShareTime is how long a row must have taken some stages for that; negative: any time will do.
	ShareTime time.Duration
	// GroupRows is how many rows there must have been for each thing that the groups of several workers are merged by (a
	// group, a value of a DISTINCT); negative: any number will do.
	GroupRows int
	// SplitGroups is how many groups there must be for workers to take some of the groups each.
	SplitGroups int
	// ChunkRows is how many rows workers take at a time.
	ChunkRows int
	// LevelEdges is from how many edges on a level of a search along a path is shared by workers, and perhaps searched backwards.
	LevelEdges int
	// Searches is from how many vertices on a path's searches are shared by workers.
	Searches int
	// LookEdges is how many edges the processor walks along a path, from a few vertices, before a device is asked to search; negative: none.
	LookEdges int
	// FewRows is the part of a graph's IDs up to which the vertices that paths begin at are sorted, in place of a look at each ID.
	FewRows float64
	// KeptGraphs is of how many graphs GRAPH ?g keeps the operators of its pattern; those of more are made again whenever they are needed.
	KeptGraphs int
	// MaxRuns is how many sorted runs are kept apart: each is an open file.
	MaxRuns int
}

// Complete fills in what is used.
func (t Tuning) Complete() Tuning {
	if t.ShareFrom == 0 {
		t.ShareFrom = 2 * vector.BatchRows
	}
	if t.ShareTime == 0 {
		t.ShareTime = 50 * time.Nanosecond
	}
	if t.GroupRows == 0 {
		t.GroupRows = 8
	}
	if t.SplitGroups == 0 {
		t.SplitGroups = 8
	}
	if t.ChunkRows == 0 {
		t.ChunkRows = vector.BatchRows
	}
	if t.LevelEdges == 0 {
		t.LevelEdges = 1 << 15
	}
	if t.Searches == 0 {
		t.Searches = 64
	}
	if t.LookEdges == 0 {
		t.LookEdges = 1 << 12
	}
	if t.FewRows == 0 {
		t.FewRows = 1.0 / 128
	}
	if t.KeptGraphs == 0 {
		t.KeptGraphs = 4096
	}
	if t.MaxRuns == 0 {
		t.MaxRuns = 64
	}
	return t
}

// mostCopies is the most copies of some stages that are made for workers, and MostStages the most stages that are copied: each
// copy of a stage takes the memory of a batch.
const (
	mostCopies = 16
	MostStages = 16
)

// Copies is how many goroutines stages may run on.
func (x *Execution) Copies() int { return min(x.Workers.Limit(), mostCopies) }

// Alone reports whether operators have one goroutine only.
func (x *Execution) Alone() bool { return x.Single || x.Copies() < 2 }
