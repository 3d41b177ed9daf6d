package planner

import "slices"

// limited tells a node how many of its rows are read at most, and returns the node to be used for that: a basic graph
// pattern of which only some rows are wanted is matched as a whole, whatever its parts.
func limited(n Node, rows uint64) Node {
	switch n := n.(type) {
	case *Match:
		n.Limit = rows
	case *Path:
		n.Limit = rows
	case *EachGraph:
		n.Limit = rows
		for _, s := range n.plans {
			n.limit(s)
		}
	case *Sort:
		n.Limit = rows
		first(n)
	case *Product:
		return limited(n.Whole, rows)
	case *Looked: // the table would have to be whole before the first row is found
		return limited(n.Otherwise, rows)
	case *Project:
		n.Input = limited(n.Input, rows)
	case *Bind:
		n.Input = limited(n.Input, rows)
	case *Distinct:
		if !n.Sorted { // the first rows are wanted as soon as they are there
			combined(n.Input, false)
			unfolded(n.Input)
		}
	case *Union:
		for i, b := range n.Branches {
			n.Branches[i] = limited(b, rows)
		}
	}
	return n
}

// weighed lets equal rows of a node come as one with a weight, and returns the node to be used for that; false where
// nothing comes of it.
func weighed(n Node) (out Node, ok bool) {
	switch n := n.(type) {
	case *Match:
		steps := n.Plan.Steps
		n.Weighted = len(n.Plan.Branches) > 0 || len(steps) > 0 && steps[len(steps)-1].Counted
	case *Looked:
		if _, n.Weighted = weighed(n.Probe); n.weighs {
			n.Weighted = true
		}
	case *EachGraph:
		n.Weighted = n.Search != nil && slices.Contains(n.Search.Counted(n.Columns, n.Variable), true)
	case *Path:
		n.Weighted = n.countsEnds()
	case *Product:
		if whole, ok := weighed(n.Whole); ok {
			return whole, true
		}
	case *Project:
		n.Input, n.Weighted = weighed(n.Input)
	case *Filter:
		if !n.Volatile {
			n.Input, n.Weighted = weighed(n.Input)
		}
	case *Bind:
		if !n.Volatile {
			n.Input, n.Weighted = weighed(n.Input)
		}
	case *Union:
		for i, b := range n.Branches {
			var asked bool
			n.Branches[i], asked = weighed(b)
			n.Weighted = n.Weighted || asked
		}
	}
	return n, n.Props().Weighted
}

// combined lets a match that a node's rows come from make equal ones one before it hands them on, or not: to be used where the node's caller
// needs equal rows only once, or with a weight.
func combined(n Node, may bool) {
	switch n := n.(type) {
	case *Match:
		n.Plan.Combine = may && len(n.Seeds) == 0 && n.Limit == 0 && n.Plan.Repeats()
	case *Project:
		combined(n.Input, may)
	case *Filter:
		combined(n.Input, may && !n.Volatile)
	case *Bind:
		combined(n.Input, may && !n.Volatile)
	}
}
