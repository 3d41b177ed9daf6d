package rdfgpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/mine"
	"github.com/rdfgpu/rdfgpu/parser"
)

// Vocabulary is what the IRIs of SERVICE <urn:rdfgpu:mine> begin with.
const Vocabulary = "urn:rdfgpu:"

// MineTable is the IRI of the SERVICE that has what Mine finds as solutions. Its pattern is the triples of one subject: one that says
// what is looked for, with a list of variables, such as rdfgpu:clique (?a ?b ?c), and those that say where and how, such as
// rdfgpu:edges <p>.
const MineTable = Vocabulary + "mine"

// ErrMineTable: the pattern of SERVICE <urn:rdfgpu:mine> is not one of its own.
var ErrMineTable = errors.New("not a pattern of SERVICE <" + MineTable + ">")

func isTable(iri string) bool { return iri == MineTable }

// table answers SERVICE <urn:rdfgpu:mine> over what a query sees.
func (s *Store) table(snapshot *live.Snapshot) exec.Table {
	return func(ctx context.Context, pattern parser.Node, variables []string, row func([]Term) error) error {
		t, err := readMineTable(pattern)
		if err != nil {
			return err
		}
		return t.run(ctx, s, snapshot, variables, row)
	}
}

// mineTable is a pattern as it is asked.
type mineTable struct {
	options MineOptions
	columns []string // variables, in the order of the list
}

// minedColumns is how many variables each structure has; 0: as many as there are.
var minedColumns = map[string]struct {
	what    Structure
	columns int
}{
	"triangle": {Triangles, 3}, "clique": {Cliques, 0}, "core": {Cores, 2}, "truss": {Trusses, 3}, "component": {Components, 2},
	"motif": {Motifs, 2}, "frequent": {FrequentPatterns, 2},
}

// readMineTable reads a pattern.
func readMineTable(pattern parser.Node) (*mineTable, error) {
	refuse := func(format string, values ...any) (*mineTable, error) {
		return nil, fmt.Errorf("%w: %s", ErrMineTable, fmt.Sprintf(format, values...))
	}
	bgp, ok := pattern.(*parser.BGP)
	if !ok {
		return refuse("it is triples alone")
	}
	lists, rest := listsOf(bgp.Patterns)
	t := &mineTable{}
	for _, p := range rest {
		name, ours := strings.CutPrefix(p.Predicate.Term.Value, Vocabulary)
		switch s, structure := minedColumns[name]; {
		case p.Predicate.IsVariable() || !ours:
			return refuse("its predicates begin with %s", Vocabulary)
		case p.Subject != rest[0].Subject || !p.Subject.IsVariable():
			return refuse("it has one subject, such as []")
		case structure && t.options.What != "":
			return refuse("it asks for one thing: %s or %s", t.options.What, s.what)
		case structure:
			columns, err := lists.variables(p.Object)
			if err != nil || s.columns > 0 && len(columns) != s.columns {
				return refuse("%s%s wants a list of %s variables, each another", Vocabulary, name, strings.Replace(strconv.Itoa(s.columns), "0", "two or more", 1))
			}
			t.options.What, t.columns = s.what, columns
			if s.columns == 0 {
				t.options.Size = len(columns)
			}
		default:
			if err := t.set(name, p.Object); err != nil {
				return refuse("%s%s: %v", Vocabulary, name, err)
			}
		}
	}
	if t.options.What == "" {
		return refuse("it asks for one of triangle, clique, core, truss, component, motif and frequent")
	}
	return t, nil
}

// set reads what is not a structure.
func (t *mineTable) set(name string, value parser.PatternTerm) (err error) {
	o := &t.options
	if value.IsVariable() {
		return errors.New("expected a constant")
	}
	text := value.Term.Value
	switch name {
	case "edges":
		o.Edges = append(o.Edges, text)
	case "classes":
		o.Classes = append(o.Classes, text)
	case "graph":
		o.Graph = text
	case "size":
		if o.Size, err = strconv.Atoi(text); o.Size == 0 {
			return errors.New("it is 1 or more")
		}
	case "support":
		o.Frequent.Support, err = strconv.ParseUint(text, 10, 64)
	case "sample":
		o.Frequent.Sample, err = strconv.Atoi(text)
	case "bins":
		o.Bins, err = strconv.Atoi(text)
	case "bounds":
		return o.SetBounds(text)
	case "measure":
		o.Frequent.Measure = mine.Measure(text)
	case "induced":
		o.Induced, err = strconv.ParseBool(text)
	case "undirected":
		o.Undirected, err = strconv.ParseBool(text)
	case "noClasses":
		o.Unlabelled, err = strconv.ParseBool(text)
	default:
		return errors.New("there are edges, classes, graph, size, induced, support, measure, sample, undirected, noClasses, bins and bounds")
	}
	if err != nil {
		return fmt.Errorf("%q is no such value", text)
	}
	return nil
}

// patternLists are the lists of a pattern, by their first nodes.
type patternLists map[string][2]parser.PatternTerm // first, rest

const rdfSyntax = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

// listsOf takes lists out of triples.
func listsOf(triples []parser.TriplePattern) (lists patternLists, rest []parser.TriplePattern) {
	lists = patternLists{}
	for _, t := range triples {
		at := slices.Index([]string{rdfSyntax + "first", rdfSyntax + "rest"}, t.Predicate.Term.Value)
		if at < 0 || !strings.HasPrefix(t.Subject.Variable, parser.BlankPrefix) {
			rest = append(rest, t)
			continue
		}
		node := lists[t.Subject.Variable]
		node[at] = t.Object
		lists[t.Subject.Variable] = node
	}
	return lists, rest
}

// variables are those of a list, each of which is there once.
func (l patternLists) variables(head parser.PatternTerm) (names []string, err error) {
	for head.IsVariable() {
		node, ok := l[head.Variable]
		name := node[0].Variable
		if !ok || name == "" || strings.HasPrefix(name, parser.BlankPrefix) || slices.Contains(names, name) {
			return nil, ErrMineTable
		}
		names = append(names, name)
		head = node[1]
	}
	if head.Term.Value != rdfSyntax+"nil" || len(names) < 2 {
		return nil, ErrMineTable
	}
	return names, nil
}

// run hands the solutions on, in the order of the variables that are wanted.
func (t *mineTable) run(ctx context.Context, s *Store, snapshot *live.Snapshot, variables []string, row func([]Term) error) error {
	out, places := make([]Term, len(variables)), make([]int, len(variables))
	for i, name := range variables {
		places[i] = slices.Index(t.columns, name)
	}
	hand := func(cells ...Term) error {
		for i, place := range places {
			if out[i] = (Term{}); place >= 0 {
				out[i] = cells[place]
			}
		}
		return row(out)
	}
	if t.options.What != Motifs && t.options.What != FrequentPatterns {
		t.options.Each = func(r MinedRow) error {
			if t.options.Numbered() {
				return hand(append(slices.Clone(r.Vertices), integer(uint64(r.Number)))...)
			}
			return hand(r.Vertices...)
		}
	}
	report, err := s.mine(ctx, snapshot, t.options)
	for _, p := range report.Patterns {
		if err == nil && t.options.What == Motifs {
			err = hand(rdf.NewString(p.Name), integer(p.Count))
		} else if err == nil && t.options.What == FrequentPatterns {
			err = hand(rdf.NewString(p.Pattern), integer(p.Support))
		}
	}
	return err
}

// integer is a number as a term.
func integer(n uint64) Term {
	return rdf.NewTyped(strconv.FormatUint(n, 10), "http://www.w3.org/2001/XMLSchema#integer")
}
