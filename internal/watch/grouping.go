package watch

import (
	"slices"
	"strconv"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// grouping is GROUP BY with COUNT, SUM, AVG, MIN and MAX over a pattern, and what a query makes of each group by itself. The pattern's
// solutions are kept by group, each row once with how often it is there; of the groups that a change touches the rows are aggregated
// again, as a table with a column of weights:
//
//	SELECT ?c (COUNT(*) AS ?n) (AVG(?age) AS ?a) { ?p :city ?c ; :age ?age } GROUP BY ?c
//
// reads ?c ?age, and becomes
//
//	SELECT ?c ?n (IF(?w = 0, 0, ?s / ?w) AS ?a) { SELECT ?c (SUM(?weight) AS ?n) (SUM(?age * ?weight) AS ?s) (SUM(?weight) AS ?w)
//	{ VALUES (?c ?age ?weight) { … } } GROUP BY ?c }
type grouping struct {
	input parser.Node
	// variables are the columns of the pattern's solutions; those before keys are what is grouped by.
	variables []string
	keys      int
	// counted are the columns of which it only matters whether they are bound.
	counted []bool
	// pattern is what is made of table.
	pattern parser.Node
	table   *parser.Values
}

// weightColumn is the variable of the weights.
const weightColumn = parser.BlankPrefix + "weight"

// groupingOf finds the grouping below a projection; nil where there is none, or one that needs all groups at once.
func groupingOf(top *parser.Project) *grouping {
	n := top.Input
	for {
		if slices.ContainsFunc(parser.Expressions(n), parser.HasExists) {
			return nil
		}
		switch o := n.(type) {
		case *parser.Extend:
			n = o.Input
			continue
		case *parser.Filter:
			n = o.Input
			continue
		case *parser.Group:
			return newGrouping(top, o)
		}
		return nil
	}
}

func newGrouping(top *parser.Project, n *parser.Group) *grouping {
	g := &grouping{input: n.Input}
	for _, k := range n.Keys {
		v, ok := k.Expr.(*parser.Var)
		if !ok {
			return nil
		}
		g.variables = union(g.variables, v.Name)
	}
	g.keys = len(g.variables)
	valued := slices.Clone(g.variables) // columns whose values matter
	for _, a := range n.Aggregates {
		if !slices.Contains([]string{"COUNT", "SUM", "AVG", "MIN", "MAX"}, a.Function) || a.Argument == nil && a.Distinct {
			return nil
		}
		read := readBy(a.Argument)
		g.variables = union(g.variables, read...)
		if _, plain := a.Argument.(*parser.Var); !plain || a.Function != "COUNT" || a.Distinct {
			valued = union(valued, read...)
		}
	}
	for _, v := range g.variables {
		g.counted = append(g.counted, !slices.Contains(valued, v))
	}
	g.table = &parser.Values{Variables: append(slices.Clone(g.variables), weightColumn)}
	g.pattern = replace(top, n, g.weighted(n))
	return g
}

// readBy lists the variables of an expression, each once.
func readBy(e parser.Expr) (list []string) {
	if e == nil {
		return nil
	}
	parser.AnyExpr(e, func(e parser.Expr) bool {
		if v, ok := e.(*parser.Var); ok {
			list = union(list, v.Name)
		}
		return false
	})
	return list
}

// replace puts one node in the place of another.
func replace(n, old, by parser.Node) parser.Node {
	if n == old {
		return by
	}
	return parser.Map(n, func(in parser.Node) parser.Node { return replace(in, old, by) })
}

// weighted is a group over the table: repetitions count by their weights.
func (g *grouping) weighted(n *parser.Group) parser.Node {
	group := &parser.Group{Input: g.table, Keys: n.Keys}
	var out parser.Node = group
	weight := &parser.Var{Name: weightColumn}
	zero := &parser.Const{Term: rdf.NewTyped("0", rdf.XSDInteger)}
	add := func(variable string, argument parser.Expr) {
		group.Aggregates = append(group.Aggregates, parser.Aggregation{Variable: variable, Function: "SUM", Argument: argument})
	}
	for _, a := range n.Aggregates {
		switch {
		case a.Distinct || a.Function == "MIN" || a.Function == "MAX":
			group.Aggregates = append(group.Aggregates, a)
		case a.Argument == nil:
			add(a.Variable, weight)
		case a.Function == "COUNT": // of what is no error
			add(a.Variable, call("COALESCE", call("IF", call("ISIRI", a.Argument), weight, weight), zero))
		case a.Function == "SUM":
			add(a.Variable, call("*", a.Argument, weight))
		default:
			sum, count := a.Variable+" sum", a.Variable+" count"
			add(sum, call("*", a.Argument, weight))
			add(count, weight)
			s, c := &parser.Var{Name: sum}, &parser.Var{Name: count}
			out = &parser.Extend{Input: out, Variable: a.Variable, Expr: call("IF", call("=", c, zero), zero, call("/", s, c))}
		}
	}
	return out
}

func call(function string, args ...parser.Expr) parser.Expr {
	return &parser.Call{Function: function, Args: args}
}

// bound stands for every value of a column that is only counted.
var bound, _ = appendTerm(nil, rdf.NewTyped("1", rdf.XSDInteger))

// split is the group of a solution, and its row there.
func (g *grouping) split(solution string) (key string, row []byte) {
	at := 0
	for i := range g.variables {
		if i == g.keys {
			key = solution[:at]
		}
		next := at + termLength(solution[at:])
		if g.counted[i] && next > at+1 {
			row = append(row, bound...)
		} else {
			row = append(row, solution[at:next]...)
		}
		at = next
	}
	if g.keys == len(g.variables) {
		key = solution
	}
	return key, row
}

// groups are the rows of each group.
type groups struct {
	*grouping
	rows  map[string]*tally
	bytes int64
}

func newGroups(g *grouping) *groups { return &groups{grouping: g, rows: map[string]*tally{}} }

// byGroup sorts a difference of solutions into groups.
func (g *groups) byGroup(difference *tally) map[string]*tally {
	list := map[string]*tally{}
	for solution, n := range difference.counts {
		key, row := g.split(solution)
		if list[key] == nil {
			list[key] = newTally()
		}
		list[key].add(row, n)
	}
	return list
}

// take takes differences over.
func (g *groups) take(differences map[string]*tally) {
	for key, d := range differences {
		rows := g.rows[key]
		if rows == nil {
			rows = newTally()
			g.rows[key] = rows
			g.bytes += int64(len(key)) + entryBytes
		}
		g.bytes -= rows.bytes
		if rows.addAll(d, 1); len(rows.counts) > 0 {
			g.bytes += rows.bytes
			continue
		}
		delete(g.rows, key)
		g.bytes -= int64(len(key)) + entryBytes
	}
}

// over is the pattern over the rows of some groups. They are sorted, because a sum of floats depends on their order.
func (g *groups) over(keys []string) (parser.Node, error) {
	table := &parser.Values{Variables: g.table.Variables}
	for _, key := range keys {
		rows := g.rows[key]
		if rows == nil {
			continue
		}
		for _, row := range sortedKeys(rows.counts) {
			terms, err := readSolution(row)
			if err != nil {
				return nil, err
			}
			weight := rdf.NewTyped(strconv.FormatInt(rows.counts[row], 10), rdf.XSDInteger)
			table.Rows = append(table.Rows, append(terms, weight))
		}
	}
	return replace(g.pattern, g.table, table), nil
}

// mostRows is how many rows the groups that a change touches may have: aggregating more of them again, of the terms' text, costs more than
// evaluating the query.
const mostRows = 4096

// large reports whether some groups have too many rows.
func (g *groups) large(keys []string) bool {
	n := 0
	for _, key := range keys {
		if rows := g.rows[key]; rows != nil {
			n += len(rows.counts)
		}
	}
	return n > mostRows
}

// anyLarge reports whether a group has too many rows by itself.
func (g *groups) anyLarge() bool {
	for key := range g.rows {
		if g.large([]string{key}) {
			return true
		}
	}
	return false
}

// change takes a difference over and finds what it does to the solutions of the query: those of the groups that it touches, after
// it and before.
func (g *groups) change(r *runner, q *standing, state *live.State, differences map[string]*tally) (*tally, error) {
	out, keys := newTally(), sortedKeys(differences)
	if err := g.add(r, q, state, keys, -1, out); err != nil {
		return nil, err
	}
	g.take(differences)
	return out, g.add(r, q, state, keys, 1, out)
}

// add adds the solutions of some groups so many times.
func (g *groups) add(r *runner, q *standing, state *live.State, keys []string, times int64, out *tally) error {
	pattern, err := g.over(keys)
	if err != nil {
		return err
	}
	return r.evaluate(q, state, pattern, q.parsed.Variables, times, out)
}
