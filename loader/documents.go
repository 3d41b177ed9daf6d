package loader

import (
	"context"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// checkQuads is how many quads are read between looks at the context.
const checkQuads = 1 << 10

// ReadAll reads inputs one after the other, holding none of them, and calls emit for each of their triples, in order, duplicates
// included. Labels of blank nodes of different inputs are made different, as Load does. progress, when not nil, is set to the bytes
// that were read, packed. The error is that of the input, a [*SyntaxError] with its name, or of emit.
func ReadAll(ctx context.Context, inputs []Input, progress *atomic.Int64, emit func(Quad) error) error {
	sources, err := prepare(inputs)
	if err != nil {
		return err
	}
	if progress == nil {
		progress = new(atomic.Int64)
	}
	for _, s := range sources {
		if err := s.readWhole(ctx, progress, emit); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) readWhole(ctx context.Context, progress *atomic.Int64, emit func(Quad) error) error {
	r, err := s.open(ctx, progress)
	if err != nil {
		return err
	}
	defer r.Close()
	scope, n := blankScope(s.number), 0
	relabel := func(t *rdf.Term) {
		if t.Kind == rdf.BlankNode {
			t.Value = string(appendLabel(nil, scope, t.Value))
		}
	}
	var refused error
	err = Read(r, s.Format, s.Base, func(q Quad) error {
		if n++; n%checkQuads == 0 && ctx.Err() != nil {
			refused = context.Cause(ctx)
			return refused
		}
		relabel(&q.Subject)
		relabel(&q.Object)
		relabel(&q.Graph)
		refused = emit(q)
		return refused
	})
	if err == nil || refused != nil {
		return refused
	}
	return r.named(err)
}
