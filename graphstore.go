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
}

// PutGraph adds a document to a graph, or replaces the graph with it, as one transaction; graph is its IRI, "" the default graph.
// existed tells whether the graph had triples before; the default graph always exists. A fault in the document is a *DataError.
func (s *Store) PutGraph(ctx context.Context, graph string, body io.Reader, options GraphOptions) (report UpdateReport, existed bool, err error) {
	format, err := loader.ParseFormat(options.Format)
	if err != nil {
		return report, false, err
	}
	name := graphTerm(graph)
	report, err = s.write(ctx, UpdateOptions{IfSequence: options.IfSequence}, func(tx *live.Transaction) error {
		if existed, err = hasGraph(tx.State(), name); err != nil {
			return err
		}
		budget := s.budget.pool.Open(0)
		defer budget.Close()
		return update.Put(tx, name, options.Replace, budget, func(emit func(Quad) error) error {
			return loader.Read(body, format, options.Base, emit)
		})
	})
	return report, existed, err
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
