package exec_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/naive"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/rules"
	"pgregory.net/rapid"
)

// TestQueriesAnswerAsTheReferenceSays compares the engine, with and without its optimisations, with so little
// memory that everything spills, and with workers that share rows in pieces of two, with the reference evaluator.
func TestQueriesAnswerAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).dataset, (*generator).query)
}

// TestNestedQueriesAnswerAsTheReferenceSays does so for EXISTS and sub-SELECTs in each other.
func TestNestedQueriesAnswerAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).dataset, (*generator).nested)
}

// TestComparisonsAnswerAsTheReferenceSays does so for conditions on values, and their order.
func TestComparisonsAnswerAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).values, (*generator).compared)
}

// TestNumbersAnswerAsTheReferenceSays does so for what is computed of numbers, which are groups' keys, added up and compared.
func TestNumbersAnswerAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).numbers, (*generator).calculated)
}

// TestOrdersOfNumbersAreAsTheReferenceSays does so for what is sorted by computed numbers, in that order.
func TestOrdersOfNumbersAreAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).mixedNumbers, (*generator).orderedByNumbers)
}

// TestComputedTermsAreThoseThatTheReferenceHas does so for terms that queries make, many of which the data have, and that are compared in every way.
func TestComputedTermsAreThoseThatTheReferenceHas(t *testing.T) {
	compareWithReference(t, (*generator).alike, (*generator).identified)
}

// TestWhatListsHaveInCommonIsAsTheReferenceSays does so for patterns that hang on others by two variables and more.
func TestWhatListsHaveInCommonIsAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).meshed, (*generator).meeting)
}

// TestEachGraphAnswersAsTheReferenceSays does so for patterns of GRAPH ?g, over graphs of which some are lists of triples.
func TestEachGraphAnswersAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).manyGraphs, (*generator).eachGraph)
}

// TestPathsInGraphsAnswerAsTheReferenceSays does so for paths in GRAPH ?g.
func TestPathsInGraphsAnswerAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).manyGraphs, (*generator).walkedInGraphs)
}

// TestCountsInGraphsAnswerAsTheReferenceSays does so for numbers of solutions of triple patterns in GRAPH ?g.
func TestCountsInGraphsAnswerAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).manyGraphs, (*generator).countedInGraphs)
}

// TestChosenGraphsAnswerAsTheReferenceSays does so where the query says which graphs it is about.
func TestChosenGraphsAnswerAsTheReferenceSays(t *testing.T) {
	compareWithReference(t, (*generator).inGraphs, (*generator).fromGraphs)
}

