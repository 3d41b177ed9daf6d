package exec_test

import (
	"context"
	"math"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// chopped matches in the caller's goroutine and emits few rows at a time, in order, so that little data are many batches.
type chopped struct {
	match.Matcher
	rows int
}

func (c chopped) Match(ctx context.Context, m *match.Match, emit func(*vector.Batch) error) error {
	by := *m
	by.Workers, by.Aside = nil, nil
	return c.Matcher.Match(ctx, &by, func(b *vector.Batch) error {
		for from := 0; from < b.N; from += c.rows {
			if err := emit(piece(b, from, min(from+c.rows, b.N))); err != nil {
				return err
			}
		}
		return nil
	})
}

// piece views rows from … to of a batch.
func piece(b *vector.Batch, from, to int) *vector.Batch {
	out := &vector.Batch{N: to - from}
	for _, col := range b.Cols {
		if col != nil {
			col = col[from:to]
		}
		out.Cols = append(out.Cols, col)
	}
	if b.Origin != nil {
		out.Origin = b.Origin[from:to]
	}
	if b.Weights != nil {
		out.Weights = b.Weights[from:to]
	}
	out.Lists = b.Part(from, to).Lists
	return out
}

// inPieces are options of queries whose operators share rows among four threads, so many at a time, from the second batch of as
// many rows on. Groups are shared too, however few rows they have.
func inPieces(rows int) exec.Options {
	o := onProcessor()
	o.Matcher = func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher { return chopped{processor.Matcher, rows} }
	o.Workers = schedule.New(4).Open(context.Background(), 0)
	o.Operators = operator.Tuning{ShareFrom: 1, ShareTime: -1, GroupRows: math.MaxInt32, SplitGroups: 1, ChunkRows: rows, LevelEdges: 1, Searches: 1}
	return o
}
