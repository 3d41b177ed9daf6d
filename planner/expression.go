package planner

import (
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// solutionColumn numbers solutions: BNODE with one label is one blank node throughout a solution, and another in
// every other one (SPARQL 1.1 section 17.4.2.9). No variable has this name.
const solutionColumn = parser.BlankPrefix + "solution"

// Expression is an expression over the columns of a node. What EXISTS says and what BNODE with a label makes is computed
// before the rest, for whole batches; the expression reads both as variables.
type Expression struct {
	Expr parser.Expr
	// Columns are what it is computed over. Behind them come a column for each of Exists, and one for each of Blanks.
	Columns []string
	Exists  []*Existence
	Blanks  []Blank
	// Identity is that of the IDs of its results that are computed.
	Identity dictionary.Identity
	text     string
}

// Reads are the columns that the expression reads, by name: their places in Columns, or behind those for Exists and Blanks.
func (e *Expression) Reads() map[string]int {
	at := map[string]int{}
	for i := range e.Exists {
		at[existsColumn(i)] = len(e.Columns) + i
	}
	for i := range e.Blanks {
		at[blankColumn(i)] = len(e.Columns) + len(e.Exists) + i
	}
	parser.AnyExpr(e.Expr, func(x parser.Expr) bool {
		if v, ok := x.(*parser.Var); ok {
			if _, known := at[v.Name]; !known {
				if i := slices.Index(e.Columns, v.Name); i >= 0 {
					at[v.Name] = i
				}
			}
		}
		return false
	})
	return at
}

func existsColumn(i int) string { return fmt.Sprintf("%sexists%d", parser.BlankPrefix, i) }

func blankColumn(i int) string { return fmt.Sprintf("%sblank%d", parser.BlankPrefix, i) }

// Blank is a BNODE with a label. Solution is the column that numbers solutions, -1 where every row is one of its own.
type Blank struct {
	Label    *Expression
	Solution int
}

// Existence is the pattern of an EXISTS, asked about the values of some columns. It is a node that is explained.
type Existence struct {
	Properties
	Not     bool
	Pattern *Seeded
	// From are the columns of Pattern's variables.
	From []int
	// Varies: the pattern reads parameters, so that its answers hold only while these have the same values.
	Varies bool
}

// Inputs are the pattern, for rows that bind everything.
func (e *Existence) Inputs() []Node {
	return []Node{e.Pattern.Variant(e.Pattern.All()).Made()}
}

// expression plans an expression over columns of the solutions of a pattern.
func (p *planner) expression(e parser.Expr, columns []string, of parser.Node) (*Expression, error) {
	out := &Expression{Columns: columns, text: p.exprText(e)}
	var err error
	out.Expr, err = p.lift(out, e, of)
	return out, err
}

// lift replaces each EXISTS and each BNODE with a label by a variable that its column binds.
func (p *planner) lift(out *Expression, e parser.Expr, of parser.Node) (parser.Expr, error) {
	switch e := e.(type) {
	case *parser.Exists:
		x, err := p.existence(e, out.Columns, of)
		out.Exists = append(out.Exists, x)
		return &parser.Var{Name: existsColumn(len(out.Exists) - 1)}, err
	case *parser.Call:
		if e.Function == "BNODE" && len(e.Args) == 1 {
			label, err := p.expression(e.Args[0], out.Columns, of)
			out.Blanks = append(out.Blanks, Blank{Label: label, Solution: slices.Index(out.Columns, solutionColumn)})
			return &parser.Var{Name: blankColumn(len(out.Blanks) - 1)}, err
		}
	}
	var failed error
	lifted := parser.MapArguments(e, func(a parser.Expr) parser.Expr {
		b, err := p.lift(out, a, of)
		if err != nil {
			failed = err
		}
		return b
	})
	return lifted, failed
}

// existence plans EXISTS over rows that have the given columns.
func (p *planner) existence(e *parser.Exists, columns []string, of parser.Node) (*Existence, error) {
	own := slices.DeleteFunc(slices.Clone(columns), scope.IsParameter)
	vars := p.scopes.Set(own...).And(p.scopes.Used(e.Pattern))
	if vars.Len() >= maxShared {
		return nil, fmt.Errorf("planner: EXISTS that reads %d variables of the outside: %w", vars.Len(), ErrUnsupported)
	}
	x := &Existence{Properties: p.made(vars, nil), Not: e.Not, Varies: p.varies(e.Pattern)}
	for _, v := range x.Columns {
		x.From = append(x.From, slices.Index(columns, v))
	}
	certain := p.scopes.Of(of).Must.Or(vars.Without(p.scopes.Of(of).May)) // the others are given from outside
	var err error
	x.Pattern, err = p.seeded(vars, certain, of, false, func(inputs []string) (Node, error) {
		return p.lower(e.Pattern, request{inputs: inputs, outer: p.scopes.Set(inputs...), distinct: true})
	})
	return x, err
}

// number plans a pattern of which the solutions are to be numbered.
func (p *planner) number(n parser.Node, r request) (Node, error) {
	column := p.scopes.Set(solutionColumn)
	in, err := p.lower(n, r.with(r.need.Without(column)))
	if err != nil {
		return nil, err
	}
	out := &Number{unary{p.above(in, nil), in}}
	out.Columns = append(slices.Clone(in.Props().Columns), solutionColumn)
	out.set = in.Props().set.Or(column)
	return out, nil
}

// bind plans BIND.
func (p *planner) bind(n *parser.Extend, r request) (Node, error) {
	variable, solution := p.scopes.Set(n.Variable), p.scopes.Set(solutionColumn)
	if !variable.Within(r.need) {
		return p.lower(n.Input, r)
	}
	out := p.outputColumns(n, r)
	columns := p.scopes.Names(out)
	if solution.Within(r.need) {
		out, columns = out.Or(solution), append(columns, solutionColumn)
	}
	need := out.Without(variable).Or(p.scopes.Reads(n.Expr))
	if parser.LabelsBlanks(n.Expr) {
		need = need.Or(solution)
	}
	below := r.with(need).each(n.Expr)
	below.compared = p.comparedByBind(n, &r)
	in, err := p.lower(n.Input, below)
	if err != nil {
		return nil, err
	}
	in = p.recall(in, n.Expr)
	b := &Bind{unary: unary{p.above(in, out), in}, Variable: n.Variable, Volatile: parser.IsVolatile(n.Expr)}
	b.Columns = columns
	if b.Value, err = p.expression(n.Expr, in.Props().Columns, n.Input); err == nil {
		b.Value.Identity = resultIdentity(n.Expr, p.identityOf(n.Variable, &r))
	}
	return b, err
}
