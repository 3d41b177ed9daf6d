package gpu

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// siftCode writes the code of a plan over columns of output, whose numbers have a scale: each condition, what is added up, compared and grouped by where its rows are
// folded, and by what the first are told. It returns the scale that what is added up has, and the parts of dates that sets of tables are of from the second on.
func siftCode(to *kernels.Sifting, plan *bgp.MatchPlan, output []int, scale uint8) (of uint8, parts []dictionary.Part, err error) {
	w := siftWriter{to: to, plan: plan, output: output, scale: scale}
	for _, f := range plan.Where {
		w.formula(f)
		w.op(kernels.SiftRequire, 0, -1)
	}
	if f := plan.Fold; f != nil {
		of = w.fold(f)
	}
	if t := plan.Top; t != nil && t.Of != nil {
		of = w.result(t.Of)
	}
	if w.full || w.deepest > kernels.MostSiftStack || of > mostSiftScale {
		return of, nil, errNoCode
	}
	return of, w.parts, nil
}

// extremesWord is which word of a row is that of the numbers that are compared; before it come those of two keys.
const extremesWord = 2

// fold writes the code of what is computed of rows that are folded.
func (w *siftWriter) fold(f *bgp.Fold) (scale uint8) {
	if f.Of != nil && f.Sums {
		scale = w.result(f.Of)
	}
	if f.Of != nil && f.Extremes {
		w.ordered(f.Of)
	}
	for i, k := range f.Keys {
		if k.Of != nil {
			w.power(w.formula(k.Of))
			w.op(kernels.SiftKey, kernels.MostKeys*kernels.KeyOfGroups+i, -2)
		}
	}
	return scale
}

// result writes code that gives the row its number.
func (w *siftWriter) result(f *bgp.Formula) (scale uint8) {
	scale = w.formula(f)
	w.op(kernels.SiftResult, 0, -1)
	return scale
}

// ordered writes code that gives the row a word in the order of a formula's numbers: the integers among them or, where all are decimals, those of so many decimals as
// unitsScale says.
func (w *siftWriter) ordered(f *bgp.Formula) {
	scale, of, units := w.formula(f), kernels.KeyOfIntegers, uint8(0)
	if !f.MayBeInteger() {
		of, units = kernels.KeyOfUnits, unitsScale(f, w.scale)
	}
	w.full = w.full || units > mostSiftScale
	w.power(scale - units)
	w.op(kernels.SiftKey, kernels.MostKeys*of+extremesWord, -2)
}

// mostUnitsScale is how many decimals columns' numbers have at most where the least and the greatest are found of decimals that are computed of them: few enough for
// large numbers to have words.
const mostUnitsScale = 2

// unitsScale is how many decimals the words of such a formula's numbers have, given the scale of the columns.
func unitsScale(f *bgp.Formula, scale uint8) uint8 {
	w := siftWriter{scale: min(scale, mostUnitsScale)}
	return w.scaleOf(f)
}

// hasCode reports whether what a plan tests and adds up of its rows may have code, as far as the scale of a dictionary's numbers is known.
func (n *numberTables) hasCode(plan *bgp.MatchPlan, dict *dictionary.Dictionary) bool {
	if len(plan.Where) == 0 && (plan.Fold == nil || !plan.Fold.Computes()) && (plan.Top == nil || plan.Top.Of == nil) {
		return true
	}
	least, most := n.scales(dict)
	for scale := least; scale <= most; scale++ {
		if _, _, err := siftCode(&kernels.Sifting{}, plan, plan.Output, scale); err == nil {
			return true
		}
	}
	return false
}

// siftWriter writes the code of a sifting.
type siftWriter struct {
	to             *kernels.Sifting
	plan           *bgp.MatchPlan
	output         []int
	scale          uint8
	parts          []dictionary.Part // of the sets of tables from the second on
	constants      int
	depth, deepest int
	// negated: what is written is below an odd number of negations.
	negated bool
	full    bool
}

