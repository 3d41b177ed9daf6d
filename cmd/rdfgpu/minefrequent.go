package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/mine"
)

// frequentReport is the frequent patterns of a graph.
type frequentReport struct {
	Predicates []string          `json:"predicates"`
	Classes    []string          `json:"classes"`
	Vertices   int               `json:"vertices"`
	Edges      uint64            `json:"edges"`
	Literals   uint64            `json:"literals"` // triples that were left out because of their objects
	Measure    string            `json:"measure"`
	Patterns   []frequentPattern `json:"patterns"`
	Elapsed    time.Duration     `json:"elapsedNanoseconds"`
}

// frequentPattern is one of them.
type frequentPattern struct {
	Pattern string `json:"pattern"` // triple patterns
	// Classless are the variables that stand for resources of none of the classes.
	Classless []string `json:"classless,omitempty"`
	Edges     int      `json:"edges"`
	Support   uint64   `json:"support"`
	// Error, of a support that was estimated, is what it may be wrong by (19 of 20 cases).
	Error         uint64 `json:"error,omitempty"`
	Automorphisms int    `json:"automorphisms"`
	SPARQL        string `json:"sparql,omitempty"`
}

// frequent finds the frequent patterns of the store.
func (c *mineCommand) frequent(ctx context.Context, env *environment, store *rdfgpu.Store) error {
	began := time.Now()
	graph, err := store.MiningLabelled(ctx, rdfgpu.MiningOptions{
		Edges: c.Edges, Graph: c.Graph, Classes: c.Classes, Unlabelled: c.NoClass, Undirected: c.EitherWay,
	})
	if err != nil {
		return err
	}
	defer graph.Close()
	graph.Options.Memory = int64(c.Memory)
	shown := c.progress(env, &graph.Options)
	asked := mine.FrequentOptions{Support: c.Support, Measure: mine.Measure(c.Measure), Edges: c.Size, Sample: c.Sample}
	found, err := mine.Frequent(ctx, graph.Labelled, asked, graph.Options)
	if shown.done(); err != nil {
		return err
	}
	r := frequentReport{
		Predicates: graph.Predicates, Classes: graph.Classes, Vertices: graph.Len(), Edges: graph.Labelled.Edges(), Literals: graph.Literals,
		Measure: c.Measure, Elapsed: time.Since(began), Patterns: []frequentPattern{},
	}
	predicates, classes := brief(graph.Predicates), brief(graph.Classes)
	if c.JSON {
		predicates, classes = inBrackets(graph.Predicates), inBrackets(graph.Classes)
	}
	for _, f := range found {
		p := frequentPattern{
			Pattern: f.Pattern.Triples(predicates, classes, graph.Directed()), Edges: len(f.Pattern.Arcs),
			Support: f.Support, Error: f.Error, Automorphisms: f.Automorphisms,
		}
		if len(graph.Classes) > 0 {
			p.Classless = classless(f.Pattern)
		}
		if c.SPARQL {
			p.SPARQL = f.Pattern.Query(graph.Predicates, graph.Classes, graph.Directed())
		}
		r.Patterns = append(r.Patterns, p)
	}
	if c.JSON {
		return writeJSON(env.stdout, r)
	}
	_, err = io.WriteString(env.stdout, r.String())
	return err
}

// classless lists the vertices of a pattern that have no label.
func classless(p mine.LabelledPattern) (variables []string) {
	for i, label := range p.Labels {
		if label == mine.NoLabel {
			variables = append(variables, fmt.Sprintf("?%c", 'a'+i))
		}
	}
	return variables
}

// title is the triple patterns, and what they leave open.
func (p frequentPattern) title() string {
	if len(p.Classless) == 0 {
		return p.Pattern
	}
	return p.Pattern + "  # of no class: " + strings.Join(p.Classless, " ")
}

// String gives the report in lines.
func (r frequentReport) String() string {
	var b strings.Builder
	comment := ""
	for _, p := range r.Patterns {
		support := fmt.Sprint(p.Support)
		if p.Error > 0 {
			support += fmt.Sprint("±", p.Error)
		}
		if p.SPARQL != "" {
			comment = "# "
			fmt.Fprintf(&b, "# %s %s: %s; solutions: %d for each instance\n%s\n", r.Measure, support, p.title(), p.Automorphisms, p.SPARQL)
			continue
		}
		fmt.Fprintf(&b, "%16s  %s\n", support, p.title())
	}
	fmt.Fprintf(&b, "%s%d patterns in a graph of %d vertices, %d edges, %d predicates and %d classes (%d triples to literals left out), %.2f s\n",
		comment, len(r.Patterns), r.Vertices, r.Edges, len(r.Predicates), len(r.Classes), r.Literals, r.Elapsed.Seconds())
	return b.String()
}

// brief names IRIs by what follows the last # or /, those whose names are not their own alone in brackets.
func brief(iris []string) []string {
	counts := map[string]int{}
	short := func(iri string) string { return iri[strings.LastIndexAny(iri, "#/")+1:] }
	for _, iri := range iris {
		counts[short(iri)]++
	}
	names := inBrackets(iris)
	for i, iri := range iris {
		if name := short(iri); name != "" && counts[name] == 1 {
			names[i] = ":" + name
		}
	}
	return names
}

// inBrackets writes IRIs as queries do.
func inBrackets(iris []string) []string {
	terms := make([]string, len(iris))
	for i, iri := range iris {
		terms[i] = "<" + iri + ">"
	}
	return terms
}
