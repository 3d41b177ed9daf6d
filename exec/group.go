package exec

import (
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// groupOp groups solutions and computes aggregates (SPARQL 1.1 section 18.5.1).
//
// Many rows in few groups are grouped by several goroutines, some of the rows each, and their groups merged; the result
// is the same, in the same order. Past the memory limit, the rows of groups that it has not begun go to files, split by
// hash, and are grouped later.
type groupOp struct {
	input      operator
	keys       []evaluator
	arguments  []evaluator // of the aggregates that have one
	aggregates []aggregate
	out        []string
	pick       []int // columns of out among keys and aggregates
	// weighted: rows of the input may stand for several. Their weights are two columns after the arguments.
	weighted bool
	explain  *Explain
}

// aggregate is one aggregate of a group; argument indexes groupOp.arguments, -1 for COUNT(*).
type aggregate struct {
	parser.Aggregation
	argument int
	// rows are the input columns that COUNT(DISTINCT *) tells solutions apart by.
	rows []int
}

func (c *compiler) group(n *parser.Group, r request) (operator, error) {
	g := &groupOp{out: c.outputColumns(n, r)}
	if op, err := c.countedMatch(n, g.out); op != nil || err != nil {
		return op, err
	}
	if op := c.degrees(n, g.out); op != nil {
		return op, nil
	}
	need := names{}
	for _, k := range n.Keys {
		need = c.scopes.mentions(need, k.Expr)
	}
	repeatsMatter, weigh := false, !c.plan.options.Unoptimised && !volatileKeys(n)
	for _, a := range n.Aggregates {
		switch {
		case a.Argument != nil:
			need = c.scopes.mentions(need, a.Argument)
		case a.Distinct:
			need = need.addAll(readable(c.scopes.of(n.Input).vars))
		}
		if !a.Distinct && a.Function != "MIN" && a.Function != "MAX" && a.Function != "SAMPLE" {
			repeatsMatter = true
			weigh = weigh && a.Function == "COUNT" && (a.Argument == nil || !parser.IsVolatile(a.Argument))
		}
	}
	var err error
	if g.input, err = c.compile(n.Input, request{need: need, distinct: !repeatsMatter}); err != nil {
		return nil, err
	}
	g.weighted = repeatsMatter && weigh && askWeights(g.input)
	if err := c.groupParts(g, n); err != nil {
		return nil, err
	}
	e := g.input.node()
	g.explain = &Explain{
		Operator: "group", Detail: groupText(n), Columns: g.out,
		EstimatedRows: 1, cost: e.cost, Children: []*Explain{e},
	}
	if len(n.Keys) > 0 {
		g.explain.EstimatedRows = e.EstimatedRows
	}
	return g, nil
}

func volatileKeys(n *parser.Group) bool {
	return slices.ContainsFunc(n.Keys, func(k parser.GroupKey) bool { return parser.IsVolatile(k.Expr) })
}

// askWeights tells an operator that equal solutions may come as one with a weight; false where that helps nothing.
func askWeights(op operator) bool {
	switch op := op.(type) {
	case *matchOp:
		steps := op.plan.Steps
		op.weighted = len(steps) > 0 && steps[len(steps)-1].Counted
		return op.weighted
	case *productOp:
		if askWeights(op.whole) {
			op.undivide()
		}
		return op.whole.weighted
	case *projectOp:
		return askWeights(op.input)
	case *filterOp:
		return !op.volatile && askWeights(op.input)
	case *extendOp:
		return !op.volatile && askWeights(op.input)
	case *unionOp:
		asked := false
		for _, branch := range op.branches {
			asked = askWeights(branch) || asked
		}
		return asked
	}
	return false
}

// readable leaves out blank nodes and invented variables: they are no part of a solution.
func readable(vars names) names {
	out := names{}
	for v := range vars {
		if !strings.HasPrefix(v, parser.BlankPrefix) {
			out[v] = true
		}
	}
	return out
}

// groupParts compiles the keys and the aggregates' arguments.
func (c *compiler) groupParts(g *groupOp, n *parser.Group) error {
	columns := g.input.columns()
	var exposed []string
	for _, k := range n.Keys {
		ev, err := c.compileExpr(k.Expr, columns)
		if err != nil {
			return err
		}
		g.keys, exposed = append(g.keys, ev), append(exposed, k.Variable)
	}
	for _, a := range n.Aggregates {
		agg := aggregate{Aggregation: a, argument: -1}
		if a.Argument != nil {
			ev, err := c.compileExpr(a.Argument, columns)
			if err != nil {
				return err
			}
			agg.argument, g.arguments = len(g.arguments), append(g.arguments, ev)
		} else if a.Distinct {
			agg.rows = allColumns(len(columns))
		}
		g.aggregates, exposed = append(g.aggregates, agg), append(exposed, a.Variable)
	}
	g.pick = indexes(exposed, g.out)
	return nil
}

func groupText(n *parser.Group) string {
	var keys, aggregates []string
	for _, k := range n.Keys {
		keys = append(keys, exprText(k.Expr))
	}
	for _, a := range n.Aggregates {
		argument := "*"
		if a.Argument != nil {
			argument = exprText(a.Argument)
		}
		if a.Distinct {
			argument = "DISTINCT " + argument
		}
		aggregates = append(aggregates, a.Function+"("+argument+")")
	}
	text := strings.Join(aggregates, ", ")
	if len(keys) > 0 {
		text = strings.TrimSpace("by " + strings.Join(keys, ", ") + " " + text)
	}
	return text
}

func (g *groupOp) columns() []string { return g.out }

func (g *groupOp) node() *Explain { return g.explain }

func (g *groupOp) evaluator(i int) *evaluator {
	if i < len(g.keys) {
		return &g.keys[i]
	}
	return &g.arguments[i-len(g.keys)]
}

// splitWeights appends the halves of the rows' weights.
func splitWeights(b *Batch, low, high []dictionary.ID) ([]dictionary.ID, []dictionary.ID) {
	for r := range b.N {
		n := uint64(1)
		if b.Weights != nil {
			n = b.Weights[r]
		}
		low, high = append(low, dictionary.ID(n)), append(high, dictionary.ID(n>>32))
	}
	return low, high
}

// joinWeights is the inverse.
func joinWeights(low, high []dictionary.ID, weights []uint64) []uint64 {
	for r := range low {
		weights = append(weights, uint64(low[r])|uint64(high[r])<<32)
	}
	return weights
}

// width is how many columns a row has: with those of the input where an aggregate reads them.
func (g *groupOp) width() int {
	for _, a := range g.aggregates {
		if a.rows != nil {
			return g.first() + len(g.input.columns())
		}
	}
	return g.first()
}

// first is where the input's columns begin in a row.
func (g *groupOp) first() int {
	first := len(g.keys) + len(g.arguments)
	if g.weighted {
		first += 2
	}
	return first
}

// countedMatch compiles SELECT (COUNT(*) AS ?n) over a basic graph pattern: the matcher counts without writing rows.
func (c *compiler) countedMatch(n *parser.Group, out []string) (operator, error) {
	if len(n.Keys) != 0 || len(n.Aggregates) == 0 || c.plan.options.Unoptimised {
		return nil, nil
	}
	vars := c.scopes.of(n.Input).certain
	for _, a := range n.Aggregates {
		v, isVar := a.Argument.(*parser.Var)
		if a.Function != "COUNT" || a.Distinct || a.Argument != nil && !(isVar && vars[v.Name]) {
			return nil, nil
		}
	}
	in, err := c.compile(n.Input, request{need: names{}})
	if err != nil {
		return nil, err
	}
	m, ok := in.(*matchOp)
	if !ok {
		return nil, nil
	}
	e := m.node()
	return &countOp{match: m, out: out, explain: &Explain{
		Operator: "count", Columns: out, EstimatedRows: 1, cost: e.cost, Children: []*Explain{e}}}, nil
}

// countOp is the number of solutions of a basic graph pattern, in one row.
type countOp struct {
	match   *matchOp
	out     []string
	explain *Explain
}

func (o *countOp) columns() []string { return o.out }

func (o *countOp) node() *Explain { return o.explain }

func (o *countOp) run(x *execution, _ *Batch, emit func(*Batch) error) error {
	n, err := o.match.count(x)
	if err != nil {
		return err
	}
	b := &Batch{N: 1}
	for range o.out {
		b.Cols = append(b.Cols, []dictionary.ID{integerID(x, n)})
	}
	return emit(b)
}
