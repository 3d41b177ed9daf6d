package update

import (
	"context"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// modify is DELETE … INSERT … WHERE (section 3.1.3).
func (r *runner) modify(ctx context.Context, op *parser.Modify) error {
	query := op.Select()
	data := &dataset{state: r.tx.State()}
	switch {
	case len(r.options.Using)+len(r.options.UsingNamed) > 0:
		if len(op.Using)+len(op.UsingNamed) > 0 || !op.With.IsZero() {
			return ErrUsing
		}
		query.From, query.FromNamed = r.options.Using, r.options.UsingNamed
	case len(op.Using)+len(op.UsingNamed) == 0 && !op.With.IsZero():
		if err := data.with(op.With); err != nil {
			return err
		}
	}
	settings := r.options.Query
	settings.Budget = r.budget
	plan, err := exec.Prepare(ctx, query, data, data.state.Dictionary(), settings)
	if data.err != nil {
		return data.err
	}
	if err != nil {
		return err
	}
	f, err := r.newFiller(op, plan)
	if err != nil {
		return err
	}
	if err := plan.Run(ctx, f.fill); err != nil {
		return err
	}
	if data.err != nil {
		return data.err
	}
	return r.tx.Apply(present(f.remove), f.insert)
}

// dataset is a state as a query sees it, with another default graph where WITH says so.
type dataset struct {
	state *live.State
	graph *pcsr.Graph
	err   error
}

// with makes a named graph the default graph.
func (d *dataset) with(name rdf.Term) (err error) {
	id, ok := d.state.Dictionary().Lookup(name)
	if !ok {
		id = missing
	}
	d.graph, err = d.state.Graph(id)
	return err
}

func (d *dataset) Default() *pcsr.Graph {
	if d.graph != nil {
		return d.graph
	}
	return d.state.Default()
}

func (d *dataset) NamedGraphs() []dictionary.ID { return d.state.NamedGraphs() }

func (d *dataset) Named(name dictionary.ID) (*pcsr.Graph, bool) {
	g, err := d.state.Named(name)
	if err != nil {
		d.err = err
	}
	return g, err == nil && g != nil
}

// Listed implements planner.Lister.
func (d *dataset) Listed(name dictionary.ID) ([]pcsr.Edge, bool) { return d.state.Listed(name) }

// Unlisted implements planner.Lister.
func (d *dataset) Unlisted() []dictionary.ID { return d.state.Unlisted() }

// ListedWith implements planner.Lister.
func (d *dataset) ListedWith(v dictionary.ID, of pcsr.Direction) ([]dictionary.ID, bool) {
	return d.state.ListedWith(v, of)
}

// filler fills the templates of an operation with solutions.
type filler struct {
	r              *runner
	plan           *exec.Plan
	base           dictionary.ID // of computed terms
	delete, add    []template
	remove, insert []live.Quad
	// interned are the IDs of terms that the query computed, blank the new blank nodes of one solution, by label.
	interned map[dictionary.ID]dictionary.ID
	kinds    map[dictionary.ID]rdf.Kind
	blank    map[string]dictionary.ID
	charge   func(int64) error
}

// template is a quad pattern: each place is a column, a constant, or a blank node that is new for each solution.
type template struct {
	places [4]place // graph, subject, predicate, object
}

type place struct {
	column int // or -1
	id     dictionary.ID
	blank  string
}

const (
	placeGraph = iota
	placeSubject
	placePredicate
	placeObject
)

func (r *runner) newFiller(op *parser.Modify, plan *exec.Plan) (*filler, error) {
	f := &filler{
		r: r, plan: plan, base: plan.Terms().Base(), interned: map[dictionary.ID]dictionary.ID{},
		kinds: map[dictionary.ID]rdf.Kind{}, blank: map[string]dictionary.ID{}, charge: r.charge("the quads of an update"),
	}
	columns := map[string]int{}
	for i, v := range plan.Variables() {
		columns[v] = i
	}
	find := func(t rdf.Term) (dictionary.ID, error) {
		if id, ok := r.tx.Find(t); ok {
			return id, nil
		}
		return missing, nil
	}
	var err error
	if f.delete, err = templates(op.Delete, op.With, columns, find); err != nil {
		return nil, err
	}
	f.add, err = templates(op.Insert, op.With, columns, r.tx.Intern)
	return f, err
}

// templates reads quad patterns; constants get their IDs from id.
func templates(list []parser.QuadPattern, with rdf.Term, columns map[string]int, id func(rdf.Term) (dictionary.ID, error)) ([]template, error) {
	out := make([]template, len(list))
	for i, q := range list {
		graph := q.Graph
		if !graph.IsVariable() && graph.Term.IsZero() {
			graph.Term = with
		}
		for k, term := range [...]parser.PatternTerm{graph, q.Subject, q.Predicate, q.Object} {
			p := &out[i].places[k]
			p.column, p.id = -1, dictionary.None
			switch {
			case term.IsVariable():
				p.column = columns[term.Variable]
			case term.Term.Kind == rdf.BlankNode:
				p.blank = term.Term.Value
			case !term.Term.IsZero():
				var err error
				if p.id, err = id(term.Term); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// fill takes a batch of solutions.
func (f *filler) fill(b *vector.Batch) error {
	if err := f.charge(int64(b.N) * int64(len(f.delete)+len(f.add)) * bytesOfQuad); err != nil {
		return err
	}
	for row := range b.N {
		clear(f.blank)
		for i := range f.delete {
			if q, ok, err := f.quad(&f.delete[i], b, row, false); err != nil {
				return err
			} else if ok {
				f.remove = append(f.remove, q)
			}
		}
		for i := range f.add {
			if q, ok, err := f.quad(&f.add[i], b, row, true); err != nil {
				return err
			} else if ok {
				f.insert = append(f.insert, q)
			}
		}
	}
	return nil
}

// quad fills a template; false where what comes out is no quad.
func (f *filler) quad(t *template, b *vector.Batch, row int, inserting bool) (q live.Quad, ok bool, err error) {
	var ids [4]dictionary.ID
	for k := range t.places {
		p := &t.places[k]
		switch {
		case p.column >= 0:
			if ids[k], err = f.bound(b.Cols[p.column][row], inserting); err != nil {
				return q, false, err
			}
			if ids[k] == dictionary.None || !f.fits(ids[k], k) {
				return q, false, nil
			}
		case p.blank != "":
			if ids[k], err = f.fresh(p.blank); err != nil {
				return q, false, err
			}
		default:
			ids[k] = p.id
		}
	}
	return live.Quad{Graph: ids[placeGraph], Subject: ids[placeSubject], Predicate: ids[placePredicate], Object: ids[placeObject]}, true, nil
}

// bound is the ID in the store of what a variable is bound to: None where it is unbound, missing for a term that the store has
// not where nothing is inserted.
func (f *filler) bound(id dictionary.ID, inserting bool) (dictionary.ID, error) {
	if id < f.base || id == dictionary.None {
		return id, nil
	}
	if known, ok := f.interned[id]; ok {
		return known, nil
	}
	term := f.plan.Terms().Term(id)
	if !inserting {
		if known, ok := f.r.tx.Find(term); ok && term.Kind != rdf.BlankNode {
			return known, nil
		}
		return missing, nil
	}
	if term.Kind == rdf.BlankNode {
		term = f.r.blanks.next()
	}
	known, err := f.r.tx.Intern(term)
	f.interned[id] = known
	return known, err
}

// fresh is the blank node of a label in the solution at hand.
func (f *filler) fresh(label string) (dictionary.ID, error) {
	if id, ok := f.blank[label]; ok {
		return id, nil
	}
	id, err := f.r.tx.Intern(f.r.blanks.next())
	f.blank[label] = id
	return id, err
}

// fits reports whether a term may stand in a place: no literal as a subject, nothing but IRIs as predicates and graphs.
func (f *filler) fits(id dictionary.ID, at int) bool {
	if at == placeObject || id == missing {
		return true
	}
	kind, ok := f.kinds[id]
	if !ok {
		kind = f.r.tx.Kind(id)
		if len(f.kinds) < mostKinds {
			f.kinds[id] = kind
		}
	}
	return kind == rdf.IRI || at == placeSubject && kind == rdf.BlankNode
}

// mostKinds bounds how many kinds of terms are remembered.
const mostKinds = 1 << 12
