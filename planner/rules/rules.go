package rules

import (
	"context"
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// Rule rewrites one operator of which the operands have been rewritten.
type Rule struct {
	// Name is also that of the rule's file, and of its test's.
	Name string
	// at reports whether an operator is one that the rule may rewrite.
	at func(n parser.Node) bool
	// apply returns what to put in place of an operator, itself where the rule has nothing to say.
	apply func(r *Rewriter, n parser.Node) parser.Node
	// homomorphism: the rule holds only where the patterns of a basic graph pattern may be told apart and put together.
	homomorphism bool
	// always: no operator can run what the rule would leave.
	always bool
	// trees: the rule rewrites all operands of a tree of joins at once.
	trees bool
}

// List is the rules in the order in which they go over a query:
//
//   - exists first, so that every condition that moves later carries its pattern as it will be run;
//   - paths make joins and unions, and leave to repetitions what is walked;
//   - units drop operands of joins, joins then sees all patterns that belong together;
//   - different makes a DISTINCT, before those that look at it;
//   - optionals and distinct make filters and projections that filters can push on;
//   - filters after whatever changes the operators that it pushes through;
//   - values makes filters that stand where they are to stand;
//   - components undoes what joins put together for nothing, once no filter wants it whole;
//   - aggregates takes what is computed for them alone, where nothing between moves it;
//   - ordering does so for what is sorted by, after distinct, which moves the sort;
//   - counts last: which variables are bound is then known best.
func List() []Rule { return slices.Clone(inOrder) }

var inOrder = []Rule{exists, paths, repetitions, units, joins, optionals, different, distinct, filters, values, components, aggregates, ordering, counts}

// Rewriter applies the rules to the patterns of one query. It is not safe for concurrent use.
type Rewriter struct {
	Scopes *scope.Scopes
	// homomorphism: basic graph patterns have SPARQL's own semantics.
	homomorphism bool
	// off names rules that are left out.
	off  []string
	list []Rule
	ctx  context.Context
	// invented counts the variables made for paths, and for what is told apart.
	invented int
}

// New returns a rewriter of patterns in some scopes, which stays as they are once ctx has ended; homomorphism says that basic graph patterns have SPARQL's own
// semantics. Rules named in off are left out where queries can do without them; "all" leaves out all of these.
func New(ctx context.Context, s *scope.Scopes, homomorphism bool, off ...string) *Rewriter {
	return &Rewriter{ctx: ctx, Scopes: s, homomorphism: homomorphism, off: off, list: inOrder}
}

// Rewrite returns an equivalent pattern.
func (r *Rewriter) Rewrite(n parser.Node) parser.Node {
	wanted := wantedBy(r.list, n)
	for i := range r.list {
		rule := &r.list[i]
		if wanted>>i&1 == 0 || r.leavesOut(rule) || r.ctx.Err() != nil && !rule.always {
			continue
		}
		if out := r.everywhere(rule, n); out != n {
			n, wanted = out, wantedBy(r.list, out)
		}
	}
	return n
}

// leavesOut reports whether a rule does not hold here or is not wanted.
func (r *Rewriter) leavesOut(rule *Rule) bool {
	if rule.always {
		return false
	}
	return rule.homomorphism && !r.homomorphism || slices.Contains(r.off, rule.Name) || slices.Contains(r.off, "all")
}

// wantedBy marks the rules that may rewrite an operator of a pattern.
func wantedBy(list []Rule, n parser.Node) (wanted uint) {
	for i := range list {
		if list[i].at(n) {
			wanted |= 1 << i
		}
	}
	for _, c := range parser.Children(n) {
		wanted |= wantedBy(list, c)
	}
	return wanted
}

// everywhere applies one rule to all operators of a pattern, operands first. What is sent to another endpoint stays.
func (r *Rewriter) everywhere(rule *Rule, n parser.Node) parser.Node {
	if _, remote := n.(*parser.Service); remote {
		return n
	}
	if rule.trees && is[*parser.Join](n) {
		return rule.apply(r, r.tree(rule, n))
	}
	n = parser.Map(n, func(c parser.Node) parser.Node { return r.everywhere(rule, c) })
	if rule.at(n) {
		return rule.apply(r, n)
	}
	return n
}

// tree applies a rule to the operands of a tree of joins.
func (r *Rewriter) tree(rule *Rule, n parser.Node) parser.Node {
	parts, changed := Members(nil, n), false
	for i, p := range parts {
		parts[i] = r.everywhere(rule, p)
		changed = changed || parts[i] != p
	}
	if !changed {
		return n
	}
	return joined(parts)
}

// is tells operators of one type.
func is[T parser.Node](n parser.Node) bool {
	_, ok := n.(T)
	return ok
}