// op writes an operation that leaves so many values more on the stack.
func (w *siftWriter) op(op kernels.SiftOp, of, more int) {
	if w.to.CodeCount == kernels.MostSiftCode {
		w.full = true
		return
	}
	w.to.Code[w.to.CodeCount] = uint32(op) + kernels.SiftOps*uint32(of)
	w.to.CodeCount++
	w.depth += more
	w.deepest = max(w.deepest, w.depth)
}

var siftOps = map[bgp.FormulaOp]kernels.SiftOp{
	bgp.Plus: kernels.SiftPlus, bgp.Minus: kernels.SiftMinus, bgp.Times: kernels.SiftTimes, bgp.Negate: kernels.SiftNegate, bgp.Absolute: kernels.SiftAbsolute,
	bgp.Less: kernels.SiftLess, bgp.LessEqual: kernels.SiftLessEqual, bgp.Equal: kernels.SiftEqual, bgp.And: kernels.SiftAnd, bgp.Or: kernels.SiftOr, bgp.Not: kernels.SiftNot,
}

// formula writes code that leaves a formula's value on the stack: a truth, or a number times ten to the scale.
func (w *siftWriter) formula(f *bgp.Formula) (scale uint8) {
	switch f.Op {
	case bgp.ColumnNumber:
		w.op(kernels.SiftColumn, slices.Index(w.output, w.plan.Output[f.Column])+kernels.MostTop*w.set(f.Part), 1)
		return w.scaleOf(f)
	case bgp.ConstantNumber:
		w.constant(f.Int, f.Decimal)
		return f.Scale
	case bgp.Floor, bgp.Ceil, bgp.Round:
		w.rounded(f)
		return 0
	case bgp.Less, bgp.LessEqual, bgp.Equal:
		w.comparison(f)
		return 0
	case bgp.Not:
		w.negated = !w.negated
		w.formula(f.Args[0])
		w.negated = !w.negated
	case bgp.Negate, bgp.Absolute:
		scale = w.formula(f.Args[0])
	case bgp.Plus, bgp.Minus:
		scale = w.both(f.Args[0], f.Args[1])
	case bgp.Times:
		scale = w.product(w.formula(f.Args[0]), w.formula(f.Args[1]))
	default:
		w.formula(f.Args[0])
		w.formula(f.Args[1])
	}
	w.op(siftOps[f.Op], 0, 1-len(f.Args))
	return scale
}

// set is the set of tables that a part of dates is read from; 0 is that of numbers.
func (w *siftWriter) set(part dictionary.Part) int {
	if part == 0 {
		return 0
	}
	i := slices.Index(w.parts, part)
	if i < 0 {
		i, w.parts = len(w.parts), append(w.parts, part)
	}
	if i+1 >= kernels.SiftSets {
		w.full = true
		return 0
	}
	return i + 1
}

// comparison writes code that leaves a truth.
func (w *siftWriter) comparison(f *bgp.Formula) {
	left, right := f.Args[0], f.Args[1]
	switch {
	case left.Op == bgp.Quotient:
		w.quotient(left, right, w.byZero(f.Op))
	case right.Op == bgp.Quotient:
		w.quotient(right, left, w.byZero(f.Op)+1)
	default:
		w.both(left, right)
	}
	w.op(siftOps[f.Op], 0, -1)
}

// byZero is what a quotient by zero is to leave for a comparison (kernels.SiftQuotient), an error of SPARQL. A condition that holds with an error in it holds whatever
// the comparison says, so that it may say what the condition is less likely to hold with: no, or yes below a negation.
func (w *siftWriter) byZero(comparison bgp.FormulaOp) int {
	switch {
	case !w.negated:
		return 0b010 // 1 < 0
	case comparison == bgp.Equal:
		return 0 // 0 = 0
	}
	return 0b100 // 0 < 1
}

// quotient writes code that leaves what is compared as a quotient is with a number, or the number with the quotient. Quotients that are not the number differ from it
// by 1 / (divisor · 10^scale) at least, which is more than rounding to 18 decimals changes where the divisor is below 2 · 10^18 / 10^scale.
func (w *siftWriter) quotient(q, with *bgp.Formula, of int) {
	scale := w.scaleOf(with)
	if scale > mostSiftScale {
		w.full = true
		return
	}
	same := w.common(q.Args[0], q.Args[1])
	w.scaled(q.Args[0], same)
	w.raise(scale)
	w.scaled(q.Args[1], same)
	w.formula(with)
	w.constant(2*int64(math.Pow10(mostSiftScale-int(scale))), false)
	w.op(kernels.SiftQuotient, of, -2)
}

