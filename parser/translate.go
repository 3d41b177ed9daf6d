package parser

import (
	"math"
	"strconv"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// translator turns syntax into algebra (section 18.2). It lives for one query or update.
type translator struct {
	base     string
	prefixes map[string]string
	// labels says in which basic graph pattern a blank node label stands; no other may use it.
	labels   map[string]int
	patterns int // basic graph patterns begun
	invented int // variables invented
}

func newTranslator(options Options) *translator {
	t := &translator{base: options.Base, prefixes: make(map[string]string, len(options.Prefixes))}
	for name, iri := range options.Prefixes {
		t.prefixes[name] = iri
	}
	return t
}

func translate(u *unitSyntax, options Options) (*Query, error) {
	t := newTranslator(options)
	if err := t.prologue(u.Prologue); err != nil {
		return nil, err
	}
	q := &Query{Base: t.base, Prefixes: t.prefixes}
	var err error
	switch {
	case u.Select != nil:
		err = t.selectQuery(q, u.Select, u.Values)
	case u.Construct != nil:
		err = t.construct(q, u.Construct, u.Values)
	case u.Describe != nil:
		err = t.describe(q, u.Describe, u.Values)
	default:
		err = t.ask(q, u.Ask, u.Values)
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

func (t *translator) prologue(list []declaration) error {
	for _, d := range list {
		iri := d.iri
		if iri.kind != tokenIRI {
			f := faultf(iri.offset, "unexpected %q", iri.text)
			f.expected = []string{"an IRI in angle brackets"}
			return f
		}
		resolved := rdf.ResolveIRI(t.base, iri.text[1:len(iri.text)-1])
		if d.base {
			t.base = resolved
		} else {
			t.prefixes[d.prefix[:len(d.prefix)-1]] = resolved
		}
	}
	return nil
}

func (t *translator) dataset(q *Query, clauses []datasetClause) error {
	for _, c := range clauses {
		iri, err := t.iri(c.IRI)
		if err != nil {
			return err
		}
		if c.Named {
			q.FromNamed = append(q.FromNamed, iri)
		} else {
			q.From = append(q.From, iri)
		}
	}
	return nil
}

func (t *translator) selectQuery(q *Query, s *selectSyntax, values *dataBlock) (err error) {
	q.Form = Select
	if err := t.dataset(q, s.Dataset); err != nil {
		return err
	}
	q.Where, q.Variables, err = t.selection(&s.Clause, &s.Where, &s.Modifiers, values)
	return err
}

func (t *translator) ask(q *Query, s *askSyntax, values *dataBlock) (err error) {
	q.Form = Ask
	if err := t.dataset(q, s.Dataset); err != nil {
		return err
	}
	q.Where, _, err = t.solutions(&s.Where, &s.Modifiers, values)
	return err
}

func (t *translator) construct(q *Query, s *constructSyntax, values *dataBlock) (err error) {
	q.Form = Construct
	if err := t.dataset(q, s.Dataset); err != nil {
		return err
	}
	written := s.Template
	if written == nil {
		if !s.Keyword {
			f := faultf(s.Where.Pos.Offset, `unexpected "{"`)
			f.expected = []string{"WHERE"}
			return f
		}
		if written, err = shortTemplate(&s.Where); err != nil {
			return err
		}
	}
	if written.Graph != nil {
		return graphConstructed(written.Graph.offset)
	}
	if written.Triples != nil {
		if q.Template, err = t.template(written.Triples.list); err != nil {
			return err
		}
	}
	where, _, err := t.solutions(&s.Where, &s.Modifiers, values)
	if err != nil {
		return err
	}
	q.Where = project(where, templateVariables(q.Template))
	return nil
}

// shortTemplate checks that the group of CONSTRUCT WHERE holds nothing but triples and returns them.
func shortTemplate(g *group) (*template, error) {
	switch {
	case g.Sub != nil:
		return nil, faultf(g.Pos.Offset, "CONSTRUCT WHERE takes triple patterns only")
	case len(g.Elements) == 0:
		return &template{}, nil
	}
	for _, e := range g.Elements {
		if e.Graph != nil {
			return nil, graphConstructed(e.Pos.Offset)
		}
		if e.Triples == nil {
			return nil, faultf(e.Pos.Offset, "CONSTRUCT WHERE takes triple patterns only")
		}
	}
	return &template{Triples: g.Elements[0].Triples}, nil
}

func templateVariables(list []TriplePattern) []string {
	var names nameSet
	for _, p := range list {
		for _, term := range [...]PatternTerm{p.Subject, p.Predicate, p.Object} {
			if term.IsVariable() {
				names.add(term.Variable)
			}
		}
	}
	return names.list
}

func (t *translator) describe(q *Query, s *describeSyntax, values *dataBlock) (err error) {
	q.Form = Describe
	if err := t.dataset(q, s.Dataset); err != nil {
		return err
	}
	where := s.Where
	if where == nil {
		where = &group{}
	}
	node, scope, err := t.solutions(where, &s.Modifiers, values)
	if err != nil {
		return err
	}
	if s.Star {
		for _, name := range scope.list {
			q.Describe = append(q.Describe, PatternTerm{Variable: name})
		}
		q.Where = project(node, scope.list)
		return nil
	}
	var names nameSet
	for _, written := range s.Terms {
		term, err := t.variableOrIRI(written)
		if err != nil {
			return err
		}
		q.Describe = append(q.Describe, term)
		if term.IsVariable() {
			names.add(term.Variable)
		}
	}
	q.Where = project(node, names.list)
	return nil
}

// project puts a projection below the Slice of a query without a SELECT clause.
func project(node Node, variables []string) Node {
	if s, ok := node.(*Slice); ok {
		return &Slice{Input: project(s.Input, variables), Offset: s.Offset, Limit: s.Limit}
	}
	return &Project{Input: node, Variables: variables}
}

// slice applies LIMIT and OFFSET.
func slice(node Node, list []sliceSyntax) (Node, error) {
	if len(list) == 0 {
		return node, nil
	}
	s := &Slice{Input: node, Limit: -1}
	seen := ""
	for _, c := range list {
		if seen == c.Kind || len(list) > 2 {
			return nil, faultf(c.Pos.Offset, "%s stands twice", c.Kind)
		}
		seen = c.Kind
		n, err := strconv.ParseInt(c.Count, 10, 64)
		if err != nil {
			n = math.MaxInt64
		}
		if c.Kind == "LIMIT" {
			s.Limit = n
		} else {
			s.Offset = n
		}
	}
	return s, nil
}

// invent returns a variable name that no query can hold.
func (t *translator) invent(sort string) string {
	t.invented++
	return BlankPrefix + sort + strconv.Itoa(t.invented)
}