func compareWithReference(t *testing.T, dataset func(*generator) ([]quad, []rdf.Term), query func(*generator) string) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		quads, names := dataset(g)
		text := query(g)
		segments, commits := g.split(quads)
		q, m, device := drawn(t, text, segments, commits, names...)
		defer device.Close()
		semantics := g.semantics(q)
		if rapid.IntRange(0, 1).Draw(t, "homomorphism") == 0 {
			semantics = bgp.Homomorphism
		}
		full, offset, limit := unsliced(q, g.loose)
		listed := tally
		if g.ordered {
			listed = inOrder
		}
		want := listed(reference1(quads, names, full, semantics))
		for _, variant := range []string{"optimised", "unoptimised", "spilling", "sharing", "scattered", "workers", "pieces", "by many", "weighed", "without weights", "distributed", "kept", "device", "weighed device", "first", "first in pieces", "without a rule", "lists", "some lists", "lists in pieces"} {
			o := onProcessor()
			if variant == "workers" {
				o = shared()
			}
			if variant == "pieces" || variant == "first in pieces" || variant == "lists in pieces" {
				o = inPieces(2)
			}
			m := m
			switch variant {
			case "lists", "lists in pieces":
				m = m.listed(1)
				o.Operators.KeptGraphs, o.Operators.FewRows = g.pick(3), float64(g.pick(2))
			case "some lists":
				m = m.listed(2)
			}
			if variant == "by many" {
				o = byMany(1 + g.pick(3))
			}
			if variant == "device" {
				o = device.options()
			}
			if variant == "weighed device" {
				o = device.options()
				o.ShallowBranches = false
				o.Operators.LookEdges = 2
			}
			if variant == "sharing" || variant == "spilling" || variant == "scattered" {
				o.Tuning.ProductCost = always
			}
			if variant == "optimised" || variant == "scattered" || variant == "device" || variant == "workers" {
				o.Tuning.FewSearches = 100
			}
			if variant == "scattered" {
				o.Tuning.MaxListed, o.Tuning.PartsGain = 1, math.Inf(1)
			}
			if variant == "without a rule" {
				list := rules.List()
				o.Tuning.Without = []string{list[g.pick(len(list))].Name}
			}
			if variant == "sharing" {
				o.Tuning.SharedGain = math.Inf(1)
			}
			if variant == "sharing" || variant == "pieces" {
				o.Tuning.DifferenceCost, o.Tuning.DifferenceGain = always, math.Inf(1)
			}
			if variant == "distributed" || variant == "first in pieces" {
				o.Tuning.DifferenceCost, o.Tuning.DistributedGain = always, math.Inf(1)
			}
			switch variant {
			case "pieces", "workers", "weighed", "kept", "scattered", "device", "distributed":
				o.Tuning.FactoredRows, o.Tuning.FactorGain = always, always
			}
			switch variant {
			case "pieces", "by many", "workers", "spilling", "kept":
				o.Tuning.ManyLeft = always
			}
			switch variant {
			case "first", "first in pieces":
				o.Tuning.FirstGain = math.Inf(1)
			case "weighed", "sharing", "weighed device":
				o.Tuning.WeightGain = math.Inf(1)
			case "without weights":
				o.Tuning.WeightGain = -1
			}
			o.Semantics = semantics
			o.Unoptimised = variant == "unoptimised"
			o.Shown = variant != "without weights" && variant != "workers"
			if variant == "spilling" {
				o.Memory = 1
			}
			var err error
			if variant == "kept" {
				if o.Planned, err = m.kept(q, o); err != nil {
					t.Fatalf("%v\n%s", err, reproduce(segments, commits, text))
				}
			}
			a, err := m.run(q, o)
			if variant == "spilling" && err != nil && strings.Contains(err.Error(), limits.ErrMemory.Error()) {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", variant, err, reproduce(segments, commits, text))
			}
			if got := listed(a.rows); !g.loose && !slices.Equal(got, want) || g.loose && !partOf(got, want, offset, limit) {
				t.Fatalf("%s, semantics %d: %d rows, the reference has %d\n%s\n got:\n  %s\n want:\n  %s", variant, semantics, len(got), len(want),
					reproduce(segments, commits, text), strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
		}
	})
}

// drawn is a query that was drawn, if it is one, the dataset, and a device, which the caller closes.
func drawn(t *rapid.T, text string, segments, commits []edits, names ...rdf.Term) (*parser.Query, *memory, *emulated) {
	q, err := parser.Parse(text, parser.Options{})
	if err != nil {
		t.Skip(err) // a variable bound twice, say
	}
	m, err := newEdited(segments, commits, names...)
	if err != nil {
		t.Fatal(err)
	}
	device, err := emulate()
	if err != nil {
		t.Fatal(err)
	}
	return q, m, device
}

// unsliced takes LIMIT and OFFSET off a query whose LIMIT leaves a choice.
func unsliced(q *parser.Query, loose bool) (full *parser.Query, offset, limit int) {
	s, ok := q.Where.(*parser.Slice)
	if !loose || !ok {
		return q, 0, 0
	}
	whole := *q
	whole.Where = s.Input
	return &whole, int(max(s.Offset, 0)), int(s.Limit)
}

// partOf reports whether some sorted rows are what LIMIT and OFFSET may leave of all: the right number, each as often
// at most as it is there.
func partOf(some, all []string, offset, limit int) bool {
	if len(some) != min(max(len(all)-offset, 0), limit) {
		return false
	}
	for len(some) > 0 && len(all) > 0 {
		if some[0] == all[0] {
			some = some[1:]
		}
		all = all[1:]
	}
	return len(some) == 0
}