// rounded writes code for FLOOR, CEIL and ROUND of a number or a quotient: CEIL(x) is -FLOOR(-x), and ROUND(a / b) FLOOR((2 · a + b) / (2 · b)).
func (w *siftWriter) rounded(f *bgp.Formula) {
	of, decimal := f.Args[0], 0
	dividend, scale := of, w.scaleOf(of)
	divide := func() { w.power(scale) }
	if of.Op == bgp.Quotient {
		dividend, scale, decimal = of.Args[0], w.common(of.Args[0], of.Args[1]), 1
		divide = func() { w.scaled(of.Args[1], scale) }
	}
	double := func(leave func()) {
		w.constant(2, false)
		leave()
		w.op(kernels.SiftTimes, 0, -1)
	}
	switch f.Op {
	case bgp.Floor:
		w.scaled(dividend, scale)
		divide()
	case bgp.Ceil:
		w.scaled(dividend, scale)
		w.op(kernels.SiftNegate, 0, 0)
		divide()
	default:
		double(func() { w.scaled(dividend, scale) })
		divide()
		w.op(kernels.SiftPlus, 0, -1)
		double(divide)
	}
	if w.op(kernels.SiftFloor, decimal, -1); f.Op == bgp.Ceil {
		w.op(kernels.SiftNegate, 0, 0)
	}
}

// common is the scale that two numbers are given which are to have one, and both writes code that leaves them.
func (w *siftWriter) common(a, b *bgp.Formula) uint8 { return max(w.scaleOf(a), w.scaleOf(b)) }

func (w *siftWriter) both(a, b *bgp.Formula) (scale uint8) {
	scale = w.common(a, b)
	w.scaled(a, scale)
	w.scaled(b, scale)
	return scale
}

// scaled writes code that leaves a number times ten to a scale, which is its own or greater.
func (w *siftWriter) scaled(f *bgp.Formula, scale uint8) { w.raise(scale - w.formula(f)) }

// scaleOf is the scale that a number's code has.
func (w *siftWriter) scaleOf(f *bgp.Formula) (scale uint8) {
	switch f.Op {
	case bgp.ColumnNumber:
		if f.Part != 0 {
			return 0
		}
		return w.scale
	case bgp.ConstantNumber:
		return f.Scale
	case bgp.Floor, bgp.Ceil, bgp.Round:
		return 0
	}
	for _, a := range f.Args {
		if f.Op == bgp.Times {
			scale = w.product(scale, w.scaleOf(a))
		} else {
			scale = max(scale, w.scaleOf(a))
		}
	}
	return scale
}

// product is the scale of a product. No code has one of more than 255 decimals.
func (w *siftWriter) product(a, b uint8) uint8 {
	if a > math.MaxUint8-b {
		w.full = true
	}
	return a + b
}

// raise multiplies what is on the stack by ten to some power.
func (w *siftWriter) raise(by uint8) {
	for by > 0 {
		once := min(by, 18)
		w.constant(int64(math.Pow10(int(once))), false)
		w.op(kernels.SiftTimes, 0, -1)
		by -= once
	}
}

// power writes ten to a scale.
func (w *siftWriter) power(scale uint8) {
	if scale > mostSiftScale {
		w.full = true
		return
	}
	w.constant(int64(math.Pow10(int(scale))), false)
}

// constant writes a constant.
func (w *siftWriter) constant(n int64, decimal bool) {
	k := kernels.SiftConstantValue{Low: uint64(n), High: uint64(n >> 63)}
	if decimal {
		k.Fraction = 1
	}
	i := slices.Index(w.to.Constants[:w.constants], k)
	if i < 0 {
		if w.constants == kernels.MostConstants {
			w.full = true
			return
		}
		i = w.constants
		w.to.Constants[i] = k
		w.constants++
	}
	w.op(kernels.SiftConstant, i, 1)
}
