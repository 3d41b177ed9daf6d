package cpu_test

import (
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"pgregory.net/rapid"
)

// TestListsWithGapsMatch: a class whose members follow each other but for some, beside other fixed lists, rows and lists of several values.
func TestListsWithGapsMatch(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]match.Matcher{"as used": cpu.New(), "everything small": matchtest.OnThreads(cpu.NewContrary(), 2)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				if err := matchtest.Check(m, drawGaps(t)); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// drawGaps draws subjects that nearly all have a class and a group of few, some a place and some a mark, and asks for some of that.
func drawGaps(t *rapid.T) *matchtest.Case {
	const typeLabel, place, group, mark, class, somewhere, groups, first, subjects = 0, 1, 2, 3, 4, 5, 6, 20, 160
	c := &matchtest.Case{Vertices: first + subjects, Labels: 4, TypeLabel: typeLabel, Limit: 7}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	// has gives an edge to one in so many subjects; to all but one in so many where the share is negative.
	has := func(label pcsr.Label, to func(i pcsr.Vertex) pcsr.Vertex, shares ...int) {
		share := rapid.SampledFrom(shares).Draw(t, "one in")
		for i := range pcsr.Vertex(subjects) {
			if share > 0 && random.IntN(share) == 0 || share < 0 && random.IntN(-share) > 0 {
				c.Edges = append(c.Edges, pcsr.Edge{From: first + i, Label: label, To: to(i)})
			}
		}
	}
	always := func(to pcsr.Vertex) func(pcsr.Vertex) pcsr.Vertex { return func(pcsr.Vertex) pcsr.Vertex { return to } }
	has(typeLabel, always(class), 1, -4, -50)
	has(place, always(somewhere), 1, 2, 3)
	has(mark, func(i pcsr.Vertex) pcsr.Vertex { return first + i*7%subjects }, 2, 10)
	for g := range pcsr.Vertex(3) {
		has(group, always(groups+g), 1, 2)
	}
	constant := func(id dictionary.ID) parser.PatternTerm { return parser.PatternTerm{Term: matchtest.Term(id)} }
	variable := func(name string) parser.PatternTerm { return parser.PatternTerm{Variable: name} }
	ask := func(label dictionary.ID, object parser.PatternTerm) {
		if rapid.IntRange(0, 2).Draw(t, "asked") > 0 {
			c.Patterns = append(c.Patterns, parser.TriplePattern{Subject: variable("s"), Predicate: constant(label), Object: object})
		}
	}
	ask(typeLabel, constant(class))
	ask(place, constant(somewhere))
	ask(mark, variable("m"))
	if rapid.Bool().Draw(t, "by group") {
		ask(group, variable("g"))
		ask(group, variable("h"))
	}
	if len(c.Patterns) == 0 {
		c.Patterns = append(c.Patterns, parser.TriplePattern{Subject: variable("s"), Predicate: constant(mark), Object: variable("m")})
	}
	c.Options.Thorough = rapid.Bool().Draw(t, "thorough")
	c.Changes = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "changes")
	return c
}
