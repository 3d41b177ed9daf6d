package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// groupBuilder collects the algebra of one group graph pattern, element by element (section 18.2.2.6).
type groupBuilder struct {
	*translator
	node   Node
	scope  nameSet
	filter Expr
	// run is the basic graph pattern that grows while only triples and filters follow each other, with the paths
	// that could not become triple patterns; pattern is its number for blank node labels, 0 when none is begun.
	run     patternRun
	pattern int
}

// patternRun is a basic graph pattern with its property paths.
type patternRun struct {
	triples []TriplePattern
	others  []Node
}

// node joins the triples and the rest of a run.
func (r *patternRun) node() Node {
	var n Node = &BGP{Patterns: r.triples}
	for _, o := range r.others {
		n = join(n, o)
	}
	return n
}

// isUnit reports whether n is the join identity, the empty basic graph pattern.
func isUnit(n Node) bool {
	b, ok := n.(*BGP)
	return ok && len(b.Patterns) == 0
}

// join is Join with the simplification of section 18.2.2.8.
func join(left, right Node) Node {
	switch {
	case isUnit(left):
		return right
	case isUnit(right):
		return left
	}
	return &Join{Left: left, Right: right}
}

// groupParts translates a group and leaves its filter apart, as OPTIONAL needs it.
func (t *translator) groupParts(g *group) (*groupBuilder, error) {
	b := &groupBuilder{translator: t, node: &BGP{}}
	if g.Sub != nil {
		if len(g.Elements) > 0 {
			f := faultf(g.Elements[0].Pos.Offset, "unexpected pattern after a subquery")
			f.hint = "put the subquery in braces of its own"
			return nil, f
		}
		s := g.Sub
		node, variables, err := t.selection(&s.Clause, &s.Where, &s.Modifiers, s.Values)
		b.node = node
		b.scope.addNames(variables)
		return b, err
	}
	for i := range g.Elements {
		if err := b.element(&g.Elements[i]); err != nil {
			return nil, err
		}
	}
	b.endRun()
	return b, nil
}

// group translates a group with its filter.
func (t *translator) group(g *group) (Node, *nameSet, error) {
	b, err := t.groupParts(g)
	if err != nil {
		return nil, nil, err
	}
	if b.filter != nil {
		b.node = &Filter{Condition: b.filter, Input: b.node}
	}
	return b.node, &b.scope, nil
}

// endRun closes the basic graph pattern that is growing.
func (b *groupBuilder) endRun() {
	if b.pattern != 0 {
		b.node = join(b.node, b.run.node())
		b.run, b.pattern = patternRun{}, 0
	}
}

// add joins a translated element to the group.
func (b *groupBuilder) add(n Node, scope *nameSet) {
	b.node = join(b.node, n)
	b.scope.addNames(scope.list)
}

func (b *groupBuilder) element(e *element) error {
	switch {
	case e.Triples != nil:
		return b.triples(e.Triples.list)
	case e.Filter != nil:
		condition, err := b.expr(e.Filter.root, nil)
		if b.filter != nil {
			condition = &Call{Function: "&&", Args: []Expr{b.filter, condition}}
		}
		b.filter = condition
		return err
	}
	b.endRun()
	switch {
	case e.Optional != nil:
		return b.optional(e.Optional)
	case e.Minus != nil:
		right, _, err := b.group(e.Minus)
		b.node = &Minus{Left: b.node, Right: right}
		return err
	case e.Graph != nil:
		return b.graph(e.Graph)
	case e.Service != nil:
		return b.service(e.Service)
	case e.Bind != nil:
		return b.bind(e.Bind)
	case e.Values != nil:
		values, err := b.values(e.Values)
		if err != nil {
			return err
		}
		b.add(values, &nameSet{list: values.Variables})
		return nil
	}
	return b.union(e.Union)
}

// triples adds a block to the basic graph pattern that is growing.
func (b *groupBuilder) triples(list []triple) error {
	if b.pattern == 0 {
		b.patterns++
		b.pattern = b.patterns
		b.run.triples = make([]TriplePattern, 0, len(list))
	}
	for _, w := range list {
		if err := b.label(w.subject); err != nil {
			return err
		}
		if err := b.label(w.object); err != nil {
			return err
		}
		if err := b.addTriple(w); err != nil {
			return err
		}
	}
	return nil
}

// addTriple adds one triple pattern or property path pattern.
func (b *groupBuilder) addTriple(w triple) error {
	if w.path.kind == pathTerm || w.path.kind == pathFixed {
		p, err := b.triple(w)
		if err != nil {
			return err
		}
		b.scope.addTerm(p.Subject)
		b.scope.addTerm(p.Predicate)
		b.scope.addTerm(p.Object)
		b.run.triples = append(b.run.triples, p)
		return nil
	}
	subject, err := b.term(w.subject)
	if err != nil {
		return err
	}
	object, err := b.term(w.object)
	if err != nil {
		return err
	}
	b.scope.addTerm(subject)
	b.scope.addTerm(object)
	return b.pathPattern(subject, w.path, object, &b.run)
}

