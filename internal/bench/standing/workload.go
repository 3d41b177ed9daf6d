package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/rdfgpu/rdfgpu"
)

// workload is what changes in a data set, and which queries stand.
type workload struct {
	prefix string
	// edge is the predicate of the edges that come and go, from and to the lists of their ends.
	edge, from, to string
	// lists are queries for vertices, by the name that stands for one of them in templates.
	lists map[string]string
	// first is the query that every commit changes; templates are the others.
	first     string
	templates []string
}

var workloads = map[string]*workload{
	"watdiv": {
		prefix: "PREFIX w: <http://db.uwaterloo.ca/~galuc/wsdbm/> ",
		edge:   "w:follows", from: "$user", to: "$liker",
		lists: map[string]string{
			"$user":  "SELECT DISTINCT ?x { ?x w:follows ?y } LIMIT 50000",
			"$liker": "SELECT DISTINCT ?x { ?x w:likes ?y } LIMIT 50000",
			"$liked": "SELECT DISTINCT ?x { ?y w:likes ?x } LIMIT 50000",
		},
		first: "SELECT ?a ?b ?p { ?a w:follows ?b . ?b w:likes ?p }",
		templates: []string{
			"SELECT ?a ?p { ?a w:follows $liker . ?a w:likes ?p }",
			"SELECT ?b ?c { $user w:follows ?b . ?b w:follows ?c }",
			"SELECT ?a ?b { ?a w:follows ?b . ?b w:likes $liked }",
			"SELECT (COUNT(*) AS ?n) { ?a w:follows $liker }",
			"SELECT ?a ?b { $user w:friendOf ?a . ?a w:follows ?b FILTER (?b != $user) }",
		},
	},
	"lubm": {
		prefix: "PREFIX u: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#> ",
		edge:   "u:takesCourse", from: "$student", to: "$course",
		lists: map[string]string{
			"$student": "SELECT DISTINCT ?x { ?x u:takesCourse ?y } LIMIT 50000",
			"$course":  "SELECT DISTINCT ?x { ?y u:teacherOf ?x } LIMIT 50000",
			"$teacher": "SELECT DISTINCT ?x { ?x u:teacherOf ?y } LIMIT 50000",
		},
		first: "SELECT ?s ?t { ?s u:takesCourse ?c . ?t u:teacherOf ?c }",
		templates: []string{
			"SELECT ?s ?d { ?s u:takesCourse $course . ?s u:memberOf ?d }",
			"SELECT ?c ?t { $student u:takesCourse ?c . ?t u:teacherOf ?c }",
			"SELECT ?s ?c { ?s u:advisor $teacher . ?s u:takesCourse ?c }",
			"SELECT (COUNT(*) AS ?n) { ?s u:takesCourse $course }",
			"SELECT ?s ?d { $teacher u:teacherOf ?c . ?s u:takesCourse ?c . ?s u:memberOf ?d }",
		},
	},
}

// data are the vertices of a workload's lists.
type data struct {
	*workload
	random *rand.Rand
	lists  map[string][]string
}

// read asks for the lists.
func (w *workload) read(ctx context.Context, store *rdfgpu.Store) (*data, error) {
	d := &data{workload: w, random: rand.New(rand.NewPCG(15, 3)), lists: map[string][]string{}}
	for name, query := range w.lists {
		result, err := store.Query(ctx, w.prefix+query, rdfgpu.QueryOptions{})
		if err != nil {
			return nil, err
		}
		for row, err := range result.Rows() {
			if err != nil {
				return nil, err
			}
			d.lists[name] = append(d.lists[name], "<"+row[0].Value+">")
		}
		list := d.lists[name]
		if len(list) == 0 {
			return nil, fmt.Errorf("the store has no %s: it is of other data", name)
		}
		d.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return d, nil
}

// query is the text of query n that stands.
func (d *data) query(n int) string {
	if n == 0 {
		return d.prefix + d.first
	}
	text := d.templates[n%len(d.templates)]
	for name, list := range d.lists {
		text = strings.ReplaceAll(text, name, list[n/len(d.templates)%len(list)])
	}
	return d.prefix + text
}

// edges draws so many that the store does not have.
func (d *data) edges(ctx context.Context, store *rdfgpu.Store, n int) (string, error) {
	drawn := map[string]bool{}
	var text strings.Builder
	for len(drawn) < n {
		from, to := d.lists[d.from], d.lists[d.to]
		edge := fmt.Sprintf("%s %s %s . ", from[d.random.IntN(len(from))], d.edge, to[d.random.IntN(len(to))])
		there, err := d.ask(ctx, store, edge)
		if err != nil {
			return "", err
		}
		if !there && !drawn[edge] {
			drawn[edge] = true
			text.WriteString(edge)
		}
	}
	return text.String(), nil
}

func (d *data) ask(ctx context.Context, store *rdfgpu.Store, edge string) (bool, error) {
	result, err := store.Query(ctx, d.prefix+"ASK { "+edge+"}", rdfgpu.QueryOptions{})
	if err != nil {
		return false, err
	}
	defer result.Close()
	return result.Boolean()
}
