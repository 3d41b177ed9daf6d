package planner

import (
	"context"
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// Node is an operator of a physical plan. The set of implementations is closed: those of this package.
type Node interface {
	Props() *Properties
	// Inputs are the nodes below, in the order in which they are explained.
	Inputs() []Node
	// Text is the operator's name and what it works on, in the query's words.
	Text() (operator, detail string)
}

// Properties are what every node has. The planner sets them; nobody changes them afterwards.
type Properties struct {
	// Columns are the variables that the node's rows bind, in order.
	Columns []string
	// Seeds are the variables of the rows that the node is given, in order: it then has only solutions that agree with
	// one of these, each with the number of its row. None: it is run by itself.
	Seeds []string
	// Rows is how many rows are expected, of one seed where there are seeds; Cost is what finding them costs (cost.go).
	Rows, Cost float64
	// Limit is how many of the rows are read at most; 0 means all.
	Limit uint64
	// Weighted: a row may stand for several equal ones, by its weight.
	Weighted bool

	set  scope.Set // of Columns
	note string    // ends the node's text
}

// Props returns the properties themselves.
func (p *Properties) Props() *Properties { return p }

// leaf is a node without inputs.
type leaf struct{ Properties }

func (*leaf) Inputs() []Node { return nil }

// unary is a node with one input.
type unary struct {
	Properties
	Input Node
}

func (u *unary) Inputs() []Node { return []Node{u.Input} }

type (
	// Unit has one solution, which binds nothing.
	Unit struct{ leaf }
	// Empty has no solution; Reason says why.
	Empty struct {
		leaf
		Reason string
	}
	// Seed has the rows that it is seeded with.
	Seed struct{ leaf }
	// Match is the vertex join of a basic graph pattern.
	Match struct {
		leaf
		Plan  *bgp.MatchPlan
		Graph *pcsr.Graph
		// Tests are conditions of which the values were not all tested when the match was planned: what passes them are the
		// candidates of their variable.
		Tests []Test
		text  matchText
	}
	// Product combines the rows of the parts of a basic graph pattern that have no variable in common. Whole matches it
	// in one, for when the parts do not fit into memory.
	Product struct {
		Properties
		Whole *Match
		Parts []Node // the one with the most rows first
	}
	// Path walks a property path.
	Path struct {
		leaf
		Graph           *pcsr.Graph
		Kind            PathKind
		Subject, Object PathEnd
		// Step is what Kind repeats.
		Step parser.Path
		text string
	}
	// Values is an inline table.
	Values struct {
		leaf
		Table *parser.Values
	}
	// Service asks another endpoint.
	Service struct {
		leaf
		Pattern *parser.Service
		// Asked are the variables that it is asked for.
		Asked []string
		// Name is the seed that names the endpoint, -1 for a constant.
		Name int
		// Table: it is a table of the engine's own, made once.
		Table bool
	}
	// EachGraph matches its pattern in each named graph and binds Variable to the graph's name.
	EachGraph struct {
		Properties
		Variable string
		// Name is the seed that names the graph, -1 without; Seeded are the seeds of the pattern.
		Name   int
		Seeded []int
		// Graphs are the graphs' names.
		Graphs []dictionary.ID
		// Search is how the pattern is searched for in graphs that are lists, of Lists; nil: as in all others.
		Search *ListSearch
		Lists  Lister
		plans  map[dictionary.ID]*Subplan // those that somebody has asked for
		plan   func(name dictionary.ID) (*Subplan, error)
		// names: the pattern itself binds Variable, so that not all of its rows are the graph's.
		names bool
	}
	// Join pairs the solutions of Left with those of a pattern on the right that agree with them.
	Join struct {
		Properties
		Kind JoinKind
		Left Node
		// Seeded matches the pattern for the rows of Left, Hashed by itself into a table; one of them may be nil.
		Seeded *Seeded
		Hashed *Hashed
		// Merged are the columns of a pair: Columns, and then what Condition also reads. Condition may be nil.
		Merged    []string
		Condition *Expression
		text      string
	}
	// Looked is a join of a match with a pattern of which the rows are only asked whether there are some, or how many: a matcher may look the match's rows up in a table
	// of the others. Otherwise is the join.
	Looked struct {
		Properties
		Probe *Match
		Table Node
		// Key are the variables of Table, one or two.
		Key       []string
		Otherwise Node
		// Counts: the table's rows have their number as weights, and are no solutions of the join's side, so that only a matcher can make it.
		Counts bool
		// weighs: the matcher says by weights how often a row comes, so that somebody must read them (Weighted).
		weighs bool
	}
	// Filter keeps the solutions for which all conditions are true.
	Filter struct {
		unary
		Conditions []*Expression
		// Volatile: a condition may differ between equal rows.
		Volatile bool
		// Sifted: the match below may say that its rows pass all conditions (bgp.MatchPlan.Where).
		Sifted bool
	}
	// Bind computes a variable.
	Bind struct {
		unary
		Variable string
		Value    *Expression
		// Volatile: the value may differ between equal rows.
		Volatile bool
	}
	// Number adds a column that numbers the solutions.
	Number struct{ unary }
	// Union has the solutions of all branches.
	Union struct {
		Properties
		Branches []Node
	}
	// Group groups solutions and computes aggregates.
	Group struct {
		unary
		Keys       []*Expression
		Aggregates []Aggregate
		// Exposed are the variables of the keys and then of the aggregates.
		Exposed []string
		text    string
	}
	// Count is the number of solutions of a match, or a sum of such numbers, in each of the columns of one row.
	Count struct {
		Properties
		Terms []CountTerm
	}
	// Degrees counts the triples of each subject or object of a predicate, or of each predicate, by the lengths of the
	// graph's lists.
	Degrees struct {
		leaf
		Graph *pcsr.Graph
		// Partition is nil where labels are counted.
		Partition *pcsr.Partition
		// Counted says which columns are counts; the others are the key.
		Counted []bool
		text    string
	}
	// Sort sorts; with a Limit it keeps only the first rows.
	Sort struct {
		unary
		Keys []SortKey
		text string
	}
	// Ends leaves out rows by whose value of a variable the least and the greatest one cannot change.
	Ends struct {
		unary
		Variable        string
		Least, Greatest bool
	}
	// Project picks columns.
	Project struct{ unary }
	// Slice skips Offset solutions and keeps at most Most of the next; Most < 0 means all.
	Slice struct {
		unary
		Offset, Most int64
	}
	// Distinct drops repeated solutions.
	Distinct struct {
		unary
		// Sorted: the rows come in an order to be kept.
		Sorted bool
		// Keys are the columns as keys of groups, where the match below may hand on groups in place of rows (bgp.MatchPlan.Fold); else nil.
		Keys []*Expression
	}
	// Construct makes triples of solutions.
	Construct struct {
		unary
		Template []parser.TriplePattern
	}
	// Describe makes the descriptions of resources: constants, and the values of variables.
	Describe struct {
		unary
		What  []parser.PatternTerm
		Graph *pcsr.Graph
	}
	// Given seeds its input with the values that some parameters have, before its own seeds.
	Given struct {
		unary
		Parameters []string
	}
	// Recall adds the values that some parameters have as columns.
	Recall struct {
		unary
		Parameters []string
	}
	// Apply has each row that it is seeded with for which its input has a solution, while the parameters have the row's
	// values.
	Apply struct {
		unary
		Parameters []string
	}
)

// JoinKind says what a join does with the pairs of solutions that agree.
type JoinKind uint8

const (
	// Inner keeps them.
	Inner JoinKind = iota
	// Left also keeps the left solutions without a partner (OPTIONAL).
	Left
	// Minus keeps only those (MINUS).
	Minus
)

func (k JoinKind) String() string { return [...]string{"join", "left join", "minus"}[k] }

// Seeded is a pattern that is matched for given rows, in a variant for each combination of bound variables.
type Seeded struct {
	// Variables are passed to the pattern where a row binds them.
	Variables []string
	// Fixed: every row binds every variable.
	Fixed bool
	// Shared: several goroutines may match the pattern at the same time, each with operators of its own.
	Shared bool
	// variants are by the variables that are bound, a bit each.
	variants map[uint64]*Subplan
	plan     func(bound []string) (Node, error)
	planner  *planner
}

// Variant is the pattern for rows that bind the variables marked in a mask: its seeds are these variables.
func (s *Seeded) Variant(mask uint64) *Subplan {
	v, ok := s.variants[mask]
	if !ok {
		v = &Subplan{make: func() (Node, error) { return s.plan(s.bound(mask)) }, on: s.planner}
		s.variants[mask] = v
	}
	return v
}

func (s *Seeded) bound(mask uint64) (list []string) {
	for i, v := range s.Variables {
		if mask>>i&1 == 1 {
			list = append(list, v)
		}
	}
	return list
}

// All is the mask of rows that bind every variable.
func (s *Seeded) All() uint64 { return 1<<uint(len(s.Variables)) - 1 }

// Hashed is a pattern that is matched by itself into a table.
type Hashed struct {
	// Shared are the variables that both sides have, and Key the places in Shared of those that every row binds.
	Shared []string
	Key    []int
	Plan   *Subplan
	// First: the table is made before there are left rows, as many are expected (Tuning.ManyLeft).
	First bool
	// Varies: the pattern reads parameters, so that a table holds only while these have the same values.
	Varies bool
}

// Subplan is a plan that is made when it is first asked for, if it was not before.
type Subplan struct {
	node Node
	err  error
	make func() (Node, error)
	on   *planner
}

// Node returns the plan, made under a context where it is not made yet.
func (s *Subplan) Node(ctx context.Context) (Node, error) {
	if s.make != nil {
		s.on.ctx = ctx
		s.node, s.err = s.make()
		s.make = nil
	}
	return s.node, s.err
}

// Made returns the plan; nil while it was not asked for.
func (s *Subplan) Made() Node { return s.node }

// subplan is a plan that is made at once, or else when somebody asks for it.
func (p *planner) subplan(atOnce bool, make func() (Node, error)) (*Subplan, error) {
	if atOnce {
		node, err := make()
		return &Subplan{node: node}, err
	}
	p.later = true
	return &Subplan{make: make, on: p}, nil
}

// CountTerm is a match whose solutions count so many times, which may be negative.
type CountTerm struct {
	Times int
	Match *Match
}

// Inputs are the matches.
func (c *Count) Inputs() (out []Node) {
	for _, t := range c.Terms {
		out = append(out, t.Match)
	}
	return out
}

// Aggregate is an aggregate of a group.
type Aggregate struct {
	parser.Aggregation
	// Argument is nil for COUNT(*).
	Argument *Expression
	// Identity is that of the IDs of its results that are computed.
	Identity dictionary.Identity
}

// SortKey is a condition of ORDER BY.
type SortKey struct {
	*Expression
	Descending bool
}

// PathKind says how often a path's step is walked.
type PathKind uint8

const (
	Once       PathKind = iota // P; each walk counts
	ZeroOrOne                  // P?
	ZeroOrMore                 // P*
	OneOrMore                  // P+
)

// PathEnd is an end of a path: a constant, a seed or a free variable.
type PathEnd struct {
	Variable string
	Term     rdf.Term
	// Seed is the place of the variable among the seeds, -1 where it is none.
	Seed int
	// Given: the seed stands for a term of the query, from which a path of length zero leads even where the graph does
	// not have it.
	Given bool
}

// Free reports whether the path binds the end.
func (e PathEnd) Free() bool { return e.Variable != "" && e.Seed < 0 }

// Test is a condition on a variable of a match, as far as it was tested.
type Test struct {
	Variable string
	Values   *TestedValues
}

func (p *Product) Inputs() []Node { return p.Parts }
func (u *Union) Inputs() []Node   { return u.Branches }

// Inputs are the plan of the first graph.
func (g *EachGraph) Inputs() []Node {
	if len(g.Graphs) > 0 && g.plans[g.Graphs[0]].Made() != nil {
		return []Node{g.plans[g.Graphs[0]].Made()}
	}
	return nil
}

// Inputs are both sides; the right one as it is matched for rows that bind everything, or else by itself.
func (j *Join) Inputs() []Node {
	if j.Seeded != nil {
		return []Node{j.Left, j.Seeded.Variant(j.Seeded.All()).Made()}
	}
	return []Node{j.Left, j.Hashed.Plan.Made()}
}

// Inputs are the match, the table, and the join that is run otherwise.
func (l *Looked) Inputs() []Node { return []Node{l.Probe, l.Table, l.Otherwise} }

// Runs reports whether a matcher may look the rows up.
func (l *Looked) Runs() bool { return !l.weighs || l.Weighted }

// Inputs are the filtered solutions and the patterns of EXISTS.
func (f *Filter) Inputs() []Node {
	out := []Node{f.Input}
	for _, c := range f.Conditions {
		for _, x := range c.Exists {
			out = append(out, x)
		}
	}
	return out
}

// Planned lists the masks of the variants that are planned.
func (s *Seeded) Planned() []uint64 { return slices.Sorted(maps.Keys(s.variants)) }
