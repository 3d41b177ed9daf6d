package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// constructOp makes triples of solutions (SPARQL 1.1 section 16.2): each solution fills the template, with blank
// nodes of its own; what is no RDF triple is left out.
type constructOp struct {
	base
	input    operator
	template [][3]templateTerm
	blanks   int
}

// templateTerm is a column of the input, a blank node of the solution, or a constant.
type templateTerm struct {
	column, blank int // -1
	constant      dictionary.ID
}

func (o *constructOp) run(x *execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	out := vector.NewRows(3)
	var view vector.Batch
	kinds := map[dictionary.ID]rdf.Kind{}
	kind := func(id dictionary.ID) rdf.Kind {
		k, ok := kinds[id]
		if !ok {
			k = x.terms.Term(id).Kind
			if len(kinds) > 1<<16 {
				clear(kinds)
			}
			kinds[id] = k
		}
		return k
	}
	blanks, made := make([]dictionary.ID, o.blanks), 0
	return measured(o.input, x, nil, func(b *vector.Batch) error {
		for r := range b.N {
			o.freshBlanks(x, blanks)
			for _, t := range o.template {
				if made++; made%limits.CheckEvery == 0 && x.ended.Over() {
					return x.ended()
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
func (o *constructOp) freshBlanks(x *execution, blanks []dictionary.ID) {
	for i := range blanks {
		blanks[i] = x.freshBlank()
	}
}

func (t templateTerm) value(b *vector.Batch, r int, blanks []dictionary.ID) dictionary.ID {
	switch {
	case t.column >= 0:
		return b.Cols[t.column][r]
	case t.blank >= 0:
		return blanks[t.blank]
	}
	return t.constant
}
