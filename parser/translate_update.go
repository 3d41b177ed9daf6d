package parser

import "github.com/rdfgpu/rdfgpu/internal/rdf"

// translate turns one operation into data.
func (r *updateReader) translate(s *operationSyntax, at Position) (Operation, error) {
	t := r.translator
	switch {
	case s.Load != nil:
		return t.load(s.Load, at)
	case s.Clear != nil:
		graphs, err := t.refAll(s.Clear)
		return &Clear{at, s.Clear.Silent, graphs}, err
	case s.Drop != nil:
		graphs, err := t.refAll(s.Drop)
		return &Drop{at, s.Drop.Silent, graphs}, err
	case s.Create != nil:
		graph, err := t.graphName(&s.Create.Graph)
		return &Create{at, s.Create.Silent, graph}, err
	case s.Add != nil:
		from, to, err := t.transfer(s.Add)
		return &Add{at, s.Add.Silent, from, to}, err
	case s.Move != nil:
		from, to, err := t.transfer(s.Move)
		return &Move{at, s.Move.Silent, from, to}, err
	case s.Copy != nil:
		from, to, err := t.transfer(s.Copy)
		return &Copy{at, s.Copy.Silent, from, to}, err
	case s.With != nil:
		return t.with(s.With, at)
	case s.Delete != nil && s.Delete.Pattern != nil:
		return t.deleteWhere(s.Delete.Pattern, at)
	case s.Delete != nil:
		return t.modify(&Modify{Position: at}, s.Delete.Delete, s.Delete.Insert, s.Delete.Where)
	}
	return t.modify(&Modify{Position: at}, nil, &s.Insert.Insert, &s.Insert.Where)
}

// graphName is the graph that an IRI names; without one, the default graph.
func (t *translator) graphName(i *iriSyntax) (rdf.Term, error) {
	if i == nil {
		return rdf.Term{}, nil
	}
	iri, err := t.iri(*i)
	return rdf.NewIRI(iri), err
}

func (t *translator) load(s *loadSyntax, at Position) (Operation, error) {
	source, err := t.iri(s.Source)
	if err != nil {
		return nil, err
	}
	into, err := t.graphName(s.Into)
	return &Load{at, s.Silent, source, into}, err
}

func (t *translator) refAll(s *refAllSyntax) (GraphRefAll, error) {
	switch s.Word {
	case "DEFAULT":
		return GraphRefAll{Kind: GraphRefDefault}, nil
	case "NAMED":
		return GraphRefAll{Kind: GraphRefNamed}, nil
	case "ALL":
		return GraphRefAll{Kind: GraphRefAllGraphs}, nil
	}
	graph, err := t.graphName(s.Graph)
	return GraphRefAll{Graph: graph}, err
}

func (t *translator) transfer(s *transferSyntax) (from, to rdf.Term, err error) {
	if from, err = t.graphName(s.From.graph); err != nil {
		return from, to, err
	}
	to, err = t.graphName(s.To.graph)
	return from, to, err
}

func (t *translator) with(s *withSyntax, at Position) (Operation, error) {
	graph, err := t.graphName(&s.Graph)
	if err != nil {
		return nil, err
	}
	insert := s.Insert
	if s.Both != nil {
		insert = s.Both
	}
	return t.modify(&Modify{Position: at, With: graph}, s.Delete, insert, &s.Where)
}

// modify translates the templates, the dataset and the pattern of m; the templates may be nil.
func (t *translator) modify(m *Modify, remove, insert *quads, where *whereSyntax) (Operation, error) {
	m.Base = t.base
	for _, u := range where.Using {
		iri, err := t.iri(u.IRI)
		if err != nil {
			return nil, err
		}
		if u.Named {
			m.UsingNamed = append(m.UsingNamed, iri)
		} else {
			m.Using = append(m.Using, iri)
		}
	}
	removed, err := t.blocks(remove, false)
	if err != nil {
		return nil, err
	}
	inserted, err := t.blocks(insert, true)
	if err != nil {
		return nil, err
	}
	m.Delete, m.Insert = quadPatterns(removed), quadPatterns(inserted)
	m.Where, _, err = t.group(&where.Body.Group)
	m.Text = t.text(where.Body.Tokens)
	return m, err
}

// deleteWhere translates DELETE WHERE: its pattern is its template.
func (t *translator) deleteWhere(s *quadsBody, at Position) (Operation, error) {
	list, err := t.blocks(&s.Quads, false)
	if err != nil {
		return nil, err
	}
	m := &Modify{Position: at, Base: t.base, Delete: quadPatterns(list), Where: &BGP{}, Text: t.text(s.Tokens)}
	for _, b := range list {
		var node Node = &BGP{Patterns: b.triples}
		if b.graph != (PatternTerm{}) {
			node = &Graph{Name: b.graph, Input: node}
		}
		m.Where = join(m.Where, node)
	}
	return m, nil
}

// templateBlock is triples of a template that follow each other in one graph.
type templateBlock struct {
	graph   PatternTerm
	triples []TriplePattern
}

// blocks translates a template, which may be nil.
func (t *translator) blocks(q *quads, blanks bool) (list []templateBlock, err error) {
	if q == nil {
		return nil, nil
	}
	for _, written := range q.blocks {
		var b templateBlock
		if written.graph != nil {
			if err := refuseStored(*written.graph); err != nil {
				return nil, err
			}
			if b.graph, err = t.variableOrIRI(*written.graph); err != nil {
				return nil, err
			}
		}
		for _, w := range written.list {
			if err := noBlanks(w); err != nil && !blanks {
				return nil, err
			}
		}
		if b.triples, err = t.template(written.list); err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// noBlanks refuses a triple with a blank node, which cannot be deleted: nothing says which one it is.
func noBlanks(t triple) error {
	for _, w := range [...]term{t.subject, t.object} {
		if w.isBlank() {
			f := faultf(w.offset, "unexpected %s in DELETE", w.describe())
			f.expected = []string{"a variable", "an IRI"}
			f.hint = "a blank node is found by a variable"
			return f
		}
	}
	return nil
}

func quadPatterns(blocks []templateBlock) (list []QuadPattern) {
	for _, b := range blocks {
		for _, t := range b.triples {
			list = append(list, QuadPattern{b.graph, t})
		}
	}
	return list
}
