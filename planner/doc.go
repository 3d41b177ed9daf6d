// Package planner turns a query's algebra into a physical plan: data that says what is run, and that anybody can read.
//
// Nouns: [Plan], [Node] (an operator of a plan, such as [Join]) with its [Properties] (what it binds, what it is seeded
// with, how many rows it is expected to have and what they cost, and how many are read), [Expression], [Subplan],
// [Catalog] (the graphs that a plan is made for).
//
// [Make] plans in two passes: planner/rules rewrite the algebra, then one lowering turns each pattern into the node that
// is expected to cost least, asking planner/bgp for the vertex order of each basic graph pattern. A pattern is planned
// once for what is asked of it, however often others want to know its price. Whoever reads rows tells the nodes below
// how many (LIMIT, ASK) and whether equal ones may come as one with a weight (COUNT), before anything runs. exec/build.go
// makes an operator of each node; it decides nothing.
//
// # Counting without rows
//
// Where nobody reads what a pattern binds, it is not made into rows:
//
//   - Inequalities that terms decide are conditions of a step (unequal.go); comparisons with constants, languages, texts, years and kinds of terms are
//     ranges of IDs in it (pushrange.go, pushkind.go).
//   - OPTIONAL, EXISTS, NOT EXISTS and MINUS that hang on one basic graph pattern, and what hangs on them in turn, are
//     branches of its match (branch.go, bgp.Branch): each makes a factor max(1, n), n > 0 or n = 0 of the number n of its
//     solutions for a partial match. They are left to joins where somebody reads what they bind, where their variables are
//     bound in no fixed order, and where a table costs less. Of a union in NOT EXISTS or MINUS each branch is one.
//   - NOT EXISTS and MINUS of one edge between what two slots bind are an edge that must not be there for a matcher that can test it as soon as
//     both are bound (bgp.MatchPlan.Denying; the processor's can). Inequalities that follow from it are dropped.
//   - UNION is counted by its branches, grouped or not. A union, or a VALUES of several variables, or a path of no step or one along an edge, that is
//     joined with patterns is distributed over them, so that each branch, row or case is a pattern of its own, where that costs less than
//     the join (distribution.go, rules.Distributed), under homomorphism; where rows are wanted, too.
//   - COUNT of a basic graph pattern with inequalities, or with NOT EXISTS over its own variables, is a difference of counts
//     of patterns without them where that costs less, under homomorphism (difference.go).
//   - COUNT, SUM and AVG read equal rows as one with a weight (asked.go).
//   - What of such a pattern hangs on one slot, branches too, becomes weights where that costs less (bgp.MatchPlan.Weigh): one number for
//     each vertex that may stand there, made from the leaves up and read once for each row of what is left, which is those that are read
//     and the cycles; of a tree nothing is left.
//   - FILTER(?a = ?b), where that is sameTerm, is a pattern with one variable for both (equal.go).
//
// Steps that are enumerated end where the plan says counted; explain shows both. The GPU weighs by branches of
// conditions, counted lists, what a few lists have in common, and weights; others are for the processor (Options.ShallowBranches leaves out all but those of
// conditions and lists).
//
// The package never runs a plan and knows no operator. A plan that is complete ([Plan.Complete]) is for any number of runs, also at the
// same time; another one is for one run.
//
// # What is planned on demand
//
// Three things are planned when a query first needs them, by [Subplan], under the query's context, for planning them
// all beforehand would cost more than it saves: the pattern of GRAPH ?g in all graphs but the first, whose statistics
// differ (and not for those that are searched as lists, [ListSearch]); the right side of a join as a table, where so few rows are expected on the left that it will not be wanted; and,
// for a pattern that reads many variables which OPTIONALs or UNIONs may leave unbound, the combinations of bound ones
// beyond the first eight. A plan that many runs are to have ([Options.Lasting]) has the first two at once, of up to eight graphs.
package planner
