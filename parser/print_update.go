package parser

import (
	"iter"
	"slices"
	"strconv"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// String writes an update as SPARQL that parses to the same operations, up to the labels of blank nodes. It needs no
// prologue where the update's IRIs are absolute.
func (u *Update) String() string {
	p := updatePrinter{labels: map[string]string{}}
	for i, o := range u.Operations {
		if i > 0 {
			p.WriteString(" ;\n")
		}
		clear(p.labels)
		p.operation(o)
	}
	if len(u.Operations) > 0 {
		p.WriteByte('\n')
	}
	return p.String()
}

// updatePrinter writes SPARQL, where printer writes lists.
type updatePrinter struct {
	printer
	base string // in force
	// labels are those of the operation's blank nodes, renamed: as the parser keeps them they would grow each time that
	// they are parsed. blanks counts those of all operations.
	labels map[string]string
	blanks int
}

func (p *updatePrinter) operation(o Operation) {
	switch o := o.(type) {
	case *InsertData:
		p.WriteString(insertData + " ")
		p.quads(o.Data.patterns())
	case *DeleteData:
		p.WriteString(deleteData + " ")
		p.quads(o.Data.patterns())
	case *Modify:
		p.modify(o)
	case *Load:
		p.words("LOAD", o.Silent, "<"+string(rdf.AppendIRI(nil, o.Source))+">")
		if !o.Into.IsZero() {
			p.WriteString(" INTO GRAPH " + o.Into.String())
		}
	case *Clear:
		p.words("CLEAR", o.Silent, o.Graphs.String())
	case *Drop:
		p.words("DROP", o.Silent, o.Graphs.String())
	case *Create:
		p.words("CREATE", o.Silent, "GRAPH "+o.Graph.String())
	case *Copy:
		p.words("COPY", o.Silent, transferText(o.From, o.To))
	case *Move:
		p.words("MOVE", o.Silent, transferText(o.From, o.To))
	case *Add:
		p.words("ADD", o.Silent, transferText(o.From, o.To))
	}
}

func (p *updatePrinter) words(name string, silent bool, rest string) {
	p.WriteString(name)
	if silent {
		p.WriteString(" SILENT")
	}
	p.WriteString(" " + rest)
}

// String is the words that stand for the graphs in a request.
func (g GraphRefAll) String() string {
	switch g.Kind {
	case GraphRefDefault:
		return "DEFAULT"
	case GraphRefNamed:
		return "NAMED"
	case GraphRefAllGraphs:
		return "ALL"
	}
	return "GRAPH " + g.Graph.String()
}

func transferText(from, to rdf.Term) string {
	return graphOrDefaultText(from) + " TO " + graphOrDefaultText(to)
}

func graphOrDefaultText(graph rdf.Term) string {
	if graph.IsZero() {
		return "DEFAULT"
	}
	return "GRAPH " + graph.String()
}

func (p *updatePrinter) modify(m *Modify) {
	if m.Base != p.base {
		p.base = m.Base
		p.WriteString("BASE <" + string(rdf.AppendIRI(nil, m.Base)) + ">\n")
	}
	if !m.With.IsZero() {
		p.WriteString("WITH " + m.With.String() + "\n")
	}
	if len(m.Delete) > 0 {
		p.template("DELETE", m.Delete)
	}
	if len(m.Insert) > 0 || len(m.Delete) == 0 {
		p.template("INSERT", m.Insert)
	}
	for _, iri := range m.Using {
		p.WriteString("USING " + rdf.NewIRI(iri).String() + "\n")
	}
	for _, iri := range m.UsingNamed {
		p.WriteString("USING NAMED " + rdf.NewIRI(iri).String() + "\n")
	}
	p.WriteString("WHERE " + m.Text)
}

func (p *updatePrinter) template(name string, list []QuadPattern) {
	p.WriteString(name + " ")
	p.quads(slices.Values(list))
	p.WriteByte('\n')
}

// patterns yields the quads as patterns without variables.
func (d *Data) patterns() iter.Seq[QuadPattern] {
	return func(yield func(QuadPattern) bool) {
		for q := range d.All() {
			if !yield(QuadPattern{PatternTerm{Term: q.Graph},
				TriplePattern{PatternTerm{Term: q.Subject}, PatternTerm{Term: q.Predicate}, PatternTerm{Term: q.Object}}}) {
				return
			}
		}
	}
}

// quads writes quads in braces, those of one graph that follow each other in one GRAPH.
func (p *updatePrinter) quads(list iter.Seq[QuadPattern]) {
	p.WriteString("{\n")
	var graph PatternTerm
	indent := "  "
	for q := range list {
		if q.Graph != graph {
			p.endGraph(graph)
			if graph, indent = q.Graph, "  "; graph != (PatternTerm{}) {
				indent = "    "
				p.WriteString("  GRAPH ")
				p.part(graph)
				p.WriteString(" {\n")
			}
		}
		p.WriteString(indent)
		for _, t := range [...]PatternTerm{q.Subject, q.Predicate, q.Object} {
			p.part(t)
			p.WriteByte(' ')
		}
		p.WriteString(".\n")
	}
	p.endGraph(graph)
	p.WriteByte('}')
}

func (p *updatePrinter) endGraph(graph PatternTerm) {
	if graph != (PatternTerm{}) {
		p.WriteString("  }\n")
	}
}

// part writes a term with the new label of a blank node.
func (p *updatePrinter) part(t PatternTerm) {
	if t.Term.Kind == rdf.BlankNode {
		label, known := p.labels[t.Term.Value]
		if !known {
			p.blanks++
			label = "b" + strconv.Itoa(p.blanks)
			p.labels[t.Term.Value] = label
		}
		t.Term.Value = label
	}
	p.term(t)
}
