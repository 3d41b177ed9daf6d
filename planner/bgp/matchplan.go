package bgp

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// MatchPlan is the vertex join of one basic graph pattern: a table of partial matches with one column per slot,
// which every step extends by one slot. Slots are numbered in the order they are bound: first the Inputs slots that
// the caller seeds (columns of another operator's solutions), then one slot per step.
type MatchPlan struct {
	// Query is what was planned; nil where the plan was made of another (Relabel).
	Query *QueryGraph
	// Slots names what each slot binds, in binding order; len(Slots) == Inputs + len(Steps).
	Slots []Slot
	// Inputs is how many leading slots the caller binds. 0: the join begins with one empty partial match.
	Inputs int
	Steps  []Step
	// Branches hang on slots; their steps stand behind the plan's own.
	Branches []Branch
	// InputChecks are edges whose variables are all seeded: they hold before the first step (or must not be there).
	InputChecks []EdgeCheck
	// InputClasses are vertex labels that seeded slots must have.
	InputClasses []ClassCheck
	// InputDistinct are pairs that isomorphism or an inequality wants different, each a seeded slot or a constant.
	InputDistinct [][2]Operand
	// InputEdgeDistinct are pairs of edges that edge-isomorphism wants different, all ends bound by the seed.
	InputEdgeDistinct [][2]EdgeCheck
	// Unequal: steps have inequalities that are the query's, not those of its semantics.
	Unequal bool
	// Order lists pairs of slots, the first of which is to have the smaller number: with two also those that follow from them. The rows of an input are in it:
	// the caller leaves out others. Solutions are then not counted otherwise than step by step.
	Order [][2]int
	// Output lists the slots that somebody reads, in the order of the columns of the batches a matcher emits.
	Output []int
	// Once: the caller drops repeated rows, so a matcher may emit a row once however many candidates its Counted steps
	// have; it may also repeat it.
	Once bool
	// Combine: the caller needs equal rows only once (Once), or with a weight (match.Match.Weighted), and there may be many: a matcher that can
	// make them one before it hands them on should.
	Combine bool
	// Tally, with Combine and Once, is one more than the column of two in Output of which the caller needs each value only once, with the
	// number of different rows that have it; 0: of none. A matcher that has found all rows may hand on these numbers (vector.Batch.Tally).
	Tally int
	// Whole, with Combine: the caller takes different rows as they come (vector.Batch.Distinct), without grouping them once more.
	Whole bool
	// Lists: the caller takes a list of what each of so many of the plan's last leaves binds (Leaves, vector.Batch.Lists), with weights (match.Match.Weighted). A matcher may
	// ignore it.
	Lists int
	// Fold, where it is not nil, is what the caller needs of the rows in place of them. A matcher that can find it, because all values are exact numbers, may
	// hand that on (vector.Batch.Folds).
	Fold *Fold
	// Top, where it is not nil, says of which rows the caller needs the first; a matcher may leave out others.
	Top *Top
	// Ahead, where it is not nil, says that the plan begins with values that the caller needs in their order; a matcher may end when it has them.
	Ahead *Ahead
	// Part is the part of the plan's cost that is expected to be spent until the caller has some rows, where these are enough; 0 where it needs all.
	Part float64
	// Where are conditions on the rows' numbers, all of which the caller tests (again): a matcher may leave out rows that fail one, and say that the others pass all
	// (vector.Batch.Passed).
	Where []*Formula
	// Lookups are tables that the rows are looked up in, which come with the match (match.Match.Tables). A matcher without tables cannot run the plan.
	Lookups []TableLookup
	// Empty: no solution can exist (a term or a ground triple is not in the graph); Steps may be nil then.
	Empty bool
	// Reason says why Empty, for explain.
	Reason string
	// Cost is the sum of the steps' estimated candidates; backends are chosen by it.
	Cost float64

	kept *kept // nil where the plan is not for many runs
}

// Slot is one column of the table of partial matches.
type Slot struct {
	// Variable is the query variable's name.
	Variable string
	// Vertex indexes QueryGraph.Vertices.
	Vertex int
}

