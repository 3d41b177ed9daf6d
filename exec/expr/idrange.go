package expr

import (
	"bytes"
	"math"
	"slices"
	"sort"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// IDRanges finds the IDs of a dictionary that satisfy a condition on one variable: comparisons with a constant, IN,
// isNumeric, isLiteral, and their combinations by "&&" and "||". The condition is true for an ID of the dictionary
// exactly when one of the ranges, which are in order and apart, holds the ID. ok is false when e is no such condition
// (or one whose ranges would be too many); IDs of computed terms must then, as always, be tested by a Program.
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
		r := d.Section(dictionary.Numbers)
		if call.Function == "ISLITERAL" {
			r.To = dictionary.ID(d.Len())
		}
		return v.Name, []dictionary.Range{r}, true
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
		return v, Intersect(left, right), true
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

// Intersect returns the IDs that lie in both of two lists of ranges, each in order and apart.
func Intersect(a, b []dictionary.Range) []dictionary.Range {
	var out []dictionary.Range
	for i, j := 0, 0; i < len(a) && j < len(b); {
		r := dictionary.Range{From: max(a[i].From, b[j].From), To: min(a[i].To, b[j].To)}
		if r.From < r.To {
			out = append(out, r)
		}
		if a[i].To < b[j].To {
			i++
		} else {
			j++
		}
	}
	return out
}

// compareRanges finds the IDs x with "x op term".
func compareRanges(op operator, t rdf.Term, d *dictionary.Dictionary) ([]dictionary.Range, bool) {
	v := dictionary.ParseValue(t)
	switch {
	case op == opSame || op == opEqual && (v.Kind == dictionary.NoValue || v.Kind == dictionary.String || v.Kind == dictionary.OtherLiteral):
		id, found := d.Lookup(t)
		if !found {
			return nil, true
		}
		return []dictionary.Range{{From: id, To: id + 1}}, true
	case op == opNotEqual:
		return notEqualRanges(v, t, d)
	case v.IsNumeric():
		return numberRanges(op, v, d)
	case v.IsTemporal():
		return temporalRanges(op, v, d), true
	case v.Kind == dictionary.Boolean:
		return merge(tested(op, v, d, d.Section(dictionary.Booleans))), true
	case v.Kind == dictionary.String:
		return stringRanges(op, t.Value, d), true
	case v.Kind == dictionary.LangString && op == opEqual:
		return nil, false // tags are compared without regard to case
	}
	return nil, true // nothing is less than an IRI
}

// notEqualRanges is for IRIs, to which all other terms are unequal.
func notEqualRanges(v dictionary.Value, t rdf.Term, d *dictionary.Dictionary) ([]dictionary.Range, bool) {
	if v.Kind != dictionary.NoValue {
		return nil, false
	}
	end := dictionary.ID(d.Len())
	if id, found := d.Lookup(t); found {
		return merge([]dictionary.Range{{From: 0, To: id}, {From: id + 1, To: end}}), true
	}
	return merge([]dictionary.Range{{From: 0, To: end}}), true
}

// tested tests each ID of a short range.
func tested(op operator, v dictionary.Value, d *dictionary.Dictionary, r dictionary.Range) []dictionary.Range {
	var out []dictionary.Range
	for id := r.From; id < r.To; id++ {
		if op.holds(dictionary.Compare(d.Value(id), v)) == isTrue {
			out = append(out, dictionary.Range{From: id, To: id + 1})
		}
	}
	return out
}

// first returns the first ID of r that a monotone condition holds for, r.To when there is none.
func first(r dictionary.Range, holds func(dictionary.ID) bool) dictionary.ID {
	return r.From + dictionary.ID(sort.Search(r.Len(), func(i int) bool { return holds(r.From + dictionary.ID(i)) }))
}

// maxWindow bounds the numbers that are tested one by one.
const maxWindow = 1 << 16

// numberRanges finds numbers. The section is in the order of exact values, but SPARQL compares after promotion, which
// may round: so numbers that lie within the precision of a float around v are tested one by one.
func numberRanges(op operator, v dictionary.Value, d *dictionary.Dictionary) ([]dictionary.Range, bool) {
	numbers := d.Section(dictionary.Numbers)
	if v.IsNaN() {
		return nil, true
	}
	f := v.Float64()
	if math.Abs(f) > math.MaxFloat32/2 {
		return nil, false // casts to float overflow there
	}
	margin := math.Abs(f)*1e-6 + 1e-40
	low, high := float(dictionary.Double, f-margin), float(dictionary.Double, f+margin)
	near := dictionary.Range{
		From: first(numbers, func(id dictionary.ID) bool { x := d.Value(id); return compareExact(&x, &low) >= 0 }),
		To:   first(numbers, func(id dictionary.ID) bool { x := d.Value(id); return compareExact(&x, &high) > 0 }),
	}
	if near.Len() > maxWindow {
		return nil, false
	}
	ranges := tested(op, v, d, near)
	switch op {
	case opLess, opLessEqual:
		ranges = append(ranges, dictionary.Range{From: numbers.From, To: near.From})
	case opGreater, opGreaterEqual:
		nan := first(numbers, func(id dictionary.ID) bool { return d.Value(id).IsNaN() })
		ranges = append(ranges, dictionary.Range{From: near.To, To: nan})
	}
	return merge(ranges), true
}

// temporalRanges finds dates and times of v's kind: two blocks, with and without a zone, each in the order of instants,
// so that a comparison with v goes from less over undetermined or equal to greater.
func temporalRanges(op operator, v dictionary.Value, d *dictionary.Dictionary) []dictionary.Range {
	section := d.Section(dictionary.Temporals)
	kind := dictionary.Range{
		From: first(section, func(id dictionary.ID) bool { return d.Value(id).Kind >= v.Kind }),
		To:   first(section, func(id dictionary.ID) bool { return d.Value(id).Kind > v.Kind }),
	}
	middle := first(kind, func(id dictionary.ID) bool { return d.Value(id).Zone == dictionary.NoZone })
	var ranges []dictionary.Range
	for _, block := range []dictionary.Range{{From: kind.From, To: middle}, {From: middle, To: kind.To}} {
		less := first(block, func(id dictionary.ID) bool { return dictionary.Compare(d.Value(id), v) != dictionary.Less })
		greater := first(block, func(id dictionary.ID) bool { return dictionary.Compare(d.Value(id), v) == dictionary.Greater })
		between := dictionary.Range{From: less, To: greater}
		if op != opLess && op != opGreater && between.Len() > 0 && dictionary.Compare(d.Value(less), v) == dictionary.Equal {
			ranges = append(ranges, between)
		}
		switch op {
		case opLess, opLessEqual:
			ranges = append(ranges, dictionary.Range{From: block.From, To: less})
		case opGreater, opGreaterEqual:
			ranges = append(ranges, dictionary.Range{From: greater, To: block.To})
		}
	}
	return merge(ranges)
}

// stringRanges finds plain strings, which are in byte order.
func stringRanges(op operator, s string, d *dictionary.Dictionary) []dictionary.Range {
	section := d.Section(dictionary.Strings)
	var buffer []byte
	bound := func(least int) dictionary.ID {
		return first(section, func(id dictionary.ID) bool {
			buffer = d.AppendText(buffer[:0], id)
			return bytes.Compare(buffer, []byte(s)) >= least
		})
	}
	r := section
	switch op {
	case opLess:
		r.To = bound(0)
	case opLessEqual:
		r.To = bound(1)
	case opGreater:
		r.From = bound(1)
	case opGreaterEqual:
		r.From = bound(0)
	}
	return merge([]dictionary.Range{r})
}

// ranged tests a top-level condition of a filter by ID where the dictionary has the ID.
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
	computed := c.takeList()
	places := c.takeList()
	for i, r := range rows {
		id := col[r]
		if id >= n.end {
			computed, places = append(computed, r), append(places, uint32(i))
			continue
		}
		out[i] = truth(n.contains(id))
	}
	if len(computed) > 0 {
		tris := c.takeTris()[:len(computed)]
		c.test(n.of, computed, tris)
		for k, i := range places {
			out[i] = tris[k]
		}
		c.trisTop--
	}
	c.listsTop -= 2
}

// single is test for one range and stored IDs only, without branches; false when that is not what there is.
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

// maxRanges bounds the ranges that a filter looks through for each row.
const maxRanges = 4
