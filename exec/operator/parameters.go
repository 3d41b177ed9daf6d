package operator

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Give sets parameters; frame numbers the values that all have then.
func (x *Execution) Give(parameters []string, values []dictionary.ID, frame uint64) {
	if x.Parameters == nil {
		x.Parameters = map[string]dictionary.ID{}
	}
	for i, p := range parameters {
		x.Parameters[p] = values[i]
	}
	x.Frame = frame
}

// Given are columns of n rows with the values of parameters.
func (x *Execution) Given(parameters []string, n int) [][]dictionary.ID {
	cols := make([][]dictionary.ID, len(parameters))
	for i, p := range parameters {
		cols[i] = vector.Repeated(nil, x.Parameters[p], n)
	}
	return cols
}