// Operand is a bound slot, or a constant when Slot < 0.
type Operand struct {
	Slot     int
	Constant dictionary.ID
}

// IsConstant reports whether the operand is a constant.
func (o Operand) IsConstant() bool { return o.Slot < 0 }

// Bound returns the operand that reads a slot.
func Bound(slot int) Operand { return Operand{Slot: slot} }

// Const returns the operand with a fixed value.
func Const(id dictionary.ID) Operand { return Operand{Slot: -1, Constant: id} }

// LinkKind says which sorted list of data vertices a Link names.
type LinkKind uint8

const (
	// Neighbours is N(From, Label, Dir): the linking edge of the papers.
	Neighbours LinkKind = iota
	// Rows is every vertex with at least one Label edge in direction Dir (the row vertices of the partition).
	Rows
	// EdgeLabels is every label of an edge of From in direction Dir.
	EdgeLabels
	// AllEdgeLabels is every edge label of the graph.
	AllEdgeLabels
	// AllVertices is every vertex with an edge in direction Dir.
	AllVertices
)

// Link is a list that the candidates of a step must lie in. Lists are sorted and without repeats.
type Link struct {
	Kind  LinkKind
	From  Operand // Neighbours, EdgeLabels
	Label Operand // Neighbours, Rows
	Dir   pcsr.Direction
	// Edge indexes QueryGraph.Edges, for explain; -1 when the link is implied by no single edge.
	Edge int
}

// Step binds slot Inputs+k, k its index in MatchPlan.Steps: for each partial match, the candidates are the members
// of all Links (at least one) that pass every other condition.
type Step struct {
	Links []Link
	// Classes are the vertex labels the candidate must have: it is in N(class, rdf:type, In).
	// A step may name its only list here and have no Links.
	Classes []dictionary.ID
	// Checks are edges fully bound once the candidate is: self-loops, edges whose label the candidate is, and those that must not be there
	// (EdgeCheck.Absent).
	Checks []EdgeCheck
	// Low, High bound the candidate: Low ≤ id < High. High 0 means no bound.
	Low, High dictionary.ID
	// Candidates, when not nil, is the sorted set that the candidate must lie in (VALUES, IN, pushed-down filters).
	Candidates []dictionary.ID
	// Distinct are the operands the candidate must differ from (isomorphism, inequalities).
	Distinct []Operand
	// Overlaps: two of Distinct may have the same value.
	Overlaps bool
	// EdgeDistinct are pairs of edges, fully bound once the candidate is, that must not be the same triple.
	EdgeDistinct [][2]EdgeCheck
	// Signature filters candidates through pcsr.SignatureTable; the zero value filters nothing.
	Signature pcsr.Signature
	// Counted: the slot is in no Output and no later step reads it, and all later steps are Counted too, so a
	// matcher may multiply by the number of candidates instead of writing rows.
	Counted bool
	// Weighed: what the step counts, with all that hangs on what it binds, depends on the one slot that it reads, or on none: a matcher
	// may compute that once for each vertex that may stand there, instead of for each partial match. All that hangs on the step is
	// Weighed too.
	Weighed bool
	// Branch is the branch that the step belongs to: Branches[Branch-1]; 0 is the plan itself.
	Branch int
	// Component numbers the connected part of the query graph the slot belongs to; a step without a Link or Check
	// that reads an earlier slot begins a new component (a cartesian product).
	Component int
	// EstimatedRows and EstimatedCandidates are the planner's estimates for the whole step.
	EstimatedRows, EstimatedCandidates float64

	// list and fan are how many candidates are read for one partial match, and how many of them pass.
	list, fan float64
}

// EdgeCheck is a triple that must be in the graph (or one side of an EdgeDistinct pair).
type EdgeCheck struct {
	From, Label, To Operand
	// Absent: the triple must not be in the graph (induced matching, and MatchPlan.Denying).
	Absent bool
}

// ClassCheck is a vertex label that an operand must have.
type ClassCheck struct {
	Of    Operand
	Class dictionary.ID
}
