package planner

// Each goroutine may have an inline table of ownRows, and a join's table of ownTable rows, for itself.
const (
	ownRows  = 1 << 10
	ownTable = 1 << 17
)

// shares reports whether several goroutines may run a plan at the same time, each with operators of its own: it makes no large table that serves all its
// runs, makes no blank nodes, and asks nobody else.
func shares(n Node) bool {
	switch n := n.(type) {
	case *Unit, *Empty, *Seed, *Path, *Degrees, *Count:
		return true
	case *Match:
		return len(n.Tests) == 0
	case *Values:
		return len(n.Table.Rows) <= ownRows
	case *Union, *Project, *Slice, *Distinct, *Ends, *Given, *Recall, *Apply:
	case *Sort:
		for _, k := range n.Keys {
			if !shareAll(k.Expression) {
				return false
			}
		}
	case *Filter:
		if !shareAll(n.Conditions...) {
			return false
		}
	case *Bind:
		if !shareAll(n.Value) {
			return false
		}
	case *Group:
		if !shareAll(n.Keys...) {
			return false
		}
		for _, a := range n.Aggregates {
			if a.Argument != nil && !shareAll(a.Argument) {
				return false
			}
		}
	case *Join:
		if n.Condition != nil && !shareAll(n.Condition) || n.Seeded == nil && n.Hashed.Plan.Made() != nil && n.Hashed.Plan.Made().Props().Rows > ownTable {
			return false
		}
	default:
		return false
	}
	for _, in := range n.Inputs() {
		if _, exists := in.(*Existence); !exists && (in == nil || !shares(in)) {
			return false
		}
	}
	return true
}

// shareAll reports whether several goroutines may compute some expressions at the same time.
func shareAll(list ...*Expression) bool {
	for _, e := range list {
		if len(e.Blanks) > 0 {
			return false
		}
		for _, x := range e.Exists {
			if !x.Pattern.Shared {
				return false
			}
		}
	}
	return true
}
