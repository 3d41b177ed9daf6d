package cpu_test

import (
	"context"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// crew adds up how long a match would take on as many threads as have work for them: each turn of a worker counts as its part of
// the time that all take who are at work.
type crew struct {
	mu    sync.Mutex
	turns int
	time  float64
}

func (c *crew) atWork(workers int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turns++
	c.time += 1 / float64(workers)
}

// The labels of the skewed graph.
const (
	partOf = iota
	locatedIn
	knows
)

// skewed is a graph of 8 countries, 40 cities and 6,000 people who know each other, nearly all of them in one country, and half of those
// in one of its cities. The country and the city are not the last ones.
func skewed(t *testing.T) *pcsr.Graph {
	const countries, cities, people, acquaintances = 8, 40, 6000, 12
	var edges []pcsr.Edge
	add := func(from, label, to int) {
		edges = append(edges, pcsr.Edge{From: pcsr.Vertex(1 + from), Label: pcsr.Vertex(label), To: pcsr.Vertex(1 + to)})
	}
	for city := range cities {
		add(countries+city, partOf, city%countries)
	}
	for p := range people {
		person, city := countries+cities+p, 3+8*(p%5)
		switch {
		case p%50 == 0:
			city = p / 50 % cities
		case p%2 == 0:
			city = 11
		}
		add(person, locatedIn, countries+city)
		for k := range acquaintances {
			add(person, knows, countries+cities+(p+1+k*k)%people)
			add(person, knows, countries+cities+(p+people-1-k*k)%people)
		}
	}
	g, err := pcsr.Build(1+countries+cities+people, 3, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// patterns are triples of variables and labels.
func patterns(labels map[[2]string]dictionary.ID, order ...[2]string) (out []parser.TriplePattern) {
	variable := func(name string) parser.PatternTerm { return parser.PatternTerm{Variable: name} }
	for _, ends := range order {
		label := parser.PatternTerm{Term: matchtest.Term(labels[ends])}
		out = append(out, parser.TriplePattern{Subject: variable(ends[0]), Predicate: label, Object: variable(ends[1])})
	}
	return out
}

// TestTheWorkOfAFewRowsIsForAllThreads: where a match begins with few vertices, and one of them has nearly all of the work, whatever is
// done with it, 16 threads have work most of the time: it would take them no more than three times what it takes divided by 16.
func TestTheWorkOfAFewRowsIsForAllThreads(t *testing.T) {
	const threads = 16
	g := skewed(t)
	where := map[[2]string]dictionary.ID{
		{"cx", "k"}: partOf, {"cy", "k"}: partOf, {"cz", "k"}: partOf, {"x", "cx"}: locatedIn, {"y", "cy"}: locatedIn, {"z", "cz"}: locatedIn,
		{"x", "y"}: knows, {"y", "z"}: knows, {"z", "x"}: knows, {"x", "z"}: knows, {"z", "v"}: knows,
	}
	triangle := patterns(where, [2]string{"cx", "k"}, [2]string{"x", "cx"}, [2]string{"cy", "k"}, [2]string{"y", "cy"}, [2]string{"cz", "k"}, [2]string{"z", "cz"},
		[2]string{"x", "y"}, [2]string{"y", "z"}, [2]string{"z", "x"})
	paths := patterns(where, [2]string{"cx", "k"}, [2]string{"x", "cx"}, [2]string{"x", "y"}, [2]string{"y", "z"}, [2]string{"z", "v"})
	for name, c := range map[string]struct {
		patterns []parser.TriplePattern
		options  bgp.Options
	}{
		"a count of triangles":            {triangle, bgp.Options{CountOnly: true}},
		"a count of paths":                {paths, bgp.Options{CountOnly: true, Semantics: bgp.Isomorphism}},
		"a count of given seeds":          {triangle, bgp.Options{CountOnly: true, Inputs: []string{"k"}}},
		"few rows with many repeats":      {triangle, bgp.Options{Output: []string{"k"}}},
		"rows of all that is bound":       {triangle, bgp.Options{Output: []string{"k", "x", "y", "z"}}},
		"rows of paths, from given seeds": {paths, bgp.Options{Output: []string{"cx", "z"}, Inputs: []string{"k"}, Semantics: bgp.Isomorphism}},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "a count of triangles" && name != "few rows with many repeats" {
				t.Skip("two of six: the race detector takes twenty times as long")
			}
			names := matchtest.Case{Vertices: 1 + int(g.Vertices())}
			plan, err := bgp.Plan(context.Background(), c.patterns, g, names.Lookup, c.options)
			if err != nil {
				t.Fatal(err)
			}
			task := &match.Match{Graph: g, Plan: plan}
			if len(c.options.Inputs) > 0 {
				task.Input = &match.Input{N: 8, Cols: [][]dictionary.ID{{1, 2, 3, 4, 5, 6, 7, 8}}}
			}
			want := solutions(t, cpu.New(), task)
			all := &crew{}
			got := solutions(t, matchtest.OnThreads(cpu.NewWatched(all.atWork), threads), task)
			if got != want {
				t.Errorf("%d solutions, %d in one thread", got, want)
			}
			if all.turns < 10*threads {
				t.Fatalf("%d turns are too little work to be shared", all.turns)
			}
			t.Logf("%d solutions, %d turns, %.1f threads at work", got, all.turns, float64(all.turns)/all.time)
			if atWork := float64(all.turns) / all.time; 3*atWork < threads {
				t.Errorf("%.1f threads are at work, of %d", atWork, threads)
			}
		})
	}
}

// solutions counts what a task asks for, by counting or by rows.
func solutions(t interface{ Fatal(...any) }, m match.Matcher, task *match.Match) (n uint64) {
	var err error
	if len(task.Plan.Output) == 0 {
		n, err = m.Count(context.Background(), task)
	} else {
		err = m.Match(context.Background(), task, func(b *match.Batch) error { n += uint64(b.N); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}
