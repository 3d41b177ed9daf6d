package cpu

import (
	"context"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// pieces is a count whose workers take pieces of work one by one: neighbourhoods, squares, triangles.
type pieces struct {
	p    *join
	stop atomic.Bool
}

// reserve counts bytes that a count can do without, for it can be made step by step, and reports whether there is room for them; give gives them back.
func (p *join) reserve(bytes int64) (give func(), ok bool) {
	switch {
	case p.tryCharge == nil:
		return func() {}, true
	case !p.tryCharge(bytes):
		return nil, false
	}
	return func() { _ = p.charge(-bytes) }, true
}

// share has the query's workers do pieces of work, which they take one by one. Each needs so many bytes: there are as many workers as there is room for,
// and nothing is done, and false returned, where there is none for one. Pieces are left undone where the context ends, and it is an error then.
func (s *pieces) share(ctx context.Context, pieces int, bytes int64, work func(take func() (int, bool)) error) (ok bool, err error) {
	give, ok := s.p.reserve(bytes)
	if !ok {
		return false, nil
	}
	defer give()
	cancel := context.AfterFunc(ctx, func() { s.stop.Store(true) })
	defer cancel()
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
		give, ok := s.p.reserve(bytes)
		if !ok {
			break
		}
		if !helpers.Go(func(w *schedule.Worker) error {
			defer give()
			return work(taker(w))
		}) {
			give()
			break
		}
	}
	helpers.Do(func() error { return work(taker(nil)) })
	if err := helpers.Wait(); err != nil {
		return true, err
	}
	return true, ctx.Err()
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
