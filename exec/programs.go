package exec

import (
	"cmp"
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// program is a compiled expression over columns.
type program interface {
	Filter(cols [][]dictionary.ID, n int, keep []uint32) []uint32
	IDs(cols [][]dictionary.ID, n int, out []dictionary.ID)
}

// columnProgram is a variable or a constant.
type columnProgram struct {
	column int // -1: the constant
	id     dictionary.ID
}

func (c columnProgram) Filter(_ [][]dictionary.ID, _ int, keep []uint32) []uint32 { return keep }

func (c columnProgram) IDs(cols [][]dictionary.ID, n int, out []dictionary.ID) {
	for i := range n {
		if c.column >= 0 {
			out[i] = cols[c.column][i]
		} else {
			out[i] = c.id
		}
	}
}

func (p *Plan) compileProgram(e parser.Expr, index map[string]int) (program, error) {
	switch e := e.(type) {
	case *parser.Var:
		if i, ok := index[e.Name]; ok {
			return columnProgram{i, 0}, nil
		}
		return columnProgram{-1, dictionary.None}, nil
	case *parser.Const:
		return columnProgram{-1, p.find(e.Term)}, nil
	}
	return nil, fmt.Errorf("exec: the expression %s: %w", exprText(e), ErrUnsupported)
}

func (p *Plan) compareTerms() func(a, b dictionary.ID) int {
	return func(a, b dictionary.ID) int { return cmp.Compare(a, b) }
}

func newValueAccumulator(_ *execution, _ *aggregate) accumulator { return &samples{} }
