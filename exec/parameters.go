package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// give sets parameters; frame numbers the values that all have then.
func (x *execution) give(parameters []string, values []dictionary.ID, frame uint64) {
	if x.parameters == nil {
		x.parameters = map[string]dictionary.ID{}
	}
	for i, p := range parameters {
		x.parameters[p] = values[i]
	}
	x.frame = frame
}

// given are columns of n rows with the values of parameters.
func (x *execution) given(parameters []string, n int) [][]dictionary.ID {
	cols := make([][]dictionary.ID, len(parameters))
	for i, p := range parameters {
		cols[i] = vector.Repeated(nil, x.parameters[p], n)
	}
	return cols
}
