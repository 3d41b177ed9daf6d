package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// extendOp binds a variable to the value of an expression.
type extendOp struct {
	input operator
	value evaluator
	out   []string
	from  []int // input columns of out; computed for the variable itself
	// volatile: the value differs between equal rows.
	volatile bool
	explain  *Explain
}

// computed marks the column that an operator computes.
const computed = -2

func (c *compiler) extend(n *parser.Extend, r request) (operator, error) {
	if !r.need[n.Variable] {
		return c.compile(n.Input, r)
	}
	e := &extendOp{out: c.outputColumns(n, r), volatile: parser.IsVolatile(n.Expr)}
	if r.need[solutionColumn] {
		e.out = append(e.out, solutionColumn)
	}
	need := without(setOf(e.out...), setOf(n.Variable))
	if parser.LabelsBlanks(n.Expr) {
		need[solutionColumn] = true
	}
	var err error
	if e.input, err = c.compile(n.Input, r.with(c.scopes.mentions(need, n.Expr))); err != nil {
		return nil, err
	}
	if e.value, err = c.compileExpr(n.Expr, e.input.columns()); err != nil {
		return nil, err
	}
	e.from = indexes(e.input.columns(), e.out)
	e.from[indexOf(e.out, n.Variable)] = computed
	in := e.input.node()
	e.explain = &Explain{
		Operator: "bind", Detail: "?" + n.Variable + " = " + exprText(n.Expr), Columns: e.out,
		EstimatedRows: in.EstimatedRows, cost: in.cost, Children: []*Explain{in},
	}
	return e, nil
}

func (e *extendOp) columns() []string { return e.out }

func (e *extendOp) node() *Explain { return e.explain }

func (e *extendOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	return runStage(e, x, seed, emit)
}

func (e *extendOp) below() operator { return e.input }

func (e *extendOp) forks() bool { return e.value.plain() }

func (e *extendOp) fork() func(*execution, *Batch) (*Batch, error) {
	var values []dictionary.ID
	var out Batch
	return func(x *execution, b *Batch) (*Batch, error) {
		var err error
		if values, err = e.value.values(x, b, values[:0]); err != nil {
			return nil, err
		}
		out.Cols = out.Cols[:0]
		for _, c := range e.from {
			if c == computed {
				out.Cols = append(out.Cols, values)
			} else {
				out.Cols = append(out.Cols, b.Cols[c])
			}
		}
		out.N, out.Origin, out.Weights = b.N, b.Origin, b.Weights
		return &out, nil
	}
}
