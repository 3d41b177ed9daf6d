package parser

import "github.com/rdfgpu/rdfgpu/internal/rdf"

// Form is the query form.
type Form uint8

const (
	Select Form = iota
	Ask
	Construct
	Describe
)

// Query is a translated query (SPARQL 1.1 Query, section 18.2).
type Query struct {
	Form Form
	// Base is the base IRI in force at the end of the prologue; Prefixes maps the declared prefixes.
	Base     string
	Prefixes map[string]string
	// Variables are the names that a SELECT exposes, in order (SELECT * resolved).
	Variables []string
	// Where is the algebra of the pattern and the solution modifiers, up to Slice.
	Where Node
	// From and FromNamed are the dataset clause.
	From, FromNamed []string
	// Template is CONSTRUCT's; blank nodes in it are Node terms of kind BlankNode.
	Template []TriplePattern
	// Describe lists DESCRIBE's IRIs and variables (DESCRIBE * resolved).
	Describe []PatternTerm
}

// PatternTerm is a variable or a term in a pattern. Blank nodes of a query are variables whose names begin with
// BlankPrefix, except in a CONSTRUCT template.
type PatternTerm struct {
	// Variable is the name without "?"; "" means that Term holds a constant.
	Variable string
	Term     rdf.Term
}

// BlankPrefix begins the variable name of a blank node (or of a variable that the translation invented): no SPARQL
// variable can be called so, and none of them is ever visible in results.
const BlankPrefix = "_:"

// IsVariable reports whether p is a variable or blank node.
func (p PatternTerm) IsVariable() bool { return p.Variable != "" }

// TriplePattern is one triple pattern.
type TriplePattern struct {
	Subject, Predicate, Object PatternTerm
}

// Node is an operator of the algebra. The set of implementations is closed: those in this file.
type Node interface{ algebra() }

type (
	// BGP is a basic graph pattern; without patterns it is the join identity Z (one empty solution).
	BGP struct{ Patterns []TriplePattern }
	// PathPattern is a property path pattern that the translation could not reduce to triple patterns.
	PathPattern struct {
		Subject PatternTerm
		Path    Path
		Object  PatternTerm
	}
	// Join is Join(Left, Right).
	Join struct{ Left, Right Node }
	// LeftJoin is LeftJoin(Left, Right, Condition); a nil Condition is true.
	LeftJoin struct {
		Left, Right Node
		Condition   Expr
	}
	// Filter keeps the solutions whose Condition has the effective boolean value true.
	Filter struct {
		Condition Expr
		Input     Node
	}
	// Union is Union(Left, Right).
	Union struct{ Left, Right Node }
	// Minus is Minus(Left, Right).
	Minus struct{ Left, Right Node }
	// Graph evaluates Input over the named graph Name, or over each of them in turn when Name is a variable.
	Graph struct {
		Name  PatternTerm
		Input Node
	}
	// Extend binds Variable to the value of Expr; an error leaves it unbound.
	Extend struct {
		Input    Node
		Variable string
		Expr     Expr
	}
	// Values is an inline table; a zero PatternTerm's zero Term is UNDEF.
	Values struct {
		Variables []string
		Rows      [][]rdf.Term
	}
	// Service is a federated pattern. Text is its group graph pattern as SPARQL, prefixes expanded.
	Service struct {
		Name   PatternTerm
		Input  Node
		Text   string
		Silent bool
	}
	// Group groups by Keys (none: one group) and computes Aggregates. It exposes the keys' variables and the
	// aggregates' variables, nothing else.
	Group struct {
		Input      Node
		Keys       []GroupKey
		Aggregates []Aggregation
	}
	// OrderBy sorts.
	OrderBy struct {
		Input Node
		Keys  []OrderKey
	}
	// Project keeps Variables, in order.
	Project struct {
		Input     Node
		Variables []string
	}
	// Distinct removes repeated solutions.
	Distinct struct{ Input Node }
	// Reduced may remove repeated solutions.
	Reduced struct{ Input Node }
	// Slice skips Offset solutions and keeps at most Limit; Limit < 0 means all.
	Slice struct {
		Input         Node
		Offset, Limit int64
	}
)

