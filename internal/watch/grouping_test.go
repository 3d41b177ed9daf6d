package watch_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/watch"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// age is a triple with a value of some type.
func age(n int, value, datatype string) rdf.Quad {
	return rdf.Quad{Subject: iri("person", n), Predicate: rdf.NewIRI("http://e/age"), Object: rdf.NewTyped(value, datatype)}
}

// TestGroupsAreAggregatedAgain: of values of every type, and of none, aggregates are what they are when all is evaluated, which an OPTIONAL
// that nothing matches has done.
func TestGroupsAreAggregatedAgain(t *testing.T) {
	w := newWorld(t, map[rdf.Quad]bool{}, live.Options{})
	defer w.close()
	var queries, twins []*watched
	for _, text := range []string{
		"SELECT (COUNT(*) AS ?n) { ?p <http://e/age> ?a }",
		"SELECT (COUNT(?a) AS ?n) (COUNT(DISTINCT ?a) AS ?d) (COUNT(?a + 1) AS ?e) { ?p <http://e/age> ?a }",
		"SELECT (SUM(?a) AS ?s) (AVG(?a) AS ?m) { ?p <http://e/age> ?a }",
		"SELECT (MIN(?a) AS ?s) (MAX(?a) AS ?m) (SUM(DISTINCT ?a) AS ?d) { ?p <http://e/age> ?a }",
		"SELECT ?c (AVG(?a) AS ?m) (COUNT(*) AS ?n) { ?p <http://e/age> ?a ; <http://e/city> ?c } GROUP BY ?c HAVING (COUNT(*) > 1)",
		"SELECT ((SUM(?a) + COUNT(*)) AS ?s) { ?p <http://e/age> ?a ; <http://e/city> ?c } GROUP BY ?c ?a ORDER BY ?s",
		"SELECT ?none (COUNT(?none) AS ?n) { ?p <http://e/age> ?a } GROUP BY ?none",
	} {
		q := w.watch(text, bgp.Homomorphism)
		defer q.Close()
		if !q.IsIncremental() {
			t.Errorf("%s is evaluated again", text)
		}
		twin := w.watch(strings.Replace(text, " }", " OPTIONAL { ?p <http://e/none> ?nothing } }", 1), bgp.Homomorphism)
		defer twin.Close()
		queries, twins = append(queries, q), append(twins, twin)
	}
	steps := []step{
		{add: []rdf.Quad{age(1, "41", rdf.XSDInteger), age(2, "41", rdf.XSDInteger), edge(iri("person", 1), "city", iri("city", 1))}},
		{add: []rdf.Quad{age(3, "1.50", rdf.XSDDecimal), edge(iri("person", 2), "city", iri("city", 1)), edge(iri("person", 3), "city", iri("city", 2))}},
		{add: []rdf.Quad{age(1, "041", rdf.XSDInteger), age(4, "2.5e0", rdf.XSDDouble)}},
		{remove: []rdf.Quad{age(4, "2.5e0", rdf.XSDDouble)}, add: []rdf.Quad{age(5, "old", "")}},
		{remove: []rdf.Quad{age(5, "old", ""), age(3, "1.50", rdf.XSDDecimal)}, add: []rdf.Quad{age(6, "9223372036854775807", rdf.XSDInteger)}},
		{add: []rdf.Quad{age(7, "9223372036854775807", rdf.XSDInteger)}},
		{remove: []rdf.Quad{age(1, "41", rdf.XSDInteger), age(2, "41", rdf.XSDInteger), age(1, "041", rdf.XSDInteger)}},
		{remove: []rdf.Quad{age(6, "9223372036854775807", rdf.XSDInteger), age(7, "9223372036854775807", rdf.XSDInteger)}},
	}
	for _, s := range steps {
		w.commit(s)
		for i, q := range queries {
			for _, c := range w.told(q) {
				if c.Way == watch.Evaluated {
					t.Errorf("%s was evaluated again", q.asked.Text)
				}
			}
			if w.told(twins[i]); !maps.Equal(q.seen, twins[i].seen) {
				t.Errorf("%s: %v, where %v is right", q.asked.Text, q.seen, twins[i].seen)
			}
		}
	}
}

// TestLargeGroupsAreEvaluatedAgain: where aggregating a group again would cost more than evaluating the query, that is done, from then on.
func TestLargeGroupsAreEvaluatedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("of one goroutine")
	}
	w := newWorld(t, map[rdf.Quad]bool{}, live.Options{})
	defer w.close()
	var many step
	for n := range 5000 {
		many.add = append(many.add, age(n, fmt.Sprint(n), rdf.XSDInteger))
	}
	text := "SELECT (SUM(?a) AS ?s) (COUNT(?p) AS ?n) { ?p <http://e/age> ?a }"
	grows := w.watch(text, bgp.Homomorphism)
	defer grows.Close()
	w.commit(many)
	ways := []watch.Way{watch.Snapshot, watch.Incremental, watch.Evaluated, watch.Evaluated}
	changes := w.check(grows)
	large := w.watch(text, bgp.Homomorphism)
	defer large.Close()
	w.check(large)
	for n := range 2 {
		w.commit(step{add: []rdf.Quad{age(6000+n, "6000", rdf.XSDInteger)}})
		changes = append(changes, w.check(grows)...)
		if c := w.check(large); len(c) != 1 || c[0].Way != watch.Evaluated {
			t.Error(c)
		}
	}
	for i, c := range changes {
		if i >= len(ways) || c.Way != ways[i] {
			t.Errorf("change %d is %v", i, c.Way)
		}
	}
	few := w.watch("SELECT (COUNT(?p) AS ?n) { ?p <http://e/age> ?a }", bgp.Homomorphism)
	defer few.Close()
	w.check(few)
	w.commit(step{add: []rdf.Quad{age(7000, "1", rdf.XSDInteger)}})
	if c := w.check(few); len(c) != 1 || c[0].Way != watch.Incremental {
		t.Error(c)
	}
}

// BenchmarkGroups commits one triple while a query that aggregates the ages of 100,000 people by city stands; with an OPTIONAL it is
// evaluated again.
func BenchmarkGroups(b *testing.B) {
	quads := map[rdf.Quad]bool{}
	for n := range 100_000 {
		quads[edge(iri("person", n), "city", iri("city", n%100))] = true
		quads[age(n, fmt.Sprint(n%80), rdf.XSDInteger)] = true
		if n%1000 == 0 {
			quads[edge(iri("person", n), "likes", iri("thing", n))] = true
		}
	}
	w := newWorld(b, quads, live.Options{})
	defer w.close()
	next := 0
	for _, optional := range []string{"", "OPTIONAL { ?p <http://e/likes> ?x }"} {
		text := "SELECT ?c (COUNT(*) AS ?n) (AVG(?a) AS ?m) { ?p <http://e/city> ?c ; <http://e/age> ?a " + optional + " } GROUP BY ?c"
		q, err := w.watcher.Subscribe(context.Background(), w.query(text, bgp.Homomorphism), watch.Options{NoSnapshot: true})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("incremental=%v", q.IsIncremental()), func(b *testing.B) {
			for range b.N {
				next++
				w.commit(step{add: []rdf.Quad{edge(iri("person", next), "city", iri("city", (next+1)%100))}})
				if _, err := q.Drain(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
		q.Close()
	}
}
