package cpu

import (
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// pieces is a count whose workers take pieces of work one by one: squares, triangles.
type pieces struct {
	p    *join
	stop atomic.Bool
}

// share has the query's workers do pieces of work, which they take one by one.
func (s *pieces) share(pieces int, work func(take func() (int, bool)) error) error {
	var next atomic.Int64
	helpers := schedule.Group{Share: s.p.workers, Failed: func() { s.stop.Store(true) }, Gives: true}
	taker := func(worker *schedule.Worker) func() (int, bool) {
		return func() (int, bool) {
			if s.stop.Load() || worker != nil && !worker.Keep() {
				return 0, false
			}
			if worker == nil {
				s.p.workers.Yield()
			}
			at := int(next.Add(1)) - 1
			return at, at < pieces
		}
	}
	for range s.p.workers.Limit() - 1 {
		if !helpers.Go(func(w *schedule.Worker) error { return work(taker(w)) }) {
			break
		}
	}
	helpers.Do(func() error { return work(taker(nil)) })
	return helpers.Wait()
}

// verticesAtOnce are a piece of work, but for heavy ones, which are one each.
const verticesAtOnce = 64

// pieceCount is how many pieces of work there are in vertices, of which some are heavy.
func pieceCount(vertices, heavy int) int {
	return heavy + (vertices-heavy+verticesAtOnce-1)/verticesAtOnce
}

// pieceOf is the vertices of a piece, from one to below another.
func pieceOf(piece, vertices, heavy int) (first, end int) {
	if piece < heavy {
		return piece, piece + 1
	}
	first = heavy + (piece-heavy)*verticesAtOnce
	return first, min(first+verticesAtOnce, vertices)
}
