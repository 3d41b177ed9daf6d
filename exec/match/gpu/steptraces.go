package gpu

import (
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// traceSteps fetches what every step measured.
func (q *query) traceSteps(state *kernels.State) error {
	if q.trace == nil {
		return nil
	}
	q.trace.Kernels += time.Duration(state.KernelTime)
	traces, err := q.stepTraces()
	if err != nil {
		return err
	}
	for k := range len(q.steps) - q.first {
		t, s := traces[k+q.first], &q.trace.Steps[k]
		s.RowsIn += t.RowsIn
		s.Candidates += t.Candidates
		s.RowsOut += t.RowsOut
		s.Elapsed += time.Duration(t.Nanoseconds)
		s.Variant = strings.TrimSpace(q.variants[k+q.first])
		s.Bytes += q.bytes(k+q.first, t)
	}
	for k := len(q.steps) - q.first; k < len(q.trace.Steps); k++ {
		q.trace.Steps[k].Variant = "counted"
	}
	for i, w := range q.made {
		q.trace.Steps[w.Step.Index].Variant = strings.TrimSpace("weighed " + q.variants[len(q.steps)+i])
	}
	return nil
}

// stepTraces are what the device steps measured.
func (q *query) stepTraces() ([]kernels.StepTrace, error) {
	if q.driven != nil {
		for k := range q.driven.levels {
			q.variants[k] += q.driven.levels[k].variant()
		}
		return q.driven.trace, nil
	}
	traces := make([]kernels.StepTrace, q.deviceSteps())
	if err := q.lane.stream.Download(kernels.Bytes(traces), q.image.program().Traces); err != nil {
		return nil, err
	}
	return traces, q.lane.stream.Synchronize()
}

// bytes is the memory traffic of a step as extend.cuh and bound.cuh count it, without the lists that are searched.
func (q *query) bytes(k int, t kernels.StepTrace) uint64 {
	links, kept := uint64(q.links(k)), uint64(len(q.output))
	if k+1 < len(q.tables) {
		kept = uint64(len(q.tables[k+1]))
	}
	return t.RowsIn*(44*links+28) + t.Candidates*4 + t.RowsOut*8*kept
}
