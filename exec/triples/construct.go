package triples

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Construct makes triples of solutions (SPARQL 1.1 section 16.2): each solution fills the template, with blank
// nodes of its own; what is no RDF triple is left out.
type Construct struct {
	operator.Base
	Input    operator.Operator
	Template [][3]TemplateTerm
	Blanks   int
}

// TemplateTerm is a column of the input, a blank node of the solution, or a constant.
type TemplateTerm struct {
	Column, Blank int // -1
	Constant      dictionary.ID
}

func (o *Construct) Run(x *operator.Execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	out := vector.NewRows(3)
	var view vector.Batch
	kinds := map[dictionary.ID]rdf.Kind{}
	kind := func(id dictionary.ID) rdf.Kind {
		k, ok := kinds[id]
		if !ok {
			k = x.Terms.Term(id).Kind
			if len(kinds) > 1<<16 {
				clear(kinds)
			}
			kinds[id] = k
		}
		return k
	}
	blanks, made := make([]dictionary.ID, o.Blanks), 0
	return operator.Run(o.Input, x, nil, func(b *vector.Batch) error {
		for r := range b.N {
			o.freshBlanks(x, blanks)
			for _, t := range o.Template {
				if made++; made%limits.CheckEvery == 0 && x.Ended.Over() {
					return x.Ended()
				}
				s, p, obj := t[0].value(b, r, blanks), t[1].value(b, r, blanks), t[2].value(b, r, blanks)
				if s == dictionary.None || p == dictionary.None || obj == dictionary.None ||
					kind(s) == rdf.Literal || kind(p) != rdf.IRI {
					continue
				}
				out.Cols[0], out.Cols[1], out.Cols[2] = append(out.Cols[0], s), append(out.Cols[1], p), append(out.Cols[2], obj)
				out.N++
			}
			if out.N >= vector.BatchRows {
				if err := emit(out.Batch(0, out.N, &view)); err != nil {
					return err
				}
				out.Reset()
			}
		}
		if out.N == 0 {
			return nil
		}
		err := emit(out.Batch(0, out.N, &view))
		out.Reset()
		return err
	})
}

// freshBlanks gives the next solution its blank nodes.
func (o *Construct) freshBlanks(x *operator.Execution, blanks []dictionary.ID) {
	for i := range blanks {
		blanks[i] = x.FreshBlank()
	}
}

func (t TemplateTerm) value(b *vector.Batch, r int, blanks []dictionary.ID) dictionary.ID {
	switch {
	case t.Column >= 0:
		return b.Cols[t.Column][r]
	case t.Blank >= 0:
		return blanks[t.Blank]
	}
	return t.Constant
}
