package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// Text of each kind of node.

func (*Unit) Text() (string, string) { return "unit", "" }

func (e *Empty) Text() (string, string) { return "nothing", e.Reason + e.note }

func (*Seed) Text() (string, string) { return "seed", "" }

// matchText is what a match is in the query's words, which only explain puts together.
type matchText struct {
	pattern  *parser.BGP
	where    []string
	branches string
}

func (t *matchText) String() string {
	text := patternText(t.pattern)
	if len(t.where) > 0 {
		text += " where " + strings.Join(t.where, " && ")
	}
	return text + t.branches
}

func (m *Match) Text() (string, string) {
	text := m.text.String()
	if m.Plan.Empty {
		text += " nothing: " + m.Plan.Reason
	}
	if len(m.Seeds) > 0 {
		text += " seeded with ?" + strings.Join(m.Seeds, " ?")
	}
	return "match", text + m.note
}

func (p *Product) Text() (string, string) { return "product", p.note }

func (p *Path) Text() (string, string) { return "path", p.text + p.note }

func (v *Values) Text() (string, string) {
	return "values", fmt.Sprintf("%d rows", len(v.Table.Rows)) + v.note
}

func (s *Service) Text() (string, string) { return "service", termText(s.Pattern.Name) + s.note }

func (g *EachGraph) Text() (string, string) {
	text := fmt.Sprintf("?%s, %d graphs", g.Variable, len(g.Graphs))
	if g.Search != nil {
		text += ", those that are lists searched"
	}
	return "graph", text + g.note
}

func (j *Join) Text() (string, string) { return j.Kind.String(), j.text + j.note }

func (l *Looked) Text() (string, string) {
	return "look up", "?" + strings.Join(l.Key, " ?") + " in the solutions of the second pattern, or else join" + l.note
}

func (f *Filter) Text() (string, string) {
	var texts []string
	for _, c := range f.Conditions {
		texts = append(texts, c.text)
	}
	return "filter", strings.Join(texts, " && ") + f.note
}

func (b *Bind) Text() (string, string) {
	return "bind", "?" + b.Variable + " = " + b.Value.text + b.note
}

func (*Number) Text() (string, string) { return "number", "" }

func (u *Union) Text() (string, string) { return "union", u.note }

func (g *Group) Text() (string, string) { return "group", g.text + g.note }

// Text of a count says how often the solutions of each input count, where that is not once.
func (c *Count) Text() (string, string) {
	if !slices.ContainsFunc(c.Terms, func(t CountTerm) bool { return t.Times != 1 }) {
		return "count", c.note
	}
	var text []string
	for _, t := range c.Terms {
		text = append(text, fmt.Sprintf("%+d", t.Times))
	}
	return "count", strings.Join(text, " ") + c.note
}

func (d *Degrees) Text() (string, string) { return "degrees", d.text + d.note }

func (e *Ends) Text() (string, string) {
	text := "the least ?"
	if e.Greatest {
		text = "the greatest ?"
		if e.Least {
			text = "the least and the greatest ?"
		}
	}
	return "ends", text + e.Variable
}

func (s *Sort) Text() (string, string) {
	text := s.text
	if s.Limit > 0 {
		text += fmt.Sprintf(", best %d", s.Limit)
	}
	return "sort", text + s.note
}

func (p *Project) Text() (string, string) { return "project", p.note }

func (s *Slice) Text() (string, string) {
	text := ""
	if s.Most >= 0 {
		text = fmt.Sprintf("limit %d", s.Most)
	}
	if s.Offset > 0 {
		text = strings.TrimSpace(text + fmt.Sprintf(" offset %d", s.Offset))
	}
	return "slice", text + s.note
}

func (d *Distinct) Text() (string, string) { return "distinct", d.note }

func (c *Construct) Text() (string, string) {
	return "construct", fmt.Sprintf("%d triples a solution", len(c.Template))
}

func (*Describe) Text() (string, string) { return "describe", "" }

func (g *Given) Text() (string, string) { return "given", parametersText(g.Parameters) }

func (r *Recall) Text() (string, string) { return "recall", parametersText(r.Parameters) }

func (a *Apply) Text() (string, string) { return "for each binding", parametersText(a.Parameters) }

func (*Existence) Text() (string, string) { return "exists", "" }

// parametersText names parameters by the variables they stand for.
func parametersText(list []string) string {
	var out []string
	for _, v := range list {
		out = append(out, variableText(v))
	}
	return strings.Join(out, " ")
}

// patternText is a basic graph pattern in the query's words.
func patternText(n *parser.BGP) string {
	var parts []string
	for _, t := range n.Patterns {
		parts = append(parts, termText(t.Subject)+" "+termText(t.Predicate)+" "+termText(t.Object))
	}
	return "{ " + strings.Join(parts, " . ") + " }"
}

func termText(t parser.PatternTerm) string {
	if t.IsVariable() {
		return variableText(t.Variable)
	}
	return t.Term.String()
}

func variableText(v string) string {
	if name, ok := scope.OfParameter(v); ok {
		return "$" + name
	}
	if strings.HasPrefix(v, parser.BlankPrefix) {
		return v
	}
	return "?" + v
}

// pathText is a path in the query's words.
func pathText(p parser.Path) string {
	switch p := p.(type) {
	case *parser.PathIRI:
		return "<" + p.IRI + ">"
	case *parser.PathInverse:
		return "^" + pathText(p.Path)
	case *parser.PathSequence:
		return "(" + pathText(p.Left) + "/" + pathText(p.Right) + ")"
	case *parser.PathAlternative:
		return "(" + pathText(p.Left) + "|" + pathText(p.Right) + ")"
	case *parser.PathZeroOrMore:
		return pathText(p.Path) + "*"
	case *parser.PathOneOrMore:
		return pathText(p.Path) + "+"
	case *parser.PathZeroOrOne:
		return pathText(p.Path) + "?"
	case *parser.PathNegated:
		return "!(" + negatedText(p) + ")"
	}
	return "?"
}

func negatedText(p *parser.PathNegated) string {
	var parts []string
	for _, iri := range p.Forward {
		parts = append(parts, "<"+iri+">")
	}
	for _, iri := range p.Inverse {
		parts = append(parts, "^<"+iri+">")
	}
	return strings.Join(parts, "|")
}

func (p *planner) groupText(n *parser.Group) string {
	var keys, aggregates []string
	for _, k := range n.Keys {
		keys = append(keys, p.exprText(k.Expr))
	}
	for _, a := range n.Aggregates {
		argument := "*"
		if a.Argument != nil {
			argument = p.exprText(a.Argument)
		}
		if a.Distinct {
			argument = "DISTINCT " + argument
		}
		aggregates = append(aggregates, a.Function+"("+argument+")")
	}
	text := strings.Join(aggregates, ", ")
	if len(keys) > 0 {
		text = strings.TrimSpace("by " + strings.Join(keys, ", ") + " " + text)
	}
	return text
}