// label checks that a blank node label stands in one basic graph pattern only (section 5.1.1).
func (b *groupBuilder) label(w term) error {
	if w.kind != termBlank {
		return nil
	}
	if seen, ok := b.labels[w.text]; ok && seen != b.pattern {
		f := faultf(w.offset, "the blank node label %s is used in two basic graph patterns", w.text)
		f.hint = "use a variable instead"
		return f
	}
	if b.labels == nil {
		b.labels = map[string]int{}
	}
	b.labels[w.text] = b.pattern
	return nil
}

// optional adds OPTIONAL: the group's own filter becomes the condition of the left join.
func (b *groupBuilder) optional(g *group) error {
	right, err := b.groupParts(g)
	if err != nil {
		return err
	}
	b.node = &LeftJoin{Left: b.node, Right: right.node, Condition: right.filter}
	b.scope.addNames(right.scope.list)
	return nil
}

func (b *groupBuilder) union(branches []group) error {
	var node Node
	for i := range branches {
		n, scope, err := b.group(&branches[i])
		if err != nil {
			return err
		}
		b.scope.addNames(scope.list)
		if node == nil {
			node = n
		} else {
			node = &Union{Left: node, Right: n}
		}
	}
	b.node = join(b.node, node)
	return nil
}

func (b *groupBuilder) graph(g *graphSyntax) error {
	name, err := b.variableOrIRI(g.Name)
	if err != nil {
		return err
	}
	inner, scope, err := b.group(&g.Group)
	if err != nil {
		return err
	}
	b.scope.addTerm(name)
	b.add(&Graph{Name: name, Input: inner}, scope)
	return nil
}

func (b *groupBuilder) service(s *serviceSyntax) error {
	name, err := b.variableOrIRI(s.Name)
	if err != nil {
		return err
	}
	inner, scope, err := b.group(&s.Body.Group)
	if err != nil {
		return err
	}
	b.scope.addTerm(name)
	b.add(&Service{Name: name, Input: inner, Text: b.text(s.Body.Tokens), Silent: s.Silent}, scope)
	return nil
}

// text writes the tokens of a group as SPARQL that needs no prologue. The names in it are known to resolve.
func (t *translator) text(tokens []lexer.Token) string {
	var out strings.Builder
	for i := range tokens {
		token := &tokens[i]
		annotation := token.Type == tokenLang || token.Value == "^^"
		if i > 0 && !annotation && tokens[i-1].Value != "^^" {
			out.WriteByte(' ')
		}
		if !isIRIToken(token) {
			out.WriteString(token.Value)
			continue
		}
		if iri, err := t.iri(newIRI(token)); err == nil {
			out.WriteString(rdf.NewIRI(iri).String())
		}
	}
	return out.String()
}

func (b *groupBuilder) bind(s *bindSyntax) error {
	name := s.As.Name[1:]
	if b.scope.contains(name) {
		f := faultf(s.As.Pos.Offset, "BIND cannot assign ?%s, which has a value already in this group", name)
		f.hint = "use another variable name"
		return f
	}
	e, err := b.expr(s.Expr.root, nil)
	if err != nil {
		return err
	}
	b.node = &Extend{Input: b.node, Variable: name, Expr: e}
	b.scope.add(name)
	return nil
}

// values translates an inline table.
func (t *translator) values(d *dataBlock) (*Values, error) {
	if d.Single != "" {
		v := &Values{Variables: []string{d.Single[1:]}, Rows: make([][]rdf.Term, len(d.Terms))}
		for i, w := range d.Terms {
			row, err := t.row(d.Terms[i:i+1], w.offset, 1)
			if err != nil {
				return nil, err
			}
			v.Rows[i] = row
		}
		return v, nil
	}
	var names nameSet
	for _, w := range d.Variables {
		if names.contains(w[1:]) {
			return nil, faultf(d.Pos.Offset, "%s stands twice in VALUES", w)
		}
		names.add(w[1:])
	}
	v := &Values{Variables: names.list, Rows: make([][]rdf.Term, len(d.Rows))}
	for i, r := range d.Rows {
		row, err := t.row(r.Terms, r.Pos.Offset, len(names.list))
		if err != nil {
			return nil, err
		}
		v.Rows[i] = row
	}
	return v, nil
}

func (t *translator) row(list []term, offset, width int) ([]rdf.Term, error) {
	if len(list) != width {
		return nil, faultf(offset, "this row of VALUES has %d terms for %d variables", len(list), width)
	}
	row := make([]rdf.Term, width)
	for i, w := range list {
		if w.kind == termVar || w.kind == termBlank {
			f := faultf(w.offset, "unexpected %q in VALUES", w.text)
			f.expected = []string{"an IRI", "a literal", "UNDEF"}
			return nil, f
		}
		c, err := t.constant(w)
		if err != nil {
			return nil, err
		}
		row[i] = c
	}
	return row, nil
}
