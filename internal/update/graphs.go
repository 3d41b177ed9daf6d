package update

import (
	"context"
	"errors"
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// clear is CLEAR and DROP, which are the same where graphs without triples do not exist.
func (r *runner) clear(graphs parser.GraphRefAll) error {
	if graphs.Kind == parser.GraphRefOne {
		id, err := r.existing(graphs.Graph)
		if err != nil {
			return err
		}
		return r.tx.Clear(id)
	}
	if graphs.Kind != parser.GraphRefDefault {
		for _, name := range r.tx.State().NamedGraphs() {
			if err := r.tx.Clear(name); err != nil {
				return err
			}
		}
	}
	if graphs.Kind != parser.GraphRefNamed {
		return r.tx.Clear(dictionary.None)
	}
	return nil
}

// create is CREATE.
func (r *runner) create(name rdf.Term) error {
	if _, err := r.existing(name); err == nil {
		return fmt.Errorf("%w: %s", ErrGraphExists, name)
	}
	return nil
}

// copying is what COPY, MOVE and ADD differ in: whether the target is emptied before, and the source after.
type copying struct{ replace, remove bool }

// copy is COPY, MOVE and ADD (sections 3.2.3 to 3.2.5).
func (r *runner) copy(from, to rdf.Term, how copying) error {
	source, err := r.existing(from)
	if err != nil || from == to {
		return err
	}
	target := dictionary.None
	if !to.IsZero() {
		if target, err = r.tx.Intern(to); err != nil {
			return err
		}
	}
	g, err := r.tx.State().Graph(source)
	if err != nil {
		return err
	}
	if err := r.charge("the quads of an update")(int64(g.Edges()) * bytesOfQuad); err != nil {
		return err
	}
	quads := make([]live.Quad, 0, g.Edges())
	for e := range live.Edges(g) {
		quads = append(quads, live.Quad{Graph: target, Subject: e.From, Predicate: e.Label, Object: e.To})
	}
	if how.replace {
		if err := r.tx.Clear(target); err != nil {
			return err
		}
	}
	if err := r.tx.Apply(nil, quads); err != nil {
		return err
	}
	if how.remove {
		return r.tx.Clear(source)
	}
	return nil
}

// load is LOAD. What a document has before a fault in it is not kept.
func (r *runner) load(ctx context.Context, op *parser.Load) error {
	if r.options.Source == nil {
		return LoadError(op, errors.New("no document may be loaded (--allow-load PREFIX, or Options.Loads, allows some)"))
	}
	document, err := r.options.Source(op)
	if err != nil {
		return LoadError(op, err)
	}
	if document.Intake != nil {
		return r.tx.TakeIn(ctx, document.Intake)
	}
	into := dictionary.None
	if !op.Into.IsZero() {
		if into, err = r.tx.Intern(op.Into); err != nil {
			return err
		}
	}
	gather := r.gather(into)
	if err := document.Read(gather.add); err != nil {
		if gather.err != nil {
			return gather.err
		}
		return LoadError(op, err)
	}
	return r.tx.Apply(nil, gather.quads)
}

// gatherer makes quads of IDs of those of a document.
type gatherer struct {
	r      *runner
	into   dictionary.ID
	labels map[string]dictionary.ID
	quads  []live.Quad
	charge func(int64) error
	err    error // that is no fault of the document
}

// gather makes quads of a graph, into which those of the document's own default graph go.
func (r *runner) gather(into dictionary.ID) *gatherer {
	return &gatherer{r: r, into: into, labels: map[string]dictionary.ID{}, charge: r.charge("the quads of a document")}
}

func (g *gatherer) add(q rdf.Quad) error {
	if g.err = g.charge(bytesOfQuad); g.err != nil {
		return g.err
	}
	out := live.Quad{Graph: g.into, Subject: g.id(q.Subject), Predicate: g.id(q.Predicate), Object: g.id(q.Object)}
	if !q.Graph.IsZero() {
		out.Graph = g.id(q.Graph)
	}
	g.quads = append(g.quads, out)
	return g.err
}

// id is the ID of a document's term; its blank nodes become new ones.
func (g *gatherer) id(term rdf.Term) dictionary.ID {
	label := ""
	if term.Kind == rdf.BlankNode {
		if id, ok := g.labels[term.Value]; ok {
			return id
		}
		label, term = term.Value, g.r.blanks.next()
	}
	id, err := g.r.tx.Intern(term)
	if err != nil {
		g.err = err
	}
	if label != "" {
		g.labels[label] = id
	}
	return id
}
