package update

import (
	"context"
	"errors"
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

var (
	// ErrGraphExists is CREATE's of a graph that has triples; ErrNoGraph that of an operation on one that has none.
	ErrGraphExists = errors.New("the graph exists already")
	ErrNoGraph     = errors.New("there is no such graph")
	// ErrUsing says that an update has its own data set although the request names one (SPARQL 1.1 Protocol 2.2.3).
	ErrUsing = errors.New("the request names a data set, and the update has USING, USING NAMED or WITH")
	// ErrLoad wraps why LOAD could not read its document.
	ErrLoad = errors.New("LOAD")
)

// Source finds the document of a LOAD. It refuses those that are not allowed with an error.
type Source func(op *parser.Load) (Document, error)

// Document is what LOAD adds: quads that are read, or what an intake has read already.
type Document struct {
	Read   func(emit func(rdf.Quad) error) error
	Intake *live.Intake
}

// Options are the settings of an update.
type Options struct {
	// Query are the settings of each WHERE. Budget is not read: Budget below is.
	Query exec.Options
	// Budget opens the memory of one operation, which is closed after it; nil counts nothing.
	Budget func() *limits.Budget
	// Using and UsingNamed are the data set that the request names for every WHERE.
	Using, UsingNamed []string
	// Source is what LOAD reads from; nil refuses it. Where it gives an intake, the transaction is one of live.Store.BeginWithFiles.
	Source Source
}

// Run does the operations of an update. After an error the transaction is to be aborted.
func Run(ctx context.Context, tx *live.Transaction, u *parser.Update, options Options) error {
	r := &runner{tx: tx, options: options, blanks: newBlanks()}
	for left := u.Operations; len(left) > 0; {
		ops := left[:max(1, leadingData(left))]
		if op, err := r.do(ctx, ops); err != nil {
			return At(op, err)
		}
		left = left[len(ops):]
	}
	return nil
}

// At says which operation ended with an error.
func At(op parser.Operation, err error) error {
	at := op.Start()
	return fmt.Errorf("the operation at line %d, column %d: %w", at.Line, at.Column, err)
}

// LoadError is that of LOAD whose document cannot be read.
func LoadError(op *parser.Load, err error) error {
	return fmt.Errorf("%w %s: %w", ErrLoad, rdf.NewIRI(op.Source), err)
}

// runner is one update under way.
type runner struct {
	tx      *live.Transaction
	options Options
	budget  *limits.Budget
	blanks  *blanks
}

// do does one operation, or several on data. Where there is an error, op is the operation that met it.
func (r *runner) do(ctx context.Context, ops []parser.Operation) (op parser.Operation, err error) {
	if ctx.Err() != nil {
		return ops[0], context.Cause(ctx)
	}
	defer r.account()()
	if leadingData(ops) > 0 {
		return r.data(ctx, ops)
	}
	return ops[0], r.one(ctx, ops[0])
}

// account opens the memory of an operation.
func (r *runner) account() (closed func()) {
	r.budget = limits.Standalone(1 << 40)
	if r.options.Budget != nil {
		r.budget = r.options.Budget()
	}
	return r.budget.Close
}

// one does an operation that is not on data alone.
func (r *runner) one(ctx context.Context, op parser.Operation) error {
	switch op := op.(type) {
	case *parser.Modify:
		return r.modify(ctx, op)
	case *parser.Load:
		return silent(op.Silent, r.load(ctx, op))
	case *parser.Clear:
		return silent(op.Silent, r.clear(op.Graphs))
	case *parser.Drop:
		return silent(op.Silent, r.clear(op.Graphs))
	case *parser.Create:
		return silent(op.Silent, r.create(op.Graph))
	case *parser.Copy:
		return silent(op.Silent, r.copy(op.From, op.To, copying{replace: true}))
	case *parser.Move:
		return silent(op.Silent, r.copy(op.From, op.To, copying{replace: true, remove: true}))
	case *parser.Add:
		return silent(op.Silent, r.copy(op.From, op.To, copying{}))
	}
	return fmt.Errorf("update: %T is unknown", op)
}

// silent forgets the errors that SILENT is for.
func silent(is bool, err error) error {
	if is && (errors.Is(err, ErrNoGraph) || errors.Is(err, ErrGraphExists) || errors.Is(err, ErrLoad)) {
		return nil
	}
	return err
}

// graph is the ID of a graph's name, the zero Term being the default graph; false where no term is that name.
func (r *runner) graph(name rdf.Term) (dictionary.ID, bool) {
	if name.IsZero() {
		return dictionary.None, true
	}
	return r.tx.State().Dictionary().Lookup(name)
}

// existing is the graph of a name, which must have triples unless it is the default graph.
func (r *runner) existing(name rdf.Term) (dictionary.ID, error) {
	id, ok := r.graph(name)
	if !ok {
		return id, fmt.Errorf("%w: %s", ErrNoGraph, name)
	}
	if id == dictionary.None {
		return id, nil
	}
	g, err := r.tx.State().Named(id)
	if err == nil && g == nil {
		err = fmt.Errorf("%w: %s", ErrNoGraph, name)
	}
	return id, err
}

// charge counts memory of the operation.
func (r *runner) charge(what string) func(bytes int64) error { return r.budget.Meter(what).Charge }
