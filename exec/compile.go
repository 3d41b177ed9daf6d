package exec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/rules"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// compiler turns algebra into operators, over one active graph.
type compiler struct {
	*shared
	graph *pcsr.Graph
}

// shared is what the compilers of one plan have in common.
type shared struct {
	plan   *Plan
	scopes scopes
	rules  *rules.Rewriter
	// estimates and values remember what was found out about patterns and conditions.
	estimates map[estimateKey]float64
	computed  map[valuesKey]*valueSet
	// ahead is how long conditions may still be computed while the query is planned.
	ahead time.Duration
}

func newCompiler(p *Plan) *compiler {
	s := scopes{}
	return &compiler{
		shared: &shared{
			plan: p, scopes: s,
			estimates: map[estimateKey]float64{}, computed: map[valuesKey]*valueSet{}, ahead: aheadTime,
			rules: rules.New(scope.New(), p.options.Semantics == bgp.Homomorphism, p.options.rulesOff()...),
		},
		graph: p.dataset.Default(),
	}
}

// over returns a compiler with another active graph.
func (c *compiler) over(g *pcsr.Graph) *compiler { return &compiler{shared: c.shared, graph: g} }

// request says what is wanted of a pattern's operator.
type request struct {
	// need are the variables that somebody above reads.
	need names
	// inputs are the variables that the operator is seeded with.
	inputs []string
	// correlated: the inputs are substituted into the pattern (EXISTS), so expressions anywhere in it see them. Otherwise
	// they only narrow its solutions, and every one of them is bound by every solution of the pattern.
	correlated bool
	// distinct: repeated solutions do not matter.
	distinct bool
}

func (r request) with(need names) request {
	r.need = need
	return r
}

// outputColumns are the columns of an operator for n: what is needed of what it binds.
func (c *compiler) outputColumns(n parser.Node, r request) []string {
	bound := c.scopes.of(n).vars
	if r.correlated {
		bound = union(bound, setOf(r.inputs...))
	}
	return intersection(bound, r.need).sorted()
}

// compile returns the operator for a pattern.
func (c *compiler) compile(n parser.Node, r request) (operator, error) {
	if _, ok := n.(*parser.Extend); !ok && r.need[solutionColumn] {
		op, err := c.compile(n, r.with(without(r.need, setOf(solutionColumn))))
		if err != nil {
			return nil, err
		}
		return newNumber(op), nil
	}
	if r.correlated && !substitutable(n) {
		return c.substitution(n, r)
	}
	if len(r.inputs) > 0 && c.needsSeed(n, r) {
		return c.joinChain([]parser.Node{n}, n, r)
	}
	switch n := n.(type) {
	case *parser.BGP:
		op, err := c.match(n, nil, r)
		if err != nil {
			return nil, err
		}
		return c.product(n, nil, r, op)
	case *parser.PathPattern:
		return c.path(n, r)
	case *parser.Join:
		return c.joinChain(rules.Members(nil, n), n, r)
	case *parser.LeftJoin:
		return c.leftJoin(n, r)
	case *parser.Minus:
		return c.minus(n, r)
	case *parser.Union:
		return c.union(n, r)
	case *parser.Filter:
		return c.filter(n, r)
	case *parser.Graph:
		return c.graphPattern(n, r)
	case *parser.Extend:
		return c.extend(n, r)
	case *parser.Values:
		return c.values(n, r), nil
	case *parser.Service:
		return c.service(n, r)
	case *parser.Group:
		return c.group(n, r)
	case *parser.OrderBy:
		return c.orderBy(n, r)
	case *parser.Project:
		return c.project(n, r)
	case *parser.Distinct:
		return c.distinct(n, r)
	case *parser.Reduced:
		return c.compile(n.Input, r)
	case *parser.Slice:
		return c.slice(n, r)
	}
	return nil, fmt.Errorf("exec: the algebra has an operator %T: %w", n, ErrUnsupported)
}

// needsSeed reports whether an operator for n cannot take all inputs itself: it is then joined with the seed.
func (c *compiler) needsSeed(n parser.Node, r request) bool {
	switch n.(type) {
	case *parser.BGP, *parser.PathPattern:
		vars := c.scopes.of(n).vars
		return slices.ContainsFunc(r.inputs, func(v string) bool { return !vars[v] })
	case *parser.Values:
		return true
	case *parser.Service:
		vars := c.scopes.of(n).vars
		return slices.ContainsFunc(r.inputs, func(v string) bool { return !vars[v] })
	}
	return false
}

// substitutable reports whether substituting bindings into a pattern is the same as joining it with them, as long
// as its filters see them. The others are rewritten for each binding (SPARQL 1.1 section 18.6, substitute).
func substitutable(n parser.Node) bool {
	switch n := n.(type) {
	case *parser.BGP, *parser.PathPattern, *parser.Values:
		return true
	case *parser.Join:
		return substitutable(n.Left) && substitutable(n.Right)
	case *parser.LeftJoin:
		return substitutable(n.Left) && substitutable(n.Right)
	case *parser.Union:
		return substitutable(n.Left) && substitutable(n.Right)
	case *parser.Filter:
		return substitutable(n.Input)
	case *parser.Graph:
		return !n.Name.IsVariable() && substitutable(n.Input)
	}
	return false
}