// reference1 answers a SELECT by the reference.
func reference1(quads []quad, names []rdf.Term, q *parser.Query, semantics bgp.Semantics) [][]rdf.Term {
	quads, names = chosen(q, quads, names)
	e := &naive.Evaluator{Names: names, Semantics: semantics}
	for _, q := range quads {
		e.Quads = append(e.Quads, rdf.Quad{Subject: q.subject, Predicate: q.predicate, Object: q.object, Graph: q.graph})
	}
	return e.Select(q)
}

// chosen is the dataset that FROM and FROM NAMED make of another (SPARQL 1.1 section 13.2).
func chosen(q *parser.Query, quads []quad, names []rdf.Term) (in []quad, of []rdf.Term) {
	if len(q.From)+len(q.FromNamed) == 0 {
		return quads, names
	}
	for _, t := range quads {
		if slices.Contains(q.From, t.graph.Value) {
			in = append(in, quad{t.subject, t.predicate, t.object, rdf.Term{}})
		}
		if slices.Contains(q.FromNamed, t.graph.Value) {
			in = append(in, t)
		}
	}
	for _, name := range names {
		if slices.Contains(q.FromNamed, name.Value) {
			of = append(of, name)
		}
	}
	return in, of
}

// tally is a table in an order that does not depend on how it was computed.
func tally(rows [][]rdf.Term) []string {
	out := inOrder(rows)
	slices.Sort(out)
	return out
}

// inOrder is a table as it was computed.
func inOrder(rows [][]rdf.Term) (out []string) {
	for _, r := range rows {
		out = append(out, rowKey(r, nil))
	}
	return out
}

// reproduce writes down what a dataset was made of, and a query.
func reproduce(segments, commits []edits, text string) string {
	var sb strings.Builder
	write := func(sign string, quads []quad) {
		for _, q := range quads {
			fmt.Fprintf(&sb, "%s %s %s %s", sign, q.subject, q.predicate, q.object)
			if !q.graph.IsZero() {
				sb.WriteString(" " + q.graph.String())
			}
			sb.WriteString(" .\n")
		}
	}
	for i, e := range slices.Concat(segments, commits) {
		if i < len(segments) {
			fmt.Fprintf(&sb, "segment %d\n", i)
		} else {
			fmt.Fprintf(&sb, "commit %d\n", i-len(segments))
		}
		write("-", e.removed)
		write("+", e.added)
	}
	return sb.String() + "\n" + text
}

// TestNestedPathsAnswerAsTheReferenceSays compares paths with closures inside closures with the reference evaluator: their ends, and how many there are.
func TestNestedPathsAnswerAsTheReferenceSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		quads, names := g.dataset()
		of := g.oneOf("SELECT *", "SELECT *", "SELECT (COUNT(*) AS ?number)", "SELECT (COUNT(DISTINCT ?a) AS ?number)", "SELECT (COUNT(DISTINCT *) AS ?number)",
			"SELECT ?a (COUNT(*) AS ?number)", "SELECT ?b (COUNT(?a) AS ?number)", "SELECT DISTINCT ?a", "SELECT ?b")
		text := fmt.Sprintf("PREFIX : <%s>\n%s { %s (%s)%s %s }", exampleNS, of, g.term(), g.path(4), g.oneOf("*", "+", "?", ""), g.object())
		if strings.HasPrefix(of, "SELECT ?a (") || strings.HasPrefix(of, "SELECT ?b (") {
			text += " GROUP BY " + strings.Fields(of)[1]
		}
		segments, commits := g.split(quads)
		q, m, device := drawn(t, text, segments, commits, names...)
		defer device.Close()
		near, together := device.options(), onProcessor()
		near.Operators.LookEdges, together.Operators.LookEdges = 1+g.pick(20), -1
		together.Searchers = func(*match.Closure, int, float64) match.Searcher { return nil }
		want := tally(reference1(quads, names, q, bgp.Homomorphism))
		for i, o := range []exec.Options{onProcessor(), device.options(), near, together} {
			a, err := m.run(q, o)
			if err != nil {
				t.Fatalf("%d: %v\n%s", i, err, reproduce(segments, commits, text))
			}
			if got := tally(a.rows); !slices.Equal(got, want) {
				t.Fatalf("%d: %s\n got:\n  %s\n want:\n  %s", i, reproduce(segments, commits, text), strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
		}
	})
}
