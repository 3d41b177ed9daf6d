package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// evaluator computes an expression over batches. What EXISTS says is computed first, for the whole batch, as a
// column of booleans that the rest of the expression reads; the nodes of BNODE with a label likewise.
type evaluator struct {
	program *expr.Program
	exists  []*existence
	blanks  []*labelledBlank
	// blankNames are the variables of blanks, whose columns come last.
	blankNames []string
	width      int
	work       [][]dictionary.ID
}

// predicate is an expression whose effective boolean value matters.
type predicate struct{ evaluator }

// compileExpr compiles an expression over named columns.
func (c *compiler) compileExpr(e parser.Expr, columns []string) (evaluator, error) {
	ev := evaluator{width: len(columns)}
	all := slices.Clone(columns)
	e, err := c.liftExists(e, columns, &ev, &all)
	if err != nil {
		return ev, err
	}
	all = append(all, ev.blankNames...)
	index := make(map[string]int, len(all))
	for i, v := range all {
		index[v] = i
	}
	ev.program, err = expr.Compile(e, index, c.plan.env)
	return ev, err
}

func (c *compiler) predicate(e parser.Expr, columns []string) (*predicate, error) {
	ev, err := c.compileExpr(e, columns)
	return &predicate{ev}, err
}

// liftExists replaces each EXISTS by a variable that a column of booleans will bind.
func (c *compiler) liftExists(e parser.Expr, columns []string, ev *evaluator, all *[]string) (parser.Expr, error) {
	switch e := e.(type) {
	case *parser.Exists:
		x, err := c.existence(e, columns)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%sexists%d", parser.BlankPrefix, len(ev.exists))
		ev.exists, *all = append(ev.exists, x), append(*all, name)
		return &parser.Var{Name: name}, nil
	case *parser.Call:
		if e.Function == "BNODE" && len(e.Args) == 1 {
			return c.liftBlank(e, columns, ev, all)
		}
		args, err := c.liftArgs(e.Args, columns, ev, all)
		return &parser.Call{Function: e.Function, Args: args}, err
	case *parser.FunctionCall:
		args, err := c.liftArgs(e.Args, columns, ev, all)
		return &parser.FunctionCall{IRI: e.IRI, Distinct: e.Distinct, Args: args}, err
	}
	return e, nil
}

// liftBlank replaces BNODE with a label by a variable that a column of blank nodes will bind.
func (c *compiler) liftBlank(e *parser.Call, columns []string, ev *evaluator, all *[]string) (parser.Expr, error) {
	label, err := c.compileExpr(e.Args[0], columns)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%sblank%d", parser.BlankPrefix, len(ev.blanks))
	ev.blanks = append(ev.blanks, &labelledBlank{label: label, solution: indexOf(columns, solutionColumn)})
	ev.blankNames = append(ev.blankNames, name)
	return &parser.Var{Name: name}, nil
}

func (c *compiler) liftArgs(args []parser.Expr, columns []string, ev *evaluator, all *[]string) ([]parser.Expr, error) {
	out := make([]parser.Expr, len(args))
	for i, a := range args {
		var err error
		if out[i], err = c.liftExists(a, columns, ev, all); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// plain reports whether the expression needs nothing computed before it: then goroutines may share the evaluator.
func (ev *evaluator) plain() bool { return len(ev.exists)+len(ev.blanks) == 0 }

// inputs returns the columns that the program reads: the batch's and the EXISTS columns.
func (ev *evaluator) inputs(x *execution, b *Batch) ([][]dictionary.ID, error) {
	if ev.plain() {
		return b.Cols, nil
	}
	ev.work = append(ev.work[:0], b.Cols[:ev.width]...)
	yes, no := x.terms.ID(rdf.NewTyped("true", rdf.XSDBoolean)), x.terms.ID(rdf.NewTyped("false", rdf.XSDBoolean))
	for _, e := range ev.exists {
		found, err := e.evaluate(x, b)
		if err != nil {
			return nil, err
		}
		col := make([]dictionary.ID, b.N)
		for r := range col {
			col[r] = no
			if found[r] != e.not {
				col[r] = yes
			}
		}
		ev.work = append(ev.work, col)
	}
	for _, l := range ev.blanks {
		col, err := l.column(x, b)
		if err != nil {
			return nil, err
		}
		ev.work = append(ev.work, col)
	}
	return ev.work, nil
}

// filter appends the rows of b for which the expression is true to keep.
func (p *predicate) filter(x *execution, b *Batch, keep []uint32) ([]uint32, error) {
	cols, err := p.inputs(x, b)
	if err != nil {
		return nil, err
	}
	keep = p.program.Filter(cols, b.N, keep)
	if x.env.Stopped() {
		return nil, x.ended()
	}
	return keep, nil
}

// values appends the expression's value in every row of b to out, dictionary.None where it is an error.
func (ev *evaluator) values(x *execution, b *Batch, out []dictionary.ID) ([]dictionary.ID, error) {
	cols, err := ev.inputs(x, b)
	if err != nil {
		return nil, err
	}
	n := len(out)
	out = slices.Grow(out, b.N)[:n+b.N]
	ev.program.IDs(cols, b.N, out[n:])
	if x.env.Stopped() {
		return nil, x.ended()
	}
	return out, nil
}

// infix are the functions that the query writes between their arguments.
var infix = setOf("||", "&&", "=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/")

// exprText is an expression in the query's words.
func exprText(e parser.Expr) string {
	var b strings.Builder
	writeExpr(&b, e)
	return b.String()
}

func writeExpr(b *strings.Builder, e parser.Expr) {
	switch e := e.(type) {
	case *parser.Var:
		b.WriteString(termText(parser.PatternTerm{Variable: e.Name}))
	case *parser.Const:
		b.WriteString(e.Term.String())
	case *parser.Exists:
		if e.Not {
			b.WriteString("NOT ")
		}
		b.WriteString("EXISTS {…}")
	case *parser.FunctionCall:
		b.WriteString("<" + e.IRI + ">")
		writeArgs(b, e.Args, ", ")
		if !expr.Known(e) {
			b.WriteString(" [no such function: an error]")
		}
	case *parser.Call:
		switch {
		case infix[e.Function] && len(e.Args) == 2:
			writeArgs(b, e.Args, " "+e.Function+" ")
		case strings.HasSuffix(e.Function, "IN") && len(e.Args) > 0:
			b.WriteByte('(')
			writeExpr(b, e.Args[0])
			b.WriteString(" " + e.Function + " ")
			writeArgs(b, e.Args[1:], ", ")
			b.WriteByte(')')
		default:
			b.WriteString(e.Function)
			writeArgs(b, e.Args, ", ")
		}
	default:
		b.WriteByte('?')
	}
}

// writeArgs writes expressions in brackets.
func writeArgs(b *strings.Builder, args []parser.Expr, separator string) {
	b.WriteByte('(')
	for i, a := range args {
		if i > 0 {
			b.WriteString(separator)
		}
		writeExpr(b, a)
	}
	b.WriteByte(')')
}
