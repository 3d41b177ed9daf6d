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
//
// Documents are read before the store is asked for its turn to write. From Options.LargeDocument on, they are read on all cores into
// bounded memory and temporary files, and committed as files of the store, not by way of its log.
func (s *Store) PutGraph(ctx context.Context, graph string, body io.Reader, options GraphOptions) (report UpdateReport, existed bool, err error) {
	return s.put(ctx, graphTerm(graph), options.Base, Document{Body: body, Format: options.Format}, options)
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
	if err := s.mayChange(options.IfSequence); err != nil {
		return UpdateReport{}, err
	}
	budget := s.budget.pool.Open(options.MaxMemory)
	defer budget.Close()
	rows, err := update.PatchRows(budget, patch.Read(body)) // before others wait for it
	if err != nil {
		return UpdateReport{}, err
	}
	return s.write(ctx, options, func(tx *live.Transaction) error { return update.Patch(tx, rows) })
}
