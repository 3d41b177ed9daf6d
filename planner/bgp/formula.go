package bgp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// FormulaOp is what a Formula computes of its arguments.
type FormulaOp uint8

// The operations: a column's number, or a part of its date; a constant; of numbers a number; of numbers a quotient, which is rounded or compared with a number; of
// numbers a truth; of truths a truth.
const (
	ColumnNumber FormulaOp = iota
	ConstantNumber
	Plus
	Minus
	Times
	Negate
	Absolute
	Floor
	Ceil
	Round
	Quotient
	Less
	LessEqual
	Equal
	And
	Or
	Not
)

var formulaOps = [...]string{Plus: " + ", Minus: " - ", Times: " * ", Negate: "-", Absolute: "abs", Floor: "floor", Ceil: "ceil", Round: "round", Quotient: " / ", Less: " < ", LessEqual: " <= ", Equal: " = ", And: " && ", Or: " || ", Not: "!"}

// Formula is an expression over the integers and decimals that columns of a match have. Where a column's value is something else it says nothing.
type Formula struct {
	Op FormulaOp
	// Column is that of MatchPlan.Output. Part, where it is not 0, is what is asked of a date or time there.
	Column int
	Part   dictionary.Part
	// Int by ten to the Scale is a constant; Decimal: it is one.
	Int     int64
	Scale   uint8
	Decimal bool
	Args    []*Formula
}

// MostFormula is how many operations, columns and constants a formula may have. One of variables that are bound to formulas of each other may have very many.
const MostFormula = 64

// Size is how many operations, columns and constants it has.
func (f *Formula) Size() int {
	n := 1
	for _, a := range f.Args {
		n += a.Size()
	}
	return n
}

// Truth reports whether it is true or false, and not a number.
func (f *Formula) Truth() bool { return f.Op >= Less }

// Number reports whether it is a number, and neither a truth nor a quotient that may have any number of decimals.
func (f *Formula) Number() bool { return f.Op < Quotient }

// MayBeInteger reports whether a number is not known to be a decimal, whatever the columns have.
func (f *Formula) MayBeInteger() bool {
	return f.Op != Quotient && !f.Decimal && !slices.ContainsFunc(f.Args, func(a *Formula) bool { return !a.MayBeInteger() })
}

// Parts appends what is asked of columns, 0 for the numbers that they have, each once.
func (f *Formula) Parts(list []dictionary.Part) []dictionary.Part {
	if f == nil {
		return list
	}
	if f.Op == ColumnNumber && !slices.Contains(list, f.Part) {
		list = append(list, f.Part)
	}
	for _, a := range f.Args {
		list = a.Parts(list)
	}
	return list
}

// Columns appends the columns that it reads, each once.
func (f *Formula) Columns(list []int) []int {
	if f == nil {
		return list
	}
	if f.Op == ColumnNumber {
		for _, c := range list {
			if c == f.Column {
				return list
			}
		}
		return append(list, f.Column)
	}
	for _, a := range f.Args {
		list = a.Columns(list)
	}
	return list
}

// Text is the formula with columns as name names them.
func (f *Formula) Text(name func(column int) string) string {
	switch f.Op {
	case ColumnNumber:
		if f.Part != 0 {
			return strings.ToLower(f.Part.String()) + "(" + name(f.Column) + ")"
		}
		return name(f.Column)
	case ConstantNumber:
		text := strings.TrimPrefix(fmt.Sprintf("%0*d", int(f.Scale)+1, f.Int), "-")
		if f.Int < 0 {
			text = fmt.Sprintf("%0*d", int(f.Scale)+1, -f.Int)
		}
		if f.Scale > 0 {
			text = text[:len(text)-int(f.Scale)] + "." + text[len(text)-int(f.Scale):]
		}
		if f.Int < 0 {
			text = "-" + text
		}
		return text
	}
	var texts []string
	for _, a := range f.Args {
		text := a.Text(name)
		if len(a.Args) > 0 && (a.Op < Absolute || a.Op > Round) || f.Op >= Absolute && f.Op <= Round {
			text = "(" + text + ")"
		}
		texts = append(texts, text)
	}
	if len(texts) == 1 {
		return formulaOps[f.Op] + texts[0]
	}
	return strings.Join(texts, formulaOps[f.Op])
}

// named is the name of the variable of a column.
func (p *MatchPlan) named(column int) string { return "?" + p.Slots[p.Output[column]].Variable }

// FormulaText is a formula over the plan's columns.
func (p *MatchPlan) FormulaText(f *Formula) string { return f.Text(p.named) }

// SiftCost is what it costs a processor to test what Where says, for all rows.
func (p *MatchPlan) SiftCost() float64 { return SiftPrice * float64(len(p.Where)) * p.Rows() }

// GPUSiftCost is what that costs where a GPU matches.
func (p *MatchPlan) GPUSiftCost() float64 { return p.SiftCost() / GPUFoldShare }

// Passing is how many rows are expected to pass Where.
func (p *MatchPlan) Passing() float64 {
	rows := p.Rows()
	for range p.Where {
		rows *= passShare
	}
	return rows
}

// passShare is the share of rows that are expected to pass a condition.
const passShare = 1. / 3
