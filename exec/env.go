package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
)

// newEnv is what the expressions of one plan share. EXISTS never reaches them: the evaluator computes it before.
func newEnv(p *Plan) *expr.Env {
	stored, _ := p.dict.(*dictionary.Dictionary)
	return &expr.Env{
		Terms: p.terms, Dictionary: stored, Base: p.options.Base, Now: p.options.Now,
		Ended: p.contextEnded, Charge: p.options.Budget.Meter("strings that expressions build").Charge,
	}
}
