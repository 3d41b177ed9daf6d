package cpu_test

import (
	"context"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"pgregory.net/rapid"
)

// byPieces are the counts whose workers take pieces of work: small cases and larger ones, and what the first step of a larger one does; "" where that differs.
var byPieces = map[string]struct {
	draw, large func(*rapid.T) *matchtest.Case
	variant     string
}{
	"neighbourhoods": {matchtest.DrawDense, matchtest.DrawHubs, ""},
	"squares":        {matchtest.DrawSquares, matchtest.DrawLargeSquares, match.SquareVariant},
	"triangles":      {matchtest.DrawTriangles, matchtest.DrawLargeTriangles, match.TriangleVariant},
}

func TestTrianglesOfEdgesThatLeadBothWaysAsByBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		draw := matchtest.DrawDense
		if rapid.Bool().Draw(rt, "loops and several labels") {
			draw = matchtest.DrawTriangles
		}
		if err := matchtest.Check(matchtest.OnThreads(cpu.NewTriples(), 3), draw(rt)); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestCountsByPiecesAsByBruteForce(t *testing.T) {
	t.Parallel()
	for name, kind := range byPieces {
		t.Run(name, func(t *testing.T) { agrees(t, kind.draw) })
	}
}

// memory is what a match may take.
type memory struct {
	mu                sync.Mutex
	limit, held, most int64
	refused           bool
}

func (m *memory) charge(bytes int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held += bytes
	m.most = max(m.most, m.held)
	return nil
}

func (m *memory) tryCharge(bytes int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held+bytes > m.limit {
		m.refused = true
		return false
	}
	m.held += bytes
	m.most = max(m.most, m.held)
	return true
}

func TestCountsByPiecesAsStepByStep(t *testing.T) {
	t.Parallel()
	for name, kind := range byPieces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				c := kind.large(rt)
				m, err := c.Match()
				if err != nil {
					rt.Fatal(err)
				}
				want, err := matchtest.OnThreads(cpu.NewStepwise(), 2).Count(context.Background(), m)
				if err != nil {
					rt.Fatal(err)
				}
				room := memory{limit: rapid.SampledFrom([]int64{0, 5_000, 20_000, 100_000, 1 << 40}).Draw(rt, "memory")}
				m.Charge, m.TryCharge, m.Trace = room.charge, room.tryCharge, &match.Trace{}
				byPieces := cpu.NewContrary()
				if rapid.Bool().Draw(rt, "triples first") {
					byPieces = cpu.NewTriples()
				}
				n, err := matchtest.OnThreads(byPieces, 3).Count(context.Background(), m)
				if err != nil || n != want || room.held != 0 {
					rt.Fatalf("%d (error %v), step by step %d; %d bytes held\n%v", n, err, want, room.held, c)
				}
				if got := m.Trace.Steps[0].Variant; !room.refused && kind.variant != "" && (got != kind.variant || room.most == 0) {
					rt.Fatalf("the first step is %q, %d bytes at most\n%v", got, room.most, c)
				} else if room.limit == 0 && got == kind.variant && got != "" {
					rt.Fatalf("without memory the first step is %q\n%v", got, c)
				}
			})
		})
	}
}
