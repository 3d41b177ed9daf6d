package watch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/watch"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// The network that the benchmark builds: people who follow each other, live in cities, like things of some kind, and are of an age.
const (
	people, cities, things, kinds = 5000, 50, 1000, 100
	followed, liked               = 10, 3
)

func iri(what string, n int) rdf.Term { return rdf.NewIRI(fmt.Sprintf("http://e/%s%d", what, n)) }

func edge(s rdf.Term, p string, o rdf.Term) rdf.Quad {
	return rdf.Quad{Subject: s, Predicate: rdf.NewIRI("http://e/" + p), Object: o}
}

func network(random *rand.Rand) map[rdf.Quad]bool {
	quads := map[rdf.Quad]bool{}
	for n := range people {
		who := iri("person", n)
		quads[edge(who, "city", iri("city", random.IntN(cities)))] = true
		quads[edge(who, "age", rdf.NewTyped(fmt.Sprint(18+random.IntN(60)), rdf.XSDInteger))] = true
		quads[rdf.Quad{Subject: who, Predicate: rdf.NewIRI(rdf.RDFType), Object: iri("Class", n%10)}] = true
		for range followed {
			quads[follows(random)] = true
		}
		for range liked {
			quads[edge(who, "likes", iri("thing", random.IntN(things)))] = true
		}
	}
	for n := range things {
		quads[edge(iri("thing", n), "kind", iri("kind", n%kinds))] = true
	}
	return quads
}

func follows(random *rand.Rand) rdf.Quad {
	return edge(iri("person", random.IntN(people)), "follows", iri("person", random.IntN(people)))
}

// templates make queries of a number each.
var templates = []string{
	`SELECT * { ?x <http://e/follows> <http://e/person$person> . ?x <http://e/city> ?c }`,
	`SELECT ?b { <http://e/person$person> <http://e/follows> ?a . ?a <http://e/follows> ?b }`,
	`SELECT ?a ?t { ?a <http://e/likes> ?t . ?t <http://e/kind> <http://e/kind$kind> . <http://e/person$person> <http://e/follows> ?a }`,
	`SELECT ?a ?b ?c { ?a <http://e/follows> ?b . ?b <http://e/follows> ?c . ?c <http://e/follows> ?a . ?a <http://e/city> <http://e/city$number> }`,
	`SELECT ?a { <http://e/person$person> <http://e/follows> ?a . ?a <http://e/age> ?n FILTER (?n > $number) }`,
}

func query(n int) string {
	at := n / len(templates)
	return strings.NewReplacer("$person", fmt.Sprint(at%people), "$kind", fmt.Sprint(at%kinds), "$number", fmt.Sprint(at%cities)).Replace(templates[n%len(templates)])
}

// heap is what is live.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkLatency commits triples, of people who follow each other, while queries stand, and measures the time until all of them were
// brought up to date, and that of the commit itself.
func BenchmarkLatency(b *testing.B) {
	for _, queries := range []int{1, 100, 10_000} {
		random := rand.New(rand.NewPCG(1, 2))
		w := newWorld(b, network(random), live.Options{})
		var subscriptions []*watch.Subscription
		before, began := heap(), time.Now()
		for n := range queries {
			s, err := w.watcher.Subscribe(context.Background(), w.query(query(n), bgp.Homomorphism), watch.Options{NoSnapshot: true})
			if err != nil {
				b.Fatal(err)
			}
			subscriptions = append(subscriptions, s)
		}
		b.Logf("%d queries stand after %v, with %d bytes each", queries, time.Since(began), (heap()-before)/int64(queries))
		for _, triples := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("queries=%d/triples=%d", queries, triples), func(b *testing.B) {
				var commits, brought []time.Duration
				for range b.N {
					var s step
					for range triples {
						if q := follows(random); w.quads[q] {
							s.remove = append(s.remove, q)
						} else {
							s.add = append(s.add, q)
						}
					}
					start := time.Now()
					w.commit(s)
					commits = append(commits, time.Since(start))
					subscriptions[0].Await()
					brought = append(brought, time.Since(start)-commits[len(commits)-1])
				}
				for what, list := range map[string][]time.Duration{"commit": commits, "brought": brought} {
					slices.Sort(list)
					b.ReportMetric(float64(list[len(list)/2].Nanoseconds())/1e3, what+"-p50-us")
					b.ReportMetric(float64(list[len(list)*99/100].Nanoseconds())/1e3, what+"-p99-us")
				}
			})
		}
		for _, s := range subscriptions {
			s.Close()
		}
		w.close()
	}
}
