package expr

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// IDRanges finds the IDs of a dictionary that satisfy a condition on one variable: comparisons with a constant, IN,
// isNumeric, isLiteral, and their combinations by "&&" and "||". The condition is true for an ID below d.Ordered()
// exactly when one of the ranges, which are in order and apart, holds the ID. ok is false when e is no such condition
// (or one whose ranges would be too many). All other IDs, of terms in a tail and of computed ones, must be tested by a
// Program; no range holds any.
func IDRanges(e parser.Expr, d *dictionary.Dictionary) (variable string, ranges []dictionary.Range, ok bool) {
	call, ok := e.(*parser.Call)
	if !ok {
		return "", nil, false
	}
	switch call.Function {
	case "&&", "||":
		return combinedRanges(call, d)
	case "IN":
		return inRanges(call, d)
	case "ISNUMERIC", "ISLITERAL":
		v, isVar := call.Args[0].(*parser.Var)
		if !isVar {
			return "", nil, false
		}
		last := dictionary.Numbers
		if call.Function == "ISLITERAL" {
			last = dictionary.Others
		}
		return v.Name, d.Sections(dictionary.Numbers, last), true
	}
	op, isComparison := operators[call.Function]
	if !isComparison {
		return "", nil, false
	}
	left, right := call.Args[0], call.Args[1]
	if _, isConst := left.(*parser.Const); isConst {
		left, right, op = right, left, mirrored[op]
	}
	v, isVar := left.(*parser.Var)
	k, isConst := right.(*parser.Const)
	if !isVar || !isConst {
		return "", nil, false
	}
	ranges, ok = compareRanges(op, k.Term, d)
	return v.Name, ranges, ok
}

func combinedRanges(call *parser.Call, d *dictionary.Dictionary) (string, []dictionary.Range, bool) {
	v, left, ok := IDRanges(call.Args[0], d)
	if !ok {
		return "", nil, false
	}
	w, right, ok := IDRanges(call.Args[1], d)
	if !ok || v != w {
		return "", nil, false
	}
	if call.Function == "&&" {
		return v, dictionary.Intersect(left, right), true
	}
	return v, merge(append(slices.Clone(left), right...)), true
}

func inRanges(call *parser.Call, d *dictionary.Dictionary) (string, []dictionary.Range, bool) {
	v, ok := call.Args[0].(*parser.Var)
	if !ok {
		return "", nil, false
	}
	var all []dictionary.Range
	for _, item := range call.Args[1:] {
		k, ok := item.(*parser.Const)
		if !ok {
			return "", nil, false
		}
		ranges, ok := compareRanges(opEqual, k.Term, d)
		if !ok {
			return "", nil, false
		}
		all = append(all, ranges...)
	}
	return v.Name, merge(all), true
}

// merge sorts ranges and joins those that touch.
func merge(list []dictionary.Range) []dictionary.Range {
	slices.SortFunc(list, func(a, b dictionary.Range) int { return int(a.From) - int(b.From) })
	out := list[:0]
	for _, r := range list {
		switch n := len(out); {
		case r.From >= r.To:
		case n > 0 && out[n-1].To >= r.From:
			out[n-1].To = max(out[n-1].To, r.To)
		default:
			out = append(out, r)
		}
	}
	return out
}

// comparisons are the operators that the dictionary knows ranges for.
var comparisons = map[operator]dictionary.Comparison{
	opEqual: dictionary.IsEqual, opLess: dictionary.IsLess, opLessEqual: dictionary.IsLessOrEqual,
	opGreater: dictionary.IsGreater, opGreaterEqual: dictionary.IsGreaterOrEqual,
}

// compareRanges finds the IDs x below d.Ordered() with "x op term".
func compareRanges(op operator, t rdf.Term, d *dictionary.Dictionary) ([]dictionary.Range, bool) {
	v := dictionary.ParseValue(t)
	switch {
	case op == opSame || op == opEqual && (v.Kind == dictionary.NoValue || v.Kind == dictionary.String || v.Kind == dictionary.OtherLiteral):
		id, found := d.Lookup(t)
		if !found || id >= d.Ordered() {
			return nil, true
		}
		return []dictionary.Range{{From: id, To: id + 1}}, true
	case op == opNotEqual:
		return notEqualRanges(v, t, d)
	case v.Kind == dictionary.LangString && op == opEqual:
		var ranges []dictionary.Range
		for _, id := range d.Tagged(t.Value, t.Language) {
			ranges = append(ranges, dictionary.Range{From: id, To: id + 1})
		}
		return merge(ranges), true
	case v.Kind == dictionary.NoValue || v.Kind == dictionary.LangString || v.Kind == dictionary.OtherLiteral:
		return nil, true // nothing is less than an IRI
	}
	return d.ValueRange(comparisons[op], t)
}

// notEqualRanges is for IRIs, to which all other terms are unequal.
func notEqualRanges(v dictionary.Value, t rdf.Term, d *dictionary.Dictionary) ([]dictionary.Range, bool) {
	if v.Kind != dictionary.NoValue {
		return nil, false
	}
	end := d.Ordered()
	if id, found := d.Lookup(t); found && id < end {
		return merge([]dictionary.Range{{From: 0, To: id}, {From: id + 1, To: end}}), true
	}
	return merge([]dictionary.Range{{From: 0, To: end}}), true
}

// ranged tests a top-level condition of a filter by ID where the order of IDs means something: below end.
type ranged struct {
	index  int
	ranges []dictionary.Range
	end    dictionary.ID
	of     node
}

func (n *ranged) eval(c *run, rows []uint32, out []datum) { n.of.eval(c, rows, out) }

func (n *ranged) test(c *run, rows []uint32, out []tri) {
	col := c.cols[n.index]
	if n.single(col, rows, out) {
		return
	}
	others := c.takeList()
	places := c.takeList()
	for i, r := range rows {
		id := col[r]
		if id >= n.end {
			others, places = append(others, r), append(places, uint32(i))
			continue
		}
		out[i] = truth(n.contains(id))
	}
	if len(others) > 0 {
		tris := c.takeTris()[:len(others)]
		c.test(n.of, others, tris)
		for k, i := range places {
			out[i] = tris[k]
		}
		c.trisTop--
	}
	c.listsTop -= 2
}

// single is test for one range and IDs below end only, without branches; false when that is not what there is.
func (n *ranged) single(col []dictionary.ID, rows []uint32, out []tri) bool {
	if len(n.ranges) != 1 {
		return false
	}
	from, width := n.ranges[0].From, uint64(n.ranges[0].To-n.ranges[0].From)
	largest := dictionary.ID(0)
	for i, r := range rows {
		id := col[r]
		largest = max(largest, id)
		out[i] = tri((uint64(id-from) - width) >> 63)
	}
	return largest < n.end
}

func (n *ranged) contains(id dictionary.ID) bool {
	for _, r := range n.ranges {
		if id < r.To {
			return id >= r.From
		}
	}
	return false
}

// maxRanges bounds the ranges that a filter looks through for each row: some for each of a few segments.
const maxRanges = 16
