package gpu

import (
	"math"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// siftCode writes the code of a plan over columns of output, whose numbers have a scale: each condition, and what is added up where its rows are folded, with the scale
// that it has.
func siftCode(to *kernels.Sifting, plan *bgp.MatchPlan, output []int, scale uint8) (of uint8, err error) {
	w := siftWriter{to: to, plan: plan, output: output, scale: scale}
	for _, f := range plan.Where {
		w.formula(f)
		w.op(kernels.SiftRequire, 0, -1)
	}
	if plan.Fold != nil && plan.Fold.Of != nil {
		of = w.formula(plan.Fold.Of)
		w.op(kernels.SiftResult, 0, -1)
	}
	if w.full || w.deepest > kernels.MostSiftStack || of > mostSiftScale {
		return of, errNoCode
	}
	return of, nil
}

// hasCode reports whether what a plan tests and adds up of its rows may have code, as far as the scale of a dictionary's numbers is known.
func (n *numberTables) hasCode(plan *bgp.MatchPlan, dict *dictionary.Dictionary) bool {
	if len(plan.Where) == 0 && (plan.Fold == nil || plan.Fold.Of == nil) {
		return true
	}
	least, most := n.scales(dict)
	for scale := least; scale <= most; scale++ {
		if _, err := siftCode(&kernels.Sifting{}, plan, plan.Output, scale); err == nil {
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
	constants      int
	depth, deepest int
	full           bool
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
	bgp.Plus: kernels.SiftPlus, bgp.Minus: kernels.SiftMinus, bgp.Times: kernels.SiftTimes, bgp.Negate: kernels.SiftNegate, bgp.Less: kernels.SiftLess,
	bgp.LessEqual: kernels.SiftLessEqual, bgp.Equal: kernels.SiftEqual, bgp.And: kernels.SiftAnd, bgp.Or: kernels.SiftOr, bgp.Not: kernels.SiftNot,
}

// formula writes code that leaves a formula's value on the stack: a truth, or a number times ten to the scale.
func (w *siftWriter) formula(f *bgp.Formula) (scale uint8) {
	switch f.Op {
	case bgp.ColumnNumber:
		w.op(kernels.SiftColumn, slices.Index(w.output, w.plan.Output[f.Column]), 1)
		return w.scale
	case bgp.ConstantNumber:
		w.constant(f.Int, f.Decimal)
		return f.Scale
	}
	scale = w.formula(f.Args[0])
	if len(f.Args) == 1 {
		w.op(siftOps[f.Op], 0, 0)
		return scale
	}
	switch {
	case f.Op == bgp.Times:
		scale = w.product(scale, w.formula(f.Args[1]))
	case !f.Args[0].Truth():
		want := max(scale, w.scaleOf(f.Args[1]))
		w.raise(want - scale)
		w.raise(want - w.formula(f.Args[1]))
		scale = want
	default:
		w.formula(f.Args[1])
	}
	w.op(siftOps[f.Op], 0, -1)
	return scale
}

// scaleOf is the scale that a number's code has.
func (w *siftWriter) scaleOf(f *bgp.Formula) (scale uint8) {
	switch f.Op {
	case bgp.ColumnNumber:
		return w.scale
	case bgp.ConstantNumber:
		return f.Scale
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
