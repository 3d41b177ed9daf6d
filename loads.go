package rdfgpu

import (
	"bytes"
	"context"
	"errors"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/federation"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/update"
	"github.com/rdfgpu/rdfgpu/loader"
	"github.com/rdfgpu/rdfgpu/parser"
)

// atLimit reports whether a document was not read because of what may be held of it, which is no fault of its own.
func atLimit(err error) bool { return errors.Is(err, ErrMemoryLimit) || errors.Is(err, ErrSpillLimit) }

// fetch reads the document that the base is the address of.
func (d *documents) fetch(ctx context.Context, from *federation.Documents) error {
	body, format, err := from.Open(ctx, d.base)
	if err != nil {
		return err
	}
	defer body.Close()
	return d.read(ctx, Document{Body: body, Format: string(format)})
}

// loads are the documents of the LOADs of an update, which are read before it takes its turn to write.
type loads struct {
	store     *Store
	documents map[*parser.Load]*documents
	// failed is why documents could not be read: that is told when their operations are reached.
	failed map[*parser.Load]error
}

// fetchLoads reads the documents of an update's LOADs, where it may load some, and is not sure to be refused (mayChange). The error is one
// that is no fault of a document. The caller closes what it returns, whatever comes.
func (s *Store) fetchLoads(ctx context.Context, u *parser.Update, wanted *uint64, budget *limits.Budget) (*loads, error) {
	l := &loads{s, map[*parser.Load]*documents{}, map[*parser.Load]error{}}
	if len(s.options.Loads) == 0 || !s.live.Writable() {
		return l, nil
	}
	from, length := federation.NewDocuments(s.options.Loads), int64(0)
	for _, op := range u.Operations {
		load, is := op.(*parser.Load)
		if !is {
			continue
		}
		if err := s.mayChange(wanted); err != nil {
			return l, err
		}
		d := s.newDocuments(load.Into, load.Source, budget)
		d.length = length // those before it are held, too
		l.documents[load] = d
		err := d.fetch(ctx, from)
		switch {
		case ctx.Err() != nil:
			return l, context.Cause(ctx)
		case atLimit(err):
			return l, update.At(load, err)
		case err != nil:
			l.failed[load] = err
		case d.intake == nil:
			length = d.length
		}
	}
	return l, nil
}

// large is the document of an update that does nothing but load one into files; nil of others.
func (l *loads) large(u *parser.Update) *documents {
	if len(u.Operations) == 1 {
		for op, d := range l.documents {
			if d.intake != nil && l.failed[op] == nil {
				return d
			}
		}
	}
	return nil
}

// begin begins the transaction of the update.
func (l *loads) begin(ctx context.Context) (*live.Transaction, error) {
	for _, d := range l.documents {
		if d.intake != nil {
			return l.store.live.BeginWithFiles(ctx)
		}
	}
	return l.store.live.Begin(ctx)
}

// document is that of one LOAD.
func (l *loads) document(op *parser.Load) (update.Document, error) {
	if err := l.failed[op]; err != nil {
		return update.Document{}, err
	}
	d := l.documents[op]
	if d.intake != nil {
		return update.Document{Intake: d.intake}, nil
	}
	return update.Document{Read: func(emit func(Quad) error) error {
		for _, t := range d.texts {
			if err := loader.Read(bytes.NewReader(t.content), t.format, d.base, emit); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

func (l *loads) close() (err error) {
	for _, d := range l.documents {
		err = errors.Join(err, d.close())
	}
	return err
}