// seedable are the variables by whose bindings a pattern can be narrowed while it is matched.
func (c *compiler) seedable(n parser.Node) names {
	switch n := n.(type) {
	case *parser.BGP, *parser.PathPattern:
		return c.scopes.of(n).vars
	case *parser.Join:
		return union(c.seedable(n.Left), c.seedable(n.Right))
	case *parser.LeftJoin:
		return intersection(c.seedable(n.Left), c.scopes.of(n.Left).certain)
	case *parser.Minus:
		return intersection(c.seedable(n.Left), c.scopes.of(n.Left).certain)
	case *parser.Union:
		return intersection(c.seedable(n.Left), c.seedable(n.Right))
	case *parser.Filter:
		return c.seedable(n.Input)
	case *parser.Extend:
		return c.seedable(n.Input)
	case *parser.Graph:
		in := c.seedable(n.Input)
		if n.Name.IsVariable() {
			if len(c.plan.dataset.NamedGraphs()) > fewGraphs {
				return setOf(n.Name.Variable)
			}
			in = union(in, setOf(n.Name.Variable))
		}
		return in
	case *parser.Project:
		return intersection(c.seedable(n.Input), setOf(n.Variables...))
	case *parser.Reduced:
		return c.seedable(n.Input)
	}
	return names{}
}

// fewGraphs is up to how many named graphs a GRAPH ?g pattern is matched in again for each batch of seeds.
const fewGraphs = 16

// match plans a basic graph pattern with the filters above it that can be pushed into the matcher.
func (c *compiler) match(n *parser.BGP, pushed *pushedFilters, r request) (operator, error) {
	out := c.outputColumns(n, r)
	if len(n.Patterns) == 0 {
		return &unitOp{explain: &Explain{Operator: "unit", EstimatedRows: 1}}, nil
	}
	n, oneOf := rules.Languages(n, func(t rdf.Term) bool { _, ok := c.plan.dict.Lookup(t); return ok })
	if pushed == nil && oneOf != nil {
		pushed = newPushedFilters()
	}
	for v, terms := range oneOf {
		pushed.narrow(v, c.storedIDs(terms))
	}
	options := bgp.Options{
		Semantics: c.plan.options.Semantics, Inputs: r.inputs, Output: out,
		CountOnly: len(out) == 0 && !r.distinct, Distinct: r.distinct, Speed: c.plan.options.Speed,
	}
	if pushed != nil {
		options.Ranges, options.Candidates = pushed.ranges, pushed.candidates
	}
	plan, err := bgp.Plan(n.Patterns, c.graph, c.plan.dict.Lookup, options)
	if err != nil {
		return nil, err
	}
	detail := patternText(n)
	if pushed != nil {
		detail += pushed.text()
	}
	m := &matchOp{plan: plan, graph: c.graph, out: out, explain: explainMatch(plan, detail, out)}
	if len(r.inputs) > 0 {
		m.explain.Detail += " seeded with ?" + strings.Join(r.inputs, " ?")
	}
	m.matcher = c.plan.options.Matcher(plan, c.graph)
	return m, nil
}

// patternText is a basic graph pattern in the query's words.
func patternText(n *parser.BGP) string {
	var parts []string
	for _, t := range n.Patterns {
		parts = append(parts, termText(t.Subject)+" "+termText(t.Predicate)+" "+termText(t.Object))
	}
	return "{ " + strings.Join(parts, " . ") + " }"
}

func termText(t parser.PatternTerm) string {
	if strings.HasPrefix(t.Variable, parser.BlankPrefix) {
		return t.Variable
	}
	if t.IsVariable() {
		return "?" + t.Variable
	}
	return t.Term.String()
}

// unitOp emits one solution that binds nothing.
type unitOp struct{ explain *Explain }

func (u *unitOp) columns() []string { return nil }

func (u *unitOp) node() *Explain { return u.explain }

func (u *unitOp) run(_ *execution, _ *Batch, emit func(*Batch) error) error {
	return emit(&Batch{N: 1})
}

// seedOp emits the rows it is seeded with.
type seedOp struct {
	vars    []string
	explain *Explain
	origin  []uint32
}

func newSeed(vars []string) *seedOp {
	return &seedOp{vars: vars, explain: &Explain{Operator: "seed", Columns: vars}}
}

func (s *seedOp) columns() []string { return s.vars }

func (s *seedOp) node() *Explain { return s.explain }

func (s *seedOp) run(_ *execution, seed *Batch, emit func(*Batch) error) error {
	for len(s.origin) < seed.N {
		s.origin = append(s.origin, uint32(len(s.origin)))
	}
	return emit(&Batch{Cols: seed.Cols, N: seed.N, Origin: s.origin[:seed.N]})
}

// idOf returns the ID of a constant.
func (c *compiler) idOf(t parser.PatternTerm) dictionary.ID { return c.plan.find(t.Term) }