func (*BGP) algebra()         {}
func (*PathPattern) algebra() {}
func (*Join) algebra()        {}
func (*LeftJoin) algebra()    {}
func (*Filter) algebra()      {}
func (*Union) algebra()       {}
func (*Minus) algebra()       {}
func (*Graph) algebra()       {}
func (*Extend) algebra()      {}
func (*Values) algebra()      {}
func (*Service) algebra()     {}
func (*Group) algebra()       {}
func (*OrderBy) algebra()     {}
func (*Project) algebra()     {}
func (*Distinct) algebra()    {}
func (*Reduced) algebra()     {}
func (*Slice) algebra()       {}

// GroupKey is one key of GROUP BY: Expr, exposed as Variable (an invented name when the query gives none).
type GroupKey struct {
	Variable string
	Expr     Expr
}

// Aggregation is one aggregate of a Group, exposed as Variable (an invented name; expressions above refer to it).
type Aggregation struct {
	Variable string
	// Function is COUNT, SUM, MIN, MAX, AVG, SAMPLE or GROUP_CONCAT.
	Function string
	Distinct bool
	// Argument is nil for COUNT(*).
	Argument Expr
	// Separator is GROUP_CONCAT's, " " by default.
	Separator string
}

// OrderKey is one condition of ORDER BY.
type OrderKey struct {
	Expr       Expr
	Descending bool
}

// Path is a property path (section 9.1). The set of implementations is closed.
type Path interface{ path() }

type (
	// PathIRI is a predicate.
	PathIRI struct{ IRI string }
	// PathInverse is ^Path.
	PathInverse struct{ Path Path }
	// PathSequence is Left/Right.
	PathSequence struct{ Left, Right Path }
	// PathAlternative is Left|Right.
	PathAlternative struct{ Left, Right Path }
	// PathZeroOrMore is Path*.
	PathZeroOrMore struct{ Path Path }
	// PathOneOrMore is Path+.
	PathOneOrMore struct{ Path Path }
	// PathZeroOrOne is Path?.
	PathZeroOrOne struct{ Path Path }
	// PathNegated is !(Forward|^Inverse…), lists of predicate IRIs.
	PathNegated struct {
		Forward, Inverse []string
		// HasForward and HasInverse say which directions are walked (an empty list may still be walked).
		HasForward, HasInverse bool
	}
)

func (*PathIRI) path()         {}
func (*PathInverse) path()     {}
func (*PathSequence) path()    {}
func (*PathAlternative) path() {}
func (*PathZeroOrMore) path()  {}
func (*PathOneOrMore) path()   {}
func (*PathZeroOrOne) path()   {}
func (*PathNegated) path()     {}

// Expr is an expression (section 17). The set of implementations is closed.
type Expr interface{ expr() }

type (
	// Var reads a variable.
	Var struct{ Name string }
	// Const is a term.
	Const struct{ Term rdf.Term }
	// Call applies an operator or function. Function is one of "||" "&&" "!" "=" "!=" "<" ">" "<=" ">=" "+" "-"
	// "*" "/" "unary-" "unary+" "IN" "NOT IN" (first argument: the value), or a builtin's upper-case name ("STR",
	// "REGEX", "BOUND", "IF", "COALESCE", …).
	Call struct {
		Function string
		Args     []Expr
	}
	// FunctionCall applies a function named by an IRI (casts among them).
	FunctionCall struct {
		IRI      string
		Distinct bool
		Args     []Expr
	}
	// Exists is EXISTS or, with Not, NOT EXISTS.
	Exists struct {
		Pattern Node
		Not     bool
	}
)

func (*Var) expr()          {}
func (*Const) expr()        {}
func (*Call) expr()         {}
func (*FunctionCall) expr() {}
func (*Exists) expr()       {}
