package rdfgpu

import (
	"fmt"
	"strings"
	"time"
)

// MineReport is what was mined.
type MineReport struct {
	What       Structure `json:"what"`
	Predicates []string  `json:"predicates"`
	// Classes, of frequent patterns, are those that were told apart.
	Classes  []string `json:"classes,omitempty"`
	Vertices int      `json:"vertices"`
	Edges    uint64   `json:"edges"`
	// Literals is how many triples were left out because of their objects.
	Literals uint64 `json:"literals"`
	// Sequence is that of the newest commit that was seen.
	Sequence uint64 `json:"sequence"`
	// Measure is that of the support of frequent patterns.
	Measure string `json:"measure,omitempty"`
	// Count is of what was looked for: of cores all vertices, of trusses all edges.
	Count    uint64         `json:"count"`
	Patterns []MinedPattern `json:"patterns,omitempty"`
	// By counts by size or by number.
	By      []MinedNumber `json:"by,omitempty"`
	Elapsed time.Duration `json:"elapsedNanoseconds"`
}

// MinedPattern is a pattern and how often it was found.
type MinedPattern struct {
	// Name is what a pattern without predicates is called.
	Name string `json:"name,omitempty"`
	// Pattern is its edges: a-b b-c, or triple patterns, and Brief these with IRIs cut short where they are known by their ends.
	Pattern string `json:"pattern"`
	Brief   string `json:"brief,omitempty"`
	Edges   int    `json:"edges"`
	// Arcs are the edges by the numbers of their vertices, ?a being 0.
	Arcs []MinedArc `json:"arcs"`
	// Classes are those of the vertices, "" for none; nil where classes are not told apart. Classless are the variables of a frequent pattern that stand for
	// resources of none of the classes.
	Classes   []string `json:"classes,omitempty"`
	Classless []string `json:"classless,omitempty"`
	// Values, where literals were binned, are the conditions on vertices that stand for values, "" for resources.
	Values []string `json:"values,omitempty"`
	// Count is the number of instances of cliques and motifs, Support that of frequent patterns; Error, where it was estimated, is what
	// it is wrong by at most in 19 of 20 cases.
	Count   uint64 `json:"count,omitempty"`
	Support uint64 `json:"support,omitempty"`
	Error   uint64 `json:"error,omitempty"`
	// Automorphisms is how many embeddings an instance has.
	Automorphisms int    `json:"automorphisms"`
	SPARQL        string `json:"sparql,omitempty"`
}

// MinedArc is an edge of a pattern, with its predicate where these are told apart.
type MinedArc struct {
	From      int    `json:"from"`
	To        int    `json:"to"`
	Predicate string `json:"predicate,omitempty"`
}

// MinedNumber says how many there are of a size, or with a number.
type MinedNumber struct {
	Value uint64 `json:"value"`
	Count uint64 `json:"count"`
}

// of tells what a graph was made of.
func (r *MineReport) of(m *Mined, vertices int, edges uint64) {
	r.Predicates, r.Literals, r.Sequence, r.Vertices, r.Edges = m.Predicates, m.Literals, m.Sequence(), vertices, edges
}

// String gives the report in lines.
func (r MineReport) String() string {
	var b strings.Builder
	for _, n := range r.By {
		fmt.Fprintf(&b, "%16d %s\n", n.Count, r.named(n.Value))
	}
	comment := ""
	for _, p := range r.Patterns {
		if p.SPARQL != "" {
			comment = "# "
			fmt.Fprintf(&b, "# %s: %s; solutions: %d for each instance\n%s\n", p.amount(r.Measure+" "), strings.TrimSpace(p.title()), p.Automorphisms, p.SPARQL)
			continue
		}
		fmt.Fprintf(&b, "%16s %s\n", p.amount(""), p.title())
	}
	switch {
	case r.What == FrequentPatterns:
		fmt.Fprintf(&b, "%s%d frequent patterns ", comment, r.Count)
	case r.By == nil && r.Patterns == nil:
		fmt.Fprintf(&b, "%16d %s\n", r.Count, r.What)
		fallthrough
	default:
		b.WriteString(comment)
	}
	fmt.Fprintf(&b, "in a graph of %d vertices and %d edges (%d triples to literals left out), %.2f s\n", r.Vertices, r.Edges, r.Literals, r.Elapsed.Seconds())
	return b.String()
}

// named says what a number stands for.
func (r MineReport) named(value uint64) string {
	switch r.What {
	case Cores:
		return fmt.Sprintf("vertices of core %d", value)
	case Trusses:
		return fmt.Sprintf("edges of truss %d", value)
	}
	return fmt.Sprintf("%s of %d vertices", r.What, value)
}

// amount is how often a pattern is found: a support by its measure, a count as it is.
func (p MinedPattern) amount(measure string) string {
	switch {
	case p.Error > 0:
		return fmt.Sprintf("%s%d±%d", measure, p.Support, p.Error)
	case p.Brief != "":
		return fmt.Sprintf("%s%d", measure, p.Support)
	}
	return fmt.Sprint(p.Count)
}

// title names a pattern, with its classes where these tell patterns apart.
func (p MinedPattern) title() string {
	switch {
	case p.Brief != "" && len(p.Classless) > 0:
		return " " + p.Brief + "  # of no class: " + strings.Join(p.Classless, " ")
	case p.Brief != "":
		return " " + p.Brief
	case p.Classes == nil:
		return p.Name
	}
	parts := []string{p.Pattern}
	for i, class := range p.Classes {
		if class != "" {
			parts = append(parts, fmt.Sprintf("?%c a <%s>", 'a'+i, class))
		}
	}
	return fmt.Sprintf("%s (%s)", p.Name, strings.Join(parts, ", "))
}

// brief names IRIs by what follows the last # or /, and those whose names are not their own alone in brackets.
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
