package rdfgpu

import (
	"context"
	"fmt"
	"io"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/patch"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/update"
	"github.com/rdfgpu/rdfgpu/loader"
)

// GraphOptions are the settings of an operation of the Graph Store Protocol.
type GraphOptions struct {
	// Format is the syntax of the body, as a format of Load: ntriples, nquads, turtle, trig, rdfxml.
	Format string
	// Base resolves relative IRIs.
	Base string
	// Replace removes what the graph had before (PUT); else the body is added (POST).
	Replace    bool
	IfSequence *uint64
	// Next, where it is not nil, yields the further documents that go into the graph with the body, each once the one before has
	// been read to its end; io.EOF ends them. Blank nodes of different documents are different.
	Next func() (Document, error)
}

// Document is one document of several that go into a graph together: its text, and the format of that.
type Document struct {
	Body   io.Reader
	Format string
}

// PutGraph adds a document to a graph, or replaces the graph with it, as one transaction; graph is its IRI, "" the default graph.
// existed tells whether the graph had triples before; the default graph always exists. A fault in the document is a *DataError.
func (s *Store) PutGraph(ctx context.Context, graph string, body io.Reader, options GraphOptions) (report UpdateReport, existed bool, err error) {
	name := graphTerm(graph)
	report, err = s.write(ctx, UpdateOptions{IfSequence: options.IfSequence}, func(tx *live.Transaction) error {
		if existed, err = hasGraph(tx.State(), name); err != nil {
			return err
		}
		budget := s.budget.pool.Open(0)
		defer budget.Close()
		return options.documents(body, func(d Document, replace bool) error {
			format, err := loader.ParseFormat(d.Format)
			if err != nil {
				return err
			}
			return update.Put(tx, name, replace, budget, func(emit func(Quad) error) error {
				return loader.Read(d.Body, format, options.Base, emit)
			})
		})
	})
	return report, existed, err
}

// documents hands each document to put, and tells it of the first whether that replaces what is there.
func (o *GraphOptions) documents(body io.Reader, put func(d Document, replace bool) error) error {
	err := put(Document{Body: body, Format: o.Format}, o.Replace)
	for err == nil && o.Next != nil {
		var next Document
		if next, err = o.Next(); err == io.EOF {
			return nil
		}
		if err == nil {
			err = put(next, false)
		}
	}
	return err
}

// graphTerm is the name of a graph: the zero Term for the default graph.
func graphTerm(iri string) Term {
	if iri == "" {
		return Term{}
	}
	return rdf.NewIRI(iri)
}

func hasGraph(state *live.State, name Term) (bool, error) {
	if name.IsZero() {
		return true, nil
	}
	id, ok := state.Dictionary().Lookup(name)
	if !ok {
		return false, nil
	}
	g, err := state.Named(id)
	return g != nil, err
}

// DropGraph removes a graph; ErrNoGraph where it has no triples. "" is the default graph, which is only emptied.
func (s *Store) DropGraph(ctx context.Context, graph string, options GraphOptions) (UpdateReport, error) {
	return s.write(ctx, UpdateOptions{IfSequence: options.IfSequence}, func(tx *live.Transaction) error {
		name := graphTerm(graph)
		switch exists, err := hasGraph(tx.State(), name); {
		case err != nil:
			return err
		case !exists:
			return fmt.Errorf("%w: %s", ErrNoGraph, name)
		}
		return update.Clear(tx, name)
	})
}

// HasGraph reports whether a graph exists: a named one that has triples, and the default graph, "".
func (s *Store) HasGraph(graph string) (exists bool, err error) {
	snapshot := s.live.Snapshot()
	defer snapshot.Release()
	err = section.Guard(func() error {
		exists, err = hasGraph(snapshot.State, graphTerm(graph))
		return err
	})
	return exists, err
}

// Patch applies an RDF Patch as one transaction, without what it aborts. Its blank nodes are those of the store with the same labels.
// A fault in the text is a *DataError.
func (s *Store) Patch(ctx context.Context, body io.Reader, options UpdateOptions) (UpdateReport, error) {
	ctx, cancel := limited(ctx, options.Timeout)
	defer cancel()
	return s.write(ctx, options, func(tx *live.Transaction) error {
		budget := s.budget.pool.Open(options.MaxMemory)
		defer budget.Close()
		return update.Patch(tx, budget, patch.Read(body))
	})
}
